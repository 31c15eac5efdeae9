//! Type 1 programs (Adobe Type 1 Font Format).

use super::{Glyph, NamedGlyphs, scaled};
use crate::fonts::dictionary::{Micro, ONE};
use memchr::{memchr_iter, memmem};
use read_fonts::ps::type1::Type1Font;
use read_fonts::types::GlyphId;
use std::borrow::Cow;
use std::collections::BTreeMap;

pub(in crate::fonts) struct Type1 {
    font: Type1Font,
    names: BTreeMap<Vec<u8>, Glyph>,
}

/// Bytes to compare. The reader looks for each name of the encoding among all glyphs, so their product could take for hours.
const WORK: usize = 1_000_000_000;

/// What the reader wants to see first.
const HEADER: &[u8] = b"%!PS-AdobeFont-1.0\n";

impl Type1 {
    /// Reads a program; `None` for one in segments (PFB), which is not what PDF embeds.
    pub(in crate::fonts) fn parse(data: &[u8]) -> Option<Self> {
        let data = match data {
            [0x80, ..] => return None,
            _ if data.starts_with(b"%!PS-AdobeFont") => Cow::Borrowed(data),
            _ if data.starts_with(b"%!") => Cow::Owned([HEADER, data].concat()),
            _ => return None,
        };
        let clear = data.get(..memmem::rfind(&data, b"eexec")?)?;
        let names = memchr_iter(b'/', clear).count();
        (names.saturating_mul(data.len()) <= WORK).then_some(())?;
        let font = Type1Font::new(&data).ok()?;
        let names = font.glyph_names();
        let names = names.map(|(glyph, name)| (name.as_bytes().to_vec(), glyph.to_u32()));
        Some(Self {
            names: names.collect(),
            font,
        })
    }
}

impl NamedGlyphs for Type1 {
    fn named(&self, name: &[u8]) -> Option<Glyph> {
        self.names.get(name).copied()
    }

    fn coded(&self, code: u32) -> Option<Glyph> {
        let encoding = self.font.encoding()?;
        let name = encoding.glyph_name(u8::try_from(code).ok()?)?;
        self.named(name.as_bytes()).filter(|_| name != ".notdef")
    }

    fn width(&self, glyph: Glyph) -> Option<Micro> {
        let width = self.font.evaluate_width(GlyphId::new(glyph)).ok()??;
        let micro = scaled(i64::from(width.to_bits()), ONE, 65_536)?;
        scaled(micro, 1_000, i64::from(self.font.upem()))
    }

    fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.keys().map(Vec::as_slice)
    }
}
