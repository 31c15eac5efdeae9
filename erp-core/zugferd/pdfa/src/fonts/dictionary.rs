//! Font dictionaries and their entries (ISO 19005-3, 6.2.11.2).

use super::FontReport;
use crate::repair::{EditStep, Repair};
use crate::structure::Spot;
use erp_pdf::object::Name;
use erp_pdf::{Dict, Object, ObjectId, PdfError, PdfFile, Result, Stream};
use std::collections::BTreeMap;

/// A number in millionths, so that widths are compared exactly.
pub(super) type Micro = i64;

pub(super) const ONE: Micro = 1_000_000;

/// A font dictionary, also that of a CIDFont.
#[derive(Debug)]
pub(super) struct FontDict {
    pub(super) dict: Dict,
    pub(super) subtype: Option<Name>,
    pub(super) base_font: Option<Name>,
    /// `/FontDescriptor`; empty when there is none.
    pub(super) descriptor: Dict,
    /// Where it is; `None` where the resources have the font in themselves.
    spot: Option<Spot>,
    descriptor_spot: Option<Spot>,
}

#[derive(Debug)]
pub(super) struct Embedded {
    /// `FontFile`, `FontFile2` or `FontFile3`.
    pub(super) key: &'static str,
    pub(super) subtype: Option<Name>,
    pub(super) stream: Stream,
}

const KEYS: [&str; 3] = ["FontFile", "FontFile2", "FontFile3"];

/// References that lead to references; they may be a circle.
const CHAIN: usize = 32;

/// The object that a reference leads to in the end.
fn object(file: &PdfFile<'_>, mut id: ObjectId) -> Result<Spot> {
    for _ in 0..CHAIN {
        let located = PdfError::readable(file.object(id.number))?.flatten();
        let Some(next) = located.and_then(|located| located.object.as_reference()) else {
            break;
        };
        id = next;
    }
    Ok(Spot::of(id))
}

fn inside(
    file: &PdfFile<'_>,
    spot: Option<&Spot>,
    step: EditStep,
    value: &Object,
) -> Result<Option<Spot>> {
    match value {
        Object::Reference(id) => object(file, *id).map(Some),
        value => Ok(spot.map(|spot| spot.step(Some(value), step))),
    }
}

impl FontDict {
    /// Reads the dictionary that resources name.
    pub(super) fn read(file: &PdfFile<'_>, dict: Dict, id: Option<ObjectId>) -> Result<Self> {
        let spot = id.map(|id| object(file, id)).transpose()?;
        Self::read_at(file, dict, spot)
    }

    fn read_at(file: &PdfFile<'_>, dict: Dict, spot: Option<Spot>) -> Result<Self> {
        let subtype = name_in(file, &dict, "Subtype")?;
        let base_font = name_in(file, &dict, "BaseFont")?;
        let written = dict.get("FontDescriptor").unwrap_or(&Object::Null);
        let step = EditStep::Member((*b"FontDescriptor").into());
        let descriptor_spot = inside(file, spot.as_ref(), step, written)?;
        let descriptor = match &*file.follow_readable(written)? {
            Object::Dict(descriptor) => descriptor.clone(),
            _ => Dict::new(),
        };
        Ok(Self {
            dict,
            subtype,
            base_font,
            descriptor,
            spot,
            descriptor_spot,
        })
    }

    /// The CIDFont of a composite font.
    pub(super) fn descendant(&self, file: &PdfFile<'_>) -> Result<Option<Self>> {
        let written = self.dict.get("DescendantFonts").unwrap_or(&Object::Null);
        let step = EditStep::Member((*b"DescendantFonts").into());
        let list_spot = inside(file, self.spot.as_ref(), step, written)?;
        let list = file.follow_readable(written)?;
        let Some([first, ..]) = list.as_array() else {
            return Ok(None);
        };
        let spot = inside(file, list_spot.as_ref(), EditStep::Item(0), first)?;
        match &*file.follow_readable(first)? {
            Object::Dict(dict) => Self::read_at(file, dict.clone(), spot).map(Some),
            _ => Ok(None),
        }
    }

    /// Takes a member out of the descriptor; `None` when it cannot be reached.
    pub(super) fn without(&self, name: &'static str) -> Option<Repair> {
        let spot = self.descriptor_spot.as_ref()?;
        Some(spot.edit(vec![(name, Object::Null)]))
    }

