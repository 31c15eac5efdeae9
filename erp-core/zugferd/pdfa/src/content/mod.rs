//! Checks what pages, forms, patterns and appearances draw (ISO 19005-3, 6.1.10, 6.2.2, 6.2.4 to 6.2.10).
//!
//! Every content stream is read once per relevant graphics state with which it is drawn.
//!
//! | module | content |
//! |---|---|
//! | `walk`, `state` | operators and the graphics state |
//! | `draw` | which streams are drawn, and with which resources |
//! | `resources` | named resources |
//! | `colour` | colour spaces and profiles |
//! | `states` | graphics state dictionaries, halftones, blend modes, rendering intents |
//! | `image`, `jpeg2000` | images |

mod colour;
mod draw;
mod image;
mod jpeg2000;
mod resources;
mod state;
mod states;
#[cfg(test)]
mod tests;
mod walk;

use super::fonts::UsedFonts;
use super::structure::IntentColours;
use super::{Faults, PdfPlace, Subject};
use crate::repair::Repair;
use colour::DeviceUses;
use draw::{Drawn, StreamKey};
use erp_pdf::{Dict, Object, ObjectId, PdfError, PdfFile, Result};
use image::ImageUse;
use resources::Resources;
use state::Paint;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// Checks everything that is drawn; returns the fonts in use.
pub(super) fn check(subject: &Subject<'_, '_>, intents: IntentColours) -> Result<UsedFonts> {
    let mut walker = Walker::new(subject.file, &subject.faults);
    if subject.file.is_encrypted() {
        // This is a violation by itself, and nothing can be read.
        return Ok(walker.finish(intents));
    }
    for (index, page) in subject.pages.iter().enumerate() {
        let place = PdfPlace::on_page(index);
        let is_transparent = walker.page(page, place)?;
        if is_transparent && !intents.present && !walker.has_blending_space(page, place)? {
            let text = "transparency is used without an output intent or a colour space of the page's group";
            let repair = Repair::OutputIntent;
            walker.faults.add_repairable("6.2.10", place, text, repair);
        }
    }
    Ok(walker.finish(intents))
}

/// Faults of content streams that are reported: one operator may be repeated a million times, and a few faults are kept.
const REPORTED: usize = 5_000;

/// What is known while the streams are read.
struct Walker<'f, 'a> {
    file: &'f PdfFile<'a>,
    faults: &'f Faults,
    fonts: UsedFonts,
    uses: DeviceUses,
    /// Type 3 fonts by the keys of `fonts`, with the object that selected them.
    glyph_fonts: BTreeMap<usize, Object>,
    glyphs_drawn: BTreeMap<usize, Vec<Drawn>>,
    /// Resource dictionaries by their object, or by the one they are in.
    resources: BTreeMap<(u32, bool), Rc<Resources>>,
    /// The same by a hash of their values: those that are written into many pages are read once.
    equal_resources: BTreeMap<u64, Vec<Rc<Resources>>>,
    empty: Rc<Resources>,
    next_resources: u32,
    drawn: BTreeMap<StreamKey, Vec<Drawn>>,
    under_way: Vec<StreamKey>,
    /// Whether a name was looked up in the resources of the page since this was reset.
    asked_page: bool,
    colours: BTreeMap<(u32, u32, bool), Paint>,
    profiles: BTreeSet<u32>,
    separations: BTreeMap<Vec<u8>, (Object, Object)>,
    images: BTreeMap<(u32, u32), ImageUse>,
    forms: BTreeSet<u32>,
    /// Objects that have no resources although they need some.
    lacking: BTreeMap<ObjectId, Lacking>,
    /// Bytes of content that were read for the first time.
    read: usize,
    /// Bytes of content that were read before, and again for another state or other resources.
    read_again: usize,
    reported: usize,
}

/// An object that uses the resources of another one.
struct Lacking {
    place: PdfPlace,
    name: String,
    /// What it uses; `None` when it is not the same everywhere.
    value: Option<Object>,
    /// Of a Type 3 font: only what its glyphs name. All of the resources would have the font in itself.
    named: Option<Dict>,
}

fn inherited_text(name: &str) -> String {
    format!("the resource `{name}` is inherited, not in the stream's own resources")
}

impl<'f, 'a> Walker<'f, 'a> {
    fn new(file: &'f PdfFile<'a>, faults: &'f Faults) -> Self {
        Self {
            file,
            faults,
            fonts: UsedFonts::default(),
            uses: DeviceUses::default(),
            glyph_fonts: BTreeMap::new(),
            glyphs_drawn: BTreeMap::new(),
            resources: BTreeMap::new(),
            equal_resources: BTreeMap::new(),
            empty: Rc::new(Resources::default()),
            next_resources: 1,
            drawn: BTreeMap::new(),
            under_way: Vec::new(),
            asked_page: false,
            colours: BTreeMap::new(),
            profiles: BTreeSet::new(),
            separations: BTreeMap::new(),
            images: BTreeMap::new(),
            forms: BTreeSet::new(),
            lacking: BTreeMap::new(),
            read: 0,
            read_again: 0,
            reported: 0,
        }
    }

    /// Reports violations that are known only at the end.
    fn finish(self, intents: IntentColours) -> UsedFonts {
        self.uses.report(intents, self.faults);
        for (object, lacking) in self.lacking {
            let value = match lacking.named {
                Some(named) => lacking.value.map(|_| Object::Dict(named)),
                None => lacking.value,
            };
            let text = inherited_text(&lacking.name);
            let repair = value.map(|value| Repair::members(object, vec![("Resources", value)]));
            let place = lacking.place;
            self.faults.add_repairable("6.2.2", place, text, repair);
        }
        self.fonts
    }

    /// Reports a violation that content can have any number of times; after many of them further ones are dropped.
    fn report(&mut self, clause: &'static str, place: PdfPlace, text: impl fmt::Display) {
        if self.reported < REPORTED {
            self.reported += 1;
            self.faults.add(clause, place, text.to_string());
        }
    }

    /// The value, or a fault when it cannot be read.
    fn readable<T>(&mut self, result: Result<T>, place: PdfPlace) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error @ PdfError::TooLarge { .. }) => Err(error),
            Err(error) => {
                let text = format_args!("what is drawn cannot be read: {error}");
                self.report("6.2.2", place, text);
                Ok(None)
            }
        }
    }
}
