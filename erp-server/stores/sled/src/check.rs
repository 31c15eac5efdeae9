//! Verification of a store, at the start and for `erp-server check`.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::thread;
use std::time::Duration;

use erp_core::storage::Key;

use super::bytes::Cut;
use super::envelope::{Kind, Opened};
use super::error::Fault;
use super::journal::{Change, Segment};
use super::quiet::guarded;
use super::records::{self, Encoder, INTERNAL, Note};
use super::tables::{Layer, Slot};
use super::tally::{Tallies, space_of};
use super::tree::Tree;

/// Content of a verified store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The number of the last commit.
    pub last_revision: u64,
    /// The last commit that is in sled and no longer needs the journal.
    pub applied_revision: u64,
    /// A crash interrupted a checkpoint; the next checkpoint repeats it.
    pub interrupted_checkpoint: bool,
    /// Records by the first byte of their keys, see [`erp_core::storage::Space`].
    pub spaces: BTreeMap<u8, SpaceReport>,
    /// `STORE` is damaged or missing and its copy is valid; the next start rewrites it.
    pub identity_from_copy: bool,
    /// Size of sled's files in bytes.
    pub sled_bytes: u64,
    /// Number of journal files.
    pub journal_files: usize,
    /// Size of the journal files in bytes.
    pub journal_bytes: u64,
}

/// Content of one key space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpaceReport {
    /// Number of records.
    pub records: u64,
    /// Size of their keys and values in bytes.
    pub bytes: u64,
}

/// The changes that are in the journal but not in sled.
#[derive(Default)]
pub(crate) struct Tail {
    /// All of them.
    pub(crate) all: Layer,
    /// Those that an unfinished checkpoint may have written to sled.
    pub(crate) begun: Layer,
}

impl Tail {
    pub(crate) fn add(&mut self, revision: u64, changes: Vec<Change>, target: u64) {
        for (key, value) in changes {
            let slot = Slot { revision, value };
            if revision <= target {
                self.begun.insert(key.clone(), slot.clone());
            }
            self.all.insert(key, slot);
        }
    }
}

/// The actual content of sled.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) tallies: Tallies,
    spaces: BTreeMap<u8, SpaceReport>,
}

/// Reads and checks every entry in sled; the report covers sled and the tail.
pub(crate) fn examine(tree: &Tree, tail: &Tail) -> Result<Found, Fault> {
    let mut found = Found::default();
    records::walk(tree, |key, opened| {
        found.tallies.add(key, opened.checksum);
        let hidden = || tail.all.contains_key(&Key::from_bytes(key.to_vec()));
        if space_of(key) != INTERNAL && (tail.all.is_empty() || !hidden()) {
            found.count(key, length(&opened));
        }
        Ok(())
    })?;
    for (key, slot) in &tail.all {
        if let Some(value) = slot.value.as_ref().filter(|_| key.space() != INTERNAL) {
            found.count(key.as_bytes(), value.len() as u64);
        }
    }
    Ok(found)
}

fn length(opened: &Opened<'_>) -> u64 {
    match opened.kind {
        Kind::Split => Cut(opened.body).u64().unwrap_or(0),
        _ => opened.body.len() as u64,
    }
}

/// Records between two pauses of [`read_slowly`].
const READ_AT_ONCE: u64 = 2_000;

/// Pause that leaves processor and disk to client requests.
const READ_PAUSE: Duration = Duration::from_millis(2);

// rule: D-STO-12
/// Checks every entry, with pauses, until `stop` returns `true` or the tree is dropped; returns the number checked.
pub(crate) fn read_slowly(tree: &Weak<Tree>, stop: impl Fn() -> bool) -> Result<u64, Fault> {
    let mut read = 0_u64;
    let mut from = Vec::new();
    // The tree is released between two parts, so that closing the store does not wait for it.
    while let Some(tree) = tree.upgrade().filter(|_| !stop()) {
        let mut part = 0_u64;
        let mut last = None;
        guarded(|| {
            let entries = tree.range(&from, None);
            for pair in entries.take(usize::try_from(READ_AT_ONCE).unwrap_or(usize::MAX)) {
                let (key, bytes) = pair?;
                records::prove(&key, &bytes)?;
                part = part.saturating_add(1);
                last = Some(key);
            }
            Ok(())
        })?;
        read = read.saturating_add(part);
        match last {
            Some(last) if part == READ_AT_ONCE => {
                from = last.to_vec();
                from.push(0);
            }
            _ => break,
        }
        drop(tree);
        thread::sleep(READ_PAUSE);
    }
    Ok(read)
}

impl Found {
    /// The result expected from the tallies, without reading.
    pub(crate) fn of(tallies: Tallies) -> Self {
        Self {
            tallies,
            spaces: BTreeMap::new(),
        }
    }

    fn count(&mut self, key: &[u8], length: u64) {
        let space = self.spaces.entry(space_of(key)).or_default();
        space.records = space.records.saturating_add(1);
        space.bytes = space
            .bytes
            .saturating_add(length)
            .saturating_add(key.len() as u64);
    }

    /// Proves that nothing is missing: the content of sled, plus the rest of an interrupted checkpoint, must have the
    /// noted tallies.
    pub(crate) fn prove(
        &self,
        tree: &Tree,
        note: &Note,
        tail: &Tail,
        piece_bytes: usize,
    ) -> Result<(), Fault> {
        let mut encoder = Encoder {
            tree,
            piece_bytes,
            tallies: self.tallies.clone(),
        };
        for (key, slot) in &tail.begun {
            let mut unused = Vec::new();
            match &slot.value {
                Some(value) => encoder.put(key, slot.revision, value, &mut unused)?,
                None => encoder.delete(key, &mut unused)?,
            }
        }
        compare(&encoder.tallies, &note.tallies)
    }

    pub(crate) fn compare(&self, expected: &Tallies) -> Result<(), Fault> {
        compare(&self.tallies, expected)
    }

    pub(crate) fn report(self, last: u64, applied: u64, segments: &[Segment]) -> Report {
        let length = |segment: &Segment| segment.path.metadata().map_or(0, |data| data.len());
        Report {
            last_revision: last,
            applied_revision: applied,
            interrupted_checkpoint: false,
            identity_from_copy: false,
            spaces: self.spaces,
            sled_bytes: 0,
            journal_files: segments.len(),
            journal_bytes: segments.iter().map(length).sum(),
        }
    }
}

fn compare(found: &Tallies, expected: &Tallies) -> Result<(), Fault> {
    match found.difference(expected) {
        None => Ok(()),
        Some((space, found, expected)) => Err(Fault::Damaged(format!(
            "of the records of kind {space} there are {found} where {expected} were written, \
             or they are not the ones that were written"
        ))),
    }
}
