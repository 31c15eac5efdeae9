//! The frame of the file: header, trailer, cross-reference sections (6.1.2 to 6.1.4).

use crate::repair::Repair;
use crate::{PdfPlace, Subject};
use erp_pdf::file::SectionKind;
use erp_pdf::lexer::{Lexer, Syntax};
use erp_pdf::{Object, PdfFile, Result};

/// `%%EOF` is looked for in these last bytes.
const TAIL: usize = 1_024;

/// `rewrite` is the repair of faults that a rewritten file does not have; `None` for a signed one.
pub(super) fn check(subject: &Subject<'_, '_>, rewrite: Option<&Repair>) -> Result<()> {
    let (file, faults, place) = (subject.file, &subject.faults, PdfPlace::default());
    let note = |wrong: bool, clause, text: &str| {
        if wrong {
            faults.add_repairable(clause, place, text, rewrite.cloned());
        }
    };
    let has_header = has_header(subject.bytes);
    let text = "the file does not begin with `%PDF-1.0` to `%PDF-1.7` on a line of its own";
    note(!has_header, "6.1.2", text);
    let text = "the second line is no comment with four bytes over 127";
    let lacks_comment = has_header && !has_binary_comment(subject.bytes);
    note(lacks_comment, "6.1.2", text);
    let text = "there are bytes after the last `%%EOF`, or there is no `%%EOF`";
    note(!ends_with_marker(subject.bytes), "6.1.3", text);
    let rebuilt = file.opened().rebuilt;
    note(rebuilt, "6.1.4", "the cross-reference table is damaged");
    let text = "`xref` is not followed by one line end and a subsection";
    note(!rebuilt && !tables_are_framed(file), "6.1.4", text);
    let text = "objects are freed in a way that readers misunderstand";
    note(file.has_misleading_free_rows(), "6.1.4", text);
    let (encrypted, syntax) = trailers(file);
    let text = "a hexadecimal string of the trailer has an odd number of digits";
    note(syntax.odd_hexadecimal, "6.1.6", text);
    let text = "a hexadecimal string of the trailer has other characters";
    note(syntax.wrong_hexadecimal, "6.1.6", text);
    let text = "a value of the trailer is beyond the limits";
    faults.add_if(syntax.beyond_limits, "6.1.13", place, text);
    let encrypted = encrypted || file.is_encrypted();
    faults.add_if(encrypted, "6.1.3", place, "the file is encrypted");
    check_id(subject)
}

/// `%PDF-1.n` at the very start, then a line end.
fn has_header(bytes: &[u8]) -> bool {
    let Some((head, rest)) = bytes.split_at_checked(8) else {
        return false;
    };
    let version = head.strip_prefix(b"%PDF-1.");
    version.is_some_and(|digit| matches!(digit, [b'0'..=b'7']))
        && matches!(rest, [b'\r' | b'\n', ..])
}

fn has_binary_comment(bytes: &[u8]) -> bool {
    let rest = match bytes.get(8..) {
        Some([b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..]) => rest,
        _ => return false,
    };
    let comment = rest.strip_prefix(b"%").and_then(|comment| comment.get(..4));
    comment.is_some_and(|bytes| !bytes.iter().any(u8::is_ascii))
}

/// After the last `%%EOF` there is at most one line end.
fn ends_with_marker(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(TAIL)..);
    let tail = tail.unwrap_or_default();
    let marker = memchr::memmem::rfind(tail, b"%%EOF");
    let after = marker.and_then(|at| tail.get(at + 5..));
    matches!(after, Some([] | [b'\n'] | [b'\r'] | [b'\r', b'\n']))
}

fn tables_are_framed(file: &PdfFile<'_>) -> bool {
    let mut tables = file
        .sections()
        .filter(|(_, kind)| *kind == SectionKind::Table);
    tables.all(|(at, _)| {
        let mut lexer = Lexer::new(file.data(), at, file.limits());
        lexer.skip_white();
        match lexer.rest().strip_prefix(b"xref") {
            Some([b'\r', b'\n', next, ..] | [b'\r' | b'\n', next, ..]) => next.is_ascii_digit(),
            _ => false,
        }
    })
}

