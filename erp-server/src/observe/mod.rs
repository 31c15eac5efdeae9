//! What is observed of a server: counters, log, audit trail, request ids, readiness.
//!
//! These are on the ground floor, so that every module can count and log. The scrape that reads the counters together
//! with store and process is [`crate::scrape`].

pub mod audit;
pub mod counters;
pub mod history;
mod log_tail;
pub mod logging;
pub mod process;
pub mod readiness;
mod request_id;
mod trace;

pub use request_id::{REQUEST_ID, RequestId};
pub use trace::{TRACEPARENT, Trace};
