//! The places of an invoice, and which findings are about which values there.

use super::values::Style;
use crate::read::model::{InvoiceField, Model, Section, SectionKind};
use crate::read::path;
use crate::report::Finding;
use crate::xml::{Element, Tree};

/// Elements of one section that are places: each is kept with its values.
const MOST_PLACES: usize = 20_000;
/// Values of one field that are shown; honest invoices have a few.
const MOST_VALUES: usize = 10;

/// An element of a section. Facts are a place even where their element is missing.
pub(super) struct InvoicePlace<'a> {
    pub(super) section: &'static Section,
    element: Option<Element<'a>>,
    pub(super) findings: Vec<usize>,
}

pub(super) struct ShownInvoice<'a> {
    pub(super) places: Vec<InvoicePlace<'a>>,
    /// Of each section the number of places, and of elements that are none because there are too many.
    pub(super) counts: Vec<(usize, usize)>,
    pub(super) style: Style<'a>,
    pub(super) findings: &'a [Finding],
    /// The number of the element of each finding.
    elements: &'a [u32],
}

/// The values of a field at a place, with the findings that are about it.
pub(super) struct Shown {
    pub(super) values: Vec<String>,
    pub(super) left_out: usize,
    pub(super) findings: Vec<usize>,
}

impl Shown {
    pub(super) const fn is_empty(&self) -> bool {
        self.values.is_empty() && self.findings.is_empty()
    }
}

impl<'a> ShownInvoice<'a> {
    pub(super) fn gather(
        tree: &'a Tree<'a>,
        style: Style<'a>,
        (findings, elements): (&'a [Finding], &'a [u32]),
    ) -> Self {
        let mut invoice = Self {
            places: Vec::new(),
            counts: Vec::new(),
            style,
            findings,
            elements,
        };
        // For each element the place that it is in; the first one is the document.
        let mut owners = vec![0; tree.elements().count()];
        let sections = Model::get().sections.iter();
        for section in sections.filter(|section| section.kind != SectionKind::Read) {
            invoice.add(section, tree.root(), &mut owners);
        }
        let owner_of = |owners: &[usize], element: u32| owners.get(element as usize).copied();
        for element in tree.elements() {
            let around = element.parent();
            let around = around.and_then(|around| owner_of(&owners, around.index()));
            let owner = owners.get_mut(element.index() as usize);
            if let (Some(owner @ 0), Some(around)) = (owner, around) {
                *owner = around;
            }
        }
        for (number, (finding, element)) in findings.iter().zip(elements).enumerate() {
            let owner = match owner_of(&owners, *element) {
                None | Some(0) => invoice.of_terms(&finding.terms),
                Some(owner) => owner,
            };
            if let Some(place) = invoice.places.get_mut(owner) {
                place.findings.push(number);
            }
        }
        invoice
    }

    fn add(&mut self, section: &'static Section, root: Element<'a>, owners: &mut [usize]) {
        let is_one = section.kind == SectionKind::Facts;
        let most = if is_one { 1 } else { MOST_PLACES };
        let before = self.places.len();
        let all = path::all(root, self.style.path(section.paths));
        let left_out = if is_one {
            0
        } else {
            all.len().saturating_sub(most)
        };
        let missing = (is_one && all.is_empty()).then_some(None);
        for element in all.into_iter().take(most).map(Some).chain(missing) {
            let inner = element.filter(|element| element.parent().is_some());
            if let Some(owner) = inner.and_then(|inner| owners.get_mut(inner.index() as usize)) {
                *owner = self.places.len();
            }
            self.places.push(InvoicePlace {
                section,
                element,
                findings: Vec::new(),
            });
        }
        self.counts.push((self.places.len() - before, left_out));
    }

    /// The place of a finding on the document or on an element that is not shown: that of the fact it is about.
    fn of_terms(&self, terms: &[&str]) -> usize {
        let is_of = |place: &InvoicePlace<'_>, term: &str| {
            let mut fields = place.section.fields.iter();
            place.section.kind == SectionKind::Facts && fields.any(|field| field.has_term(term))
        };
        let place = |term: &&str| self.places.iter().position(|place| is_of(place, term));
        terms.iter().find_map(place).unwrap_or_default()
    }

    /// The label of a place, with what names its element.
    pub(super) fn title(&self, place: &InvoicePlace<'a>) -> String {
        let label = self.style.label(place.section.one);
        let first = place.section.fields.first();
        match first.filter(|_| place.section.kind != SectionKind::Facts) {
            Some(field) => format!("{label} {}", self.shown(place, field).values.join(" ")),
            None => label.to_owned(),
        }
    }

    /// Kind, number and date of the document.
    pub(super) fn heading(&self) -> String {
        let value = |term: &str| {
            let document = self.places.first()?;
            let field = document.section.field(term)?;
            self.shown(document, field).values.into_iter().next()
        };
        let kind = value("BT-3").and_then(|kind| Some(kind.split_once(" (")?.0.to_owned()));
        let kind = kind.unwrap_or_else(|| self.style.label(["Document", "Dokument"]).to_owned());
        let number = value("BT-1").map_or_else(String::new, |number| format!(" {number}"));
        let of = self.style.label(["of", "vom"]);
        let date = value("BT-2").map_or_else(String::new, |date| format!(" {of} {date}"));
        format!("{kind}{number}{date}")
    }

    pub(super) fn shown(&self, place: &InvoicePlace<'a>, field: &InvoiceField) -> Shown {
        let path = self.style.path(field.paths);
        let (elements, parts) = match path.split_once(" > ") {
            Some((elements, parts)) => (elements, Some(parts)),
            None => (path, None),
        };
        let all = place.element.map(|element| path::all(element, elements));
        let mut all = all.unwrap_or_default();
        let left_out = all.len().saturating_sub(MOST_VALUES);
        all.truncate(MOST_VALUES);
        let values = all
            .iter()
            .map(|element| self.style.value(*element, parts, field.list));
        let values: Vec<_> = values.filter(|value| !value.is_empty()).collect();
        let mut found: Vec<_> = all.into_iter().map(Element::index).collect();
        // The place itself is no value of it.
        found.retain(|element| place.element.map(Element::index) != Some(*element));
        // What is missing is the first term of a finding; the others may be missing.
        let terms = if values.is_empty() { 1 } else { usize::MAX };
        let is_about = |number: &usize| {
            let (finding, element) = (self.findings.get(*number), self.elements.get(*number));
            let all = finding.iter().flat_map(|finding| &finding.terms);
            let mut of_finding = all.take(terms);
            of_finding.any(|term| field.has_term(term))
                || element.is_some_and(|it| found.contains(it))
        };
        Shown {
            findings: place.findings.iter().copied().filter(is_about).collect(),
            values,
            left_out,
        }
    }
}
