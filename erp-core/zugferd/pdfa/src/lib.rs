//! Checks whether a PDF conforms to PDF/A-3b (ISO 19005-3), and how it could be repaired.
//!
//! [`check`] checks everything in a file and returns every [`PdfaFault`] with its clause, its place and, if there is one,
//! its [`Repair`]. Everything it does not know counts as a fault, because a false claim of PDF/A is worse than none.
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
// Its code is tested.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod content;
mod fonts;
mod levels;
pub mod repair;
mod structure;
pub mod xmp;

pub use erp_pdf;
pub use levels::Levels;

use erp_pdf::file::Value;
use erp_pdf::pages::{PdfPage, TreeFault, page_tree};
use erp_pdf::{Dict, Limits, Object, ObjectId, PdfFile, Result};
use repair::EditStep;
pub use repair::Repair;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

/// One way in which a file is not PDF/A-3b.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfaFault {
    /// The clause of ISO 19005-3, for example `6.2.11.4.1`.
    pub clause: &'static str,
    /// Where.
    pub place: PdfPlace,
    /// What is wrong, without the place.
    pub text: String,
    /// The possible repair; `None` if there is none.
    pub repair: Option<Repair>,
}

/// Whether a name is one of a list, which has blanks between.
pub(crate) fn is_one_of(names: &str, name: &[u8]) -> bool {
    let mut names = names.split_ascii_whitespace();
    names.any(|known| known.as_bytes() == name)
}

/// Where a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct PdfPlace {
    /// The page, from 1.
    pub page: Option<u32>,
    /// The number of the object.
    pub object: Option<u32>,
}

impl fmt::Display for PdfaFault {
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

impl PdfaFault {
    /// Makes it small enough to be kept: a long text is cut, and a fault too deep inside an object gets no repair.
    fn shorten(&mut self) {
        if self.text.len() > LENGTH {
            let end = self.text.floor_char_boundary(LENGTH);
            self.text.truncate(end);
            self.text.push('…');
        }
        let length = |step: &EditStep| match step {
            EditStep::Member(name) => name.len(),
            EditStep::Item(_) => 8,
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
pub(crate) struct Faults(RefCell<FaultList>);

#[derive(Debug, Default)]
struct FaultList {
    found: Vec<PdfaFault>,
    /// Indices of the faults at each place.
    places: BTreeMap<PdfPlace, Vec<usize>>,
    /// More were found than are kept; some of them may have no repair.
    overflow: bool,
}

impl Faults {
    pub(crate) fn add(&self, clause: &'static str, place: PdfPlace, text: impl Into<String>) {
        self.add_repairable(clause, place, text, None);
    }

    /// Notes a fault without a repair where there is one.
    pub(crate) fn add_if(&self, wrong: bool, clause: &'static str, place: PdfPlace, text: &str) {
        if wrong {
            self.add(clause, place, text);
        }
    }

    pub(crate) fn add_repairable(
        &self,
        clause: &'static str,
        place: PdfPlace,
        text: impl Into<String>,
        repair: impl Into<Option<Repair>>,
    ) {
        self.0.borrow_mut().note(PdfaFault {
            clause,
            place,
            text: text.into(),
            repair: repair.into(),
        });
    }

    /// Notes a fault of the page tree: what readers take otherwise may show other pages.
    fn add_tree_fault(&self, fault: TreeFault) {
        let node = fault.node.map(|id| PdfPlace::in_object(id.number));
        let place = node.unwrap_or_default();
        let repair = fault.node.zip(fault.fix);
        let repair = repair.map(|(object, member)| Repair::members(object, vec![member]));
        self.add_repairable("6.1.1", place, fault.text, repair);
    }

    pub(crate) fn into_found(self) -> Vec<PdfaFault> {
        let mut list = self.0.into_inner();
        if list.overflow {
            list.found.push(PdfaFault {
                clause: "6",
                place: PdfPlace::default(),
                text: "there are more faults than are listed".to_owned(),
                repair: None,
            });
        }
        list.found
    }
}

impl FaultList {
    fn note(&mut self, mut fault: PdfaFault) {
        fault.shorten();
        let known = self.places.get(&fault.place);
        let mut known = known.into_iter().flatten();
        if self.overflow || known.any(|index| self.found.get(*index) == Some(&fault)) {
            return;
        }
        // A repair that is left out would leave the file faulty, so there is more room for them.
        let more = if fault.repair.is_some() { 50 } else { 1 };
        if self.found.len() < KEPT * more {
            let same_place = self.places.entry(fault.place).or_default();
            same_place.push(self.found.len());
            self.found.push(fault);
        } else {
            self.overflow = true;
        }
    }
}

/// What all checks read, and the faults that they find.
pub(crate) struct Subject<'f, 'a> {
    pub(crate) file: &'f PdfFile<'a>,
    /// All bytes as they were given, also those before the header.
    pub(crate) bytes: &'a [u8],
    pub(crate) catalog_id: ObjectId,
    pub(crate) catalog: Dict,
    pub(crate) pages: Vec<PdfPage>,
    pub(crate) faults: Faults,
}

impl<'f, 'a> Subject<'f, 'a> {
    fn new(file: &'f PdfFile<'a>, bytes: &'a [u8]) -> Result<Self> {
        let (catalog_id, catalog) = file.catalog()?;
        let tree = page_tree(file, &catalog)?;
        let faults = Faults::default();
        for fault in tree.faults {
            faults.add_tree_fault(fault);
        }
        Ok(Self {
            file,
            bytes,
            catalog_id,
            catalog,
            pages: tree.pages,
            faults,
        })
    }

    /// The value after its references are followed; a damaged object is `null`, because the pass over all objects
    /// reports it.
    pub(crate) fn follow<'v>(&self, object: &'v Object) -> Result<Value<'v>> {
        self.file.follow_readable(object)
    }

    /// The first items of an array as far as they are numbers, at most so many; none for anything else.
    pub(crate) fn numbers(&self, value: &Object, most: usize) -> Result<Vec<Option<f64>>> {
        let array = self.follow(value)?;
        let items = array.as_array().unwrap_or_default().iter().take(most);
        items
            .map(|item| Ok(self.follow(item)?.as_number()))
            .collect()
    }

    /// A member of a dictionary, as [`Self::follow`].
    pub(crate) fn member<'v>(&self, dict: &'v Dict, name: &str) -> Result<Value<'v>> {
        self.file.member_readable(dict, name)
    }
}

