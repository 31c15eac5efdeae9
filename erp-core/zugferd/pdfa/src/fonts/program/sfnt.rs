//! TrueType and OpenType: tables, cmaps, advance widths.

use super::{Glyph, scaled};
use crate::fonts::dictionary::{Micro, ONE};
use read_fonts::tables::cmap::{Cmap, CmapSubtable, PlatformId};
use read_fonts::tables::post::Post;
use read_fonts::{FontData, FontRead as _};

pub(in crate::fonts) struct TrueType<'a> {
    units: u16,
    metrics: &'a [u8],
    metrics_count: u16,
    glyphs: u16,
    cmap: Option<Cmap<'a>>,
    post: Option<Post<'a>>,
}

/// A table of a TrueType or OpenType program.
pub(in crate::fonts) fn table<'a>(data: &'a [u8], tag: &[u8; 4]) -> Option<&'a [u8]> {
    let count = usize::from(u16_at(data, 4)?);
    let (records, _) = data.get(12..)?.as_chunks::<16>();
    let mut records = records.iter().take(count);
    let record = records.find(|record| record.starts_with(tag))?;
    let start = usize::try_from(u32_at(record, 8)?).ok()?;
    let length = usize::try_from(u32_at(record, 12)?).ok()?;
    let rest = data.get(start..)?;
    // The last table is often shorter than it says.
    Some(rest.get(..length).unwrap_or(rest))
}

fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    let bytes = data.get(at..)?.first_chunk()?;
    Some(u16::from_be_bytes(*bytes))
}

fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    let bytes = data.get(at..)?.first_chunk()?;
    Some(u32::from_be_bytes(*bytes))
}

/// Which characters a cmap subtable is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::fonts) enum Mapping {
    /// Microsoft Unicode (3,1).
    Unicode,
    /// Microsoft Symbol (3,0).
    Symbol,
    /// Macintosh Roman (1,0).
    MacRoman,
}

impl Mapping {
    const fn ids(self) -> (PlatformId, u16) {
        match self {
            Self::Unicode => (PlatformId::Windows, 1),
            Self::Symbol => (PlatformId::Windows, 0),
            Self::MacRoman => (PlatformId::Macintosh, 0),
        }
    }
}

impl<'a> TrueType<'a> {
    /// Reads a program; `None` when a table is missing that it must have (ISO 32000-1, 9.9).
    pub(in crate::fonts) fn parse(data: &'a [u8]) -> Option<Self> {
        let units = u16_at(table(data, b"head")?, 18)?;
        let metrics_count = u16_at(table(data, b"hhea")?, 34)?;
        let metrics = table(data, b"hmtx")?;
        let glyphs = u16_at(table(data, b"maxp")?, 4)?;
        let outlines = table(data, b"glyf").is_some() && table(data, b"loca").is_some();
        let readable =
            units > 0 && metrics_count > 0 && metrics.len() >= usize::from(metrics_count) * 4;
        (readable && outlines).then_some(())?;
        let cmap = table(data, b"cmap").and_then(|cmap| Cmap::read(FontData::new(cmap)).ok());
        let post = table(data, b"post").and_then(|post| Post::read(FontData::new(post)).ok());
        Some(Self {
            units,
            metrics,
            metrics_count,
            glyphs,
            cmap,
            post,
        })
    }

    pub(in crate::fonts) const fn glyphs(&self) -> u32 {
        self.glyphs as u32
    }

    /// How many cmap subtables there are.
    pub(in crate::fonts) fn mappings(&self) -> usize {
        let cmap = self.cmap.as_ref();
        cmap.map_or(0, |cmap| cmap.encoding_records().len())
    }

    /// Whether there is a cmap subtable of this kind.
    pub(in crate::fonts) fn has(&self, mapping: Mapping) -> bool {
        self.record(mapping).is_some()
    }

    fn record(&self, mapping: Mapping) -> Option<usize> {
        let (platform, encoding) = mapping.ids();
        let mut records = self.cmap.as_ref()?.encoding_records().iter();
        records
            .position(|record| record.platform_id() == platform && record.encoding_id() == encoding)
    }

    fn subtable(&self, mapping: Mapping) -> Option<CmapSubtable<'a>> {
        let place = u16::try_from(self.record(mapping)?).ok()?;
        self.cmap.as_ref()?.subtable(place).ok()
    }

    /// The glyph of a character; not `.notdef`.
    pub(in crate::fonts) fn mapped(&self, mapping: Mapping, character: u32) -> Option<Glyph> {
        let glyph = self.subtable(mapping)?.map_codepoint(character)?.to_u32();
        (glyph != 0 && glyph < self.glyphs()).then_some(glyph)
    }

    /// The glyph of a code in the Symbol cmap, whose characters all have one high byte (ISO 32000-1, 9.6.6.4).
    pub(in crate::fonts) fn symbol(&self, code: u32) -> Option<Glyph> {
        let (first, _) = self.subtable(Mapping::Symbol)?.iter().next()?;
        let high = first & 0xff00;
        matches!(high, 0 | 0xf000 | 0xf100 | 0xf200).then_some(())?;
        self.mapped(Mapping::Symbol, high + code)
    }

    /// The glyph of a name by the `post` table; not `.notdef`.
    pub(in crate::fonts) fn posted(&self, name: &[u8]) -> Option<Glyph> {
        let names = self.post.as_ref()?.glyph_names();
        let mut names = names.take(usize::from(self.glyphs));
        let place = names.position(|(_, known)| known.as_bytes() == name)?;
        u32::try_from(place).ok().filter(|glyph| *glyph != 0)
    }

    /// The advance width in thousandths of the text space.
    pub(in crate::fonts) fn width(&self, glyph: Glyph) -> Option<Micro> {
        let last = self.metrics_count.checked_sub(1)?;
        let glyph = u16::try_from(glyph).map_or(last, |glyph| glyph.min(last));
        let advance = u16_at(self.metrics, usize::from(glyph) * 4)?;
        scaled(i64::from(advance), 1_000 * ONE, i64::from(self.units))
    }
}
