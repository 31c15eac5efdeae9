//! Which fonts text is shown with, and which codes.

use super::PdfPlace;
use super::cmap::{CMap, encoding_of};
use erp_pdf::{Object, ObjectId, PdfError, PdfFile, Result};
use std::collections::BTreeMap;

/// Fonts that are written where they are used, each of them compared with all others.
const DIRECT_FONTS: usize = 1_000;

/// The fonts used by content, and the text shown with them.
#[derive(Debug, Default)]
pub(crate) struct UsedFonts {
    fonts: Vec<UsedFont>,
    by_id: BTreeMap<ObjectId, usize>,
    direct: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct UsedFont {
    /// The member of the resources: a reference or a dictionary.
    pub(super) object: Object,
    pub(super) id: Option<ObjectId>,
    /// Where it is selected first.
    pub(super) place: PdfPlace,
    /// What is shown with it.
    pub(super) codes: Codes,
    reader: StringReader,
}

#[derive(Debug)]
enum StringReader {
    /// One byte each.
    Bytes,
    /// The CMap of a composite font makes CIDs of them.
    Cids(CMap),
    /// It is not a font, or its CMap cannot be read.
    Nothing,
}

/// The codes of a simple font or the CIDs of a composite one.
#[derive(Debug, Default)]
pub(super) struct Codes {
    /// Shown so that they can be seen.
    pub(super) visible: CodeSet,
    /// Shown so that they cannot be seen.
    hidden: CodeSet,
    /// Whether text is shown at all, be it empty.
    pub(super) shown: bool,
    /// Whether text is shown in another rendering mode than 3.
    pub(super) rendered: bool,
    /// Whether strings are shown that are not codes of the font.
    pub(super) broken: bool,
}

/// Words of a set for the numbers of one byte.
const BYTE_WORDS: usize = 4;

/// A set of numbers up to 65,535.
#[derive(Debug, Default)]
pub(super) struct CodeSet {
    words: Vec<u64>,
}

impl Codes {
    /// Shown at all.
    pub(super) fn all(&self) -> CodeSet {
        let length = self.visible.words.len().max(self.hidden.words.len());
        let of = |set: &CodeSet, place| set.words.get(place).copied().unwrap_or(0);
        let words = (0..length).map(|place| of(&self.visible, place) | of(&self.hidden, place));
        CodeSet {
            words: words.collect(),
        }
    }
}

impl CodeSet {
    /// Inserts codes of one byte, which nearly all text consists of.
    fn insert_bytes(&mut self, string: &[u8]) {
        if self.words.len() < BYTE_WORDS {
            self.words.resize(BYTE_WORDS, 0);
        }
        let Some(words) = self.words.first_chunk_mut::<BYTE_WORDS>() else {
            return;
        };
        for byte in string {
            if let Some(word) = words.get_mut(usize::from(byte / 64)) {
                *word |= 1 << (byte % 64);
            }
        }
    }

    fn insert(&mut self, code: u16) {
        let place = usize::from(code / 64);
        if place >= self.words.len() {
            self.words.resize(place + 1, 0);
        }
        if let Some(word) = self.words.get_mut(place) {
            *word |= 1 << (code % 64);
        }
    }

    pub(super) fn contains(&self, code: u32) -> bool {
        let place = usize::try_from(code / 64).ok();
        let word = place.and_then(|place| self.words.get(place));
        word.is_some_and(|word| word >> (code % 64) & 1 == 1)
    }

    /// The numbers in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        (0_u32..)
            .zip(&self.words)
            .filter(|(_, word)| **word != 0)
            .flat_map(|(place, word)| {
                (0..64)
                    .filter(move |bit| word >> bit & 1 == 1)
                    .map(move |bit| place * 64 + bit)
            })
    }
}

impl UsedFonts {
    /// Notes a font that is selected (`Tf`, or `/Font` of a graphics state), given as the member of the resources: a
    /// reference or a dictionary. Answers the key to show text with; the same object gets the same key.
    pub(crate) fn select(
        &mut self,
        file: &PdfFile<'_>,
        font: &Object,
        place: PdfPlace,
    ) -> Result<usize> {
        let id = font.as_reference();
        let known = match id {
            Some(id) => self.by_id.get(&id).copied(),
            None => {
                let is_known =
                    |key: &usize| self.fonts.get(*key).is_some_and(|f| f.object == *font);
                self.direct.iter().copied().find(is_known)
            }
        };
        if let Some(key) = known {
            return Ok(key);
        }
        let key = self.fonts.len();
        match id {
            Some(id) => {
                self.by_id.insert(id, key);
            }
            None if self.direct.len() >= DIRECT_FONTS => {
                return Err(PdfError::too_large("fonts in resources", DIRECT_FONTS));
            }
            None => self.direct.push(key),
        }
        let reader = StringReader::of(file, font)?;
        file.hold(font)?;
        file.hold_bytes(reader.bytes())?;
        self.fonts.push(UsedFont {
            object: font.clone(),
            id,
            place,
            codes: Codes::default(),
            reader,
        });
        Ok(key)
    }

    /// Notes a string that is shown; `visible` is false for text rendering mode 3. A font counts as used as soon as
    /// an operator shows text with it, also none: then with an empty string.
    pub(crate) fn show(&mut self, font: usize, string: &[u8], visible: bool) {
        let Some(UsedFont { codes, reader, .. }) = self.fonts.get_mut(font) else {
            return;
        };
        codes.shown = true;
        codes.rendered |= visible;
        let set = if visible {
            &mut codes.visible
        } else {
            &mut codes.hidden
        };
        match reader {
            StringReader::Bytes => set.insert_bytes(string),
            StringReader::Cids(cmap) => codes.broken |= !cmap.read(string, |code| set.insert(code)),
            StringReader::Nothing => {}
        }
    }

    pub(super) fn shown(&self) -> impl Iterator<Item = &UsedFont> {
        self.fonts.iter().filter(|font| font.codes.shown)
    }
}

impl UsedFont {
    /// Whether its codes of two bytes are its CIDs.
    pub(super) const fn is_identity(&self) -> bool {
        matches!(&self.reader, StringReader::Cids(cmap) if cmap.identity)
    }
}

impl StringReader {
    fn bytes(&self) -> usize {
        match self {
            // A set of all CIDs, two times.
            Self::Cids(cmap) => cmap.bytes() + 16_384,
            Self::Bytes | Self::Nothing => 256,
        }
    }

    fn of(file: &PdfFile<'_>, font: &Object) -> Result<Self> {
        let written = file.follow_readable(font)?;
        let Object::Dict(dict) = &*written else {
            return Ok(Self::Nothing);
        };
        let subtype = file.member_readable(dict, "Subtype")?;
        if subtype.as_name() != Some(b"Type0") {
            return Ok(Self::Bytes);
        }
        let cmap = encoding_of(file, dict)?.cmap;
        Ok(cmap.map_or(Self::Nothing, Self::Cids))
    }
}
