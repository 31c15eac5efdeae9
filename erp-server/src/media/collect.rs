//! Garbage collection: bodies that no record refers to are moved aside, and removed a day later. What of two processes may
//! happen at once, and why no body is lost that a record names:
//!
//! - Importers ask no collector. They make sure that the body is in its place, by storing it or by looking for it, and commit
//!   the record less than a day later.
//! - A collector lists, then reads the records, then acts; the records it read may be older than the commit of an importer. So it
//!   removes nothing from its place. It moves a body aside, under a name that holds the time of the move.
//! - Only what has been aside for a day before the records were read is removed. Whoever found the body in its place before it
//!   was moved has committed by then, so the records name it, and it is brought back instead.
//! - Whoever looks for a body that is not in its place brings it back first, and so does a reader that has opened it. A name that
//!   an importer finds aside is in its place again; a later move gives it a new name and another day.
//! - Folder: a move is a rename, so a body is in one of both places at each moment, also after a crash. When two rename it, one
//!   of them finds nothing and looks again. Bringing back first renews its time, so that it does not look old.
//! - Bucket: a move is a copy and then a removal, so after a crash between both a body is in both places. The removal may come
//!   after another process has stored the body again or brought it back: the copy aside is as young as the move, and bringing
//!   back leaves it there. When a body is in both places, only what is aside is removed after its day.
//! - Two collectors: a late removal of one never meets what the other moved later, because the names differ. That one of them
//!   brings back what the other removes: the records that it read name the body, so an importer found or stored it during the
//!   last day, and it is in its place or aside under a younger name.
//! - A backup or an export reads the bodies that its records named. What loses its record meanwhile is aside for a day, so it
//!   must take less than that.
//!
//! Clocks of servers may differ by hours: only the day is measured by them.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use erp_core::Erp;
use erp_core::erp::Error;
use erp_core::storage::Storage;
use jiff::Timestamp;
use thiserror::Error as ThisError;

use super::bodies::Bodies;
use super::body::{AsideBody, StoredBody};

/// How long a body is aside before it may be removed.
const ASIDE_FOR: Duration = Duration::from_secs(24 * 3_600);

/// An incomplete body without a write for this long counts as abandoned. There is no other sign, because its record is
/// only created later.
const ABANDONED: Duration = Duration::from_secs(3_600);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collection {
    pub named: usize,
    /// Bodies without a record that are older than the grace time; they were moved aside.
    pub unnamed: Vec<StoredBody>,
    /// Number of bodies that were removed after they had been aside for a day.
    pub removed: usize,
    pub abandoned: usize,
}

impl Collection {
    /// Total size of the bodies without a record, in bytes.
    pub fn bytes(&self) -> u64 {
        self.unnamed.iter().map(|body| body.length).sum()
    }
}

/// What to do with bodies without a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnamed {
    /// Move them aside, and remove those that were moved aside a day ago.
    Remove,
    List,
}

#[derive(Debug, ThisError)]
pub enum CollectError {
    /// The media records could not be read; nothing was removed.
    #[error("the media records cannot be read: {0}")]
    Records(#[from] Error),
    #[error("the media files: {0}")]
    Folder(#[from] io::Error),
}

/// The grace time of servers and of the command line: longer than any import or upload takes until its record is stored.
pub const GRACE: Duration = Duration::from_hours(24);

/// Moves bodies aside that no record refers to and that were not stored within the grace time, and removes those that have
/// been aside for a day. Other clients, here and in other processes, may add and collect bodies at the same time.
pub async fn collect<S: Storage>(
    erp: &Erp<S>,
    bodies: &Arc<Bodies>,
    grace: Duration,
    unnamed: Unnamed,
) -> Result<Collection, CollectError> {
    collect_later(erp, bodies, grace, Duration::ZERO, unnamed).await
}

/// The same by a clock that is ahead by `ahead`, for tests.
pub async fn collect_later<S: Storage>(
    erp: &Erp<S>,
    bodies: &Arc<Bodies>,
    grace: Duration,
    ahead: Duration,
    unnamed: Unnamed,
) -> Result<Collection, CollectError> {
    let before = ago(grace, ahead);
    let lists = move |bodies: &Bodies| {
        let aside = bodies.aside_before(seconds(ago(ASIDE_FOR, ahead)))?;
        Ok((aside, bodies.older_than(before)?))
    };
    let (aside, mut candidates) = blocking(bodies, lists).await?;
    // Only after the lists: see the head of this file.
    let named = erp.upkeep(Timestamp::now()).named_bodies().await?;
    candidates.retain(|body| !named.contains_key(&body.hash));
    let mut collection = Collection {
        named: named.len(),
        ..Collection::default()
    };
    if unnamed == Unnamed::List {
        collection.unnamed = candidates;
        return Ok(collection);
    }
    let collect = move |bodies: &Bodies| {
        for body in aside {
            let is_brought_back = named.contains_key(&body.hash) && bodies.bring_back(body.hash)?;
            if !is_brought_back && bodies.remove_aside(body)? {
                collection.removed += 1;
            }
        }
        for body in candidates {
            let (hash, at) = (body.hash, seconds(ago(Duration::ZERO, ahead)));
            if bodies.set_aside(AsideBody { hash, at }, before)? {
                collection.unnamed.push(body);
            }
        }
        // By the clock of the system: its files are being written.
        let idle = ago(ABANDONED, Duration::ZERO);
        collection.abandoned = bodies.remove_abandoned(before.min(idle))?;
        Ok(collection)
    };
    Ok(blocking(bodies, collect).await?)
}

/// Removes incomplete files; returns their number. They are in the data folder of each server, so each server does
/// this itself, whichever one collects.
pub async fn remove_abandoned(bodies: &Arc<Bodies>, grace: Duration) -> io::Result<usize> {
    let before = ago(grace.max(ABANDONED), Duration::ZERO);
    blocking(bodies, move |bodies| bodies.remove_abandoned(before)).await
}

/// The time that was `time` ago, by a clock that is ahead of the system's by `ahead`.
fn ago(time: Duration, ahead: Duration) -> SystemTime {
    let then = (SystemTime::now() + ahead).checked_sub(time);
    then.unwrap_or(UNIX_EPOCH)
}

/// Seconds since 1970.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

async fn blocking<T: Send + 'static>(
    bodies: &Arc<Bodies>,
    work: impl FnOnce(&Bodies) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let bodies = Arc::clone(bodies);
    let done = tokio::task::spawn_blocking(move || work(&bodies)).await;
    done.map_err(io::Error::other)?
}