    /// Whether the name of the font has the tag of a subset.
    pub(super) fn is_subset(&self) -> bool {
        self.base_font.as_deref().is_some_and(|name| {
            let tag = name.split_at_checked(6);
            tag.is_some_and(|(tag, rest)| {
                tag.iter().all(u8::is_ascii_uppercase) && rest.starts_with(b"+")
            })
        })
    }

    /// Whether `/Flags` say that the font has glyphs outside the Latin alphabet.
    pub(super) fn is_symbolic(&self, file: &PdfFile<'_>) -> Result<bool> {
        let flags = file.member_readable(&self.descriptor, "Flags")?;
        Ok(flags.as_integer().is_some_and(|flags| flags & 4 != 0))
    }

    /// The first embedded program under one of these keys.
    pub(super) fn program(
        &self,
        file: &PdfFile<'_>,
        keys: &[&'static str],
    ) -> Result<Option<Embedded>> {
        for key in keys {
            if let Object::Stream(stream) = &*file.member_readable(&self.descriptor, key)? {
                return Ok(Some(Embedded {
                    key,
                    subtype: name_in(file, &stream.dict, "Subtype")?,
                    stream: stream.clone(),
                }));
            }
        }
        Ok(None)
    }

    /// `/Type`, `/Subtype`, `/BaseFont` and the kind of the program (6.2.11.2).
    pub(super) fn check_names(&self, report: &FontReport<'_, '_>) -> Result<()> {
        let file = report.file;
        let is_font = file.member_readable(&self.dict, "Type")?.as_name() == Some(b"Font");
        report.add_if(!is_font, "6.2.11.2", "has no `Type` or a wrong one");
        let nameless = self.base_font.is_none() && self.subtype.as_deref() != Some(b"Type3");
        report.add_if(nameless, "6.2.11.2", "has no `BaseFont`");
        let program = self.program(file, &KEYS)?;
        if let Some(subtype) = program.and_then(|program| program.subtype)
            && !matches!(&*subtype, b"Type1C" | b"CIDFontType0C" | b"OpenType")
        {
            let kind = String::from_utf8_lossy(&subtype);
            let text = format!("has a program of the kind `{kind}`, which is not known");
            report.add("6.2.11.2", &text);
        }
        Ok(())
    }

    /// `/FirstChar`, `/LastChar` and `/Widths` (6.2.11.2).
    pub(super) fn simple_widths(&self, report: &FontReport<'_, '_>) -> Result<SimpleWidths> {
        let file = report.file;
        let first = file.member_readable(&self.dict, "FirstChar")?.as_integer();
        let last = file.member_readable(&self.dict, "LastChar")?.as_integer();
        let widths = file.member_readable(&self.dict, "Widths")?;
        let missing = file.member_readable(&self.descriptor, "MissingWidth")?;
        let mut simple = SimpleWidths {
            first: 0,
            widths: Vec::new(),
            missing: number(&missing).unwrap_or(0),
        };
        let (Some(first), Some(last), Some(widths)) = (first, last, widths.as_array()) else {
            report.add("6.2.11.2", "has no `FirstChar`, `LastChar` or `Widths`");
            return Ok(simple);
        };
        let expected = last.checked_sub(first).and_then(|span| span.checked_add(1));
        let wrong = expected != i64::try_from(widths.len()).ok();
        let text = "has a `Widths` array of another length than its codes";
        report.add_if(wrong, "6.2.11.2", text);
        simple.first = first;
        // A simple font has no more codes.
        for width in widths.iter().take(256) {
            simple.widths.push(number(&*file.follow_readable(width)?));
        }
        Ok(simple)
    }
}

fn name_in(file: &PdfFile<'_>, dict: &Dict, name: &str) -> Result<Option<Name>> {
    let value = file.member_readable(dict, name)?;
    Ok(value.as_name().map(Name::from_slice))
}

#[derive(Debug)]
pub(super) struct SimpleWidths {
    first: i64,
    widths: Vec<Option<Micro>>,
    /// Of all other codes.
    pub(super) missing: Micro,
}

impl SimpleWidths {
    /// The width of a code; a value that is not a number counts as 0.
    pub(super) fn of(&self, code: u32) -> Micro {
        let place = i64::from(code).checked_sub(self.first);
        let place = place.and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| self.widths.get(place)) {
            Some(width) => width.unwrap_or(0),
            None => self.missing,
        }
    }
}

