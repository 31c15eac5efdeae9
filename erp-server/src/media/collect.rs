//! Removing bodies that no record names.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::storage::Storage;
use thiserror::Error as ThisError;

use super::bodies::{Bodies, StoredBody};

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
    /// The folder.
    #[error("the media folder: {0}")]
    Folder(#[from] io::Error),
}

/// Removes bodies that no record names and that nobody stored or asked for within the grace time. An
/// import in progress has stored its bodies within it, so it keeps them.
///
/// # Errors
/// When records or folder cannot be read; a body is only removed when all records were.
pub async fn collect<S: Storage>(
    erp: &Erp<S>,
    bodies: &Arc<Bodies>,
    grace: Duration,
    unnamed: Unnamed,
) -> Result<Collection, CollectError> {
    let now = SystemTime::now();
    let before = now.checked_sub(grace).unwrap_or(SystemTime::UNIX_EPOCH);
    let candidates = blocking(bodies, move |bodies| bodies.older_than(before)).await?;
    // Read after the candidates: whoever names one of them later has renewed its time first.
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
    collection.unnamed = blocking(bodies, move |bodies| {
        let mut removed = Vec::new();
        for body in candidates {
            if bodies.remove_older(body.hash, before)? {
                removed.push(body);
            }
        }
        Ok(removed)
    })
    .await?;
    collection.abandoned = blocking(bodies, move |bodies| bodies.remove_abandoned(before)).await?;
    Ok(collection)
}

async fn blocking<T: Send + 'static>(
    bodies: &Arc<Bodies>,
    work: impl FnOnce(&Bodies) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let bodies = Arc::clone(bodies);
    let done = tokio::task::spawn_blocking(move || work(&bodies)).await;
    done.map_err(io::Error::other)?
}
