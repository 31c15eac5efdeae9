//! Garbage collection: removes bodies that no record refers to.

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

use super::bodies::Bodies;
use super::body::StoredBody;
use super::removal::{CONDEMNED, REMOVED_WITHIN};

/// Bodies removed per batch. A client that wants to use one of them waits until the batch is done.
const AT_ONCE: usize = 200;

/// An incomplete body without a write for this long counts as abandoned. There is no other sign, because its record is
/// only created later.
const ABANDONED: Duration = Duration::from_secs(3_600);

/// Result of a collection or of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    /// Number of bodies that records refer to.
    pub named: usize,
    /// Bodies without a record that are older than the grace time.
    pub unnamed: Vec<StoredBody>,
    /// Number of incomplete files.
    pub abandoned: usize,
}

impl Collection {
    /// Total size of the bodies without a record, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.unnamed
            .iter()
            .fold(0, |sum, body| sum.saturating_add(body.length))
    }
}

/// What to do with bodies without a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// Remove them.
    Remove,
    /// Only list them.
    List,
}

/// Why a collection failed or is incomplete.
#[derive(Debug, ThisError)]
pub enum CollectError {
    /// The media records could not be read; nothing was removed.
    #[error("the media records cannot be read: {0}")]
    Records(#[from] Error),
    /// An error of the folder or the object store.
    #[error("the media files: {0}")]
    Folder(#[from] io::Error),
}

/// Removes bodies that no record refers to and that were not stored within the grace time. Other clients, here and in
/// other processes, may add and remove bodies at the same time.
///
/// # Errors
/// When records or bodies cannot be read; a body is only removed after all records were read.
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

/// Removes bodies that no record refers to and that were last stored before `before`; with a time in the future, all
/// bodies without a record.
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
    let named = erp.media().named_bodies().await?;
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
            // Another process is collecting or has a hold.
            None => break,
        }
    }
    collection.abandoned = remove_abandoned_before(bodies, before).await?;
    Ok(collection)
}

/// Removes incomplete files; returns their number. They are in the data folder of each server, so each server does
/// this itself, whichever one collects.
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

/// Marks the candidates, so that no record can start to refer to them, and removes those that still have no record.
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
    let Some(condemned) = erp.media().mark_for_deletion(&hashes, now, until).await? else {
        return Ok(None);
    };
    let named = erp.media().named_bodies().await?;
    let candidates: Vec<StoredBody> = candidates
        .iter()
        .filter(|body| !named.contains_key(&body.hash))
        .copied()
        .collect();
    // After an error a request may still be in progress: then the marks stay until they expire.
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
    erp.media().settle(condemned).await?;
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
