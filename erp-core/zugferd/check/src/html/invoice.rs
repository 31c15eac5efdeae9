//! The places of an invoice, the findings at each, and the invoice as people read it.

use super::model::{Both, Field, Kind, Model, Section};
use super::page::{Page, severity};
use super::values::Style;
use super::{Language, path};
use crate::report::Finding;
use crate::xml::{Element, Tree};

/// Places of one section that are shown.
const MOST_PLACES: usize = 20_000;
/// Values of one field that are shown, and links beside it.
const MOST_VALUES: usize = 10;
const MOST_LINKS: usize = 3;

/// An element of a section; one of facts that is missing is a place too.
pub(super) struct Place<'a> {
    pub(super) section: &'static Section,
    element: Option<Element<'a>>,
    /// The numbers of its findings.
    pub(super) findings: Vec<usize>,
}

pub(super) struct Invoice<'a> {
    pub(super) places: Vec<Place<'a>>,
    /// How many elements of each section are no places, because there are too many.
    left_out: Vec<usize>,
    is_ubl: bool,
    style: Style<'a>,
    findings: &'a [Finding],
    /// The number of the element of each finding.
    elements: &'a [u32],
}

/// The values of a field at a place, with the findings that are about it.
struct Shown {
    values: Vec<String>,
    left_out: usize,
    findings: Vec<usize>,
}

/// Whether a document is an invoice or order: in UBL, or else in CII.
pub(super) fn syntax(root: Element<'_>) -> Option<bool> {
    if matches!(root.local(), "Invoice" | "CreditNote") {
        return Some(true);
    }
    let has = |name| path::first(root, name).is_some();
    (has("*ExchangedDocument") && has("*Transaction")).then_some(false)
}

/// The currency of an invoice.
pub(super) fn currency(root: Element<'_>, is_ubl: bool) -> String {
    let document = Model::get().sections.first();
    let mut fields = document.into_iter().flat_map(|section| &section.fields);
    let field = fields.find(|field| field.has_term("BT-5"));
    let found = field.and_then(|field| path::first(root, in_syntax(field.paths, is_ubl)));
    found.map_or_else(String::new, |found| super::values::cut(found.text().trim()))
}

const fn in_syntax([cii, ubl]: Both, is_ubl: bool) -> &'static str {
    if is_ubl { ubl } else { cii }
}

impl<'a> Invoice<'a> {
    pub(super) fn gather(
        tree: &'a Tree<'a>,
        is_ubl: bool,
        style: Style<'a>,
        (findings, elements): (&'a [Finding], &'a [u32]),
    ) -> Self {
        let mut invoice = Self {
            places: Vec::new(),
            left_out: Vec::new(),
            is_ubl,
            style,
            findings,
            elements,
        };
        // For each element the place it is in; the first one is the document.
        let mut owners = vec![0; tree.elements().count()];
        for section in &Model::get().sections {
            invoice.add(section, tree.root(), &mut owners);
        }
        for element in tree.elements() {
            let around = element.parent().map_or(0, Element::index);
            let around = owners.get(around as usize).copied().unwrap_or_default();
            if let Some(owner) = owners.get_mut(element.index() as usize)
                && *owner == 0
            {
                *owner = around;
            }
        }
        for (number, (finding, element)) in findings.iter().zip(elements).enumerate() {
            let owner = match owners.get(*element as usize).copied().unwrap_or_default() {
                0 => invoice.of_terms(&finding.terms),
                owner => owner,
            };
            if let Some(place) = invoice.places.get_mut(owner) {
                place.findings.push(number);
            }
        }
        invoice
    }

    fn add(&mut self, section: &'static Section, root: Element<'a>, owners: &mut [usize]) {
        let most = match section.kind {
            Kind::Facts => 1,
            Kind::Cards | Kind::Table => MOST_PLACES,
        };
        let mut count = 0_usize;
        path::each(
            root,
            in_syntax(section.paths, self.is_ubl),
            &mut |element| {
                count += 1;
                if count > most {
                    return;
                }
                if let Some(owner) = owners.get_mut(element.index() as usize)
                    && element.parent().is_some()
                {
                    *owner = self.places.len();
                }
                self.places.push(Place::new(section, Some(element)));
            },
        );
        if count == 0 && section.kind == Kind::Facts {
            self.places.push(Place::new(section, None));
        }
        let more = match section.kind {
            Kind::Facts => 0,
            Kind::Cards | Kind::Table => count.saturating_sub(most),
        };
        self.left_out.push(more);
    }

