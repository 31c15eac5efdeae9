//! Checks whether a PDF conforms to PDF/A-3b (ISO 19005-3), and how it could be repaired.
//!
//! [`check`] checks everything in a file and returns every [`Fault`] with its clause, its place and, if there is one,
//! its [`Fix`]. Everything it does not know counts as a fault, because a false claim of PDF/A is worse than none.
//! `PDF_A3.md` lists the clauses.
//!
//! | module | clauses |
//! |---|---|
//! | `structure` | 6.1 file, 6.2.3 output intents, 6.3 annotations, 6.4 forms, 6.5 actions, 6.8 embedded files, 6.9 optional content, 6.10, 6.11 |
//! | `content` | 6.1.10, 6.2.2, 6.2.4 to 6.2.10: operators, resources, colours, images, graphics states, transparency |
//! | `fonts` | 6.2.11: font programs, encodings, widths, glyphs |
//! | `levels` | 6.7: tags, of level A |
//!
//! Metadata (6.6) is checked where it is edited, in the module [`xmp`].

mod content;
mod fonts;
mod levels;
pub mod repair;
mod structure;
#[cfg(test)]
#[path = "../../pdf/src/testing.rs"]
mod testing;
pub mod xmp;

pub use erp_pdf;
pub use levels::Levels;

use erp_pdf::pages::{Page, PageTree, TreeFault, page_tree};
use erp_pdf::{Dict, Limits, ObjectId, PdfFile, Result};
use repair::{Repair, Step};
use std::collections::BTreeMap;
use std::fmt;

/// One way in which a file is not PDF/A-3b.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The clause of ISO 19005-3, for example `6.2.11.4.1`.
    pub clause: &'static str,
    /// Where.
    pub place: Place,
    /// What is wrong, without the place.
    pub text: String,
    /// The possible repair; `None` if there is none.
    pub(crate) repair: Option<Repair>,
}

/// What would repair a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fix {
    /// The file is rewritten: its frame is at fault, not its content.
    Rewrite,
    /// An sRGB output intent is added.
    OutputIntent,
    /// An `/ID` is added to the trailer.
    FileId,
    /// Members of objects change.
    Edit,
    /// A stream is decoded and stored with a filter that PDF/A allows.
    Recode,
    /// A file specification is added to the `/AF` of the catalog.
    Associate,
}

/// Where a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The page, from 1.
    pub page: Option<u32>,
    /// The number of the object.
    pub object: Option<u32>,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({}", self.text, self.clause)?;
        if let Some(page) = self.place.page {
            write!(out, ", page {page}")?;
        }
        if let Some(object) = self.place.object {
            write!(out, ", object {object}")?;
        }
        out.write_str(")")
    }
}

/// Bytes of a text or of a way into an object; names of a file may be much longer.
const LENGTH: usize = 1_000;

impl Fault {
    /// The possible repair and its place; `None` if there is none.
    #[must_use]
    pub const fn repair(&self) -> Option<&Repair> {
        self.repair.as_ref()
    }

    /// The possible repair; `None` if there is none.
    #[must_use]
    pub const fn fix(&self) -> Option<Fix> {
        match &self.repair {
            None => None,
            Some(Repair::Rewrite) => Some(Fix::Rewrite),
            Some(Repair::OutputIntent) => Some(Fix::OutputIntent),
            Some(Repair::FileId) => Some(Fix::FileId),
            Some(Repair::Edit(_)) => Some(Fix::Edit),
            Some(Repair::Recode(_)) => Some(Fix::Recode),
            Some(Repair::Associate(_)) => Some(Fix::Associate),
        }
    }

    /// Makes it small enough to be kept: a long text is cut, and a fault too deep inside an object gets no repair.
    fn shorten(&mut self) {
        if self.text.len() > LENGTH {
            let end = self.text.floor_char_boundary(LENGTH);
            self.text.truncate(end);
            self.text.push('…');
        }
        let length = |step: &Step| match step {
            Step::Member(name) => name.len(),
            Step::Item(_) => 8,
        };
        if let Some(Repair::Edit(edit)) = &self.repair
            && edit.path.iter().map(length).sum::<usize>() > LENGTH
        {
            self.repair = None;
        }
    }
}

/// Faults that are kept; a file with more is not PDF/A either way.
const KEPT: usize = 200;

/// Collects faults; the same one in many places is kept once for each page and object.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    found: Vec<Fault>,
    /// Indices of the faults at each place.
    places: BTreeMap<Place, Vec<usize>>,
    /// More were found than are kept; some of them may have no repair.
    overflow: bool,
}

impl Faults {
    /// Notes a fault without a repair.
    pub(crate) fn add(&mut self, clause: &'static str, place: Place, text: impl Into<String>) {
        self.add_repairable(clause, place, text, None);
    }

