//! Reads the journal: all of it at the start, parts of it for a snapshot during operation.

use std::fs;

use super::super::bytes::Cut;
use super::super::error::Fault;
use super::record::{self, ALIGNMENT, KeyChange, Record, RecordKind, RecordPlace};
use super::segment::{self, PAGE_BYTES, Segment, SegmentHead};

#[derive(Debug)]
pub(crate) struct Replayed {
    pub(crate) revision: u64,
    /// Milliseconds since 1970.
    pub(crate) time: u64,
    pub(crate) changes: Vec<KeyChange>,
}

/// The state at the end of the journal.
#[derive(Debug)]
pub(crate) struct Recovered {
    pub(crate) store: [u8; 16],
    /// The segment that new records are appended to.
    pub(crate) segment: Segment,
    pub(crate) size: usize,
    pub(crate) end: usize,
    /// Offset and bytes of the last group.
    pub(crate) tail_offset: u64,
    pub(crate) tail: Vec<u8>,
    pub(crate) last: u64,
    /// Whether a seal or successor confirms it.
    pub(crate) sealed: bool,
    /// Whether the next group begins after it and is not whole.
    pub(crate) is_torn: bool,
}

/// Passes every commit after `applied` to `replay`, in order, reading only the segments that may contain them.
/// Errors: [`Fault::Damaged`] when an acknowledged commit may be missing, and errors of `replay`.
pub(crate) fn recover(
    segments: &[Segment],
    store: [u8; 16],
    applied: u64,
    mut replay: impl FnMut(Replayed) -> Result<(), Fault>,
) -> Result<Recovered, Fault> {
    let (needed, mut reader) = reader(segments, store, applied, &mut replay)?;
    let mut end = None;
    let mut rest = needed.iter().peekable();
    while let Some(segment) = rest.next() {
        let read = reader.segment(segment)?;
        if rest.peek().is_none() && read.has_successor {
            return Err(Fault::damaged("the last file of the journal is missing"));
        }
        end = Some(read.end);
    }
    if reader.last < applied {
        return Err(missing(reader.last, applied));
    }
    end.ok_or_else(|| Fault::damaged("the journal's files are missing"))
}

/// Passes the commits after `after` up to `until` to `replay`, while the journal may grow.
/// Errors: as [`recover`].
pub(crate) fn read_range(
    segments: &[Segment],
    store: [u8; 16],
    after: u64,
    until: u64,
    mut replay: impl FnMut(Replayed) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut wanted = |commit: Replayed| match commit.revision {
        revision if revision > until => Ok(()),
        _ => replay(commit),
    };
    let (needed, mut reader) = reader(segments, store, after, &mut wanted)?;
    for segment in needed {
        if reader.last >= until {
            break;
        }
        // After `until` the file may be in the middle of a write.
        match reader.segment(segment) {
            Err(fault) if reader.last < until => return Err(fault),
            _ => (),
        }
    }
    match reader.last {
        last if last < until => Err(missing(last, until)),
        _ => Ok(()),
    }
}

fn missing(behind: u64, until: u64) -> Fault {
    let first = behind.saturating_add(1);
    Fault::Damaged(format!("the commits {first} to {until} are missing"))
}

/// The segments that may contain commits after `applied`, and what reads them. Older ones are kept for repairs only.
fn reader<'s, 'a>(
    segments: &'s [Segment],
    store: [u8; 16],
    applied: u64,
    replay: &'a mut dyn FnMut(Replayed) -> Result<(), Fault>,
) -> Result<(&'s [Segment], JournalReader<'a>), Fault> {
    let Some(oldest) = segments.first() else {
        return Err(Fault::damaged("the journal's files are missing"));
    };
    let begin = segments.iter().rposition(|segment| segment.base <= applied);
    let needed = begin.and_then(|begin| segments.get(begin..));
    let needed = needed.ok_or_else(|| missing(applied, oldest.base))?;
    let reader = JournalReader {
        store,
        applied,
        last: needed.first().map_or(0, |segment| segment.base),
        replay,
    };
    Ok((needed, reader))
}

