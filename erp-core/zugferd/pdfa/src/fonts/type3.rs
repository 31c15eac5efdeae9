//! Fonts whose glyphs are content streams (ISO 19005-3, 6.2.11.2, 6.2.11.4.1, 6.2.11.5, 6.2.11.8).

use super::dictionary::{FontDict, Micro, is_consistent, number};
use super::encoding::{Base, Encoding, NOTDEF};
use super::simple::check_notdef;
use super::used::Codes;
use super::{Report, member, value};
use erp_pdf::file::Value;
use erp_pdf::lexer::Lexer;
use erp_pdf::{Object, PdfError, PdfFile, Stream};

pub(super) fn check(
    file: &PdfFile<'_>,
    font: &FontDict,
    codes: &Codes,
    report: &mut Report<'_>,
) -> Result<(), PdfError> {
    let widths = font.simple_widths(file, report)?;
    let encoding = Encoding::read(file, &font.dict)?;
    check_notdef(&encoding, codes, report);
    if encoding.base == Base::MacExpert {
        report.add(
            "6.2.11.4.1",
            "has the encoding `MacExpertEncoding`, whose glyphs cannot be checked",
        );
        return Ok(());
    }
    let procedures = member(file, &font.dict, "CharProcs")?;
    let procedures = procedures.as_dict();
    let mut missing = Vec::new();
    let mut wrong = Vec::new();
    for code in codes.visible.iter() {
        let name = encoding.name(code);
        if name == Some(NOTDEF) {
            continue;
        }
        let written = name.and_then(|name| procedures?.get_bytes(name));
        let written = written.map_or(Ok(Value::NULL), |item| value(file, item))?;
        let Object::Stream(procedure) = &*written else {
            missing.push(code);
            continue;
        };
        let width = stated_width(file, procedure)?.unwrap_or(widths.missing);
        if !is_consistent(width, widths.of(code)) {
            wrong.push(code);
        }
    }
    report.list("6.2.11.4.1", "lacks glyphs that are shown", &missing);
    report.list("6.2.11.5", "has other widths than its glyphs", &wrong);
    Ok(())
}

/// Bytes in which the first operator must be.
const START: usize = 512;

/// The width that `d0` or `d1` states.
fn stated_width(file: &PdfFile<'_>, procedure: &Stream) -> Result<Option<Micro>, PdfError> {
    let start = match file.decoded_start(procedure, START) {
        Ok(start) => start,
        Err(error @ PdfError::TooLarge { .. }) => return Err(error),
        Err(_) => return Ok(None),
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