    /// The place of a finding on the document or on an element that is not shown: that of the fact it is about.
    fn of_terms(&self, terms: &[&str]) -> usize {
        let is_of = |place: &Place<'_>, term: &str| {
            let mut fields = place.section.fields.iter();
            place.section.kind == Kind::Facts && fields.any(|field| field.has_term(term))
        };
        let mut found = terms.iter().filter_map(|term| {
            let mut places = self.places.iter();
            places.position(|place| is_of(place, term))
        });
        found.next().unwrap_or_default()
    }

    const fn language(&self) -> Language {
        self.style.language
    }

    /// The label of a place, with what names its element.
    pub(super) fn title(&self, place: &Place<'a>) -> String {
        let label = self.language().of(place.section.one);
        if place.section.kind == Kind::Facts {
            return label.to_owned();
        }
        let first = place.section.fields.first();
        let name = first.map_or_else(String::new, |field| {
            self.shown(place, field).values.join(" ")
        });
        format!("{label} {name}").trim_end().to_owned()
    }

    /// Kind, number and date of the document.
    pub(super) fn heading(&self) -> String {
        let value = |term: &str| {
            let document = self.places.first()?;
            let mut fields = document.section.fields.iter();
            let field = fields.find(|field| field.has_term(term))?;
            self.shown(document, field).values.into_iter().next()
        };
        let kind = value("BT-3").and_then(|kind| Some(kind.split_once(" (")?.0.to_owned()));
        let kind =
            kind.unwrap_or_else(|| self.language().choose("Document", "Dokument").to_owned());
        let of = self.language().choose("of", "vom");
        let number = value("BT-1").map(|number| format!(" {number}"));
        let date = value("BT-2").map(|date| format!(" {of} {date}"));
        format!(
            "{kind}{}{}",
            number.unwrap_or_default(),
            date.unwrap_or_default()
        )
    }

    fn shown(&self, place: &Place<'a>, field: &Field) -> Shown {
        let paths = in_syntax(field.paths, self.is_ubl);
        let (paths, parts) = match paths.split_once(" > ") {
            Some((paths, parts)) => (paths, Some(parts)),
            None => (paths, None),
        };
        let mut found = Vec::new();
        let mut shown = Shown {
            values: Vec::new(),
            left_out: 0,
            findings: Vec::new(),
        };
        if let Some(element) = place.element {
            path::each(element, paths, &mut |element| {
                if found.len() == MOST_VALUES {
                    shown.left_out += 1;
                    return;
                }
                found.push(element.index());
                let value = self.style.value(element, parts, field.list);
                if !value.is_empty() {
                    shown.values.push(value);
                }
            });
        }
        let own = place.element.map(Element::index);
        // What is missing is the first term of a finding; the others may be missing.
        let terms = if shown.values.is_empty() {
            1
        } else {
            usize::MAX
        };
        let is_about = |number: &usize| {
            let finding = self.findings.get(*number);
            let element = self
                .elements
                .get(*number)
                .filter(|element| own != Some(**element));
            let mut of_finding = finding
                .into_iter()
                .flat_map(|finding| &finding.terms)
                .take(terms);
            of_finding.any(|term| field.has_term(term))
                || element.is_some_and(|element| found.contains(element))
        };
        let findings = place.findings.iter().copied();
        shown.findings = findings.filter(is_about).collect();
        shown
    }

    /// The invoice, section by section.
    pub(super) fn write(&self, page: &mut Page) {
        page.put(&["<div class=\"parts\">\n"]);
        let mut first = 0;
        for (section, left_out) in Model::get().sections.iter().zip(&self.left_out) {
            let places = self.places.get(first..).unwrap_or_default();
            let is_of = |place: &&Place<'_>| std::ptr::eq(place.section, section);
            let count = places.iter().take_while(is_of).count();
            let places = places.get(..count).unwrap_or_default();
            let mut left_out = *left_out;
            match section.kind {
                Kind::Table if count > 0 => {
                    self.table(page, section, (first, places), &mut left_out)
                }
                Kind::Table => {}
                Kind::Facts | Kind::Cards => {
                    for (at, place) in places.iter().enumerate() {
                        match page.is_full() {
                            true => left_out += 1,
                            false => self.card(page, first + at, place),
                        }
                    }
                }
            }
            if left_out > 0 {
                let label = self.language().of(section.all);
                let more = self
                    .language()
                    .choose("not shown here", "hier nicht gezeigt");
                page.put(&[
                    "<p class=\"place whole\">",
                    label,
                    ": ",
                    &left_out.to_string(),
                ]);
                page.put(&[" ", more, ".</p>\n"]);
            }
            first += count;
        }
        page.put(&["</div>\n"]);
    }

    fn card(&self, page: &mut Page, number: usize, place: &Place<'a>) {
        let fields = place.section.fields.iter();
        let shown: Vec<_> = fields
            .map(|field| (field, self.shown(place, field)))
            .collect();
        let is_empty = |shown: &Shown| shown.values.is_empty() && shown.findings.is_empty();
        if place.findings.is_empty() && shown.iter().all(|(_, shown)| is_empty(shown)) {
            return;
        }
        let number = number.to_string();
        page.put(&["<section id=\"p", &number, "\""]);
        if !place.section.class.is_empty() {
            page.put(&[" class=\"", place.section.class, "\""]);
        }
        page.put(&["><h3>"]);
        page.put(&[self.language().of(place.section.one)]);
        if place.section.class == "amounts" && !self.style.currency.is_empty() {
            page.text(&format!(" ({})", self.style.currency));
        }
        self.link(page, &number, place);
        page.put(&["</h3>\n<dl>\n"]);
        for (field, shown) in shown.iter().filter(|(_, shown)| !is_empty(shown)) {
            page.put(&["<div><dt>", self.language().of(field.label), "</dt><dd>"]);
            self.value(page, shown);
            page.put(&["</dd></div>\n"]);
        }
        page.put(&["</dl></section>\n"]);
    }

    fn table(
        &self,
        page: &mut Page,
        section: &'static Section,
        (first, places): (usize, &[Place<'a>]),
        left_out: &mut usize,
    ) {
        let label = self.language().of(section.all);
        page.put(&[
            "<section class=\"whole\"><h3>",
            label,
            "</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"",
        ]);
        page.put(&[label, "\"><table>\n<thead><tr>"]);
        for field in section.fields.iter().filter(|field| !field.is_small) {
            let class = if field.is_number() {
                " class=\"n\""
            } else {
                ""
            };
            page.put(&[
                "<th scope=\"col\"",
                class,
                ">",
                self.language().of(field.label),
                "</th>",
            ]);
        }
        page.put(&["</tr></thead>\n<tbody>\n"]);
        for (at, place) in places.iter().enumerate() {
            match page.is_full() {
                true => *left_out += 1,
                false => self.row(page, first + at, place),
            }
        }
        page.put(&["</tbody></table></div></section>\n"]);
    }

    fn row(&self, page: &mut Page, number: usize, place: &Place<'a>) {
        let number = number.to_string();
        page.put(&["<tr id=\"p", &number, "\">"]);
        for (at, field) in place.section.fields.iter().enumerate() {
            let shown = self.shown(place, field);
            if field.is_small {
                if !shown.values.is_empty() || !shown.findings.is_empty() {
                    page.put(&["<small>", self.language().of(field.label), ": "]);
                    self.value(page, &shown);
                    page.put(&["</small>"]);
                }
                continue;
            }
            let class = if field.is_number() {
                " class=\"n\""
            } else {
                ""
            };
            page.put(&[if at > 0 { "</td><td" } else { "<td" }, class, ">"]);
            self.value(page, &shown);
            if at == 0 {
                self.link(page, &number, place);
            }
        }
        page.put(&["</td></tr>\n"]);
    }

    /// The link from a place to its findings.
    fn link(&self, page: &mut Page, number: &str, place: &Place<'a>) {
        let worst = place
            .findings
            .iter()
            .filter_map(|number| self.findings.get(*number));
        let Some(worst) = worst.map(|finding| finding.severity).min() else {
            return;
        };
        let word = match place.findings.len() {
            1 => self.language().choose("finding", "Befund"),
            _ => self.language().choose("findings", "Befunde"),
        };
        let (class, _) = severity(worst, self.language());
        page.put(&[" <a class=\"mark ", class, "\" href=\"#g", number, "\">"]);
        page.put(&[&place.findings.len().to_string(), " ", word, "</a>"]);
    }

    /// The values of a field, marked where there are findings, with links to them.
    fn value(&self, page: &mut Page, shown: &Shown) {
        let findings = || {
            shown
                .findings
                .iter()
                .filter_map(|number| Some((number, self.findings.get(*number)?)))
        };
        let worst = findings().map(|(_, finding)| finding.severity).min();
        if let Some(worst) = worst {
            page.put(&["<mark class=\"", severity(worst, self.language()).0, "\">"]);
        }
        page.text(&shown.values.join("\n"));
        if shown.left_out > 0 {
            page.put(&[" … +", &shown.left_out.to_string()]);
        }
        if worst.is_some() {
            let missing = self.language().choose("missing", "fehlt");
            page.put(&[
                if shown.values.is_empty() { missing } else { "" },
                "</mark>",
            ]);
        }
        for (number, finding) in findings().take(MOST_LINKS) {
            let (class, _) = severity(finding.severity, self.language());
            page.put(&[
                " <a class=\"mark ",
                class,
                "\" href=\"#f",
                &number.to_string(),
                "\">",
            ]);
            page.text(&finding.rule);
            page.put(&["</a>"]);
        }
        if shown.findings.len() > MOST_LINKS {
            page.put(&[" …"]);
        }
    }
}

impl<'a> Place<'a> {
    const fn new(section: &'static Section, element: Option<Element<'a>>) -> Self {
        Self {
            section,
            element,
            findings: Vec::new(),
        }
    }
}
