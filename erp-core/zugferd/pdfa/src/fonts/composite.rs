//! Composite fonts (ISO 19005-3, 6.2.11.3 to 6.2.11.5, 6.2.11.8).

use super::cmap::{CMapEncoding, SystemInfo, encoding_of, is_predefined};
use super::dictionary::{CidWidths, FontDict, Micro, is_consistent};
use super::program::{Cff, Glyph, NamedGlyphs as _, TrueType};
use super::simple::not_embedded;
use super::{FontReport, decoded};
use erp_pdf::{Object, Result};
use std::borrow::Cow;

pub(super) fn check(font: &FontDict, report: &FontReport<'_, '_>) -> Result<()> {
    let (file, codes) = (report.file, report.codes);
    let encoding = encoding_of(file, &font.dict)?;
    let Some(descendant) = font.descendant(file)? else {
        report.add("6.2.11.2", "has no CIDFont in `DescendantFonts`");
        return Ok(());
    };
    descendant.check_names(report)?;
    check_collection(&encoding, &descendant, report)?;
    check_cmap(&encoding, report)?;
    let text = "shows strings that its CMap has no codes for";
    report.add_if(codes.broken, "6.2.11.3.3", text);
    let kind = descendant.subtype.as_deref();
    if !matches!(kind, Some(b"CIDFontType0" | b"CIDFontType2")) {
        report.add("6.2.11.2", "has a CIDFont with no `Subtype` that is known");
        return Ok(());
    }
    let true_type = kind == Some(b"CIDFontType2");
    let keys = ["FontFile2", "FontFile3"];
    let keys = if true_type { &keys[..] } else { &keys[1..] };
    let Some(embedded) = descendant.program(file, keys)? else {
        not_embedded(false, report);
        return Ok(());
    };
    let map = match &*file.member_readable(&descendant.dict, "CIDToGIDMap")? {
        Object::Name(name) if **name == *b"Identity" => Map::Identity,
        Object::Stream(stream) => Map::read(decoded(file, stream)?),
        _ => Map::Missing,
    };
    let is_missing = true_type && matches!(map, Map::Missing);
    report.add_if(is_missing, "6.2.11.3.2", "has no `CIDToGIDMap`");
    let data = decoded(file, &embedded.stream)?;
    let kind = embedded.subtype.as_deref();
    let cff = matches!(kind, Some(b"CIDFontType0C" | b"OpenType"));
    let program = match data.as_deref() {
        Some(data) if embedded.key == "FontFile2" => {
            TrueType::parse(data).map(|program| CidProgram::TrueType(Box::new(program), map))
        }
        Some(data) if cff => Cff::parse(data).map(|program| CidProgram::Cff(Box::new(program))),
        _ => None,
    };
    let Some(program) = program else {
        not_embedded(true, report);
        return Ok(());
    };
    let text = "has a CMap that cannot be read, so its glyphs cannot be checked";
    report.add_if(encoding.cmap.is_none(), "6.2.11.4.1", text);
    check_glyphs(&descendant, &program, report)?;
    check_cid_set(&descendant, &program, report)
}

/// The collections of the CIDFont and of its CMap (6.2.11.3.1).
fn check_collection(
    encoding: &CMapEncoding,
    descendant: &FontDict,
    report: &FontReport<'_, '_>,
) -> Result<()> {
    let file = report.file;
    let name = encoding.name.as_deref();
    let is_identity = matches!(name, Some(b"Identity-H" | b"Identity-V"));
    let Some(cmap) = encoding.embedded.as_ref().filter(|_| !is_identity) else {
        return Ok(());
    };
    let font = SystemInfo::of(file, &descendant.dict)?;
    let cmap = SystemInfo::of(file, cmap)?;
    let fits = font.zip(cmap).is_some_and(|(font, cmap)| font.fits(&cmap));
    let text = "has another `CIDSystemInfo` than its CMap";
    report.add_if(!fits, "6.2.11.3.1", text);
    Ok(())
}

/// The largest CID of 6.1.13.
const LARGEST_CID: u64 = 65_535;

/// The CMap itself (6.2.11.3.3).
fn check_cmap(encoding: &CMapEncoding, report: &FontReport<'_, '_>) -> Result<()> {
    let Some(dict) = &encoding.embedded else {
        let Some(name) = &encoding.name else {
            report.add("6.2.11.3.3", "has no CMap");
            return Ok(());
        };
        let shown = String::from_utf8_lossy(name);
        if !is_predefined(name) {
            let text = format!("has the CMap `{shown}`, which is not embedded");
            report.add("6.2.11.3.3", &text);
        } else if encoding.cmap.is_none() {
            let text = format!("has the CMap `{shown}`, which cannot be checked");
            report.add("6.2.11.3.1", &text);
        }
        return Ok(());
    };
    let stated = report.file.member_readable(dict, "WMode")?;
    let stated = stated.as_integer().unwrap_or(0);
    if let Some(cmap) = &encoding.cmap {
        let text = "has a CMap with two different `WMode`";
        report.add_if(cmap.writing_mode != stated, "6.2.11.3.3", text);
        let beyond = cmap.largest_cid > LARGEST_CID;
        report.add_if(beyond, "6.1.13", "has a CMap with CIDs over 65535");
    }
    let fine = match &*report.file.member_readable(dict, "UseCMap")? {
        Object::Null => true,
        Object::Name(name) => is_predefined(name),
        _ => false,
    };
    let text = "has a CMap that uses another one that is not predefined";
    report.add_if(!fine, "6.2.11.3.3", text);
    Ok(())
}

