//! Segment files: names, headers and the list of those on disk.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use xxhash_rust::xxh3::xxh3_64;

use super::super::bytes::Cut;
use super::super::error::Fault;
use super::super::layout::{existing, sync_folder};
use super::super::shared::unpoisoned;
use super::files::JournalFiles;

/// Size of a segment header in bytes; records follow it.
pub(crate) const HEAD_BYTES: usize = 64;

/// Seals start at multiples of this, so that no disk page contains both a group and its seal.
pub(crate) const PAGE_BYTES: usize = 4096;

const MAGIC: &[u8; 8] = b"ERPJRNL\n";
const LAYOUT: u32 = 1;
const ENDING: &str = ".journal";

/// Name of a segment under construction. It has no records, so it is removed after a crash.
pub(crate) const UNFINISHED: &str = "new";

/// Name of an obsolete segment file that is kept for reuse.
pub(crate) const SPARE: &str = "spare";

pub(crate) const UNFINISHED_SPARE: &str = "spare.new";

/// When a segment is removed after all its commits are in sled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// Immediately: the journal is as short as possible.
    Applied,
    /// When a verified backup covers it, so that backup and journal together always contain everything.
    UntilBackup {
        /// If the journal exceeds this size in bytes, the oldest segments are removed without a backup; `None` for no
        /// such limit.
        most_bytes: Option<u64>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentHead {
    pub(crate) store: [u8; 16],
    pub(crate) base: u64,
    pub(crate) size: u64,
}

impl SegmentHead {
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

    /// Reads the header of a file; `None` if it has no valid one.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let mut bytes = [0; HEAD_BYTES];
        let mut file = fs::File::open(path).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Self::parse(&bytes)
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
        // Comparing the rendered header also verifies the checksum.
        let same = Some(head.render().as_slice()) == segment.get(..HEAD_BYTES);
        (magic && layout == LAYOUT && same).then_some(head)
    }
}

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

#[derive(Debug, Default)]
pub(crate) struct Segments {
    /// Oldest first. New records are appended to the last one.
    pub(crate) list: Vec<Segment>,
    /// Size of the spare file in bytes, if there is one.
    spare: Option<u64>,
    /// The last commit that a verified backup covers.
    pub(crate) backed_up: u64,
    /// Readers in progress: segments with commits after these revisions must stay.
    pins: Vec<u64>,
}

