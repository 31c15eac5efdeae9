//! Records in sled: envelopes, the pieces of long values, and the store's own notes.
//!
//! sled writes a page of more than a quarter of a segment to a separate file that is never synced, and a page
//! contains up to 20 entries. So a value longer than 1/128 of a segment is stored in pieces.

use std::ops::ControlFlow;

use erp_core::storage::{Entry, Key};

use super::bytes::Cut;
use super::envelope::{self, BodyKind};
use super::error::Fault;
use super::quiet::guarded;
use super::tally::{Below, Tallies};
use super::tree::{RawWrite, Tree};

/// First byte of the store's own keys. Keys of the core start with a space from 1 on.
pub(crate) const INTERNAL: u8 = 0;

const NOTE: &[u8] = &[INTERNAL, b'n'];
const PIECE: &[u8] = &[INTERNAL, b'p'];
const SEQUENCE: &[u8] = &[INTERNAL, b's'];

/// A change in memory: the value with its revision, or `None` for a deleted key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) revision: u64,
    pub(crate) value: Option<Vec<u8>>,
}

impl Slot {
    pub(crate) fn entry(&self) -> Option<Entry> {
        let value = self.value.clone()?;
        Some(Entry {
            revision: self.revision,
            value,
        })
    }
}

pub(crate) fn sequence_key(name: &str) -> Key {
    Key::from_bytes([SEQUENCE, name.as_bytes()].concat())
}

/// Key of a piece. The index has a fixed size, so no two pieces share a key.
fn piece_key(key: &[u8], index: u32) -> Vec<u8> {
    [PIECE, key, &index.to_be_bytes()].concat()
}

/// Progress of sled, written in the same batch as the records it describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) store: [u8; 16],
    /// sled contains every commit up to this one.
    pub(crate) applied: u64,
    /// The commit that a checkpoint of several batches is working towards; the tallies are those at its end.
    pub(crate) target: u64,
    /// Counts and digests of everything except this note, at `target`.
    pub(crate) tallies: Tallies,
}

impl Note {
    pub(crate) fn write(&self) -> RawWrite {
        let mut body = self.store.to_vec();
        body.extend_from_slice(&self.applied.to_be_bytes());
        body.extend_from_slice(&self.target.to_be_bytes());
        self.tallies.write(&mut body);
        let (bytes, _) = envelope::seal(BodyKind::Note, NOTE, self.applied, &body);
        (NOTE.to_vec(), Some(bytes))
    }

    pub(crate) fn read(tree: &Tree) -> Result<Self, Fault> {
        let bytes = tree.get(NOTE)?;
        let bytes = bytes.ok_or_else(|| Fault::damaged("the records in `sled` are missing"))?;
        let parse = || {
            let opened =
                envelope::open(NOTE, &bytes).filter(|opened| opened.kind == BodyKind::Note)?;
            let mut cut = Cut(opened.body);
            Some(Self {
                store: cut.id()?,
                applied: cut.u64()?,
                target: cut.u64()?,
                tallies: Tallies::read(&mut cut)?,
            })
        };
        parse().ok_or_else(|| Fault::damaged("the record of the applied commits is unreadable"))
    }
}

/// A longer value is stored in pieces.
pub(crate) const fn piece_bytes(sled_segment_bytes: usize) -> usize {
    sled_segment_bytes / 128
}

/// Builds the raw writes of a record and updates the tallies.
pub(crate) struct Encoder<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) piece_bytes: usize,
    pub(crate) tallies: Tallies,
    /// What a reading of all records has read, if there is one that has not ended.
    pub(crate) read: Option<&'a mut Below>,
}

