//! Background work that only one of several servers on the same store should do.

use std::time::Duration;

use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::internal::{Lease, LeaseTerms, Leased};
use jiff::{SignedDuration, Timestamp};

use crate::store::Store;

/// Work guarded by a lease, which avoids duplicate effort. Correctness does not depend on there being one holder.
#[derive(Debug)]
pub(super) struct LeaderTask {
    leased: Leased,
    terms: LeaseTerms,
    held: Option<Lease>,
}

impl LeaderTask {
    /// Creates a recurring task. When its holder does not renew the lease within `length`, another server takes over.
    /// Longer leases need fewer writes to the store.
    pub(super) fn new(leased: Leased, length: Duration, holder: u64) -> Self {
        Self {
            leased,
            terms: LeaseTerms {
                holder,
                length: SignedDuration::try_from(length).unwrap_or(SignedDuration::MAX),
            },
            held: None,
        }
    }

    /// Takes or renews the lease; returns whether this server holds it. Returns `false` when the store fails.
    pub(super) async fn is_ours(&mut self, erp: &Erp<Store>) -> bool {
        match self.ask(erp).await {
            Ok(ours) => ours,
            Err(error) => {
                tracing::warn!(%error, work = ?self.leased, "whose work it is could not be found out");
                false
            }
        }
    }

    async fn ask(&mut self, erp: &Erp<Store>) -> Result<bool, Error> {
        let leases = erp.upkeep(Timestamp::now()).leases();
        self.held = match self.held.take() {
            Some(lease) => leases.keep(lease, &self.terms).await?,
            None => leases.take(self.leased, &self.terms).await?,
        };
        Ok(self.held.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{SledStore, StoreOptions};

    #[tokio::test]
    async fn one_server_has_the_work_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let store = SledStore::open(folder.path(), StoreOptions::default()).unwrap();
        let store = Store::from(store);
        let server = || Erp::new(store.clone(), erp_core::erp::Settings::default());
        let (first, second) = (server(), server());
        let task = |leased, holder| LeaderTask::new(leased, Duration::from_secs(3_600), holder);
        let mut mine = task(Leased::Housekeeping, 1);
        let mut theirs = task(Leased::Housekeeping, 2);
        assert!(mine.is_ours(&first).await);
        assert!(!theirs.is_ours(&second).await);
        assert!(mine.is_ours(&first).await);
        let mut media = task(Leased::MediaCollection, 2);
        assert!(media.is_ours(&second).await, "other work");
        assert_eq!(
            first
                .upkeep(Timestamp::now())
                .leases()
                .release_all_of(1)
                .await,
            Ok(1)
        );
        assert!(theirs.is_ours(&second).await);
        drop((first, second));
        store.close().unwrap();
    }
}
