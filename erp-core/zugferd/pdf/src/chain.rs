//! The cross-reference sections of a file: where its objects are.

use super::xref::{Rows, Section, XrefEntry};
use super::{PdfError, Result};

/// All sections, the newest first, and the bytes their tables are in.
pub(super) struct Chain<'a> {
    pub(super) data: &'a [u8],
    pub(super) sections: Vec<Section>,
}

impl Chain<'_> {
    pub(super) fn entry(&self, number: u32) -> Result<XrefEntry> {
        for section in &self.sections {
            if let Some(entry) = section.entry(self.data, number)? {
                return Ok(entry);
            }
        }
        Ok(XrefEntry::Free)
    }

    /// The generation of an object by the cross-reference; `None` where the objects were looked for.
    pub(super) fn row_generation(&self, number: u32) -> Option<u32> {
        let mut generations = self.sections.iter();
        generations.find_map(|section| section.generation(self.data, number))
    }

    pub(super) fn objects(&self, most: usize) -> Result<Vec<u32>> {
        // Whether it is in use, of every number; the newest section that has it says.
        let mut all: Vec<Option<bool>> = Vec::new();
        for section in &self.sections {
            if let Rows::Found(entries) = &section.rows {
                for (number, entry) in entries {
                    note(&mut all, *number, most, || Ok(*entry))?;
                }
            }
            for run in &section.runs {
                for offset in 0..run.count {
                    let number = run.first.saturating_add(offset);
                    note(&mut all, number, most, || {
                        section.row(self.data, run, offset)
                    })?;
                }
            }
        }
        let used = (0_u32..).zip(all).filter(|(_, used)| *used == Some(true));
        Ok(used.map(|(number, _)| number).collect())
    }

    /// `size` is that of the trailer.
    pub(super) fn next_number(&self, size: Option<u32>) -> u32 {
        let runs = self.sections.iter().flat_map(|section| &section.runs);
        let highest = runs.map(|run| run.first.saturating_add(run.count)).max();
        let sections = self.sections.iter();
        let found = sections.filter_map(|section| match &section.rows {
            Rows::Found(entries) => entries.last().map(|(number, _)| number.saturating_add(1)),
            _ => None,
        });
        let known = highest.into_iter().chain(found).max().unwrap_or(1);
        // `/Size` is often larger without reason, and numbers below it may be free for good.
        let size = size.filter(|size| *size < known.saturating_add(1_000));
        known.max(size.unwrap_or(0))
    }

    /// The first of the free objects that the newest table lists; 0 when there is none.
    pub(super) fn first_free(&self) -> u32 {
        let mut tables = self.sections.iter();
        let head = tables.find_map(|section| section.table_row(self.data, 0));
        let first = head.and_then(|row| u32::try_from(row.offset).ok());
        let first = first.filter(|number| self.entry(*number) == Ok(XrefEntry::Free));
        first.unwrap_or(0)
    }

    pub(super) fn has_misleading_free_rows(&self, most: usize) -> bool {
        let mut left = most;
        let newer = self.sections.iter().rev().skip(1);
        for section in newer.filter(|section| section.is_table()) {
            for run in &section.runs {
                let count = usize::try_from(run.count).unwrap_or(usize::MAX);
                let Some(rest) = left.checked_sub(count) else {
                    return true;
                };
                left = rest;
                let mut numbers = (0..run.count).map(|offset| run.first.saturating_add(offset));
                if numbers.any(|number| self.is_freed_for_good(section, number)) {
                    return true;
                }
            }
        }
        false
    }

    fn is_freed_for_good(&self, section: &Section, number: u32) -> bool {
        let row = section.table_row(self.data, number);
        number != 0
            && row.is_some_and(|row| !row.in_use && row.generation == u32::from(u16::MAX))
            && self.is_in_older(section, number)
    }

    fn is_in_older(&self, section: &Section, number: u32) -> bool {
        let newer = self.sections.iter();
        let from = newer.skip_while(|newer| !std::ptr::eq(*newer, section));
        let older = from.skip(1);
        let mut entries = older.filter_map(|older| older.entry(self.data, number).ok().flatten());
        entries.next().is_some_and(|entry| entry != XrefEntry::Free)
    }
}

/// Notes whether an object is in use, unless a newer section said so.
fn note(
    all: &mut Vec<Option<bool>>,
    number: u32,
    most: usize,
    entry: impl FnOnce() -> Result<XrefEntry>,
) -> Result<()> {
    let place = usize::try_from(number).unwrap_or(usize::MAX);
    if place >= most {
        return Err(PdfError::too_large("objects", most));
    }
    if place >= all.len() {
        all.resize(place + 1, None);
    }
    if let Some(slot @ None) = all.get_mut(place) {
        *slot = Some(entry()? != XrefEntry::Free);
    }
    Ok(())
}
