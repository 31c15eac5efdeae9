//! Segment files: names, heads and the list of those on disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::super::bytes::Cut;
use super::super::error::Fault;

/// Bytes of a segment's head; records begin behind it.
pub(crate) const HEAD_BYTES: usize = 64;

/// Seals begin at multiples of this, so that no page of a disk holds a group and its seal.
pub(crate) const PAGE_BYTES: usize = 4096;

const MAGIC: &[u8; 8] = b"ERPJRNL\n";
const LAYOUT: u32 = 1;
const ENDING: &str = ".journal";

/// A segment on its way. It has no records, so it goes when a crash left it.
pub(crate) const UNFINISHED: &str = "new";

/// A superfluous segment that waits to be used again.
pub(crate) const SPARE: &str = "spare";

/// What a segment's head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) store: [u8; 16],
    pub(crate) base: u64,
    pub(crate) size: u64,
}

impl Head {
    pub(crate) fn render(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&LAYOUT.to_be_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&self.store);
        bytes.extend_from_slice(&self.base.to_be_bytes());
        bytes.extend_from_slice(&self.size.to_be_bytes());
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_be_bytes());
        bytes.resize(HEAD_BYTES, 0);
        bytes
    }

    pub(crate) fn parse(segment: &[u8]) -> Option<Self> {
        let mut cut = Cut(segment);
        let magic = cut.take(MAGIC.len())? == MAGIC;
        let layout = cut.u32()?;
        cut.u32()?;
        let head = Self {
            store: cut.id()?,
            base: cut.u64()?,
            size: cut.u64()?,
        };
        // Rendering again covers the checksum.
        let same = Some(head.render().as_slice()) == segment.get(..HEAD_BYTES);
        (magic && layout == LAYOUT && same).then_some(head)
    }
}

/// One segment on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) base: u64,
    pub(crate) path: PathBuf,
}

impl Segment {
    pub(crate) fn new(folder: &Path, base: u64) -> Self {
        Self {
            base,
            path: folder.join(format!("{base:020}{ENDING}")),
        }
    }
}

/// The segments on disk.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    /// Oldest first. The last one is written to.
    pub(crate) list: Vec<Segment>,
    /// Bytes of the file that waits to be used again, if one does.
    spare: Option<u64>,
}

impl Segments {
    /// Lists a journal's folder.
    pub(crate) fn list(folder: &Path) -> Result<Self, Fault> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Fault::damaged("the folder `journal` is missing"));
            }
            entries => entries?,
        };
        let mut segments = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            if let Some(base) = name.strip_suffix(ENDING).and_then(|base| base.parse().ok()) {
                segments.push(Segment { base, path });
            }
        }
        segments.sort_by_key(|segment| segment.base);
        Ok(Self {
            list: segments,
            spare: None,
        })
    }

    /// Removes the segments that hold no commit behind `applied`, but the newest `keep` of them; oldest
    /// first, so that a crash in between leaves no gap.
    ///
    /// One becomes the spare: its blocks are allocated and written, and its old records are valid in
    /// no other segment.
    pub(crate) fn remove_covered(&mut self, applied: u64, keep: usize) -> io::Result<()> {
        let newest = self
            .list
            .iter()
            .rposition(|segment| segment.base <= applied);
        let superfluous = newest.unwrap_or(0).saturating_sub(keep);
        for _ in 0..superfluous {
            let Some(oldest) = self.list.first() else {
                break;
            };
            if self.spare.is_none() {
                let size = fs::metadata(&oldest.path)?.len();
                fs::rename(&oldest.path, oldest.path.with_file_name(SPARE))?;
                self.spare = Some(size);
            } else {
                fs::remove_file(&oldest.path)?;
            }
            self.list.remove(0);
        }
        Ok(())
    }

    /// Gives the spare away, if there is one of this size.
    pub(crate) fn take_spare(&mut self, size: u64) -> bool {
        self.spare.take_if(|spare| *spare == size).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_of_a_head_is_found() {
        let head = Head {
            store: [3; 16],
            base: 99,
            size: 4096,
        };
        let bytes = head.render();
        assert_eq!(Head::parse(&bytes), Some(head));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Head::parse(&damaged), None, "bit {bit} was not found");
        }
    }
}
