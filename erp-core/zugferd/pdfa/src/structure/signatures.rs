//! Signatures: their byte ranges and their content (6.1.12, 6.4.3).

use super::der;
use super::file::skip_object_head;
use super::forms::Signature;
use crate::{PdfPlace, Subject};
use erp_pdf::lexer::Lexer;
use erp_pdf::{Object, PdfError, PdfFile, Result};
use std::ops::Range;

/// Signatures that are checked; each is parsed anew.
const SIGNATURES: usize = 100;
/// Members of one signature dictionary, which are looked through for each signature.
const MEMBERS: usize = 1_000;
/// Line ends that may follow `%%EOF`.
const LINE_ENDS: [&[u8]; 3] = [b"\r\n", b"\n", b"\r"];

pub(super) fn check(subject: &Subject<'_, '_>, signatures: &[Signature]) -> Result<()> {
    let permissions = subject.member(&subject.catalog, "Perms")?;
    let permissions = permissions.as_dict();
    let certified = permissions.is_some_and(|permissions| permissions.has("DocMDP"));
    let too_many = signatures.len() > SIGNATURES;
    let text = "there are too many signatures to look at";
    let (faults, place) = (&subject.faults, PdfPlace::default());
    faults.add_if(too_many, "6.4.3", place, text);
    for signature in signatures.iter().take(SIGNATURES) {
        let object = signature.id.unwrap_or(signature.field.object);
        let place = PdfPlace::in_object(object.number);
        let is_covered = covers_its_revision(subject, signature)?;
        let text = "a signature does not cover the whole file";
        subject.faults.add_if(!is_covered, "6.4.3", place, text);
        if let Some(contents) = subject.member(&signature.dict, "Contents")?.as_string() {
            check_contents(subject, contents, place);
        }
        if certified {
            check_references(subject, signature, place)?;
        }
    }
    Ok(())
}

fn check_contents(subject: &Subject<'_, '_>, contents: &[u8], place: PdfPlace) {
    let note = |wrong, text: &str| subject.faults.add_if(wrong, "6.4.3", place, text);
    let Some(signed) = der::signed_data(contents) else {
        note(true, "the content of a signature cannot be read");
        return;
    };
    note(signed.certificates == 0, "a signature holds no certificate");
    let text = format!("a signature has {} signers instead of one", signed.signers);
    note(signed.signers != 1, &text);
}

fn check_references(
    subject: &Subject<'_, '_>,
    signature: &Signature,
    place: PdfPlace,
) -> Result<()> {
    let references = subject.member(&signature.dict, "Reference")?;
    let references = references.as_array().unwrap_or_default();
    for reference in references.iter().take(MEMBERS) {
        let value = subject.follow(reference)?;
        let Some(dict) = value.as_dict() else {
            continue;
        };
        for name in ["DigestLocation", "DigestMethod", "DigestValue"] {
            let text = format!("a signature reference has `{name}`");
            subject
                .faults
                .add_if(dict.has(name), "6.1.12", place, &text);
        }
    }
    Ok(())
}

/// Whether `/ByteRange` leaves out the content only and ends where the file did when it was signed.
fn covers_its_revision(subject: &Subject<'_, '_>, signature: &Signature) -> Result<bool> {
    let ranges = subject.member(&signature.dict, "ByteRange")?;
    let mut numbers = Vec::new();
    for number in ranges.as_array().unwrap_or_default().iter().take(5) {
        numbers.push(subject.follow(number)?.as_count::<usize>());
    }
    let [Some(start), Some(first), Some(second), Some(length)] = numbers.as_slice() else {
        return Ok(false);
    };
    let Some(contents) = contents_range(subject.file, signature)? else {
        return Ok(false);
    };
    if *start != 0 || *first != contents.start || *second != contents.end {
        return Ok(false);
    }
    let ends = revision_ends(subject.file, contents.end);
    let end = second.checked_add(*length);
    Ok(end.is_some_and(|end| ends.contains(&end)))
}

