//! Limits how much one request may read.

use super::Error;
use crate::erp::catalogue::slices::{SLICE, yield_now};

// rule: D-WRK-02
/// Counts the entries that one request reads.
#[derive(Debug)]
pub(crate) struct Work {
    limit: usize,
    read: usize,
    since_yield: usize,
}

impl Work {
    /// Nothing is read yet. `limit` is the setting `scan_entries`.
    pub(crate) const fn new(limit: usize) -> Self {
        Self {
            limit,
            read: 0,
            since_yield: 0,
        }
    }

    /// Counts entries that were read, and yields after each slice.
    pub(crate) async fn count(&mut self, entries: usize) -> Result<(), Error> {
        self.read += entries;
        if self.read > self.limit {
            return Err(Error::TooBroad { limit: self.limit });
        }
        self.pause(entries).await;
        Ok(())
    }

    /// Yields after each slice without counting towards the limit, for work that is limited elsewhere.
    pub(crate) async fn pause(&mut self, entries: usize) {
        self.since_yield += entries;
        if self.since_yield >= SLICE {
            self.since_yield = 0;
            yield_now().await;
        }
    }
}
