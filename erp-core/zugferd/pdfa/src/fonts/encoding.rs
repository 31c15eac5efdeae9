//! Names of codes (ISO 32000-1, annex D) and the Adobe Glyph List.

use erp_pdf::object::Name;
use erp_pdf::{Dict, Object, PdfFile, Result};
use read_fonts::ps::{PredefinedEncoding, agl};
use std::collections::BTreeMap;

/// The name of the glyph that is shown for a missing one.
pub(super) const NOTDEF: &[u8] = b".notdef";

/// WinAnsiEncoding from 0x7F; `-` is a code that is not used, which all mean a bullet.
const WIN_ANSI: &str = include_str!("win_ansi.txt");

/// MacRomanEncoding from 0x7F; in parentheses what only Mac OS has there (ISO 32000-1, 9.6.6.4, table 115).
const MAC_ROMAN: &str = include_str!("mac_roman.txt");

/// An encoding that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    WinAnsi,
    MacRoman,
    /// `MacExpertEncoding`, whose names are not known here.
    MacExpert,
    /// What the font program has itself.
    BuiltIn,
}

/// The `/Encoding` of a simple font.
#[derive(Debug)]
pub(super) struct Encoding {
    pub(super) base: Base,
    /// Whether it names any encoding, be it an unknown one.
    pub(super) named: bool,
    /// Names of `/Differences`; `None` when there is no such member.
    pub(super) differences: Option<BTreeMap<u32, Name>>,
}

impl Encoding {
    pub(super) fn read(file: &PdfFile<'_>, font: &Dict) -> Result<Self> {
        let written = file.member_readable(font, "Encoding")?;
        let Object::Dict(dict) = &*written else {
            return Ok(Self::of_base(written.as_name()));
        };
        let differences = dict.get("Differences");
        let differences = differences.map(|written| read_differences(file, written));
        Ok(Self {
            differences: differences.transpose()?,
            ..Self::of_base(file.member_readable(dict, "BaseEncoding")?.as_name())
        })
    }

    fn of_base(name: Option<&[u8]>) -> Self {
        let base = match name {
            Some(b"WinAnsiEncoding") => Base::WinAnsi,
            Some(b"MacRomanEncoding") => Base::MacRoman,
            Some(b"MacExpertEncoding") => Base::MacExpert,
            _ => Base::BuiltIn,
        };
        Self {
            base,
            named: name.is_some(),
            differences: None,
        }
    }

    /// The name of a code; `None` when the font program says it.
    pub(super) fn name(&self, code: u32) -> Option<&[u8]> {
        match self.differences.as_ref().and_then(|names| names.get(&code)) {
            Some(name) => Some(name),
            None => self.base.name(code).map(str::as_bytes),
        }
    }
}

fn read_differences(file: &PdfFile<'_>, differences: &Object) -> Result<BTreeMap<u32, Name>> {
    let mut names = BTreeMap::new();
    let list = file.follow_readable(differences)?;
    let mut code = 0_u32;
    for item in list.as_array().unwrap_or_default() {
        match &*file.follow_readable(item)? {
            Object::Integer(start) => code = u32::try_from(*start).unwrap_or(u32::MAX),
            Object::Name(name) => {
                names.insert(code, name.clone());
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    Ok(names)
}

impl Base {
    /// The name of a code; `.notdef` for codes that are not in it.
    fn name(self, code: u32) -> Option<&'static str> {
        let code = u8::try_from(code).ok()?;
        let upper = |names: &'static str, unused| {
            let place = usize::from(code.checked_sub(0x7f)?);
            let name = names.split_ascii_whitespace().nth(place)?;
            Some(if name.starts_with(['-', '(']) {
                unused
            } else {
                name
            })
        };
        let name = match (self, code) {
            (Self::BuiltIn | Self::MacExpert, _) => return None,
            (_, 0..0x20) => None,
            (_, b'\'') => Some("quotesingle"),
            (_, b'`') => Some("grave"),
            (_, 0x20..0x7f) => Some(PredefinedEncoding::Standard.name(code)),
            (Self::WinAnsi, _) => upper(WIN_ANSI, "bullet"),
            (Self::MacRoman, _) => upper(MAC_ROMAN, ".notdef"),
        };
        Some(name.unwrap_or(".notdef"))
    }
}

pub(super) fn mac_code(name: &[u8]) -> Option<u32> {
    let is_name = |code: &u32| Base::MacRoman.name(*code).map(str::as_bytes) == Some(name);
    if let Some(code) = (0x20..0x7f).find(is_name) {
        return Some(code);
    }
    // The euro sign took the place of the currency sign.
    let name = if name == b"Euro" { b"currency" } else { name };
    let names = MAC_ROMAN.split_ascii_whitespace();
    let mut names = names.map(|name| name.trim_start_matches('(').as_bytes());
    let place = names.position(|known| known == name && name != b"-")?;
    u32::try_from(place).ok().map(|place| place + 0x7f)
}

/// The first Unicode character of a name in the Adobe Glyph List.
pub(super) fn agl_character(name: &[u8]) -> Option<u32> {
    let name = std::str::from_utf8(name).ok()?;
    // The crate also accepts names that the list's specification derives from others, and ITC Zapf Dingbats.
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let derived = name.contains(['.', '_'])
        || name.strip_prefix("uni").is_some_and(digits)
        || name.strip_prefix('u').is_some_and(digits)
        || name
            .strip_prefix('a')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    if derived {
        return None;
    }
    agl::name_to_chars(name).next().map(u32::from)
}
