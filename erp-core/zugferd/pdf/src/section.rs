//! Writing cross-reference sections (ISO 32000-1, 7.5.4 and 7.5.8).

use super::write::{integer, put};
use super::{Dict, Object, Stream};
use std::collections::BTreeMap;

/// What a section says about an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionRow {
    /// Its offset and generation.
    At(usize, u16),
    /// The number of the next free object, and the generation for a new object of this number.
    Free(u32, u16),
}

impl SectionRow {
    /// Object 0 of a file without other free objects.
    pub(super) const FIRST: Self = Self::Free(0, u16::MAX);
}

pub(super) type Rows = BTreeMap<u32, SectionRow>;

/// Puts objects (number and generation, in ascending order) at the start of the list of free objects, which so far
/// starts with `first`.
///
/// The generation grows by one (7.5.4). The other legal way, 65535, is one that readers know as the row of object 0
/// only: they still find the old object, or renumber the rows that follow.
pub(super) fn free(rows: &mut Rows, freed: &[(u32, u16)], first: u32) {
    let mut next = first;
    for (number, generation) in freed.iter().rev() {
        rows.insert(
            *number,
            SectionRow::Free(next, generation.saturating_add(1)),
        );
        next = *number;
    }
    if !freed.is_empty() {
        rows.insert(0, SectionRow::Free(next, u16::MAX));
    }
}

/// First number and length of each run of consecutive numbers.
fn runs(rows: &Rows) -> Vec<(u32, usize)> {
    let mut runs: Vec<(u32, usize)> = Vec::new();
    let mut expected = None;
    for number in rows.keys() {
        match runs.last_mut() {
            Some((_, count)) if expected == Some(*number) => *count += 1,
            _ => runs.push((*number, 1)),
        }
        expected = number.checked_add(1);
    }
    runs
}

/// Writes a table, without its trailer.
pub(super) fn write_table(out: &mut Vec<u8>, rows: &Rows) {
    out.extend_from_slice(b"xref\n");
    let mut values = rows.values();
    for (first, count) in runs(rows) {
        put(out, format_args!("{first} {count}\n"));
        for row in values.by_ref().take(count) {
            match row {
                SectionRow::At(offset, generation) => {
                    put(out, format_args!("{offset:010} {generation:05} n \n"));
                }
                SectionRow::Free(next, generation) => {
                    put(out, format_args!("{next:010} {generation:05} f \n"));
                }
            }
        }
    }
}

/// A cross-reference stream, which is object `number` at offset `at`.
pub(super) fn stream(number: u32, mut rows: Rows, mut dict: Dict, at: usize) -> Object {
    rows.insert(number, SectionRow::At(at, 0));
    let mut bytes = Vec::with_capacity(rows.len() * 11);
    for row in rows.values() {
        let (kind, offset, generation) = match row {
            SectionRow::At(offset, generation) => (1_u8, *offset as u64, *generation),
            SectionRow::Free(next, generation) => (0, u64::from(*next), *generation),
        };
        bytes.push(kind);
        bytes.extend_from_slice(&offset.to_be_bytes());
        bytes.extend_from_slice(&generation.to_be_bytes());
    }
    let index = runs(&rows)
        .into_iter()
        .flat_map(|(first, count)| [Object::Integer(i64::from(first)), integer(count)]);
    dict.set("Type", Object::name("XRef"));
    dict.set("Size", Object::Integer(i64::from(number) + 1));
    dict.set("W", Object::Array(vec![integer(1), integer(8), integer(2)]));
    dict.set("Index", Object::Array(index.collect()));
    Object::Stream(Stream::new(dict, bytes))
}