/// `/CIDToGIDMap`.
enum Map {
    Missing,
    Identity,
    Table(Vec<u16>),
}

impl Map {
    fn read(bytes: Option<Cow<'_, [u8]>>) -> Self {
        let Some(bytes) = bytes else {
            return Self::Missing;
        };
        let (pairs, _) = bytes.as_chunks::<2>();
        Self::Table(pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect())
    }

    fn glyph(&self, cid: u32) -> Option<Glyph> {
        match self {
            Self::Identity | Self::Missing => Some(cid),
            Self::Table(glyphs) => Some(u32::from(*glyphs.get(usize::try_from(cid).ok()?)?)),
        }
    }
}

enum CidProgram<'a> {
    TrueType(Box<TrueType<'a>>, Map),
    Cff(Box<Cff<'a>>),
}

impl CidProgram<'_> {
    /// The glyph of a CID; CID 0 is `.notdef`. A map may lead other CIDs to glyph 0, which counts as a glyph.
    fn glyph(&self, cid: u32) -> Option<Glyph> {
        match self {
            Self::TrueType(program, map) => {
                let glyph = map.glyph(cid)?;
                (cid != 0 && glyph < program.glyphs()).then_some(glyph)
            }
            Self::Cff(program) => program.of_cid(cid),
        }
    }

    fn width(&self, glyph: Glyph) -> Option<Micro> {
        match self {
            Self::TrueType(program, _) => program.width(glyph),
            Self::Cff(program) => program.width(glyph),
        }
    }

    /// All CIDs but 0 that have a glyph.
    fn cids(&self) -> Vec<u32> {
        let all: Box<dyn Iterator<Item = u32>> = match self {
            Self::TrueType(_, Map::Table(glyphs)) => {
                Box::new((0..).zip(glyphs).map(|(cid, _)| cid))
            }
            Self::TrueType(program, _) => Box::new(0..program.glyphs()),
            Self::Cff(program) => Box::new(program.cids()),
        };
        all.filter(|cid| self.glyph(*cid).is_some()).collect()
    }
}

fn check_glyphs(
    descendant: &FontDict,
    program: &CidProgram<'_>,
    report: &FontReport<'_, '_>,
) -> Result<()> {
    let codes = report.codes;
    let mut missing: Vec<u32> = codes.all().iter().collect();
    missing.retain(|cid| program.glyph(*cid).is_none());
    report.list("6.2.11.8", "shows `.notdef`", &missing);
    missing.retain(|cid| codes.visible.contains(*cid));
    report.list("6.2.11.4.1", "lacks glyphs that are shown", &missing);
    let widths = CidWidths::read(report.file, &descendant.dict)?;
    if !widths.readable {
        report.add("6.2.11.5", "has widths in `W` that cannot be read");
        return Ok(());
    }
    let wrong = codes.visible.iter().filter(|cid| {
        program.glyph(*cid).is_some_and(|glyph| {
            let width = program.width(glyph).unwrap_or(widths.default);
            !is_consistent(width, widths.of(*cid))
        })
    });
    let text = "has other widths than its program";
    report.list("6.2.11.5", text, &wrong.collect::<Vec<_>>());
    Ok(())
}

/// Bytes of a `/CIDSet` that count: two for each 16 CIDs, and some writers end with more.
const SET_BYTES: usize = 16_384;

/// `/CIDSet` names the CIDs of the program, and no others (6.2.11.4.2). It may be left out.
fn check_cid_set(
    descendant: &FontDict,
    program: &CidProgram<'_>,
    report: &FontReport<'_, '_>,
) -> Result<()> {
    let descriptor = &descendant.descriptor;
    let written = report.file.member_readable(descriptor, "CIDSet")?;
    let Object::Stream(set) = &*written else {
        return Ok(());
    };
    if !descendant.is_subset() {
        return Ok(());
    }
    let bytes = decoded(report.file, set)?;
    let complete = bytes.is_some_and(|bytes| {
        let bytes = bytes.get(..SET_BYTES).unwrap_or(&bytes);
        listed_cids(bytes).eq(program.cids())
    });
    if !complete {
        let text = "has a `CIDSet` that does not name all glyphs";
        report.add_repairable("6.2.11.4.2", text, descendant.without("CIDSet"));
    }
    Ok(())
}

/// The CIDs but 0 whose bits are set, the highest bit of a byte first.
fn listed_cids(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let bits = (0_u32..).zip(bytes).flat_map(|(place, byte)| {
        (0..8)
            .filter(move |bit| byte >> (7 - bit) & 1 == 1)
            .map(move |bit| place * 8 + bit)
    });
    bits.filter(|cid| *cid != 0)
}