    /// Notes a fault that may have a repair.
    pub(crate) fn add_repairable(
        &mut self,
        clause: &'static str,
        place: Place,
        text: impl Into<String>,
        repair: impl Into<Option<Repair>>,
    ) {
        self.note(Fault {
            clause,
            place,
            text: text.into(),
            repair: repair.into(),
        });
    }

    /// Notes a fault of the page tree: what readers take otherwise may show other pages.
    fn add_tree_fault(&mut self, fault: TreeFault) {
        let place = fault
            .node
            .map_or_else(Place::default, |id| Place::in_object(id.number));
        let repair = fault.node.zip(fault.fix);
        let repair = repair.map(|(object, member)| Repair::members(object, vec![member]));
        self.add_repairable("6.1.1", place, fault.text, repair);
    }

    fn note(&mut self, mut fault: Fault) {
        fault.shorten();
        let known = self.places.get(&fault.place);
        let mut known = known.into_iter().flatten();
        if self.overflow || known.any(|index| self.found.get(*index) == Some(&fault)) {
            return;
        }
        // A repair that is left out would leave the file faulty, so there is more room for them.
        let limit = if fault.repair.is_some() {
            KEPT * 50
        } else {
            KEPT
        };
        if self.found.len() < limit {
            let same_place = self.places.entry(fault.place).or_default();
            same_place.push(self.found.len());
            self.found.push(fault);
        } else {
            self.overflow = true;
        }
    }

    /// What was found.
    #[must_use]
    pub(crate) fn into_found(mut self) -> Vec<Fault> {
        if self.overflow {
            let text = "there are more faults than are listed".to_owned();
            self.found.push(Fault {
                clause: "6",
                place: Place::default(),
                text,
                repair: None,
            });
        }
        self.found
    }
}

/// What all checks read.
pub(crate) struct Subject<'f, 'a> {
    /// The file.
    pub(crate) file: &'f PdfFile<'a>,
    /// All bytes as they were given, also those before the header.
    pub(crate) bytes: &'a [u8],
    /// The number of the catalog.
    pub(crate) catalog_id: ObjectId,
    /// The catalog.
    pub(crate) catalog: Dict,
    /// The pages.
    pub(crate) pages: Vec<Page>,
}

impl Place {
    /// On a page, counted from 0.
    #[must_use]
    pub fn on_page(index: usize) -> Self {
        Self {
            page: u32::try_from(index + 1).ok(),
            object: None,
        }
    }

    /// In an object.
    #[must_use]
    pub const fn in_object(number: u32) -> Self {
        Self {
            page: None,
            object: Some(number),
        }
    }

    /// The same place, with the object named.
    #[must_use]
    pub const fn object(mut self, number: u32) -> Self {
        self.object = Some(number);
        self
    }
}

/// Every way in which the file is not PDF/A-3b, apart from its metadata.
///
/// # Errors
/// When the file cannot be read at all, or needs more than the limits.
pub fn check(bytes: &[u8], limits: &Limits) -> Result<Vec<Fault>> {
    let file = PdfFile::open(bytes, limits)?;
    judge(&file, bytes, false).map(|(faults, _)| faults)
}

/// As [`check`], of a file that is open; `with_levels` finds out what keeps the file from the levels U and A too.
///
/// # Errors
/// As [`check`].
pub fn judge(file: &PdfFile<'_>, bytes: &[u8], with_levels: bool) -> Result<(Vec<Fault>, Levels)> {
    let (catalog_id, catalog) = file.catalog()?;
    let PageTree {
        pages,
        faults: tree_faults,
    } = page_tree(file, &catalog)?;
    let subject = Subject {
        file,
        bytes,
        catalog_id,
        catalog,
        pages,
    };
    let mut faults = Faults::default();
    tree_faults
        .into_iter()
        .for_each(|fault| faults.add_tree_fault(fault));
    let intents = structure::check(&subject, &mut faults)?;
    let used_fonts = content::check(&subject, intents, &mut faults)?;
    fonts::check(&subject, &used_fonts, &mut faults)?;
    let mut levels = Levels::default();
    if with_levels {
        let [unicode, private] = fonts::unicode_faults(file, &used_fonts)?;
        levels.tags = levels::tags_fault(file, &subject.catalog)?.or(private);
        levels.unicode = unicode;
    }
    Ok((faults.into_found(), levels))
}

#[cfg(test)]
mod tests {
    use super::{Faults, Place, Repair};

    // rule: R-ZUG-38
    #[test]
    fn a_fault_is_kept_once_at_each_place() {
        let places = 9_000;
        let mut faults = Faults::default();
        // Compared with all others each time, it would take minutes.
        for _ in 0..50 {
            for number in 0..places {
                faults.add_repairable("6.1.2", Place::in_object(number), "wrong", Repair::Rewrite);
            }
        }
        faults.add_repairable("6.1.2", Place::in_object(1), "also wrong", Repair::Rewrite);
        faults.add("6.1.2", Place::in_object(1), "wrong");
        let found = faults.into_found();
        assert_eq!(found.len(), usize::try_from(places).unwrap() + 2);
    }
}

/// The code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
