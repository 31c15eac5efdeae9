//! Where the objects are: cross-reference tables and streams (ISO 32000-1, 7.5.4 and 7.5.8).
//!
//! Sections are kept as they are in the file and read when an object is wanted, so that opening a
//! file with 400,000 objects costs no more than one with four.

use super::{PdfError, Result};

/// What is known about an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XrefEntry {
    /// It does not exist (any more).
    Free,
    /// It is at this byte of the file.
    At(usize),
    /// It is in an object stream.
    InStream {
        /// The number of the stream.
        stream: u32,
    },
}

/// How a section is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionKind {
    /// `xref` and lines of 20 bytes.
    Table,
    /// An `/XRef` stream.
    Stream,
}

/// One section of the chain: the objects of one saving.
#[derive(Debug, Clone)]
pub(super) struct Section {
    /// Where it starts in the file.
    pub(super) at: usize,
    pub(super) kind: SectionKind,
    pub(super) rows: Rows,
    /// Ordered by their first number.
    pub(super) runs: Vec<Run>,
}

/// Consecutive numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) count: u32,
    /// Offset of the first row: in the file for a table, otherwise in the decoded rows.
    pub(super) start: usize,
}

#[derive(Debug, Clone)]
pub(super) enum Rows {
    /// 20 bytes each, in the file.
    InFile,
    /// Of an `/XRef` stream, with the widths of its three fields.
    Decoded { bytes: Vec<u8>, widths: [usize; 3] },
    /// Found by looking through the file; sorted by number.
    Found(Vec<(u32, XrefEntry)>),
}

pub(super) const ROW: usize = 20;

impl Section {
    fn run(&self, number: u32) -> Option<&Run> {
        let after = self.runs.partition_point(|run| run.first <= number);
        let run = self.runs.get(after.checked_sub(1)?)?;
        (number - run.first < run.count).then_some(run)
    }

    /// Whether it is lines of 20 bytes.
    pub(super) const fn is_table(&self) -> bool {
        matches!(self.rows, Rows::InFile)
    }

    /// The row of an object as it is written, when the section is a table that has one.
    pub(super) fn table_row(&self, file: &[u8], number: u32) -> Option<TableRow> {
        let run = self.run(number).filter(|_| self.is_table())?;
        table_row(file, run.row(number - run.first, ROW)).ok()
    }

    /// The generation of an object that is in use and in no stream, if the section has it.
    pub(super) fn generation(&self, file: &[u8], number: u32) -> Option<u32> {
        match &self.rows {
            Rows::InFile => self.table_row(file, number).map(|row| row.generation),
            Rows::Decoded { bytes, widths } => {
                let run = self.run(number)?;
                let at = run.row(number - run.first, widths.iter().sum());
                let [_, _, generation] = stream_fields(bytes, at, *widths).ok()?;
                Some(u32::try_from(generation).unwrap_or(u32::MAX))
            }
            Rows::Found(_) => None,
        }
    }

    /// What the section says about an object, if anything.
    pub(super) fn entry(&self, file: &[u8], number: u32) -> Result<Option<XrefEntry>> {
        if let Rows::Found(entries) = &self.rows {
            let place = entries.binary_search_by_key(&number, |(number, _)| *number);
            let found = place.ok().and_then(|place| entries.get(place));
            return Ok(found.map(|(_, entry)| *entry));
        }
        let Some(run) = self.run(number) else {
            return Ok(None);
        };
        self.row(file, run, number - run.first).map(Some)
    }

    /// The row `offset` rows after the start of a run.
    pub(super) fn row(&self, file: &[u8], run: &Run, offset: u32) -> Result<XrefEntry> {
        match &self.rows {
            Rows::InFile => table_entry(file, run.row(offset, ROW)),
            Rows::Decoded { bytes, widths } => {
                stream_entry(bytes, run.row(offset, widths.iter().sum()), *widths)
            }
            Rows::Found(_) => Ok(XrefEntry::Free),
        }
    }
}

impl Run {
    /// Where one of its rows starts.
    fn row(&self, offset: u32, width: usize) -> usize {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        self.start.saturating_add(offset.saturating_mul(width))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TableRow {
    /// The offset of an object, or the number of the next free one.
    pub(super) offset: u64,
    pub(super) generation: u32,
    pub(super) in_use: bool,
}

/// Reads `0000000017 00000 n`: a row that is read although something else is there would name a wrong place.
pub(super) fn table_row(file: &[u8], at: usize) -> Result<TableRow> {
    let damaged = || PdfError::damaged("a line of the cross-reference table is broken", at);
    let row = file.get(at..).and_then(<[u8]>::first_chunk::<18>);
    let (offset, rest) = row.ok_or_else(damaged)?.split_at(10);
    let [b' ', generation @ .., b' ', kind @ (b'n' | b'f')] = rest else {
        return Err(damaged());
    };
    if !offset.iter().chain(generation).all(u8::is_ascii_digit) {
        return Err(damaged());
    }
    let number = |digits: &[u8]| {
        let digits = digits.iter().map(|digit| u64::from(digit - b'0'));
        digits.fold(0, |sum: u64, digit| sum * 10 + digit)
    };
    Ok(TableRow {
        offset: number(offset),
        generation: u32::try_from(number(generation)).unwrap_or(u32::MAX),
        in_use: *kind == b'n',
    })
}

fn table_entry(file: &[u8], at: usize) -> Result<XrefEntry> {
    let row = table_row(file, at)?;
    let offset = usize::try_from(row.offset).ok().filter(|_| row.in_use);
    Ok(offset.map_or(XrefEntry::Free, at_or_free))
}

/// Some writers mark a missing object with offset 0 instead of `f`.
const fn at_or_free(offset: usize) -> XrefEntry {
    if offset == 0 {
        XrefEntry::Free
    } else {
        XrefEntry::At(offset)
    }
}

/// The fields of a row of a stream. Wider ones than a number hold leading zeros only in any file that can exist.
fn stream_fields(bytes: &[u8], at: usize, widths: [usize; 3]) -> Result<[u64; 3]> {
    let mut rest = bytes.get(at..).unwrap_or_default();
    let mut fields = [0; 3];
    for (field, width) in fields.iter_mut().zip(widths) {
        let split = rest.split_at_checked(width);
        let damaged = || PdfError::damaged("the cross-reference stream is too short", at);
        let (value, after) = split.ok_or_else(damaged)?;
        let value = value.iter().map(|byte| u64::from(*byte));
        *field = value.fold(0, |sum, byte| sum << 8 | byte);
        rest = after;
    }
    Ok(fields)
}

fn stream_entry(bytes: &[u8], at: usize, widths: [usize; 3]) -> Result<XrefEntry> {
    let [kind, second, _] = stream_fields(bytes, at, widths)?;
    let kind = if widths[0] == 0 { 1 } else { kind };
    Ok(match kind {
        1 => usize::try_from(second).map_or(XrefEntry::Free, at_or_free),
        2 => u32::try_from(second).map_or(XrefEntry::Free, |stream| XrefEntry::InStream { stream }),
        _ => XrefEntry::Free,
    })
}