fn contents_range(file: &PdfFile<'_>, signature: &Signature) -> Result<Option<Range<usize>>> {
    let Some(id) = signature.id else {
        return Ok(None);
    };
    let Some(mut lexer) = lexer_in(file, id.number)? else {
        return Ok(None);
    };
    lexer.skip_white();
    if !lexer.rest().starts_with(b"<<") {
        return Ok(None);
    }
    lexer.seek(lexer.position() + 2);
    for _ in 0..MEMBERS {
        let Some((key, _)) = next_value(&mut lexer)? else {
            return Ok(None);
        };
        let Some((value, range)) = next_value(&mut lexer)? else {
            return Ok(None);
        };
        if key.as_name() == Some(b"Contents") {
            let Object::Reference(id) = value else {
                return Ok(Some(range));
            };
            let Some(mut lexer) = lexer_in(file, id.number)? else {
                return Ok(None);
            };
            return Ok(next_value(&mut lexer)?.map(|(_, range)| range));
        }
    }
    Ok(None)
}

/// A lexer after `n g obj` of an object in the file itself.
fn lexer_in<'a>(file: &PdfFile<'a>, number: u32) -> Result<Option<Lexer<'a>>> {
    let located = PdfError::readable(file.object(number))?.flatten();
    let located = located.filter(|located| located.in_stream.is_none());
    let lexer = located.map(|located| Lexer::new(file.data(), located.span.start, file.limits()));
    Ok(lexer.and_then(|mut lexer| skip_object_head(&mut lexer).then_some(lexer)))
}

fn next_value(lexer: &mut Lexer<'_>) -> Result<Option<(Object, Range<usize>)>> {
    lexer.skip_white();
    let start = lexer.position();
    let value = PdfError::readable(lexer.object())?;
    Ok(value.map(|value| (value, start..lexer.position())))
}

/// The places where the revision that a signature belongs to may end.
///
/// That is after its `%%EOF`, and after the line end that follows; the latter only at the end of the file.
fn revision_ends(file: &PdfFile<'_>, signed_to: usize) -> Vec<usize> {
    let data = file.data();
    let sections = file.sections().map(|(at, _)| at);
    let from = sections.filter(|at| *at > signed_to).min();
    let from = from.unwrap_or(signed_to);
    let Some(marker) = next_marker(data, from) else {
        return vec![data.len()];
    };
    let after = data.get(marker..).unwrap_or_default();
    let line_end = LINE_ENDS.iter().find(|end| after.starts_with(end));
    let line_end = line_end.map_or(0, |end| end.len());
    if after.len() == line_end {
        vec![data.len()]
    } else {
        (marker..=marker + line_end).collect()
    }
}

/// The byte after the next `%%EOF` at the start of a line outside of streams.
fn next_marker(data: &[u8], from: usize) -> Option<usize> {
    let find = |from: usize, what: &[u8]| {
        let found = memchr::memmem::find(data.get(from..)?, what)?;
        Some(from + found)
    };
    let mut at = from;
    let mut marker = find(at, b"%%EOF")?;
    loop {
        let before = data.get(at..marker)?;
        match memchr::memmem::find(before, b"stream") {
            Some(stream) => at = find(at + stream + 6, b"endstream")? + 9,
            None if begins_line(data.get(..marker)?) => return Some(marker + 5),
            None => at = marker + 5,
        }
        if at > marker {
            marker = find(at, b"%%EOF")?;
        }
    }
}

/// Whether only blanks are between a line feed and the end.
fn begins_line(before: &[u8]) -> bool {
    before.iter().rev().find(|byte| **byte != b' ') == Some(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    // clause: 6.4.3
    #[test]
    fn a_marker_counts_at_the_start_of_a_line_and_outside_of_streams() {
        assert_eq!(next_marker(b"a\n%%EOF\n", 0), Some(7));
        assert_eq!(next_marker(b"a\n  %%EOF", 0), Some(9));
        assert_eq!(next_marker(b"a%%EOF\n%%EOF", 0), Some(12));
        assert_eq!(next_marker(b"stream\n%%EOF\nendstream\n%%EOF", 0), Some(28));
        assert_eq!(next_marker(b"nothing", 0), None);
    }
}
