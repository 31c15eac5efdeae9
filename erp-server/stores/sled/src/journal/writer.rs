use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::super::layout::sync_folder;
use super::super::shared::unpoisoned;
use super::files::{JournalFile, JournalFiles};
use super::record::{
    self, KeyChange, RecordKind, RecordPlace, footprint, put_change, put_change_count, put_time,
};
use super::recover::Recovered;
use super::segment::{
    self, PAGE_BYTES, SPARE, Segment, SegmentHead, Segments, UNFINISHED, UNFINISHED_SPARE,
};

/// Why a group is not in the journal.
#[derive(Debug)]
pub(crate) enum AppendError {
    /// Nothing of it was written; the next write may be tried.
    Clean(io::Error),
    /// The state on disk is unknown; nothing may be written before the store is opened again.
    Unknown(io::Error),
}

/// The journal, open for appending.
pub(crate) struct Journal {
    files: Arc<dyn JournalFiles>,
    folder: PathBuf,
    store: [u8; 16],
    segment_bytes: u64,
    segments: Arc<Mutex<Segments>>,
    file: Box<dyn JournalFile>,
    base: u64,
    size: usize,
    position: usize,
    last: u64,
    sealed: bool,
}

impl Journal {
    /// Starts a journal after the commit `head.base`: empty, or with a first commit that contains these changes.
    pub(crate) fn create(
        files: &dyn JournalFiles,
        folder: &Path,
        head: SegmentHead,
        first: Option<&[KeyChange]>,
    ) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let SegmentHead { store, base, .. } = head;
        let mut file = prepare(files, folder, head, false)?;
        if let Some(changes) = first {
            let mut payload = Vec::new();
            put_time(&mut payload, now());
            put_change_count(&mut payload, changes.len());
            for (key, value) in changes {
                put_change(&mut payload, key, value.as_deref());
            }
            let place = |offset: usize| RecordPlace {
                store,
                base,
                offset: offset as u64,
            };
            let number = base.saturating_add(1);
            let at = segment::HEAD_BYTES;
            let group = record::render(RecordKind::Group, number, 1, &payload, place(at));
            file.write_at(at as u64, &group)?;
            file.sync()?;
            let at = at.saturating_add(group.len()).next_multiple_of(PAGE_BYTES);
            let seal = record::render(RecordKind::Seal, number, 0, &[], place(at));
            file.write_at(at as u64, &seal)?;
            file.sync()?;
        }
        enlist(folder, head)
    }

    /// Continues after the recovered commits, after making them durable unless they are only read.
    pub(crate) fn resume(
        files: Arc<dyn JournalFiles>,
        folder: &Path,
        segment_bytes: u64,
        recovered: &Recovered,
        segments: Segments,
        read_only: bool,
    ) -> io::Result<Self> {
        let path = &recovered.segment.path;
        let mut file = files.open(path)?;
        if !read_only {
            Self::settle(folder, &mut *file, recovered)?;
        }
        Ok(Self {
            files,
            folder: folder.to_owned(),
            store: recovered.store,
            segment_bytes,
            segments: Arc::new(Mutex::new(segments)),
            file,
            base: recovered.segment.base,
            size: recovered.size,
            position: recovered.end,
            last: recovered.last,
            sealed: recovered.sealed,
        })
    }

    fn settle(folder: &Path, file: &mut dyn JournalFile, recovered: &Recovered) -> io::Result<()> {
        for left in [UNFINISHED, SPARE, UNFINISHED_SPARE] {
            let _ = fs::remove_file(folder.join(left));
        }
        sync_folder(folder)?;
        // The last group may have reached the page cache only, so it is written and synced again.
        file.write_at(recovered.tail_offset, &recovered.tail)?;
        file.sync()
    }

    pub(crate) fn segments(&self) -> Arc<Mutex<Segments>> {
        Arc::clone(&self.segments)
    }

    pub(crate) const fn is_sealed(&self) -> bool {
        self.sealed
    }

    /// Skips sealing until the next commit.
    pub(crate) const fn skip_seal(&mut self) {
        self.sealed = true;
    }

    /// Appends commits after the last one and returns when they are durable. The payload starts with their time from
    /// [`now`].
    pub(crate) fn append(&mut self, count: u32, payload: &[u8]) -> Result<(), AppendError> {
        let footprint = footprint(payload.len());
        if footprint > self.room() {
            self.rotate(footprint)?;
        }
        let (number, place) = (self.last.saturating_add(1), self.place(self.position));
        let bytes = record::render(RecordKind::Group, number, count, payload, place);
        self.write_or_clear(&bytes)?;
        self.file.sync().map_err(AppendError::Unknown)?;
        self.position += bytes.len();
        self.last += u64::from(count);
        self.sealed = false;
        Ok(())
    }

    /// Confirms the last commit in a page of its own.
    pub(crate) fn seal(&mut self) -> Result<(), AppendError> {
        let position = self.position.next_multiple_of(PAGE_BYTES);
        if position.saturating_add(record::ALIGNMENT) > self.usable() {
            // The successor record confirms it just as well.
            self.rotate(0)?;
            self.sealed = true;
            return Ok(());
        }
        let before = std::mem::replace(&mut self.position, position);
        let bytes = record::render(RecordKind::Seal, self.last, 0, &[], self.place(position));
        if let Err(error) = self.write_or_clear(&bytes) {
            self.position = before;
            return Err(error);
        }
        self.file.sync().map_err(AppendError::Unknown)?;
        self.position = position.saturating_add(bytes.len());
        self.sealed = true;
        Ok(())
    }

    /// Writes the bytes; if the disk is full, overwrites the partial write with zeros where possible.
    fn write_or_clear(&mut self, bytes: &[u8]) -> Result<(), AppendError> {
        let offset = self.position as u64;
        let Err(error) = self.file.write_at(offset, bytes) else {
            return Ok(());
        };
        if error.kind() != io::ErrorKind::StorageFull {
            return Err(AppendError::Unknown(error));
        }
        let cleared = self.file.write_at(offset, &vec![0; bytes.len()]);
        match cleared.and_then(|()| self.file.sync()) {
            Ok(()) => Err(AppendError::Clean(error)),
            Err(_) => Err(AppendError::Unknown(error)),
        }
    }

    /// Switches to a new segment that has room for `footprint` bytes.
    fn rotate(&mut self, footprint: usize) -> Result<(), AppendError> {
        let around = segment::HEAD_BYTES + 4 * PAGE_BYTES;
        let needed = footprint
            .saturating_add(around)
            .next_multiple_of(PAGE_BYTES);
        let head = SegmentHead {
            store: self.store,
            base: self.last,
            size: self.segment_bytes.max(needed as u64),
        };
        let file = self.new_segment(head)?;
        // An empty segment is replaced by a larger one of the same name.
        let mut written = Ok(());
        if head.base != self.base {
            let segment = Segment::new(&self.folder, head.base);
            unpoisoned(self.segments.lock()).list.push(segment);
            let offset = self.usable();
            let place = self.place(offset);
            let bytes = record::render(RecordKind::Successor, self.last, 0, &[], place);
            written = self.file.write_at(offset as u64, &bytes);
            written = written.and_then(|()| self.file.sync());
        }
        self.enter(file, head);
        written.map_err(AppendError::Unknown)
    }

    fn new_segment(&self, head: SegmentHead) -> Result<Box<dyn JournalFile>, AppendError> {
        let mut segments = unpoisoned(self.segments.lock());
        let spare = segments.take_spare(&self.folder, head.size);
        drop(segments);
        let spare = spare.map_err(AppendError::Clean)?;
        let file = prepare(&*self.files, &self.folder, head, spare).map_err(AppendError::Clean)?;
        // After a failed rename there may be two segments that both could be the current one.
        enlist(&self.folder, head).map_err(AppendError::Unknown)?;
        Ok(file)
    }

    fn enter(&mut self, file: Box<dyn JournalFile>, head: SegmentHead) {
        self.file = file;
        self.base = head.base;
        self.size = usize::try_from(head.size).unwrap_or(usize::MAX);
        self.position = segment::HEAD_BYTES;
    }

    /// Offset of the page that is reserved for the successor record.
    const fn usable(&self) -> usize {
        self.size.saturating_sub(PAGE_BYTES)
    }

    const fn room(&self) -> usize {
        self.usable().saturating_sub(self.position)
    }

    const fn place(&self, offset: usize) -> RecordPlace {
        RecordPlace {
            store: self.store,
            base: self.base,
            offset: offset as u64,
        }
    }
}

/// The time for the next group, in milliseconds since 1970. It may be earlier than that of the previous group if
/// the clock was set back.
pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// Creates a synced segment with its header under a temporary name, or makes it of the spare that has the name already.
fn prepare(
    files: &dyn JournalFiles,
    folder: &Path,
    head: SegmentHead,
    spare: bool,
) -> io::Result<Box<dyn JournalFile>> {
    let path = folder.join(UNFINISHED);
    let make = || {
        let mut file = if spare {
            files.open(&path)?
        } else {
            files.create(&path, head.size)?
        };
        file.write_at(0, &head.render())?;
        file.sync()?;
        Ok(file)
    };
    let made = make();
    if made.is_err() {
        let _ = fs::remove_file(&path);
    }
    made
}

fn enlist(folder: &Path, head: SegmentHead) -> io::Result<()> {
    let path = Segment::new(folder, head.base).path;
    fs::rename(folder.join(UNFINISHED), path)?;
    sync_folder(folder)
}
