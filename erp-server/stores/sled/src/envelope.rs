//! Format of a stored value: layout, kind, length, revision and a checksum over all of them.
//!
//! The checksum covers the key too, so a value found under another key counts as damage. The
//! [tallies](super::tally) are built from it: the digest of a space is the wrapping sum of its checksums.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::bytes::{Cut, length_of};

const LAYOUT: u8 = 1;

/// Size of the envelope that precedes every stored value, in bytes.
pub(crate) const ENVELOPE_BYTES: usize = 24;

/// Kind of the body. The numbers are part of the format and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BodyKind {
    Whole = 1,
    /// The length of a value whose bytes are stored in separate pieces.
    Split = 2,
    Piece = 3,
    Note = 4,
}

impl BodyKind {
    fn from_stored(byte: u8) -> Option<Self> {
        [Self::Whole, Self::Split, Self::Piece, Self::Note]
            .into_iter()
            .find(|kind| *kind as u8 == byte)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened<'a> {
    pub(crate) kind: BodyKind,
    pub(crate) revision: u64,
    pub(crate) checksum: u64,
    pub(crate) body: &'a [u8],
}

/// Wraps a body in an envelope; also returns the checksum.
pub(crate) fn seal(kind: BodyKind, key: &[u8], revision: u64, body: &[u8]) -> (Vec<u8>, u64) {
    let checksum = checksum(kind, key, revision, body);
    let mut bytes = Vec::with_capacity(ENVELOPE_BYTES + body.len());
    bytes.extend_from_slice(&[LAYOUT, kind as u8, 0, 0]);
    bytes.extend_from_slice(&length_of(body).to_be_bytes());
    bytes.extend_from_slice(&revision.to_be_bytes());
    bytes.extend_from_slice(&checksum.to_be_bytes());
    bytes.extend_from_slice(body);
    (bytes, checksum)
}

/// Extracts the body from an envelope; `None` when the checksum or any field is wrong.
pub(crate) fn open<'a>(key: &[u8], bytes: &'a [u8]) -> Option<Opened<'a>> {
    let mut cut = Cut(bytes);
    let [layout, kind, 0, 0] = cut.u32()?.to_be_bytes() else {
        return None;
    };
    let kind = BodyKind::from_stored(kind).filter(|_| layout == LAYOUT)?;
    let length = cut.u32()?;
    let revision = cut.u64()?;
    let stored = cut.u64()?;
    let body = cut.0;
    let right = length == length_of(body) && stored == checksum(kind, key, revision, body);
    right.then_some(Opened {
        kind,
        revision,
        checksum: stored,
        body,
    })
}

fn checksum(kind: BodyKind, key: &[u8], revision: u64, body: &[u8]) -> u64 {
    let seed = xxh3_64_with_seed(key, revision).wrapping_add(kind as u64);
    xxh3_64_with_seed(body, seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_found() {
        let (bytes, _) = seal(BodyKind::Whole, b"key", 7, b"some value");
        assert!(open(b"key", &bytes).is_some_and(|opened| opened.revision == 7));
        assert!(open(b"kex", &bytes).is_none());
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(open(b"key", &damaged).is_none(), "bit {bit} was not found");
        }
        for length in 0..bytes.len() {
            assert!(open(b"key", &bytes[..length]).is_none());
        }
    }
}
