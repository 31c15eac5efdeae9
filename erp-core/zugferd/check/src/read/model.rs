//! What an invoice says, and how it is shown: sections with fields, each with its terms, its label in English and German,
//! and its path in CII and in UBL (`model.txt`).
//!
//! ```text
//! = KIND [GROUP] [class] | label | label | path | path   a section; several in a row share the fields below them
//! [+] TERMS [list] | label | label | path | path         a field; `+` is small, inside the field above it
//! ! LIST CODE | name | name                              what a code means
//! ```
//!
//! A label `Line/Lines` is that of one element and that of all. Of sections in a row each has its own terms, with ` / `
//! between. A path is one of [`path`](super::path); after ` > ` come paths of parts, with their separators, and after ` & `
//! those that are read and not shown, also of attributes (`./@name`, and `./@#` for the code in a note). The terms are those of the
//! parts; one with `*` is a list of them.

use std::sync::OnceLock;

use super::path;
use crate::xml::Element;

static TEXT: &str = include_str!("model.txt");

/// A text in English and in German.
pub(crate) type Both = [&'static str; 2];

pub(crate) struct Model {
    pub(crate) sections: Vec<Section>,
    codes: Vec<(&'static str, &'static str, Both)>,
}

/// How the elements of a section are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionKind {
    /// The first element, as names with values.
    Facts,
    /// Each element, as names with values.
    Cards,
    /// Each element, as a row of a table.
    Table,
    /// Each element is read, and none shown.
    Read,
}

pub(crate) struct Section {
    pub(crate) kind: SectionKind,
    /// What is read of an element is in this group; without one in the invoice, or, of many elements, nowhere.
    pub(crate) group: &'static str,
    /// An attribute.
    pub(crate) class: &'static str,
    /// What one element is called.
    pub(crate) one: Both,
    /// What all are called.
    pub(crate) all: Both,
    /// In CII and UBL, from the root.
    pub(crate) paths: Both,
    pub(crate) fields: Vec<InvoiceField>,
}

#[derive(Clone, Copy)]
pub(crate) struct InvoiceField {
    /// Business terms and groups, with blanks between.
    pub(crate) terms: &'static str,
    /// The list of its codes, if it has codes.
    pub(crate) list: &'static str,
    pub(crate) label: Both,
    /// In CII and UBL, from the element of the section.
    pub(crate) paths: Both,
    pub(crate) is_small: bool,
}

impl InvoiceField {
    /// The class of its column: numbers are aligned to the right.
    pub(crate) fn class(&self) -> &'static str {
        let path = self.paths[0].split(" > . ").next().unwrap_or_default();
        let mut numbers = ["Amount", "Quantity", "Percent"].iter();
        if numbers.any(|end| path.ends_with(end)) && !path.contains(" > ") {
            " class=\"n\""
        } else {
            ""
        }
    }

    /// Whether a finding is about it, by one of its terms.
    pub(crate) fn has_term(&self, wanted: &str) -> bool {
        self.terms.split(' ').any(|term| {
            let rest = wanted.strip_prefix(term.trim_end_matches('*'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    }

    fn of(head: &'static str, label: Both, paths: Both) -> Self {
        let (is_small, head) = match head.strip_prefix("+ ") {
            Some(head) => (true, head),
            None => (false, head),
        };
        let (terms, list) = match head.rsplit_once(' ') {
            Some((terms, list)) if !list.starts_with("B") => (terms, list),
            _ => (head, ""),
        };
        Self {
            terms,
            list,
            label,
            paths,
            is_small,
        }
    }
}

impl Model {
    pub(crate) fn get() -> &'static Self {
        static MODEL: OnceLock<Model> = OnceLock::new();
        MODEL.get_or_init(|| Self::parse(TEXT))
    }

    fn parse(text: &'static str) -> Self {
        let mut model = Self {
            sections: Vec::new(),
            codes: Vec::new(),
        };
        // The sections that get the next field.
        let mut open = 0;
        let mut was_section = false;
        for line in text.lines() {
            let mut columns = line.split(" | ");
            let mut next = || columns.next().unwrap_or_default();
            let (head, label, paths) = (next(), [next(), next()], [next(), next()]);
            let is_section = head.starts_with("= ");
            if let Some(head) = head.strip_prefix("= ") {
                if !was_section {
                    open = model.sections.len();
                }
                model.sections.push(Section::of(head, label, paths));
            } else if let Some(head) = head.strip_prefix("! ") {
                let (list, code) = head.split_once(' ').unwrap_or((head, ""));
                model.codes.push((list, code, label));
            } else if !head.starts_with('#') {
                let sections = model.sections.iter_mut().skip(open);
                for (section, terms) in sections.zip(head.split(" / ").chain([head; 4])) {
                    section.fields.push(InvoiceField::of(terms, label, paths));
                }
            }
            was_section = is_section;
        }
        model
    }

    /// The text of a fact of the document, by its term.
    pub(crate) fn text(&self, root: Element<'_>, term: &str, is_ubl: bool) -> String {
        let field = self.sections.first().and_then(|first| first.field(term));
        let path = field.map(|field| path::of_syntax(field.paths, is_ubl));
        let found = path.and_then(|path| path::first(root, path));
        found.map_or_else(String::new, |found| found.text().trim().to_owned())
    }

    pub(crate) fn name(&self, list: &str, code: &str) -> Option<Both> {
        let mut codes = self.codes.iter();
        let found = codes.find(|(its, of, _)| *its == list && *of == code);
        found.map(|(_, _, names)| *names)
    }
}

impl Section {
    pub(crate) fn field(&self, term: &str) -> Option<&InvoiceField> {
        self.fields.iter().find(|field| field.has_term(term))
    }

    fn of(head: &'static str, label: Both, paths: Both) -> Self {
        let (kind, more) = head.split_once(' ').unwrap_or((head, ""));
        let (group, class) = more.split_once(' ').unwrap_or((more, ""));
        let both = |label: &'static str| label.split_once('/').unwrap_or((label, label));
        let [english, german] = label.map(both);
        Self {
            kind: match kind {
                "facts" => SectionKind::Facts,
                "cards" => SectionKind::Cards,
                "read" => SectionKind::Read,
                _ => SectionKind::Table,
            },
            group,
            class: match class {
                "amounts" => " class=\"amounts\"",
                _ => "",
            },
            one: [english.0, german.0],
            all: [english.1, german.1],
            paths,
            fields: Vec::new(),
        }
    }
}