impl Segments {
    pub(crate) fn list(folder: &Path) -> Result<Self, Fault> {
        let entries = existing(fs::read_dir(folder))?;
        let mut segments = Vec::new();
        for entry in entries.ok_or_else(|| Fault::damaged("the folder `journal` is missing"))? {
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
            ..Self::default()
        })
    }

    /// Keeps all segments with commits after this revision until [`Segments::unpin`].
    pub(crate) fn pin(&mut self, revision: u64) {
        self.pins.push(revision);
    }

    /// Ends a [`Segments::pin`].
    pub(crate) fn unpin(&mut self, revision: u64) {
        if let Some(at) = self.pins.iter().position(|pin| *pin == revision) {
            self.pins.swap_remove(at);
        }
    }

    fn superfluous(&self, applied: u64, keep: usize, retention: Retention) -> io::Result<usize> {
        let free = self.pins.iter().copied().fold(applied, u64::min);
        let up_to = |revision: u64| {
            let newest = self
                .list
                .iter()
                .rposition(|segment| segment.base <= revision);
            newest.unwrap_or(0).saturating_sub(keep)
        };
        let Retention::UntilBackup { most_bytes } = retention else {
            return Ok(up_to(free));
        };
        let covered = up_to(free.min(self.backed_up));
        let Some(most_bytes) = most_bytes else {
            return Ok(covered);
        };
        let lengths = self.list.iter();
        let lengths = lengths.map(|segment| Ok(fs::metadata(&segment.path)?.len()));
        let lengths = lengths.collect::<io::Result<Vec<u64>>>()?;
        let mut bytes: u64 = lengths.iter().sum();
        let too_old = lengths.iter().take_while(|length| {
            let is_too_much = bytes > most_bytes;
            bytes = bytes.saturating_sub(**length);
            is_too_much
        });
        Ok(covered.max(too_old.count().min(up_to(free))))
    }

    /// Removes the segments that contain no commit after `applied` and that the retention allows to remove, except
    /// the newest `keep`. Oldest first, so that a crash in between leaves no gap.
    ///
    /// One becomes the spare: its blocks are allocated already, and its old records are invalid in any other segment
    /// (see the checksum seed of a record). Each removal and rename is synced before the next one, because a power loss
    /// may reorder those that are not.
    pub(crate) fn remove_covered(
        &mut self,
        applied: u64,
        keep: usize,
        retention: Retention,
    ) -> io::Result<()> {
        let superfluous = self.superfluous(applied, keep, retention)?;
        for _ in 0..superfluous {
            let Some(oldest) = self.list.first() else {
                break;
            };
            let folder = oldest.path.parent().map(Path::to_owned);
            let folder = folder.unwrap_or_default();
            // Sync after each rename or removal. A power loss may undo unsynced ones in any order: an older segment
            // would remain although a newer one is removed, or the old name of the spare would lead to a file with
            // a new header.
            let mut spare = self.spare;
            if spare.is_none() {
                spare = Some(fs::metadata(&oldest.path)?.len());
                fs::rename(&oldest.path, oldest.path.with_file_name(SPARE))?;
            } else {
                fs::remove_file(&oldest.path)?;
            }
            self.list.remove(0);
            sync_folder(&folder)?;
            self.spare = spare;
        }
        Ok(())
    }

    /// Takes the spare for reuse, if there is one of this size: it becomes a segment under construction at once. Under its
    /// old name [`Segments::remove_covered`] could replace it by a file of another size.
    pub(crate) fn take_spare(&mut self, folder: &Path, size: u64) -> io::Result<bool> {
        let taken = self.spare.take_if(|spare| *spare == size).is_some();
        if taken {
            fs::rename(folder.join(SPARE), folder.join(UNFINISHED))?;
        }
        Ok(taken)
    }
}

/// Creates a spare when the retention keeps all segments, so that no writer waits for a new file. Does nothing when
/// there is a spare already or the journal has one segment. Errors are ignored: the writer then creates its file
/// itself.
pub(crate) fn prepare_spare(
    segments: &Mutex<Segments>,
    files: &dyn JournalFiles,
    size: u64,
) -> io::Result<()> {
    let folder = {
        let segments = unpoisoned(segments.lock());
        match (segments.spare, segments.list.as_slice()) {
            (None, [_, .., last]) => last.path.parent().map(Path::to_owned),
            _ => None,
        }
    };
    let Some(folder) = folder else {
        return Ok(());
    };
    let unfinished = folder.join(UNFINISHED_SPARE);
    let made = files.create(&unfinished, size).and_then(|_| {
        let mut segments = unpoisoned(segments.lock());
        fs::rename(&unfinished, folder.join(SPARE))?;
        sync_folder(&folder)?;
        segments.spare = Some(size);
        Ok(())
    });
    if made.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_that_is_taken_keeps_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, size: u64| {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_len(size).unwrap();
        };
        for (base, size) in [(0, 8192), (10, 4096), (20, 4096)] {
            file(&format!("{base:020}{ENDING}"), size);
        }
        file(SPARE, 4096);
        let mut segments = Segments {
            spare: Some(4096),
            ..Segments::list(folder.path()).unwrap()
        };
        assert!(!segments.take_spare(folder.path(), 8192).unwrap());
        assert!(segments.take_spare(folder.path(), 4096).unwrap());
        // A checkpoint removes a larger segment before the writer has written its head.
        segments.remove_covered(20, 0, Retention::Applied).unwrap();
        let length = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
        assert_eq!((length(UNFINISHED), length(SPARE)), (4096, 8192));
    }

    #[test]
    fn every_flipped_bit_of_a_head_is_found() {
        let head = SegmentHead {
            store: [3; 16],
            base: 99,
            size: 4096,
        };
        let bytes = head.render();
        assert_eq!(SegmentHead::parse(&bytes), Some(head));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(
                SegmentHead::parse(&damaged),
                None,
                "bit {bit} was not found"
            );
        }
    }
}
