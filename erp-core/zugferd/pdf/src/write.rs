//! Writing objects.

use super::kinds::{DELIMITER, is};
use super::{Dict, Object, ObjectId, PdfFile, Stream};
use std::io::Write as _;

/// Writes an object the way PDF/A wants it; data of streams is taken from `file`.
pub(crate) fn write_object(out: &mut Vec<u8>, object: &Object, file: &PdfFile<'_>) {
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

pub(super) fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing into memory cannot fail.
    let _ = out.write_fmt(text);
}

pub(super) fn write_dict(out: &mut Vec<u8>, dict: &Dict, file: &PdfFile<'_>) {
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
    dict.set("Length", integer(data.len()));
    write_dict(out, &dict, file);
    out.extend_from_slice(b"\nstream\n");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\nendstream");
}

fn write_name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for byte in name {
        let plain = byte.is_ascii_graphic() && !is(*byte, DELIMITER) && *byte != b'#';
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

pub(super) fn integer(value: usize) -> Object {
    Object::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// 16 bytes that differ when the content does, for `/ID` (14.4 leaves the way of making them open).
pub fn fingerprint(parts: &[&[u8]]) -> Object {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    parts.iter().for_each(|part| hash.update(part));
    let bytes = hash.digest128().to_be_bytes().to_vec();
    Object::String(super::object::PdfString {
        bytes,
        hexadecimal: true,
    })
}

pub(super) fn write_framed(out: &mut Vec<u8>, id: ObjectId, object: &Object, file: &PdfFile<'_>) {
    put(out, format_args!("{id} obj\n"));
    write_object(out, object, file);
    out.extend_from_slice(b"\nendobj\n");
}

pub(super) fn write_trailer(out: &mut Vec<u8>, trailer: &Dict, file: &PdfFile<'_>) {
    out.extend_from_slice(b"trailer\n");
    write_dict(out, trailer, file);
    out.push(b'\n');
}
