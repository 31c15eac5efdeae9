//! Work that one server of a store does for all of them.

use std::time::Duration;

use erp_core::erp::{Error, Lease, LeaseTerms, Leased};
use erp_core::storage::Storage;
use jiff::{SignedDuration, Timestamp};

use crate::app::App;

/// Work that saves the other servers theirs. Nothing depends on it being done by one alone.
#[derive(Debug)]
pub struct Duty {
    leased: Leased,
    length: SignedDuration,
    held: Option<Lease>,
}

impl Duty {
    /// Work that comes up again and again, and that another server takes over when this one has not come
    /// back to it for `length`. The longer it is, the more rarely the store has to be written to.
    #[must_use]
    pub fn new(leased: Leased, length: Duration) -> Self {
        Self {
            leased,
            length: SignedDuration::try_from(length).unwrap_or(SignedDuration::MAX),
            held: None,
        }
    }

    /// Whether the work is this server's now; not when the store cannot tell.
    pub async fn is_ours<S: Storage>(&mut self, app: &App<S>) -> bool {
        match self.ask(app).await {
            Ok(ours) => ours,
            Err(error) => {
                tracing::warn!(%error, work = ?self.leased, "whose work it is could not be found out");
                false
            }
        }
    }

    async fn ask<S: Storage>(&mut self, app: &App<S>) -> Result<bool, Error> {
        let terms = LeaseTerms {
            holder: app.holder(),
            length: self.length,
        };
        let now = Timestamp::now();
        self.held = match self.held.take() {
            Some(lease) => app.erp().keep_lease(lease, &terms, now).await?,
            None => app.erp().take_lease(self.leased, &terms, now).await?,
        };
        Ok(self.held.is_some())
    }
}