impl PdfPlace {
    /// On a page, counted from 0.
    pub fn on_page(index: usize) -> Self {
        Self {
            page: u32::try_from(index + 1).ok(),
            object: None,
        }
    }

    /// In an object.
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
/// Errors: when the file cannot be read at all, or needs more than the limits.
pub fn check(bytes: &[u8], limits: &Limits) -> Result<Vec<PdfaFault>> {
    let file = PdfFile::open(bytes, limits)?;
    judge(&file, bytes, false).map(|(faults, _)| faults)
}

/// As [`check`], of a file that is open; `with_levels` finds out what keeps the file from the levels U and A too.
pub fn judge(
    file: &PdfFile<'_>,
    bytes: &[u8],
    with_levels: bool,
) -> Result<(Vec<PdfaFault>, Levels)> {
    let subject = Subject::new(file, bytes)?;
    let intents = structure::check(&subject)?;
    let used_fonts = content::check(&subject, intents)?;
    fonts::check(&subject, &used_fonts)?;
    let mut levels = Levels::default();
    if with_levels {
        let [unicode, private] = fonts::unicode_faults(file, &used_fonts)?;
        levels.tags = levels::tags_fault(file, &subject.catalog)?.or(private);
        levels.unicode = unicode;
    }
    Ok((subject.faults.into_found(), levels))
}

#[cfg(test)]
mod tests {
    use super::{Faults, PdfPlace, Repair};

    // rule: R-ZUG-38
    #[test]
    fn a_fault_is_kept_once_at_each_place() {
        let places = 9_000;
        let faults = Faults::default();
        // Compared with all others each time, it would take minutes.
        for _ in 0..50 {
            for number in 0..places {
                faults.add_repairable(
                    "6.1.2",
                    PdfPlace::in_object(number),
                    "wrong",
                    Repair::Rewrite,
                );
            }
        }
        faults.add_repairable(
            "6.1.2",
            PdfPlace::in_object(1),
            "also wrong",
            Repair::Rewrite,
        );
        faults.add("6.1.2", PdfPlace::in_object(1), "wrong");
        let found = faults.into_found();
        assert_eq!(found.len(), usize::try_from(places).unwrap() + 2);
    }
}