impl Encoder<'_> {
    /// The writes that store or remove a record.
    pub(crate) fn writes(&mut self, key: &Key, slot: &Slot) -> Result<Vec<RawWrite>, Fault> {
        let (key, revision) = (key.as_bytes(), slot.revision);
        let before = self.forget(key)?;
        let mut writes = Vec::new();
        let mut count = 0_u32;
        match &slot.value {
            Some(value) if value.len() <= self.piece_bytes => {
                writes.push(self.sealed(BodyKind::Whole, key.to_vec(), revision, value));
            }
            Some(value) => {
                for piece in value.chunks(self.piece_bytes.max(1)) {
                    let name = piece_key(key, count);
                    writes.push(self.sealed(BodyKind::Piece, name, revision, piece));
                    count += 1;
                }
                let mut body = (value.len() as u64).to_be_bytes().to_vec();
                body.extend_from_slice(&count.to_be_bytes());
                writes.push(self.sealed(BodyKind::Split, key.to_vec(), revision, &body));
            }
            None if before.is_some() => writes.push((key.to_vec(), None)),
            None => {}
        }
        let superfluous = count..before.unwrap_or(0);
        writes.extend(superfluous.map(|index| (piece_key(key, index), None)));
        Ok(writes)
    }

    /// Subtracts the stored record from the tallies; returns its number of pieces.
    fn forget(&mut self, key: &[u8]) -> Result<Option<u32>, Fault> {
        let Some(bytes) = self.tree.get(key)? else {
            return Ok(None);
        };
        let opened = envelope::open(key, &bytes).ok_or_else(|| unreadable(key))?;
        self.remove(key, opened.checksum);
        let pieces = split(&opened).map_or(0, |(_, pieces)| pieces);
        for index in 0..pieces {
            let name = piece_key(key, index);
            let bytes = self.tree.get(&name)?.ok_or_else(|| unreadable(key))?;
            let piece = envelope::open(&name, &bytes).ok_or_else(|| unreadable(key))?;
            self.remove(&name, piece.checksum);
        }
        Ok(Some(pieces))
    }

    fn sealed(&mut self, kind: BodyKind, key: Vec<u8>, revision: u64, body: &[u8]) -> RawWrite {
        let (bytes, checksum) = envelope::seal(kind, &key, revision, body);
        self.tallies.add(&key, checksum);
        if let Some(read) = self.read.as_mut().and_then(|read| read.with(&key)) {
            read.add(&key, checksum);
        }
        (key, Some(bytes))
    }

    fn remove(&mut self, key: &[u8], checksum: u64) {
        self.tallies.remove(key, checksum);
        if let Some(read) = self.read.as_mut().and_then(|read| read.with(key)) {
            read.remove(key, checksum);
        }
    }
}

fn split(opened: &envelope::Opened<'_>) -> Option<(u64, u32)> {
    let mut cut = Cut(opened.body);
    (opened.kind == BodyKind::Split).then_some((cut.u64()?, cut.u32()?))
}

fn unreadable(key: &[u8]) -> Fault {
    Fault::Damaged(format!("the record `{}` is unreadable", key.escape_ascii()))
}

pub(crate) fn entry(tree: &Tree, key: &[u8]) -> Result<Option<Entry>, Fault> {
    match tree.get(key)? {
        Some(bytes) => decode(tree, key, &bytes).map(Some),
        None => Ok(None),
    }
}

/// Decodes the record from the bytes stored under its key.
pub(crate) fn decode(tree: &Tree, key: &[u8], bytes: &[u8]) -> Result<Entry, Fault> {
    let opened = envelope::open(key, bytes).ok_or_else(|| unreadable(key))?;
    let value = match (opened.kind, split(&opened)) {
        (BodyKind::Whole, _) => opened.body.to_vec(),
        (BodyKind::Split, Some((length, pieces))) => {
            let mut value = Vec::new();
            for index in 0..pieces {
                let name = piece_key(key, index);
                let bytes = tree.get(&name)?.ok_or_else(|| unreadable(key))?;
                let piece = envelope::open(&name, &bytes)
                    .filter(|piece| piece.revision == opened.revision)
                    .ok_or_else(|| unreadable(key))?;
                value.extend_from_slice(piece.body);
            }
            if value.len() as u64 != length {
                return Err(unreadable(key));
            }
            value
        }
        _ => return Err(unreadable(key)),
    };
    Ok(Entry {
        revision: opened.revision,
        value,
    })
}

/// Visits the entries from `from` (included) to `until` (excluded), all but the note: key, revision, checksum and length
/// of the body.
/// Errors: [`Fault::Damaged`] at the first damaged entry, and errors of `look`.
pub(crate) fn walk(
    tree: &Tree,
    from: &[u8],
    until: Option<&[u8]>,
    mut look: impl FnMut(&[u8], envelope::Opened<'_>) -> ControlFlow<()>,
) -> Result<(), Fault> {
    guarded(|| {
        let mut last: Option<sled::IVec> = None;
        for pair in tree.range(from, until) {
            let (key, bytes) = pair?;
            if last.is_some_and(|last| last >= key) {
                return Err(Fault::damaged("the records in `sled` are out of order"));
            }
            if &*key != NOTE {
                let opened = envelope::open(&key, &bytes).ok_or_else(|| unreadable(&key))?;
                if look(&key, opened).is_break() {
                    break;
                }
            }
            last = Some(key);
        }
        Ok(())
    })
}
