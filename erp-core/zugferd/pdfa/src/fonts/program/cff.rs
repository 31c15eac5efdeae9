//! Compact Font Format (Adobe Technical Note 5176).

use super::{Glyph, NamedGlyphs, scaled};
use crate::fonts::dictionary::{Micro, ONE};
use read_fonts::ps::cff::index::Index;
use read_fonts::ps::cff::{CffFontRef, Encoding, Subfont};
use read_fonts::ps::{ScaledFontMatrix, charstring};
use read_fonts::types::{Fixed, GlyphId};
use std::collections::BTreeMap;

pub(in crate::fonts) struct Cff<'a> {
    font: CffFontRef<'a>,
    subfonts: Vec<Subfont>,
    encoding: Option<Encoding<'a>>,
    names: BTreeMap<&'a [u8], Glyph>,
    /// Of a program with CIDs.
    cids: BTreeMap<u32, Glyph>,
}

/// Subfonts of a program with CIDs, which are numbered by a byte.
const SUBFONTS: u16 = 256;

impl<'a> Cff<'a> {
    /// Reads a program, also one that is a table of an OpenType font.
    pub(in crate::fonts) fn parse(data: &'a [u8]) -> Option<Self> {
        let data = if data.starts_with(b"OTTO") {
            super::table(data, b"CFF ")?
        } else {
            data
        };
        let font = CffFontRef::new_cff(data, 0, None).ok()?;
        let count = font.num_subfonts().min(SUBFONTS);
        let subfonts = (0..count).map(|place| font.subfont(place, &[]).ok());
        let mut cff = Self {
            subfonts: subfonts.collect::<Option<_>>()?,
            encoding: None,
            names: BTreeMap::new(),
            cids: BTreeMap::new(),
            font,
        };
        let charset = cff.font.charset()?;
        for (glyph, name) in charset.iter().take(65_536) {
            if cff.font.is_cid() {
                cff.cids.insert(u32::from(name.to_u16()), glyph.to_u32());
            } else if let Some(name) = cff.font.string(name) {
                cff.names.insert(name, glyph.to_u32());
            }
        }
        cff.encoding = cff.font.encoding();
        Some(cff)
    }

    /// Whether its glyphs have CIDs instead of names.
    pub(in crate::fonts) fn is_cid(&self) -> bool {
        self.font.is_cid()
    }

    /// The glyph of a CID; in a program without CIDs they are the places of glyphs. Not `.notdef`.
    pub(in crate::fonts) fn of_cid(&self, cid: u32) -> Option<Glyph> {
        let glyph = if self.is_cid() {
            self.cids.get(&cid).copied()?
        } else {
            cid
        };
        (cid != 0 && glyph != 0 && glyph < self.font.num_glyphs()).then_some(glyph)
    }

    /// All CIDs; none in a program without.
    pub(in crate::fonts) fn cids(&self) -> impl Iterator<Item = u32> {
        self.cids.keys().copied()
    }

    /// The width of the charstring, before any matrix.
    fn charstring_width(&self, subfont: &Subfont, glyph: Glyph) -> Option<Fixed> {
        let data = self.font.data();
        let subrs = match usize::try_from(subfont.subrs_offset()).ok()? {
            0 => Index::Empty,
            offset => Index::new(data.get(offset..)?, false).ok()?,
        };
        let charstrings = self.font.charstrings();
        let charstring = charstrings.get(usize::try_from(glyph).ok()?)?;
        let context = (data, charstrings, self.font.global_subrs(), &subrs);
        match charstring::evaluate_width(&context, None, charstring).ok()? {
            Some(width) => Some(width + subfont.nominal_width()),
            None => Some(subfont.default_width().unwrap_or_default()),
        }
    }
}

/// A width after a font matrix, in thousandths.
fn horizontal(matrix: &ScaledFontMatrix, width: Micro) -> Option<Micro> {
    let [x_scale, ..] = matrix.matrix.elements();
    let scaled_width = scaled(width, i64::from(x_scale.to_bits()), 65_536)?;
    scaled(scaled_width, 1_000, i64::from(matrix.scale))
}

impl NamedGlyphs for Cff<'_> {
    fn named(&self, name: &[u8]) -> Option<Glyph> {
        self.names.get(name).copied()
    }

    fn coded(&self, code: u32) -> Option<Glyph> {
        let encoding = self.encoding.as_ref()?;
        let glyph = encoding.map(u8::try_from(code).ok()?)?.to_u32();
        (glyph != 0 && glyph < self.font.num_glyphs()).then_some(glyph)
    }

    fn width(&self, glyph: Glyph) -> Option<Micro> {
        let subfont = self.font.subfont_index(GlyphId::new(glyph))?;
        let subfont = self.subfonts.get(usize::from(subfont))?;
        let width = self.charstring_width(subfont, glyph)?;
        let micro = scaled(i64::from(width.to_bits()), ONE, 65_536)?;
        // In all valid fonts one of the two matrices is missing or has no effect.
        let own = subfont.matrix().filter(|matrix| matrix.scale > 1);
        match own.or_else(|| self.font.matrix()) {
            Some(matrix) => horizontal(matrix, micro),
            None => Some(micro),
        }
    }

    fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.names.keys().copied()
    }
}
