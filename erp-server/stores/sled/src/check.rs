//! Verification of a store, at the start and for `erp-server check`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use erp_core::storage::Key;

use super::bytes::Cut;
use super::envelope::{BodyKind, Opened};
use super::error::Fault;
use super::journal::KeyChange;
use super::records::{self, Encoder, INTERNAL, Note, Slot};
use super::tables::Layer;
use super::tally::{Below, Tallies, space_of};
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
    pub(crate) all: Layer,
    /// Those that an unfinished checkpoint may have written to sled.
    pub(crate) begun: Layer,
}

impl Tail {
    pub(crate) fn add(&mut self, revision: u64, changes: Vec<KeyChange>, target: u64) {
        for (key, value) in changes {
            let slot = Slot { revision, value };
            if revision <= target {
                self.begun.insert(key.clone(), slot.clone());
            }
            self.all.insert(key, slot);
        }
    }

    /// Adds to tallies what the unfinished checkpoint has yet to change.
    fn change(&self, tree: &Tree, tallies: Tallies, piece_bytes: usize) -> Result<Tallies, Fault> {
        let mut encoder = Encoder {
            tree,
            piece_bytes,
            tallies,
            read: None,
        };
        for (key, slot) in &self.begun {
            encoder.writes(key, slot)?;
        }
        Ok(encoder.tallies)
    }
}

#[derive(Default)]
pub(crate) struct Found {
    pub(crate) tallies: Tallies,
    spaces: BTreeMap<u8, SpaceReport>,
}

/// Reads and checks every entry in sled; the report covers sled and the tail.
pub(crate) fn examine(tree: &Tree, tail: &Tail) -> Result<Found, Fault> {
    let mut found = Found::default();
    records::walk(tree, &[], None, |key, opened| {
        found.tallies.add(key, opened.checksum);
        let hidden = || tail.all.contains_key(&Key::from_bytes(key.to_vec()));
        if space_of(key) != INTERNAL && (tail.all.is_empty() || !hidden()) {
            found.count(key, length(&opened));
        }
        ControlFlow::Continue(())
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
        BodyKind::Split => Cut(opened.body).u64().unwrap_or(0),
        _ => opened.body.len() as u64,
    }
}

/// Records that are read at once beside requests.
const READ_AT_ONCE: u64 = 1_000;

/// A reading of all records in many steps, between which they may change.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// What was read, as it is now.
    pub(crate) read: Below,
    pub(crate) records: u64,
}

impl Reading {
    /// Reads some more, and returns whether it has read all.
    pub(crate) fn step(&mut self, tree: &Tree) -> Result<bool, Fault> {
        let from = std::mem::take(&mut self.read.limit);
        let mut read = 0_u64;
        let mut last = Vec::new();
        records::walk(tree, &from, None, |key, opened| {
            self.read.tallies.add(key, opened.checksum);
            read += 1;
            if read < READ_AT_ONCE {
                return ControlFlow::Continue(());
            }
            last = key.to_vec();
            ControlFlow::Break(())
        })?;
        self.records += read;
        last.push(0);
        self.read.limit = last;
        Ok(read < READ_AT_ONCE)
    }
}

impl Found {
    /// The content that sled must have, without reading it: only the store's own records are read, because among them
    /// are the marks of the number sequences.
    pub(crate) fn expected(
        tree: &Tree,
        note: &Note,
        tail: &Tail,
        piece_bytes: usize,
    ) -> Result<Self, Fault> {
        // An interrupted checkpoint has written a part of its changes, and the note is of its end.
        let change = tail.change(tree, Tallies::default(), piece_bytes)?;
        let tallies = note.tallies.clone().without(&change);
        let mut own = Tallies::default();
        let end = [INTERNAL + 1];
        records::walk(tree, &[], Some(&end), |key, opened| {
            own.add(key, opened.checksum);
            ControlFlow::Continue(())
        })?;
        own.prove(&tallies.of_space(INTERNAL))?;
        Ok(Self {
            tallies,
            spaces: BTreeMap::new(),
        })
    }

    fn count(&mut self, key: &[u8], length: u64) {
        let space = self.spaces.entry(space_of(key)).or_default();
        space.records += 1;
        let bytes = length.saturating_add(key.len() as u64);
        space.bytes = space.bytes.saturating_add(bytes);
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
        let end = tail.change(tree, self.tallies.clone(), piece_bytes)?;
        end.prove(&note.tallies)
    }

    pub(crate) fn report(self, last_revision: u64, applied_revision: u64) -> Report {
        Report {
            last_revision,
            applied_revision,
            spaces: self.spaces,
            ..Report::default()
        }
    }
}
