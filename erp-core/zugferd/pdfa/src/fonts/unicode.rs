//! Whether text can be mapped to Unicode (ISO 19005-3, 6.2.11.7), which the levels U and A require.

use super::cmap::{RANGES, SystemInfo, each_operator, number};
use super::decoded;
use super::dictionary::FontDict;
use super::encoding::{Encoding, agl_character};
use super::used::{Codes, UsedFont};
use erp_pdf::{Object, PdfFile, Result};
use std::collections::BTreeMap;

/// Collections whose CIDs have known characters.
const COLLECTIONS: [&[u8]; 4] = [b"GB1", b"CNS1", b"Japan1", b"Korea1"];

/// Whether every code that a font shows has characters, and whether all of them have a public meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mapped {
    /// All have.
    All,
    /// Some are characters of private use, which need a replacement text in the tags.
    Private,
    /// Some have no characters, or that is not known.
    No,
}

// clause: 6.2.11.7
/// Looks at the codes of a font.
pub(super) fn mapped(file: &PdfFile<'_>, font: &FontDict, used: &UsedFont) -> Result<Mapped> {
    let codes = &used.codes;
    let is_composite = font.subtype.as_deref() == Some(b"Type0");
    if let Object::Stream(stream) = &*file.member_readable(&font.dict, "ToUnicode")? {
        // Of other CMaps the CIDs are known and not the codes.
        if is_composite && !used.is_identity() {
            return Ok(Mapped::No);
        }
        let Some(bytes) = decoded(file, stream)? else {
            return Ok(Mapped::No);
        };
        file.count_parsed(bytes.len().saturating_mul(4))?;
        return Ok(ToUnicode::parse(&bytes, file).map_or(Mapped::No, |map| map.judge(codes)));
    }
    if is_composite {
        return composite(file, font);
    }
    let encoding = Encoding::read(file, &font.dict)?;
    let has_character = |code: u32| {
        let name = encoding.name(code);
        name.is_some_and(|name| agl_character(name).is_some())
    };
    let all = codes.all().iter().all(has_character);
    Ok(if all { Mapped::All } else { Mapped::No })
}

fn composite(file: &PdfFile<'_>, font: &FontDict) -> Result<Mapped> {
    let Some(descendant) = font.descendant(file)? else {
        return Ok(Mapped::No);
    };
    let info = SystemInfo::of(file, &descendant.dict)?;
    let known = info.is_some_and(|info| info.is_one_of(b"Adobe", &COLLECTIONS));
    Ok(if known { Mapped::All } else { Mapped::No })
}

/// A `/ToUnicode` map: by the first code, the last one and what they become.
#[derive(Debug, Default)]
struct ToUnicode {
    ranges: BTreeMap<u32, (u32, Mapped)>,
}

impl ToUnicode {
    fn parse(bytes: &[u8], file: &PdfFile<'_>) -> Option<Self> {
        let mut map = Self::default();
        each_operator(bytes, file.limits(), |word, operands| {
            match word {
                b"endbfchar" => operands.as_chunks().0.iter().for_each(|[code, text]| {
                    map.add(code, code, text);
                }),
                b"endbfrange" => operands.as_chunks().0.iter().for_each(|[low, high, text]| {
                    map.add(low, high, text);
                }),
                _ => {}
            }
            (map.ranges.len() <= RANGES).then_some(())
        })?;
        Some(map)
    }

    fn add(&mut self, low: &Object, high: &Object, text: &Object) {
        let (Some(low), Some(high)) = (code(low), code(high)) else {
            return;
        };
        match text {
            Object::Array(texts) => {
                for (place, text) in (low..=high).zip(texts) {
                    self.ranges.insert(place, (place, meaning(text)));
                }
            }
            text => {
                self.ranges.insert(low, (high, meaning(text)));
            }
        }
    }

    fn judge(&self, codes: &Codes) -> Mapped {
        let mut all = Mapped::All;
        for code in codes.all().iter() {
            let range = self.ranges.range(..=code).next_back();
            match range.filter(|(_, (high, _))| code <= *high) {
                Some((_, (_, Mapped::All))) => {}
                Some((_, (_, Mapped::Private))) => all = Mapped::Private,
                _ => return Mapped::No,
            }
        }
        all
    }
}

fn code(object: &Object) -> Option<u32> {
    let bytes = object.as_string();
    let bytes = bytes.filter(|bytes| (1..=4).contains(&bytes.len()))?;
    Some(number(bytes))
}

/// The meaning of a text in UTF-16; 0, U+FEFF and U+FFFE have none (6.2.11.7.2).
fn meaning(text: &Object) -> Mapped {
    let (units, _) = text.as_string().unwrap_or_default().as_chunks::<2>();
    let units = units.iter().map(|unit| u16::from_be_bytes(*unit));
    let mut all = Mapped::No;
    for unit in units {
        match unit {
            0 | 0xFEFF | 0xFFFE => return Mapped::No,
            0xE000..=0xF8FF => all = Mapped::Private,
            _ if all == Mapped::No => all = Mapped::All,
            _ => {}
        }
    }
    all
}