struct JournalReader<'a> {
    store: [u8; 16],
    applied: u64,
    last: u64,
    replay: &'a mut dyn FnMut(Replayed) -> Result<(), Fault>,
}

struct SegmentEnd {
    end: Recovered,
    has_successor: bool,
}

impl JournalReader<'_> {
    fn segment(&mut self, segment: &Segment) -> Result<SegmentEnd, Fault> {
        let bytes = fs::read(&segment.path)?;
        let head = SegmentHead::parse(&bytes).filter(|head| {
            head.store == self.store && head.base == segment.base && head.size == bytes.len() as u64
        });
        if head.is_none() {
            let name = segment.path.file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            let what = format!("the file `journal/{name}` is damaged or cut short");
            return Err(Fault::Damaged(what));
        }
        if segment.base != self.last {
            return Err(missing(self.last, segment.base));
        }
        let mut end = Recovered {
            store: self.store,
            segment: segment.clone(),
            size: bytes.len(),
            end: segment::HEAD_BYTES,
            tail_offset: 0,
            tail: Vec::new(),
            last: self.last,
            sealed: true,
            is_torn: false,
        };
        let mut has_successor = false;
        let mut tail = (0, 0);
        while let Some((offset, record)) = self.next(&bytes, segment.base, end.end) {
            self.accept(&record)?;
            end.end = offset.saturating_add(record::footprint(record.payload.len()));
            end.sealed = matches!(record.kind, RecordKind::Seal | RecordKind::Successor);
            match record.kind {
                RecordKind::Group => tail = (offset, end.end),
                RecordKind::Successor => has_successor = true,
                RecordKind::Seal => {}
            }
        }
        end.last = self.last;
        // Other bytes are from an earlier use of the file.
        end.is_torn = record::number_at(&bytes, end.end) == self.last.checked_add(1);
        end.tail_offset = tail.0 as u64;
        end.tail = bytes.get(tail.0..tail.1).unwrap_or_default().to_vec();
        Ok(SegmentEnd { end, has_successor })
    }

    /// The next valid record at or after an offset. The rest of the segment is searched only if there is none at the
    /// offset itself.
    fn next<'b>(&self, bytes: &'b [u8], base: u64, from: usize) -> Option<(usize, Record<'b>)> {
        let parse = |offset: usize| {
            let place = RecordPlace {
                store: self.store,
                base,
                offset: offset as u64,
            };
            record::parse(bytes, place).map(|record| (offset, record))
        };
        let sealed = from.next_multiple_of(PAGE_BYTES);
        parse(from)
            .or_else(|| parse(sealed).filter(|(_, record)| record.kind == RecordKind::Seal))
            .or_else(|| (from..bytes.len()).step_by(ALIGNMENT).find_map(parse))
    }

    /// Accepts the commits of a record; its numbers prove that no earlier one is missing.
    fn accept(&mut self, record: &Record<'_>) -> Result<(), Fault> {
        // A group has the number of its first commit, a seal or successor that of the last one before it.
        let is_group = record.kind == RecordKind::Group;
        let ahead = u64::from(is_group);
        let expected = self.last.saturating_add(ahead);
        if record.number > expected {
            return Err(missing(self.last, record.number.saturating_sub(ahead)));
        }
        if record.number < expected {
            let what = "the commits of the journal are out of order";
            return Err(Fault::damaged(what));
        }
        if !is_group {
            return Ok(());
        }
        let malformed = || Fault::damaged("a journal record is malformed");
        let mut cut = Cut(record.payload);
        let time = cut.u64().ok_or_else(malformed)?;
        for _ in 0..record.count {
            let changes = record::read_commit(&mut cut).ok_or_else(malformed)?;
            self.last = self.last.saturating_add(1);
            if self.last > self.applied {
                (self.replay)(Replayed {
                    revision: self.last,
                    time,
                    changes,
                })?;
            }
        }
        Ok(())
    }
}
