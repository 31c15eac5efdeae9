//! Prometheus metrics: the listener, and what is read when they are scraped.
//!
//! Values of store, events, files and process are read at scrape time; requests and invoices are counted when they end
//! ([`crate::observe::counters`]).

mod listener;
mod text;

pub use listener::{WatchError, listen};
pub use text::{CONTENT_TYPE, text};
