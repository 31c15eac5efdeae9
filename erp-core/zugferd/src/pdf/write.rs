//! Writing objects: an update appended to a file, or the whole file anew.

use super::{Dict, Object, ObjectId, PdfError, PdfFile, SectionKind, Stream};
use std::collections::BTreeMap;
use std::io::Write as _;

/// Writes an object the way PDF/A wants it; data of streams is taken from `file`.
pub fn write_object(out: &mut Vec<u8>, object: &Object, file: &PdfFile<'_>) {
    match object {
        Object::Null => out.extend_from_slice(b"null"),
        Object::Bool(value) => put(out, format_args!("{value}")),
        Object::Integer(value) => put(out, format_args!("{value}")),
        Object::Real(text) => out.extend_from_slice(text.as_bytes()),
        Object::Name(name) => write_name(out, name),
        Object::String(string) if string.hexadecimal => write_hexadecimal(out, &string.bytes),
        Object::String(string) => write_literal(out, &string.bytes),
        Object::Array(items) => {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b' ');
                }
                write_object(out, item, file);
            }
            out.push(b']');
        }
        Object::Dict(dict) => write_dict(out, dict, file),
        Object::Stream(stream) => write_stream(out, stream, file),
        Object::Reference(id) => put(out, format_args!("{id} R")),
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into memory cannot fail.
    let _ = out.write_fmt(text);
}

fn write_dict(out: &mut Vec<u8>, dict: &Dict, file: &PdfFile<'_>) {
    out.extend_from_slice(b"<<");
    for (name, value) in dict.iter() {
        write_name(out, name);
        out.push(b' ');
        write_object(out, value, file);
    }
    out.extend_from_slice(b">>");
}

fn write_stream(out: &mut Vec<u8>, stream: &Stream, file: &PdfFile<'_>) {
    let data = file.raw(stream);
    let mut dict = stream.dict.clone();
    dict.set(
        "Length",
        Object::Integer(i64::try_from(data.len()).unwrap_or(i64::MAX)),
    );
    write_dict(out, &dict, file);
    out.extend_from_slice(b"\nstream\n");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\nendstream");
}

fn write_name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for byte in name {
        let plain = byte.is_ascii_graphic() && !super::lexer::is_delimiter(*byte) && *byte != b'#';
        if plain {
            out.push(*byte);
        } else {
            put(out, format_args!("#{byte:02X}"));
        }
    }
}

fn write_hexadecimal(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'<');
    for byte in bytes {
        put(out, format_args!("{byte:02X}"));
    }
    out.push(b'>');
}

fn write_literal(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'(');
    for byte in bytes {
        match byte {
            b'(' | b')' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b'\r' => out.extend_from_slice(b"\\r"),
            other => out.push(*other),
        }
    }
    out.push(b')');
}

/// Objects that are new, changed or gone.
#[derive(Debug, Clone, Default)]
pub struct Update {
    objects: BTreeMap<u32, Option<(u16, Object)>>,
    next: u32,
    /// Members of the trailer that change.
    trailer: Dict,
}

impl Update {
    /// Nothing changed yet.
    #[must_use]
    pub fn new(file: &PdfFile<'_>) -> Self {
        Self {
            objects: BTreeMap::new(),
            next: file.next_number().max(1),
            trailer: Dict::new(),
        }
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.trailer.is_empty()
    }

    /// A new object.
    pub fn add(&mut self, object: Object) -> ObjectId {
        let id = ObjectId::new(self.next);
        self.next = self.next.saturating_add(1);
        self.objects.insert(id.number, Some((0, object)));
        id
    }

    /// Puts another object in the place of one.
    pub fn replace(&mut self, id: ObjectId, object: Object) {
        self.objects
            .insert(id.number, Some((id.generation, object)));
    }

    /// Takes an object out of the file, so that no reader finds it.
    pub fn free(&mut self, id: ObjectId) {
        self.objects.insert(id.number, None);
    }

    /// Sets a member of the trailer.
    pub fn set_trailer(&mut self, name: &str, value: Object) {
        self.trailer.set(name, value);
    }

