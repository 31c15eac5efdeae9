//! Writing a whole file again.

use super::located::Located;
use super::section::{self, Rows, SectionRow};
pub use super::write::fingerprint;
use super::write::{put, write_framed, write_trailer};
use super::{Dict, Object, ObjectId, PdfError, PdfFile, Result};
use std::collections::BTreeMap;

/// A rewritten file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// All bytes.
    pub pdf: Vec<u8>,
    /// Objects that could not be read and are `null` now.
    pub lost: Vec<u32>,
}

// rule: R-ZUG-13
/// Rewrites all objects of a file with the frames PDF/A wants, one table, and an `/ID`.
pub fn rewrite(file: &PdfFile<'_>) -> Result<Rewritten> {
    let mut out = Vec::with_capacity(file.data().len() + 1024);
    let version = minor_version(file.data()).clamp(4, 7);
    put(&mut out, format_args!("%PDF-1.{version}\n"));
    out.extend_from_slice(b"%\xE2\xE3\xCF\xD3\n");
    let mut rows: Rows = BTreeMap::from([(0, SectionRow::FIRST)]);
    let mut lost = Vec::new();
    let mut room = Room::of(file);
    for number in file.objects()? {
        let Some(located) = PdfError::readable(file.object(number))? else {
            lost.push(number);
            continue;
        };
        let Some(located) = located.filter(|located| number != 0 && !is_container(&located.object))
        else {
            continue;
        };
        let stream = located.object.as_stream();
        let data = stream.map_or(0, |stream| file.raw(stream).len());
        room.has_room_for(&located, data)?;
        let before = out.len();
        rows.insert(number, SectionRow::At(before, 0));
        let id = ObjectId::new(number);
        match first_generation(&located.object) {
            Some(object) => write_framed(&mut out, id, &object, file),
            None => write_framed(&mut out, id, &located.object, file),
        }
        room.take((out.len() - before).saturating_sub(data));
    }
    let last = rows.keys().next_back();
    let next = last.map_or(1, |last| last.saturating_add(1));
    let mut trailer = Dict::new();
    for name in ["Root", "Info", "ID"] {
        if let Some(value) = file.trailer().get(name) {
            let first = first_generation(value);
            trailer.set(name, first.unwrap_or_else(|| value.clone()));
        }
    }
    trailer.set("Size", Object::Integer(i64::from(next)));
    let at = out.len();
    section::write_table(&mut out, &rows);
    write_trailer(&mut out, &trailer, file);
    put(&mut out, format_args!("startxref\n{at}\n%%EOF\n"));
    Ok(Rewritten { pdf: out, lost })
}

/// The object with references to the first generation, which all objects of a new file have; `None` when it has no
/// others.
fn first_generation(object: &Object) -> Option<Object> {
    fn change(object: &mut Object) {
        match object {
            Object::Reference(id) => id.generation = 0,
            Object::Array(items) => items.iter_mut().for_each(change),
            Object::Dict(_) | Object::Stream(_) => {
                let values = object.as_dict_mut().into_iter().flat_map(Dict::values_mut);
                values.for_each(change);
            }
            _ => {}
        }
    }
    let mut is_other = |object: &Object| object.as_reference().is_some_and(|id| id.generation != 0);
    object.any(&mut is_other).then(|| {
        let mut changed = object.clone();
        change(&mut changed);
        changed
    })
}

/// How much may still be written: objects and streams may lie over each other, and be small when compressed.
struct Room {
    streams: usize,
    others: usize,
}

impl Room {
    /// Streams of a whole file do not take more than it, and other objects not much more when they are not compressed.
    fn of(file: &PdfFile<'_>) -> Self {
        let length = file.data().len();
        Self {
            streams: length,
            others: length
                .saturating_mul(3)
                .saturating_add(file.limits().cached_bytes),
        }
    }

    /// Asked before an object is written.
    fn has_room_for(&mut self, located: &Located, data: usize) -> Result<()> {
        let streams = self.streams.checked_sub(data);
        match streams.filter(|_| located.alive.text <= self.others) {
            Some(streams) => {
                self.streams = streams;
                Ok(())
            }
            None => Err(PdfError::too_large(
                "bytes to be written again",
                self.streams.saturating_add(self.others),
            )),
        }
    }

    /// Takes what was written, with its row.
    fn take(&mut self, written: usize) {
        self.others = self.others.saturating_sub(written.saturating_add(ROW));
    }
}

const ROW: usize = 20;

/// Object streams and cross-reference streams are not needed where every object is in the file itself.
fn is_container(object: &Object) -> bool {
    object
        .as_stream()
        .is_some_and(|stream| stream.dict.is_type("ObjStm") || stream.dict.is_type("XRef"))
}

/// The `n` of `%PDF-1.n`; 7 if it is invalid.
fn minor_version(data: &[u8]) -> u8 {
    let header = memchr::memmem::find(data.get(..1024).unwrap_or(data), b"%PDF-1.");
    match header.and_then(|at| data.get(at + 7)) {
        Some(digit @ b'0'..=b'9') => digit - b'0',
        _ => 7,
    }
}
