//! Prometheus metrics: the listener, and what is read when they are scraped.
//!
//! Values of store, events, files and process are read at scrape time; requests and invoices are counted when they end
//! ([`crate::observe::counters`]).

mod listener;
mod process;
mod text;

use std::path::PathBuf;
use std::sync::Arc;

use erp_core::Erp;

pub use listener::{WatchError, listen};
pub use text::{CONTENT_TYPE, text};

use crate::store::Store;
use crate::web::HttpState;

/// What the metrics are read from.
#[derive(Clone, Debug)]
pub struct Sources {
    /// The counters.
    pub http_state: Arc<HttpState>,
    /// Store and events.
    pub erp: Arc<Erp<Store>>,
    /// Folder of the embedded store.
    pub data_dir: PathBuf,
}
