//! Background jobs of a server: removing what has expired, collecting media files, watching the store.

mod leader;
mod media;
mod store;
mod tidy;

use std::time::Duration;

pub(crate) use media::collect_media;
pub(crate) use store::{failure_of, read_all, warn_of_risks};
pub(crate) use tidy::tidy;

/// How long things are kept.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Days of an event after it was handed to delivery.
    pub event_days: u32,
    /// Days of an entry of the audit trail; 0 keeps all.
    pub audit_days: u32,
    /// Age of a media file without a record.
    pub media_grace: Duration,
}
