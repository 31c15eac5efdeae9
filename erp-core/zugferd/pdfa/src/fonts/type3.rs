//! Fonts whose glyphs are content streams (ISO 19005-3, 6.2.11.2, 6.2.11.4.1, 6.2.11.5, 6.2.11.8).

use super::dictionary::{FontDict, Micro, number};
use super::encoding::{Base, Encoding, NOTDEF};
use super::simple::check_notdef;
use super::{FontReport, Shown};
use erp_pdf::lexer::Lexer;
use erp_pdf::{Object, PdfError, PdfFile, Result, Stream};

pub(super) fn check(font: &FontDict, report: &FontReport<'_, '_>) -> Result<()> {
    let file = report.file;
    let widths = font.simple_widths(report)?;
    let encoding = Encoding::read(file, &font.dict)?;
    check_notdef(&encoding, report);
    if encoding.base == Base::MacExpert {
        let text = "has the encoding `MacExpertEncoding`, whose glyphs cannot be checked";
        report.add("6.2.11.4.1", text);
        return Ok(());
    }
    let procedures = file.member_readable(&font.dict, "CharProcs")?;
    let procedures = procedures.as_dict();
    report.glyphs("its glyphs", &widths, |code| {
        let name = encoding.name(code);
        if name == Some(NOTDEF) {
            return Ok(Shown::Nothing);
        }
        let written = name.and_then(|name| procedures?.get_bytes(name));
        Ok(
            match &*file.follow_readable(written.unwrap_or(&Object::Null))? {
                Object::Stream(procedure) => Shown::Width(stated_width(file, procedure)?),
                _ => Shown::Missing,
            },
        )
    })
}

/// Bytes in which the first operator must be: numbers and spaces come before it.
const START: usize = 512;

/// The width that `d0` or `d1` states.
fn stated_width(file: &PdfFile<'_>, procedure: &Stream) -> Result<Option<Micro>> {
    let Some(start) = PdfError::readable(file.decoded_start(procedure, START))? else {
        return Ok(None);
    };
    let mut lexer = Lexer::content(&start, file.limits());
    let mut operands = Vec::new();
    while let Ok(operand) = lexer.object() {
        operands.push(operand);
    }
    let stated = match (lexer.token(), &*operands) {
        (b"d0", [width, _]) | (b"d1", [width, _, _, _, _, _]) => number(width),
        _ => None,
    };
    Ok(stated)
}
