//! The start-up check, which is also `erp-server check`.

use std::collections::BTreeMap;
use std::path::Path;
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

/// What a checked store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The number of the last commit.
    pub last_revision: u64,
    /// The last commit that needs the journal no more.
    pub applied_revision: u64,
    /// A crash has interrupted a checkpoint; the next one does its work again.
    pub interrupted_checkpoint: bool,
    /// Records by the first byte of their keys, see [`erp_core::storage::Space`].
    pub spaces: BTreeMap<u8, SpaceReport>,
    /// The file `STORE` is damaged or missing, and its copy is good; the next start writes it again.
    pub identity_from_copy: bool,
    /// Bytes of sled's files.
    pub sled_bytes: u64,
    /// Files of the journal.
    pub journal_files: usize,
    /// Bytes of the journal's files.
    pub journal_bytes: u64,
}

/// What one space of a checked store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpaceReport {
    /// Records.
    pub records: u64,
    /// Bytes of their keys and values.
    pub bytes: u64,
}

/// What the journal holds that sled does not.
#[derive(Default)]
pub(crate) struct Tail {
    /// All of it.
    pub(crate) all: Layer,
    /// The part that an unfinished checkpoint may have brought to sled.
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

/// What is really in sled.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) tallies: Tallies,
    spaces: BTreeMap<u8, SpaceReport>,
}

/// Reads everything in sled and checks each entry; the report is that of sled and the tail.
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

/// The pause that leaves the processor and the disk to those who wait for an answer.
const READ_PAUSE: Duration = Duration::from_millis(2);

/// Looks at every entry, with pauses, until it is told to stop or the tree is gone; answers how many.
pub(crate) fn read_slowly(tree: &Weak<Tree>, stop: impl Fn() -> bool) -> Result<u64, Fault> {
    let mut read = 0_u64;
    let mut from = Vec::new();
    // The tree is let go between two parts, so that nobody waits for it at the end.
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
    /// What is known without looking.
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

    /// Proves that nothing is missing: what is in sled, together with the checkpoint it was in the
    /// middle of, must have the noted tallies.
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

/// Checks a store that nobody has open: reads every record, compares all counts, digests and commit
/// numbers, and reads the journal. Changes no record.
///
/// # Errors
/// [`OpenError`](super::OpenError), as opening the store would answer.
pub fn check(path: &Path, options: &super::StoreOptions) -> Result<Report, super::OpenError> {
    super::open::inspect(path, options).map_err(|fault| fault.at(path))
}