    /// An object as it will be: the changed one, else that of the file; `None` when it is gone.
    ///
    /// # Errors
    /// As [`PdfFile::object`].
    pub fn current(&self, file: &PdfFile<'_>, number: u32) -> Result<Option<Object>, PdfError> {
        match self.objects.get(&number) {
            Some(change) => Ok(change.as_ref().map(|(_, object)| object.clone())),
            None => Ok(file.object(number)?.map(|located| located.object.clone())),
        }
    }

    /// The bytes to put behind a file so that it has these changes; the file's own bytes stay as they are.
    ///
    /// `length` is the length of the whole file. The cross-reference section is of the kind of the newest one,
    /// since readers exist that cannot change between the two.
    #[must_use]
    pub fn tail(&self, file: &PdfFile<'_>, length: usize) -> Vec<u8> {
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
        let kind = file.newest_section().map(|(_, kind)| kind);
        let mut rows = BTreeMap::new();
        for (number, change) in &self.objects {
            let (generation, object) = match change {
                Some((generation, object)) => (*generation, object),
                // Readers take a free entry of a cross-reference stream for a fault where the object was in a
                // stream before; `null` says the same (7.3.9).
                None if kind == Some(SectionKind::Stream) => (0, &Object::Null),
                None => {
                    rows.insert(*number, None);
                    continue;
                }
            };
            rows.insert(*number, Some((base + out.len(), generation)));
            write_framed(
                &mut out,
                ObjectId {
                    number: *number,
                    generation,
                },
                object,
                file,
            );
        }
        let mut trailer = self.new_trailer(file, &out);
        trailer.set("Prev", integer(opened.startxref));
        let at = base + out.len();
        match kind {
            Some(SectionKind::Stream) => {
                self.write_section_stream(&mut out, rows, trailer, at, file)
            }
            _ => {
                trailer.set("Size", Object::Integer(i64::from(self.next)));
                write_table(&mut out, &rows, false);
                write_trailer(&mut out, &trailer, file);
            }
        }
        put(&mut out, format_args!("startxref\n{at}\n%%EOF\n"));
        out
    }

    fn new_trailer(&self, file: &PdfFile<'_>, written: &[u8]) -> Dict {
        let mut trailer = Dict::new();
        for name in ["Root", "Info", "ID", "Encrypt"] {
            let value = self.trailer.get(name).or_else(|| file.trailer().get(name));
            if let Some(value) = value {
                trailer.set(name, value.clone());
            }
        }
        if let Some(Object::Array(parts)) = trailer.get("ID") {
            let first = parts.first().cloned().unwrap_or_default();
            trailer.set("ID", Object::Array(vec![first, fingerprint(&[written])]));
        }
        trailer
    }

    fn write_section_stream(
        &self,
        out: &mut Vec<u8>,
        mut rows: Rows,
        mut dict: Dict,
        at: usize,
        file: &PdfFile<'_>,
    ) {
        let number = self.next;
        rows.insert(number, Some((at, 0)));
        let mut bytes = Vec::with_capacity(rows.len() * 11);
        for row in rows.values() {
            let (kind, offset, generation) = match row {
                Some((offset, generation)) => (1_u8, *offset, *generation),
                None => (0, 0, u16::MAX),
            };
            bytes.push(kind);
            bytes.extend_from_slice(&(offset as u64).to_be_bytes());
            bytes.extend_from_slice(&generation.to_be_bytes());
        }
        let index = runs(&rows)
            .into_iter()
            .flat_map(|(first, count)| [Object::Integer(i64::from(first)), integer(count)]);
        dict.set("Type", Object::name("XRef"));
        dict.set("Size", Object::Integer(i64::from(number) + 1));
        dict.set("W", Object::Array(vec![integer(1), integer(8), integer(2)]));
        dict.set("Index", Object::Array(index.collect()));
        let stream = Object::Stream(Stream::new(dict, bytes));
        write_framed(out, ObjectId::new(number), &stream, file);
    }
}

type Rows = BTreeMap<u32, Option<(usize, u16)>>;

