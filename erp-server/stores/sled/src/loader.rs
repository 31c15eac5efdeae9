//! Fills a new sled with a history: later changes of a key replace earlier ones.

use erp_core::storage::Key;

use super::checkpoint::Batches;
use super::error::Fault;
use super::journal::Replayed;
use super::records::{Encoder, Note, Slot};
use super::tables::Layer;
use super::tally::Tallies;
use super::tree::Tree;

/// Approximate bytes of changes collected before they are written to sled.
const GATHERED_BYTES: usize = 8 * 1024 * 1024;

/// Approximate overhead per entry.
const ENTRY_BYTES: usize = 96;

/// Bulk loader for a sled that has no readers yet.
pub(crate) struct Loader<'a> {
    encoder: Encoder<'a>,
    layer: Layer,
    bytes: usize,
}

impl<'a> Loader<'a> {
    /// A loader for an empty sled; values longer than `piece_bytes` are stored in pieces.
    pub(crate) fn new(tree: &'a Tree, piece_bytes: usize) -> Self {
        Self {
            encoder: Encoder {
                read: None,
                tree,
                piece_bytes,
                tallies: Tallies::default(),
            },
            layer: Layer::new(),
            bytes: 0,
        }
    }

    /// Stores or deletes a value, with the revision of that commit.
    pub(crate) fn set(
        &mut self,
        key: Key,
        revision: u64,
        value: Option<Vec<u8>>,
    ) -> Result<(), Fault> {
        let bytes = value.as_ref().map_or(0, Vec::len);
        self.bytes += bytes + key.as_bytes().len() + ENTRY_BYTES;
        self.layer.insert(key, Slot { revision, value });
        if self.bytes > GATHERED_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    pub(crate) fn replay(&mut self, commit: Replayed) -> Result<(), Fault> {
        for (key, value) in commit.changes {
            self.set(key, commit.revision, value)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        let mut batches = Batches::default();
        for (key, slot) in std::mem::take(&mut self.layer) {
            batches.add(self.encoder.writes(&key, &slot)?);
        }
        self.bytes = 0;
        for batch in batches.done {
            self.encoder.tree.write(batch)?;
        }
        self.encoder.tree.sync()
    }

    /// Notes that sled contains all commits of a store up to `applied`, and syncs.
    pub(crate) fn finish(mut self, store: [u8; 16], applied: u64) -> Result<(), Fault> {
        self.flush()?;
        let note = Note {
            store,
            applied,
            target: applied,
            tallies: self.encoder.tallies,
        };
        self.encoder.tree.apply(vec![note.write()])
    }
}
