//! Background work that only one of several servers on the same store should do.

use std::time::Duration;

use erp_core::erp::{Error, Lease, LeaseTerms, Leased};
use erp_core::storage::Storage;
use jiff::{SignedDuration, Timestamp};

use crate::app::App;

/// Work guarded by a lease, which avoids duplicate effort. Correctness does not depend on there being one holder.
#[derive(Debug)]
pub struct LeaderTask {
    leased: Leased,
    length: SignedDuration,
    held: Option<Lease>,
}

impl LeaderTask {
    /// Creates a recurring task. When its holder does not renew the lease within `length`, another server takes over.
    /// Longer leases need fewer writes to the store.
    #[must_use]
    pub fn new(leased: Leased, length: Duration) -> Self {
        Self {
            leased,
            length: SignedDuration::try_from(length).unwrap_or(SignedDuration::MAX),
            held: None,
        }
    }

    /// Takes or renews the lease; returns whether this server holds it. Returns `false` when the store fails.
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
            Some(lease) => app.erp().leases().keep(lease, &terms, now).await?,
            None => app.erp().leases().take(self.leased, &terms, now).await?,
        };
        Ok(self.held.is_some())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use erp_core::Erp;

    use super::*;
    use crate::app::core_settings;
    use crate::config::Settings;
    use crate::store::{SledStore, StoreOptions};

    #[tokio::test]
    async fn one_server_has_the_work_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let store = SledStore::open(folder.path(), StoreOptions::default()).unwrap();
        let settings = Arc::new(Settings::defaults().unwrap());
        let server = || {
            let erp = Erp::new(store.clone(), core_settings(&settings));
            App::new(erp, Arc::clone(&settings), None)
        };
        let (first, second) = (server(), server());
        assert_ne!(first.holder(), second.holder());
        let duty = || LeaderTask::new(Leased::Housekeeping, Duration::from_secs(3_600));
        let (mut mine, mut theirs) = (duty(), duty());
        assert!(mine.is_ours(&first).await);
        assert!(!theirs.is_ours(&second).await);
        assert!(mine.is_ours(&first).await);
        let mut media = LeaderTask::new(Leased::MediaCollection, Duration::from_secs(3_600));
        assert!(media.is_ours(&second).await, "other work");
        assert_eq!(
            first.erp().leases().release_all_of(first.holder()).await,
            Ok(1)
        );
        assert!(theirs.is_ours(&second).await);
        drop((first, second));
        store.close().unwrap();
    }
}