fn integer(value: usize) -> Object {
    Object::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// 16 bytes that differ when the content does, for `/ID` (14.4 leaves the way of making them open).
pub fn fingerprint(parts: &[&[u8]]) -> Object {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    parts.iter().for_each(|part| hash.update(part));
    let bytes = hash.digest128().to_be_bytes().to_vec();
    Object::String(super::PdfString {
        bytes,
        hexadecimal: true,
    })
}

fn write_framed(out: &mut Vec<u8>, id: ObjectId, object: &Object, file: &PdfFile<'_>) {
    put(out, format_args!("{id} obj\n"));
    write_object(out, object, file);
    out.extend_from_slice(b"\nendobj\n");
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

fn write_table(out: &mut Vec<u8>, rows: &Rows, whole: bool) {
    out.extend_from_slice(b"xref\n");
    let mut values = rows.values();
    for (first, count) in runs(rows) {
        put(out, format_args!("{first} {count}\n"));
        for row in values.by_ref().take(count) {
            match row {
                Some((offset, generation)) => {
                    put(out, format_args!("{offset:010} {generation:05} n \n"))
                }
                // Never to be used again.
                None => out.extend_from_slice(b"0000000000 65535 f \n"),
            }
        }
    }
    debug_assert!(!whole || rows.contains_key(&0));
}

fn write_trailer(out: &mut Vec<u8>, trailer: &Dict, file: &PdfFile<'_>) {
    out.extend_from_slice(b"trailer\n");
    write_dict(out, trailer, file);
    out.push(b'\n');
}

/// A file written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// All bytes.
    pub pdf: Vec<u8>,
    /// Objects that could not be read and are `null` now.
    pub lost: Vec<u32>,
}

/// Writes all objects of a file anew with the frames PDF/A wants, one table, and an `/ID`.
///
/// # Errors
/// As [`PdfFile::objects`].
pub fn rewrite(file: &PdfFile<'_>) -> Result<Rewritten, PdfError> {
    let mut out = Vec::with_capacity(file.data().len() + 1024);
    put(
        &mut out,
        format_args!("%PDF-1.{}\n", minor_version(file.data()).clamp(4, 7)),
    );
    out.extend_from_slice(b"%\xE2\xE3\xCF\xD3\n");
    let mut rows: Rows = BTreeMap::from([(0, None)]);
    let mut lost = Vec::new();
    for (number, _) in file.objects()? {
        let located = match file.object(number) {
            Ok(Some(located)) => located,
            Ok(None) => continue,
            Err(error @ PdfError::TooLarge { .. }) => return Err(error),
            Err(_) => {
                lost.push(number);
                continue;
            }
        };
        if is_container(&located.object) || number == 0 {
            continue;
        }
        rows.insert(number, Some((out.len(), located.generation)));
        let id = ObjectId {
            number,
            generation: located.generation,
        };
        write_framed(&mut out, id, &located.object, file);
    }
    let next = rows
        .keys()
        .next_back()
        .map_or(1, |last| last.saturating_add(1));
    let mut trailer = Dict::new();
    for name in ["Root", "Info", "ID"] {
        if let Some(value) = file.trailer().get(name) {
            trailer.set(name, value.clone());
        }
    }
    trailer.set("Size", Object::Integer(i64::from(next)));
    let at = out.len();
    write_table(&mut out, &rows, true);
    write_trailer(&mut out, &trailer, file);
    put(&mut out, format_args!("startxref\n{at}\n%%EOF\n"));
    Ok(Rewritten { pdf: out, lost })
}

/// Object streams and cross-reference streams are not needed where every object stands for itself.
fn is_container(object: &Object) -> bool {
    object
        .as_stream()
        .is_some_and(|stream| stream.dict.is_type("ObjStm") || stream.dict.is_type("XRef"))
}

/// The `n` of `%PDF-1.n`; 7 when it is none.
fn minor_version(data: &[u8]) -> u8 {
    let header = memchr::memmem::find(
        data.get(..data.len().min(1024)).unwrap_or_default(),
        b"%PDF-1.",
    );
    let digit = header.and_then(|at| data.get(at + 7));
    digit
        .filter(|digit| digit.is_ascii_digit())
        .map_or(7, |digit| digit - b'0')
}
