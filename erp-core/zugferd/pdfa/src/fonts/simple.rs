//! Type 1 fonts (ISO 19005-3, 6.2.11.4, 6.2.11.5, 6.2.11.8).

use super::dictionary::{FontDict, SimpleWidths};
use super::encoding::{Base, Encoding, NOTDEF};
use super::program::{Cff, NamedGlyphs, Type1};
use super::{FontReport, Shown, decoded};
use crate::is_one_of;
use erp_pdf::lexer::Lexer;
use erp_pdf::{Object, PdfFile, Result};
use std::collections::BTreeSet;

/// The fonts every viewer has; they need no widths unless they are embedded.
const STANDARD: &str = "Courier Courier-Bold Courier-BoldOblique Courier-Oblique Helvetica Helvetica-Bold \
    Helvetica-BoldOblique Helvetica-Oblique Symbol Times-Bold Times-BoldItalic Times-Italic \
    Times-Roman ZapfDingbats";

/// Notes that a program is missing; one that cannot be read is as good as none.
pub(super) fn not_embedded(present: bool, report: &FontReport<'_, '_>) {
    match (present, report.codes.rendered) {
        (true, _) => report.add("6.2.11.4.1", "has an embedded program that cannot be read"),
        (false, true) => report.add("6.2.11.4.1", "is not embedded"),
        (false, false) => {}
    }
}

/// Notes codes that show `.notdef` by their name.
pub(super) fn check_notdef(encoding: &Encoding, report: &FontReport<'_, '_>) {
    let all = report.codes.all();
    let mut shown: Vec<u32> = all.iter().collect();
    shown.retain(|code| encoding.name(*code) == Some(NOTDEF));
    report.list("6.2.11.8", "shows `.notdef`", &shown);
}

pub(super) fn check(font: &FontDict, report: &FontReport<'_, '_>) -> Result<()> {
    let file = report.file;
    let program = font.program(file, &["FontFile", "FontFile3"])?;
    let name = font.base_font.as_deref();
    let standard = name.is_some_and(|name| is_one_of(STANDARD, name));
    let encoding = Encoding::read(file, &font.dict)?;
    check_notdef(&encoding, report);
    let Some(program) = program else {
        if !standard {
            font.simple_widths(report)?;
        }
        not_embedded(false, report);
        return Ok(());
    };
    let widths = font.simple_widths(report)?;
    let text = "has the encoding `MacExpertEncoding`, whose glyphs cannot be checked";
    report.add_if(encoding.base == Base::MacExpert, "6.2.11.4.1", text);
    let data = decoded(file, &program.stream)?;
    let data = data.as_deref();
    if program.key == "FontFile" {
        if let Some(program) = data.and_then(Type1::parse) {
            return check_named(font, &program, &encoding, &widths, report);
        }
    } else if matches!(program.subtype.as_deref(), Some(b"Type1C" | b"OpenType"))
        // A program with CIDs has no names for codes.
        && let Some(program) = data.and_then(Cff::parse).filter(|program| !program.is_cid())
    {
        return check_named(font, &program, &encoding, &widths, report);
    }
    not_embedded(true, report);
    Ok(())
}

fn check_named(
    font: &FontDict,
    program: &impl NamedGlyphs,
    encoding: &Encoding,
    widths: &SimpleWidths,
    report: &FontReport<'_, '_>,
) -> Result<()> {
    report.glyphs("its program", widths, |code| {
        let glyph = match encoding.name(code) {
            Some(NOTDEF) => return Ok(Shown::Nothing),
            Some(name) => program.named(name),
            None => program.coded(code),
        };
        Ok(Shown::of(glyph, |glyph| program.width(glyph)))
    })?;
    let char_set = report.file.member_readable(&font.descriptor, "CharSet")?;
    if let Some(char_set) = char_set.as_string()
        && font.is_subset()
        && !is_complete(char_set, program, report.file)
    {
        let text = "has a `CharSet` that does not name all glyphs";
        report.add_repairable("6.2.11.4.2", text, font.without("CharSet"));
    }
    Ok(())
}

/// Whether `/CharSet` names the glyphs of the program, and no others.
fn is_complete(char_set: &[u8], program: &impl NamedGlyphs, file: &PdfFile<'_>) -> bool {
    let mut lexer = Lexer::new(char_set, 0, file.limits());
    let mut listed = BTreeSet::new();
    loop {
        lexer.skip_white();
        if lexer.peek().is_none() {
            break;
        }
        match lexer.object() {
            Ok(Object::Name(name)) => listed.insert(name.into_vec()),
            _ => return false,
        };
    }
    listed.remove(NOTDEF);
    let names: BTreeSet<&[u8]> = program.names().filter(|name| *name != NOTDEF).collect();
    names.len() == listed.len() && names.iter().all(|name| listed.contains(*name))
}
