//! TrueType fonts of one byte a code (ISO 19005-3, 6.2.11.4 to 6.2.11.6, 6.2.11.8).

use super::dictionary::{FontDict, SimpleWidths};
use super::encoding::{Base, Encoding, NOTDEF, agl_character, mac_code};
use super::program::{Glyph, Mapping, TrueType};
use super::simple::{check_notdef, not_embedded};
use super::{FontReport, Shown, decoded};
use erp_pdf::Result;

pub(super) fn check(font: &FontDict, report: &FontReport<'_, '_>) -> Result<()> {
    let (file, codes) = (report.file, report.codes);
    let widths = font.simple_widths(report)?;
    let encoding = Encoding::read(file, &font.dict)?;
    let symbolic = font.is_symbolic(file)?;
    check_notdef(&encoding, report);
    if codes.all().contains(0) && encoding.name(0).is_none() {
        report.list("6.2.11.8", "shows `.notdef`", &[0]);
    }
    let embedded = font.program(file, &["FontFile2", "FontFile3"])?;
    let data = match &embedded {
        Some(embedded) => decoded(file, &embedded.stream)?,
        None => None,
    };
    let program = data.as_deref().and_then(TrueType::parse);
    let usable = check_encoding(&encoding, symbolic, program.as_ref(), report);
    let Some(program) = program else {
        not_embedded(embedded.is_some(), report);
        return Ok(());
    };
    check_mappings(&program, symbolic, report);
    if usable {
        let names = (!symbolic).then_some(&encoding);
        check_glyphs(&program, names, &widths, report)?;
    }
    Ok(())
}

/// What `/Encoding` may be. Answers whether it says which glyphs are shown.
fn check_encoding(
    encoding: &Encoding,
    symbolic: bool,
    program: Option<&TrueType<'_>>,
    report: &FontReport<'_, '_>,
) -> bool {
    if symbolic {
        let text = "is symbolic and has an `Encoding`";
        report.add_if(encoding.named, "6.2.11.6", text);
        return true;
    }
    if !matches!(encoding.base, Base::WinAnsi | Base::MacRoman) {
        let text = "is not symbolic and has neither `WinAnsiEncoding` nor `MacRomanEncoding`";
        report.add("6.2.11.6", text);
        return false;
    }
    let Some(differences) = &encoding.differences else {
        return true;
    };
    let mut names = differences.values();
    if let Some(name) = names.find(|name| agl_character(name).is_none()) {
        let name = String::from_utf8_lossy(name);
        let text = format!("has the glyph name `{name}`, which is not in the Adobe Glyph List");
        report.add("6.2.11.6", &text);
    }
    let has_unicode = program.is_some_and(|program| program.has(Mapping::Unicode));
    let text = "has `Differences`, but no Unicode cmap in its program";
    report.add_if(!has_unicode, "6.2.11.6", text);
    true
}

/// Which cmap subtables there must be.
fn check_mappings(program: &TrueType<'_>, symbolic: bool, report: &FontReport<'_, '_>) {
    let (count, symbol) = (program.mappings(), program.has(Mapping::Symbol));
    let text = "is symbolic, and its program has neither one cmap nor one of symbols";
    report.add_if(symbolic && count != 1 && !symbol, "6.2.11.6", text);
    let text = "is not symbolic, and its program has no cmap but one of symbols";
    let lacks = !symbolic && count <= usize::from(symbol);
    report.add_if(lacks, "6.2.11.6", text);
}

fn check_glyphs(
    program: &TrueType<'_>,
    names: Option<&Encoding>,
    widths: &SimpleWidths,
    report: &FontReport<'_, '_>,
) -> Result<()> {
    report.glyphs("its program", widths, |code| {
        let glyph = match names.map(|encoding| encoding.name(code)) {
            Some(Some(NOTDEF) | None) => return Ok(Shown::Nothing),
            Some(Some(name)) => named(program, name),
            None if program.has(Mapping::Symbol) => program.symbol(code),
            None => program.mapped(Mapping::MacRoman, code),
        };
        // Reported already as `.notdef`.
        if glyph.is_none() && code == 0 {
            return Ok(Shown::Nothing);
        }
        Ok(Shown::of(glyph, |glyph| program.width(glyph)))
    })
}

/// The glyph of a name (ISO 32000-1, 9.6.6.4): by Unicode, by the code of Mac OS, by the name itself.
fn named(program: &TrueType<'_>, name: &[u8]) -> Option<Glyph> {
    let unicode = || program.mapped(Mapping::Unicode, agl_character(name)?);
    let roman = || program.mapped(Mapping::MacRoman, mac_code(name)?);
    unicode().or_else(roman).or_else(|| program.posted(name))
}