/// Reads the trailers again, of which an opened file keeps the newest only: whether one has an encryption, and what is
/// wrong in any of them.
fn trailers(file: &PdfFile<'_>) -> (bool, Syntax) {
    let mut encrypted = false;
    let mut all = Syntax::default();
    for (at, kind) in file.sections() {
        let mut lexer = Lexer::new(file.data(), at, file.limits());
        let found = match kind {
            SectionKind::Table => skip_table(&mut lexer),
            SectionKind::Stream => skip_object_head(&mut lexer),
        };
        let Some(Ok(Object::Dict(dict))) = found.then(|| lexer.object()) else {
            continue;
        };
        encrypted |= dict.has("Encrypt");
        all.odd_hexadecimal |= lexer.syntax.odd_hexadecimal;
        all.wrong_hexadecimal |= lexer.syntax.wrong_hexadecimal;
        all.beyond_limits |= lexer.syntax.beyond_limits;
    }
    (encrypted, all)
}

/// Moves to the byte after `trailer`.
fn skip_table(lexer: &mut Lexer<'_>) -> bool {
    lexer.skip_white();
    if !lexer.take_keyword(b"xref") {
        return false;
    }
    loop {
        lexer.skip_white();
        if lexer.take_keyword(b"trailer") {
            return true;
        }
        let first = lexer.unsigned::<u64>();
        lexer.skip_white();
        let rows = lexer.unsigned::<usize>();
        let (Some(_), Some(rows)) = (first, rows) else {
            return false;
        };
        lexer.skip_white();
        let length = rows.saturating_mul(20).saturating_sub(1);
        lexer.seek(lexer.position().saturating_add(length));
    }
}

/// Moves to the byte after `n g obj`.
pub(super) fn skip_object_head(lexer: &mut Lexer<'_>) -> bool {
    lexer.skip_white();
    let number = lexer.unsigned::<u64>();
    lexer.skip_white();
    let generation = lexer.unsigned::<u64>();
    lexer.skip_white();
    if number.is_none() || generation.is_none() || !lexer.rest().starts_with(b"obj") {
        return false;
    }
    lexer.seek(lexer.position() + 3);
    true
}

fn check_id(subject: &Subject<'_, '_>) -> Result<()> {
    let value = subject.member(subject.file.trailer(), "ID")?;
    let mut strings = 0;
    for part in value.as_array().unwrap_or_default().iter().take(3) {
        let part = subject.follow(part)?;
        strings += usize::from(part.as_string().is_some_and(|bytes| !bytes.is_empty()));
    }
    if strings != 2 {
        let text = "the trailer has no `ID` of two strings";
        let faults = &subject.faults;
        faults.add_repairable("6.1.3", PdfPlace::default(), text, Repair::FileId);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // clause: 6.1.2
    #[test]
    fn the_header_is_at_byte_zero_and_followed_by_a_binary_comment() {
        assert!(has_header(b"%PDF-1.7\r\n%"));
        for text in [
            &b"%PDF-1.8\n"[..],
            b" %PDF-1.4\n",
            b"%PDF-1.4 \n",
            b"%PDF-2.0\n",
            b"%PDF-1.4",
        ] {
            assert!(!has_header(text), "{text:?}");
        }
        assert!(has_binary_comment(b"%PDF-1.4\r\n%\x80\x81\xFE\xFF\n"));
        assert!(has_binary_comment(b"%PDF-1.4\r%\x80\x81\xFE\xFFabc\n"));
        assert!(!has_binary_comment(b"%PDF-1.4\n\n%\x80\x81\xFE\xFF\n"));
        assert!(!has_binary_comment(b"%PDF-1.4\n%\x80\x81\xFE\n"));
        assert!(!has_binary_comment(b"%PDF-1.4\n1 0 obj"));
    }

    // clause: 6.1.3
    #[test]
    fn one_line_end_may_follow_the_last_marker() {
        for end in ["", "\n", "\r", "\r\n"] {
            assert!(
                ends_with_marker(format!("%%EOF\nx\n%%EOF{end}").as_bytes()),
                "{end:?}"
            );
        }
        for end in ["\n\n", " ", "\n\r", "\0\0", "x"] {
            assert!(
                !ends_with_marker(format!("x\n%%EOF{end}").as_bytes()),
                "{end:?}"
            );
        }
        assert!(!ends_with_marker(b"startxref\n9\n"));
    }
}
