//! Removing bodies that no record names.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::storage::Storage;
use jiff::Timestamp;
use thiserror::Error as ThisError;
use tokio::time::Instant;

use super::bodies::{Bodies, StoredBody};
use super::removal::{CONDEMNED, REMOVED_WITHIN};

/// Bodies that are removed between two looks at what records name. Who wants to name one of them waits so
/// long.
const AT_ONCE: usize = 200;

/// After this time without a write a body is not on its way any more. Its record is yet to come, so there is
/// no other sign.
const ABANDONED: Duration = Duration::from_secs(3_600);

/// What a collection found, and removed unless it only looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    /// Bodies that records name.
    pub named: usize,
    /// Bodies that no record names and that are old enough to go.
    pub unnamed: Vec<StoredBody>,
    /// Files that were begun and never completed.
    pub abandoned: usize,
}

impl Collection {
    /// The bytes of the bodies that no record names.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.unnamed
            .iter()
            .fold(0, |sum, body| sum.saturating_add(body.length))
    }
}

/// Whether bodies without a record are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// They are removed.
    Remove,
    /// They are only listed.
    List,
}

/// Why nothing, or not everything, was collected.
#[derive(Debug, ThisError)]
pub enum CollectError {
    /// What records name could not be read; nothing was removed.
    #[error("the media records cannot be read: {0}")]
    Records(#[from] Error),
    /// The folder or the object store.
    #[error("the media files: {0}")]
    Folder(#[from] io::Error),
}

/// Removes bodies that no record names and that nobody stored within the grace time. Others may name and
/// remove bodies at the same time, here and in other processes.
///
/// # Errors
/// When records or bodies cannot be read; a body is only removed when all records were.
pub async fn collect<S: Storage>(
    erp: &Erp<S>,
    bodies: &Arc<Bodies>,
    grace: Duration,
    unnamed: Unnamed,
) -> Result<Collection, CollectError> {
    let before = SystemTime::now().checked_sub(grace);
    collect_older(
        erp,
        bodies,
        before.unwrap_or(SystemTime::UNIX_EPOCH),
        unnamed,
    )
    .await
}

/// Removes bodies that no record names and that nobody stored since `before`; with a time to come, all
/// that no record names.
///
/// # Errors
/// As [`collect`].
pub async fn collect_older<S: Storage>(
    erp: &Erp<S>,
    bodies: &Arc<Bodies>,
    before: SystemTime,
    unnamed: Unnamed,
) -> Result<Collection, CollectError> {
    let candidates = blocking(bodies, move |bodies| bodies.older_than(before)).await?;
    let named = erp.named_bodies().await?;
    let mut collection = Collection {
        named: named.len(),
        ..Collection::default()
    };
    let candidates: Vec<StoredBody> = candidates
        .into_iter()
        .filter(|body| !named.contains_key(&body.hash))
        .collect();
    if unnamed == Unnamed::List {
        collection.unnamed = candidates;
        return Ok(collection);
    }
    for candidates in candidates.chunks(AT_ONCE) {
        match remove(erp, bodies, candidates, before).await? {
            Some(removed) => collection.unnamed.extend(removed),
            // Another process is at it, or holds everything.
            None => break,
        }
    }
    collection.abandoned = remove_abandoned_before(bodies, before).await?;
    Ok(collection)
}

/// Removes files that were begun and never completed; answers how many. They lie in the data folder of each
/// server, so each does it, whoever collects.
///
/// # Errors
/// When the folder cannot be written.
pub async fn remove_abandoned(bodies: &Arc<Bodies>, grace: Duration) -> io::Result<usize> {
    let before = SystemTime::now().checked_sub(grace);
    remove_abandoned_before(bodies, before.unwrap_or(SystemTime::UNIX_EPOCH)).await
}

async fn remove_abandoned_before(bodies: &Arc<Bodies>, before: SystemTime) -> io::Result<usize> {
    let idle = SystemTime::now().checked_sub(ABANDONED);
    let before = before.min(idle.unwrap_or(SystemTime::UNIX_EPOCH));
    blocking(bodies, move |bodies| bodies.remove_abandoned(before)).await
}

/// Removes those of the candidates that still no record names, while nobody can begin to.
async fn remove<S: Storage>(
    erp: &Erp<S>,
    bodies: &Arc<Bodies>,
    candidates: &[StoredBody],
    before: SystemTime,
) -> Result<Option<Vec<StoredBody>>, CollectError> {
    let begun = Instant::now();
    let now = Timestamp::now();
    let until = now.checked_add(CONDEMNED).unwrap_or(Timestamp::MAX);
    let hashes: BTreeSet<_> = candidates.iter().map(|body| body.hash).collect();
    let Some(condemned) = erp.condemn_bodies(&hashes, now, until).await? else {
        return Ok(None);
    };
    let named = erp.named_bodies().await?;
    let candidates: Vec<StoredBody> = candidates
        .iter()
        .filter(|body| !named.contains_key(&body.hash))
        .copied()
        .collect();
    // After an error a request may still be on its way: then the bodies stay on the list for its time.
    let removed = blocking(bodies, move |bodies| {
        let mut removed = Vec::new();
        for body in candidates {
            if begun.elapsed() > REMOVED_WITHIN {
                break;
            }
            if bodies.remove_older(body.hash, before)? {
                removed.push(body);
            }
        }
        Ok(removed)
    })
    .await?;
    erp.settle_bodies(condemned).await?;
    Ok(Some(removed))
}

async fn blocking<T: Send + 'static>(
    bodies: &Arc<Bodies>,
    work: impl FnOnce(&Bodies) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let bodies = Arc::clone(bodies);
    let done = tokio::task::spawn_blocking(move || work(&bodies)).await;
    done.map_err(io::Error::other)?
}