/// The widths of a CIDFont by its dictionary: `/W` and `/DW`.
#[derive(Debug)]
pub(super) struct CidWidths {
    single: BTreeMap<u32, Micro>,
    ranges: Vec<(u32, u32, Micro)>,
    /// Of all other CIDs.
    pub(super) default: Micro,
    /// Whether all of `/W` could be read.
    pub(super) readable: bool,
}

/// Widths in one list of `/W`; there are no more CIDs.
const CIDS: usize = 65_536;
/// Ranges in one `/W`, all of which are tried for every CID.
const RANGES: usize = 4_096;

impl CidWidths {
    pub(super) fn read(file: &PdfFile<'_>, font: &Dict) -> Result<Self> {
        let default = number(&*file.member_readable(font, "DW")?).unwrap_or(1_000 * ONE);
        let mut widths = Self {
            single: BTreeMap::new(),
            ranges: Vec::new(),
            default,
            readable: true,
        };
        let list = file.member_readable(font, "W")?;
        let mut items = list.as_array().unwrap_or_default().iter();
        while let Some(first) = items.next() {
            let first = integer(&*file.follow_readable(first)?);
            let next = file.follow_readable(items.next().unwrap_or(&Object::Null))?;
            let done = match (first, &*next) {
                (Some(first), Object::Array(list)) => widths.add_list(file, first, list)?,
                (Some(first), last) => {
                    let width = file.follow_readable(items.next().unwrap_or(&Object::Null))?;
                    widths.add_range(first, integer(last), number(&width))
                }
                _ => false,
            };
            if !done {
                widths.readable = false;
                break;
            }
        }
        Ok(widths)
    }

    fn add_list(&mut self, file: &PdfFile<'_>, first: u32, list: &[Object]) -> Result<bool> {
        for (place, width) in list.iter().take(CIDS).enumerate() {
            let Some(width) = number(&*file.follow_readable(width)?) else {
                return Ok(false);
            };
            // A hostile list may start at the highest possible number.
            let place = u32::try_from(place).ok();
            let cid = place.and_then(|place| first.checked_add(place));
            let Some(cid) = cid else { break };
            self.single.insert(cid, width);
        }
        Ok(true)
    }

    fn add_range(&mut self, first: u32, last: Option<u32>, width: Option<Micro>) -> bool {
        let (Some(last), Some(width)) = (last, width) else {
            return false;
        };
        self.ranges.push((first, last, width));
        self.ranges.len() <= RANGES
    }

    pub(super) fn of(&self, cid: u32) -> Micro {
        let holds = |(first, last, _): &&(u32, u32, Micro)| (*first..=*last).contains(&cid);
        let range = || self.ranges.iter().find(holds).map(|(_, _, width)| width);
        let width = self.single.get(&cid).or_else(range);
        *width.unwrap_or(&self.default)
    }
}

fn integer(object: &Object) -> Option<u32> {
    number(object).and_then(|number| u32::try_from(number / ONE).ok())
}

/// A number in millionths; `None` if it is not a number.
pub(super) fn number(object: &Object) -> Option<Micro> {
    match object {
        Object::Integer(value) => value.checked_mul(ONE),
        Object::Real(text) => decimal(text),
        _ => None,
    }
}

fn decimal(text: &str) -> Option<Micro> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut digits = whole.bytes().chain(fraction.bytes());
    if !digits.all(|byte| byte.is_ascii_digit()) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole: i64 = match whole {
        "" => 0,
        whole => whole.parse().ok()?,
    };
    let places = fraction.bytes().chain(std::iter::repeat(b'0')).take(6);
    let fraction = places.fold(0_i64, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let value = whole.checked_mul(ONE)?.checked_add(fraction)?;
    Some(if negative { -value } else { value })
}

/// Whether a width of the dictionary is that of the program (6.2.11.5): by no more than 1/1000 of a unit apart.
pub(super) const fn is_consistent(program: Micro, dictionary: Micro) -> bool {
    program.abs_diff(dictionary) <= ONE.unsigned_abs()
}
