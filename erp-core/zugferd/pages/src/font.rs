//! The two fonts: which characters they have, how wide these are, and where lines break.

use super::Error;
use krilla::text::Font;
use read_fonts::tables::cmap::CmapSubtable;
use read_fonts::{FontRef, TableProvider};
use std::collections::BTreeMap;

/// Units of an em in both fonts.
pub(crate) const EM: u16 = 2048;

/// A glyph by its number, and its width in units of the em.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Glyph {
    pub(crate) id: u16,
    pub(crate) width: u16,
}

pub(crate) struct Face {
    pub(crate) font: Font,
    glyphs: BTreeMap<char, Glyph>,
}

pub(crate) struct Fonts {
    pub(crate) regular: Face,
    pub(crate) bold: Face,
}

impl Fonts {
    pub(crate) fn new() -> Result<Self, Error> {
        let damaged = || Error::Pdf("a built-in font cannot be read".to_owned());
        Ok(Self {
            regular: Face::new(include_bytes!("../fonts/Sans-Regular.ttf")).ok_or_else(damaged)?,
            bold: Face::new(include_bytes!("../fonts/Sans-Bold.ttf")).ok_or_else(damaged)?,
        })
    }

    pub(crate) const fn face(&self, bold: bool) -> &Face {
        if bold { &self.bold } else { &self.regular }
    }
}

impl Face {
    fn new(bytes: &'static [u8]) -> Option<Self> {
        let tables = FontRef::new(bytes).ok()?;
        let (cmap, widths) = (tables.cmap().ok()?, tables.hmtx().ok()?);
        let mut glyphs = BTreeMap::new();
        for record in cmap.encoding_records() {
            if let Ok(CmapSubtable::Format4(table)) = record.subtable(cmap.offset_data()) {
                glyphs.extend(table.iter().filter_map(|(code, glyph)| {
                    let id = u16::try_from(glyph.to_u32()).ok()?;
                    let width = widths.advance(glyph)?;
                    Some((char::from_u32(code)?, Glyph { id, width }))
                }));
            }
        }
        Some(Self {
            font: Font::new(bytes.into(), 0)?,
            glyphs,
        })
    }

    pub(crate) fn glyph(&self, character: char) -> Option<Glyph> {
        self.glyphs.get(&character).copied()
    }

    /// How wide a text is, in the unit of `size`.
    pub(crate) fn width(&self, text: &str, size: i32) -> i32 {
        let units: i64 = text.chars().map(|c| self.units(c)).sum();
        scaled(units, size)
    }

    fn units(&self, character: char) -> i64 {
        self.glyph(character)
            .map_or(0, |glyph| i64::from(glyph.width))
    }

    /// The lines of a text in a column. Lines break after spaces and hyphens, and inside of a word that is wider than
    /// the column.
    pub(crate) fn wrap(&self, text: &str, size: i32, width: i32) -> Vec<String> {
        let mut lines = Vec::new();
        for paragraph in text.split('\n') {
            let mut line = String::new();
            let mut used = 0;
            for word in paragraph.split_inclusive([' ', '-', '/', '@']) {
                let word_width: i64 = word.trim_end().chars().map(|c| self.units(c)).sum();
                if !line.is_empty() && scaled(used + word_width, size) > width {
                    push(&mut lines, &mut line);
                    used = 0;
                }
                for character in word.chars() {
                    let units = self.units(character);
                    if character != ' ' && !line.is_empty() && scaled(used + units, size) > width {
                        push(&mut lines, &mut line);
                        used = 0;
                    }
                    line.push(character);
                    used += units;
                }
            }
            push(&mut lines, &mut line);
        }
        lines
    }
}

fn push(lines: &mut Vec<String>, line: &mut String) {
    lines.push(line.trim_end().to_owned());
    line.clear();
}

fn scaled(units: i64, size: i32) -> i32 {
    let scaled = units.saturating_mul(i64::from(size)) / i64::from(EM);
    i32::try_from(scaled).unwrap_or(i32::MAX)
}
