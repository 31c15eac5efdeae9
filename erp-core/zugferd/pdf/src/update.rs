//! Updates that are appended to a file.

use super::section::{self, Rows, SectionRow};
use super::write::{fingerprint, integer, put, write_framed, write_trailer};
use super::xref::SectionKind;
use super::{Dict, Object, ObjectId, PdfFile, Result};
use std::collections::BTreeMap;

/// What becomes of an object, with the generation it has so far.
#[derive(Debug, Clone)]
enum Change {
    Set(u16, Object),
    Freed(u16),
}

/// Objects that are new, changed or removed.
pub struct Update<'f> {
    /// What is changed.
    pub file: &'f PdfFile<'f>,
    objects: BTreeMap<u32, Change>,
    next: u32,
    trailer: Dict,
}

impl<'f> Update<'f> {
    /// Nothing changed yet.
    pub fn new(file: &'f PdfFile<'f>) -> Self {
        Self {
            file,
            objects: BTreeMap::new(),
            next: file.next_number().max(1),
            trailer: Dict::new(),
        }
    }

    /// A new object.
    pub fn add(&mut self, object: Object) -> ObjectId {
        let id = ObjectId::new(self.next);
        self.next = self.next.saturating_add(1);
        self.objects.insert(id.number, Change::Set(0, object));
        id
    }

    /// Replaces an object.
    pub fn replace(&mut self, id: ObjectId, object: Object) {
        self.objects
            .insert(id.number, Change::Set(id.generation, object));
    }

    /// Removes an object from the file, so that no reader finds it.
    pub fn free(&mut self, id: ObjectId) {
        self.objects.insert(id.number, Change::Freed(id.generation));
    }

    /// Sets a member of the trailer.
    pub fn set_trailer(&mut self, name: &str, value: Object) {
        self.trailer.set(name, value);
    }

    /// An object as it will be: the changed one, else that of the file; `None` when it is removed.
    pub fn current(&self, number: u32) -> Result<Option<Object>> {
        match self.objects.get(&number) {
            Some(Change::Set(_, object)) => Ok(Some(object.clone())),
            Some(Change::Freed(_)) => Ok(None),
            None => {
                let located = self.file.object(number)?;
                Ok(located.map(|located| located.object.clone()))
            }
        }
    }

    // rule: R-ZUG-16
    // clause: 6.1.4, 6.8
    /// The bytes to append to the file so that it has these changes; the file's own bytes are kept.
    ///
    /// `length` is the length of the whole file. The cross-reference section is of the kind of the newest one,
    /// since readers exist that cannot change between the two.
    #[must_use]
    pub fn tail(&self, length: usize) -> Vec<u8> {
        let file = self.file;
        let opened = file.opened();
        let base = if opened.offsets_after_junk {
            length - opened.junk_before
        } else {
            length
        };
        let mut out = Vec::new();
        if !matches!(file.data().last(), Some(b'\n' | b'\r')) {
            out.push(b'\n');
        }
        let kind = file.sections().next().map(|(_, kind)| kind);
        let rows = self.write_objects(&mut out, base, kind);
        let mut trailer = self.new_trailer(&out);
        trailer.set("Prev", integer(opened.startxref));
        let at = base + out.len();
        match kind {
            Some(SectionKind::Stream) => {
                let stream = section::stream(self.next, rows, trailer, at);
                write_framed(&mut out, ObjectId::new(self.next), &stream, file);
            }
            _ => {
                trailer.set("Size", Object::Integer(i64::from(self.next)));
                section::write_table(&mut out, &rows);
                write_trailer(&mut out, &trailer, file);
            }
        }
        put(&mut out, format_args!("startxref\n{at}\n%%EOF\n"));
        out
    }

    /// Writes the objects; returns the rows of the section for them.
    fn write_objects(&self, out: &mut Vec<u8>, base: usize, kind: Option<SectionKind>) -> Rows {
        let mut rows = BTreeMap::new();
        let mut freed = Vec::new();
        for (number, change) in &self.objects {
            let (generation, object) = match change {
                Change::Set(generation, object) => (*generation, object),
                // Readers take a free entry of a cross-reference stream for a fault where the object was in a
                // stream before; `null` says the same (7.3.9).
                Change::Freed(generation) if kind == Some(SectionKind::Stream) => {
                    (*generation, &Object::Null)
                }
                Change::Freed(generation) => {
                    freed.push((*number, *generation));
                    continue;
                }
            };
            let id = ObjectId {
                number: *number,
                generation,
            };
            rows.insert(*number, SectionRow::At(base + out.len(), generation));
            write_framed(out, id, object, self.file);
        }
        section::free(&mut rows, &freed, self.file.chain.first_free());
        rows
    }

    // rule: R-ZUG-34
    fn new_trailer(&self, written: &[u8]) -> Dict {
        let mut trailer = Dict::new();
        for name in ["Root", "Info", "ID", "Encrypt"] {
            let old = || self.file.trailer().get(name);
            if let Some(value) = self.trailer.get(name).or_else(old) {
                trailer.set(name, value.clone());
            }
        }
        if let Some(Object::Array(parts)) = trailer.get("ID") {
            let first = parts.first().cloned().unwrap_or_default();
            trailer.set("ID", Object::Array(vec![first, fingerprint(&[written])]));
        }
        trailer
    }
}
