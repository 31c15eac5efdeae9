//! Where inline images end (ISO 32000-1, 8.9.7).

use erp_pdf::lexer::Lexer;
use erp_pdf::tokens::is_white;
use erp_pdf::{Dict, Object, PdfError, Result};

/// The members of an inline image, up to and with `ID` and the blank after it.
pub(super) fn inline_dict(lexer: &mut Lexer<'_>) -> Result<Dict> {
    let mut dict = Dict::new();
    loop {
        lexer.skip_white();
        if lexer.take_keyword(b"ID") {
            break;
        }
        let Object::Name(key) = lexer.object()? else {
            return Err(PdfError::damaged("an inline image", lexer.position()));
        };
        dict.set_bytes(&key, lexer.object()?);
    }
    if lexer.peek().is_some_and(is_white) {
        lexer.seek(lexer.position() + 1);
    }
    Ok(dict)
}

/// Bytes after `EI` that show whether it is the end of an image: samples rarely look like operators for so long.
const LOOK_AHEAD: usize = 12;

/// The end of an inline image whose data start at `start`: after its `EI`.
pub(super) fn inline_end(bytes: &[u8], start: usize, dict: &Dict) -> Option<usize> {
    let start = start + text_length(bytes.get(start..)?, dict);
    let data = bytes.get(start..)?;
    let end = memchr::memmem::find_iter(data, b"EI").find(|at| {
        let after = data.get(at + 2..).unwrap_or_default();
        after.first().is_none_or(|byte| is_white(*byte)) && looks_like_content(after)
    })?;
    Some(start + end + 2)
}

/// The length of image data that is text, in which `EI` may be; 0 for other data.
fn text_length(data: &[u8], dict: &Dict) -> usize {
    let filter = dict.get("Filter").or_else(|| dict.get("F"));
    let first = match filter {
        Some(Object::Array(filters)) => filters.first(),
        filter => filter,
    };
    match first.and_then(Object::as_name) {
        Some(b"A85" | b"ASCII85Decode") => memchr::memmem::find(data, b"~>").map_or(0, |at| at + 2),
        Some(b"AHx" | b"ASCIIHexDecode") => memchr::memchr(b'>', data).map_or(0, |at| at + 1),
        _ => 0,
    }
}

fn looks_like_content(after: &[u8]) -> bool {
    let mut ahead = after.iter().take(LOOK_AHEAD);
    ahead.all(|byte| is_white(*byte) || byte.is_ascii_graphic())
}
