//! Fonts and the glyphs that are shown with them (ISO 19005-3, 6.2.11).
//!
//! Only fonts that text is shown with are checked, as the standard speaks of fonts that are used; each of them
//! once, with all the codes that are shown with it.
//!
//! | module | what |
//! |---|---|
//! | [`used`] | which fonts are used, and which codes |
//! | [`dictionary`] | font dictionaries: 6.2.11.2 |
//! | [`simple`], [`true_type`], [`type3`] | fonts of one byte a code: 6.2.11.4 to 6.2.11.8 |
//! | [`composite`], [`cmap`] | fonts of CIDs: 6.2.11.3 to 6.2.11.8 |
//! | [`encoding`] | names of codes, the Adobe Glyph List |
//! | [`unicode`] | 6.2.11.7, of the levels U and A |
//! | [`program`] | embedded programs: TrueType, CFF, Type 1 |

mod cmap;
mod composite;
mod dictionary;
mod encoding;
mod program;
mod simple;
#[cfg(test)]
mod tests;
mod true_type;
mod type3;
mod unicode;
mod used;

pub(crate) use used::UsedFonts;

use super::{Faults, PdfPlace, Subject};
use crate::repair::Repair;
use dictionary::{FontDict, Micro, SimpleWidths, is_consistent};
use erp_pdf::{Object, PdfError, PdfFile, Result};
use program::Glyph;
use unicode::Mapped;
use used::{Codes, UsedFont};

/// Faults of one font, all at one place.
struct FontReport<'r, 'a> {
    file: &'r PdfFile<'a>,
    /// What is shown with the font.
    codes: &'r Codes,
    faults: &'r Faults,
    place: PdfPlace,
    /// How messages call the font.
    label: String,
}

/// What shows a code.
enum Shown {
    /// Nothing is drawn, or that is a fault of another clause.
    Nothing,
    /// There is no glyph for it.
    Missing,
    /// A glyph of this width, if it has one.
    Width(Option<Micro>),
}

impl Shown {
    fn of(glyph: Option<Glyph>, width: impl Fn(Glyph) -> Option<Micro>) -> Self {
        glyph.map_or(Self::Missing, |glyph| Self::Width(width(glyph)))
    }
}

impl FontReport<'_, '_> {
    /// Notes a fault without a repair; `text` follows the name of the font.
    fn add(&self, clause: &'static str, text: &str) {
        self.add_repairable(clause, text, None);
    }

    fn add_if(&self, wrong: bool, clause: &'static str, text: &str) {
        if wrong {
            self.add(clause, text);
        }
    }

    /// Notes a fault that may have a repair.
    fn add_repairable(&self, clause: &'static str, text: &str, repair: Option<Repair>) {
        let text = format!("{} {text}", self.label);
        self.faults.add_repairable(clause, self.place, text, repair);
    }

    fn list(&self, clause: &'static str, text: &str, codes: &[u32]) {
        if !codes.is_empty() {
            self.add(clause, &format!("{text} ({})", listed(codes)));
        }
    }

    /// Checks that the visible codes have glyphs, as wide as the dictionary says.
    fn glyphs(
        &self,
        others: &str,
        widths: &SimpleWidths,
        mut look: impl FnMut(u32) -> Result<Shown>,
    ) -> Result<()> {
        let mut missing = Vec::new();
        let mut wrong = Vec::new();
        for code in self.codes.visible.iter() {
            match look(code)? {
                Shown::Nothing => {}
                Shown::Missing => missing.push(code),
                Shown::Width(width) => {
                    let width = width.unwrap_or(widths.missing);
                    if !is_consistent(width, widths.of(code)) {
                        wrong.push(code);
                    }
                }
            }
        }
        self.list("6.2.11.4.1", "lacks glyphs that are shown", &missing);
        let text = format!("has other widths than {others}");
        self.list("6.2.11.5", &text, &wrong);
        Ok(())
    }
}

/// Codes that are listed before the rest is only counted.
const LISTED: usize = 5;

fn listed(codes: &[u32]) -> String {
    let shown = codes.iter().take(LISTED);
    let mut text: Vec<String> = shown.map(|code| format!("{code:#04x}")).collect();
    if codes.len() > LISTED {
        text.push(format!("{} more", codes.len() - LISTED));
    }
    text.join(", ")
}

/// The bytes of a stream; `None` when its filters do not fit or its data are broken.
fn decoded<'s>(
    file: &'s PdfFile<'_>,
    stream: &'s erp_pdf::Stream,
) -> Result<Option<std::borrow::Cow<'s, [u8]>>> {
    PdfError::readable(file.decoded_whole(stream))
}

/// Everything of 6.2.11 that can be said about the fonts that are used.
pub(super) fn check(subject: &Subject<'_, '_>, used: &UsedFonts) -> Result<()> {
    for font in used.shown() {
        check_font(subject.file, font, &subject.faults)?;
    }
    Ok(())
}

/// What keeps the text of the fonts from the levels U and A, and from level A alone.
pub(super) fn unicode_faults(file: &PdfFile<'_>, used: &UsedFonts) -> Result<[Option<String>; 2]> {
    let mut private = None;
    for font in used.shown() {
        let written = file.follow_readable(&font.object)?;
        let Object::Dict(dict) = &*written else {
            continue;
        };
        let dict = FontDict::read(file, dict.clone(), font.id)?;
        let name = || {
            let name = dict.base_font.as_deref().unwrap_or_default();
            String::from_utf8_lossy(name).into_owned()
        };
        match unicode::mapped(file, &dict, font)? {
            Mapped::All => {}
            Mapped::Private => {
                private = Some(format!("font `{}` shows characters of private use", name()));
            }
            Mapped::No => {
                let text = format!("font `{}` shows text without Unicode characters", name());
                return Ok([Some(text), None]);
            }
        }
    }
    Ok([None, private])
}

fn check_font(file: &PdfFile<'_>, font: &UsedFont, faults: &Faults) -> Result<()> {
    let place = font
        .id
        .map_or(font.place, |id| font.place.object(id.number));
    let written = file.follow_readable(&font.object)?;
    let Object::Dict(dict) = &*written else {
        let text = "a font that text is shown with is missing or no dictionary";
        faults.add("6.2.11.2", place, text);
        return Ok(());
    };
    let dict = FontDict::read(file, dict.clone(), font.id)?;
    let label = match &dict.base_font {
        Some(name) => format!("font `{}`", String::from_utf8_lossy(name)),
        None => "a font without a name".to_owned(),
    };
    let report = FontReport {
        file,
        codes: &font.codes,
        faults,
        place,
        label,
    };
    dict.check_names(&report)?;
    match dict.subtype.as_deref() {
        Some(b"Type1" | b"MMType1") => simple::check(&dict, &report),
        Some(b"TrueType") => true_type::check(&dict, &report),
        Some(b"Type3") => type3::check(&dict, &report),
        Some(b"Type0") => composite::check(&dict, &report),
        _ => {
            report.add("6.2.11.2", "has no `Subtype` that is known");
            Ok(())
        }
    }
}
