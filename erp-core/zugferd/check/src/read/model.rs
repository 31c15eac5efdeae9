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
//! those of parts that are read and not shown: `@name` is an attribute, `#` the subject code of a note in UBL. Terms are those
//! of the parts, in their order.
//!
//! A group before the terms is what they are in (`BG-13.BG-14`); one with a point after it is not theirs alone. Groups and terms
//! with `*` may be there several times. Of `BG-20/BG-21` and `BT-92/BT-99` the second is that of a charge, of `BT-110/BT-111` that of another currency.

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
}

pub(crate) struct Section {
    pub(crate) kind: SectionKind,
    /// The group of each element, and that of charges.
    pub(crate) groups: Vec<GroupKey>,
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

/// The name of a group, and whether it is a list.
pub(crate) type GroupKey = (&'static str, bool);

fn group_key(word: &'static str) -> GroupKey {
    (word.trim_end_matches('*'), word.ends_with('*'))
}

/// Where the elements of a field are.
pub(crate) struct FieldPath {
    pub(crate) elements: &'static str,
    /// The parts that are shown in place of the element, and their separators.
    pub(crate) shown: Option<&'static str>,
    /// All parts, in the order of the terms.
    pub(crate) parts: Vec<&'static str>,
}

impl FieldPath {
    fn of(path: &'static str) -> Self {
        let (path, more) = path.split_once(" & ").unwrap_or((path, ""));
        let (elements, shown) = match path.split_once(" > ") {
            Some((elements, shown)) => (elements, Some(shown)),
            None => (path, None),
        };
        let words = shown.unwrap_or(".").split(' ').chain(more.split(' '));
        Self {
            elements,
            shown,
            parts: words
                .filter(|word| !matches!(*word, "" | "," | ":" | "–"))
                .collect(),
        }
    }
}

pub(crate) struct InvoiceField {
    /// The groups that its terms are in, inside that of the section.
    pub(crate) groups: Vec<GroupKey>,
    /// The list that each element is an entry of, if it is one: a group or the first term.
    pub(crate) list: Option<&'static str>,
    /// The term of each part, and that of charges or of another currency.
    pub(crate) terms: Vec<Both>,
    /// What findings name it by.
    names: Vec<&'static str>,
    /// The list of its codes, if it has codes.
    pub(crate) codes: &'static str,
    pub(crate) label: Both,
    /// In CII and UBL, from the element of the section.
    pub(crate) paths: [FieldPath; 2],
    pub(crate) is_small: bool,
}

impl InvoiceField {
    /// The class of its column: numbers are aligned to the right.
    pub(crate) fn class(&self) -> &'static str {
        let [path, _] = &self.paths;
        let mut numbers = ["Amount", "Quantity", "Percent"].iter();
        if numbers.any(|end| path.elements.ends_with(end)) && path.shown.is_none() {
            " class=\"n\""
        } else {
            ""
        }
    }

    /// Whether a finding is about it, by one of its terms.
    pub(crate) fn has_term(&self, wanted: &str) -> bool {
        self.names.iter().any(|term| {
            let rest = wanted.strip_prefix(*term);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    }

    fn of(head: &'static str, label: Both, paths: Both, section: &Section) -> Self {
        let (is_small, head) = match head.strip_prefix("+ ") {
            Some(head) => (true, head),
            None => (false, head),
        };
        let (terms, codes) = match head.rsplit_once(' ') {
            Some((terms, codes)) if !codes.starts_with('B') => (terms, codes),
            _ => (head, ""),
        };
        let (group, terms) = match terms.split_once(' ') {
            Some((group, terms)) if group.starts_with("BG") => (group, terms),
            _ => ("", terms),
        };
        let alone = group.rsplit('.').next().map(group_key);
        let alone = alone.filter(|(name, _)| !name.is_empty());
        let groups = group.split('.').map(group_key);
        let is_inside = |key: &GroupKey| {
            !key.0.is_empty() && !section.groups.iter().any(|(of, _)| *of == key.0)
        };
        let mut groups: Vec<GroupKey> = groups.filter(is_inside).collect();
        let first = terms.split(' ').next().map(group_key);
        let list = alone.or(first).filter(|(_, is_list)| *is_list);
        groups.retain(|key| alone.is_none() || Some(*key) != list);
        let terms = terms.split(' ').map(|term| {
            let term = term.trim_end_matches('*');
            let (one, other) = term.split_once('/').unwrap_or((term, term));
            [one, other]
        });
        let terms: Vec<Both> = terms.collect();
        let mut names: Vec<_> = terms.iter().flatten().copied().collect();
        names.extend(alone.map(|(name, _)| name));
        Self {
            groups,
            list: list.map(|(name, _)| name),
            terms,
            names,
            codes,
            label,
            paths: paths.map(FieldPath::of),
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
                    let field = InvoiceField::of(terms, label, paths, section);
                    section.fields.push(field);
                }
            }
            was_section = is_section;
        }
        model
    }

    /// The text of a field of the document, by its term.
    pub(crate) fn text(&self, root: Element<'_>, term: &str, is_ubl: bool) -> String {
        let field = self
            .sections
            .first()
            .and_then(|document| document.field(term));
        let path = field.and_then(|field| field.paths.get(usize::from(is_ubl)));
        let found = path.and_then(|path| path::first(root, path.elements));
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
        let mut words = head.split(' ');
        let (kind, mut words) = (words.next().unwrap_or_default(), words.peekable());
        let groups = words.next_if(|word| word.starts_with('B'));
        let groups = groups.into_iter().flat_map(|groups| groups.split('/'));
        let both = |label: &'static str| label.split_once('/').unwrap_or((label, label));
        let [english, german] = label.map(both);
        Self {
            kind: match kind {
                "facts" => SectionKind::Facts,
                "cards" => SectionKind::Cards,
                _ => SectionKind::Table,
            },
            groups: groups.map(group_key).collect(),
            class: match words.next() {
                Some("amounts") => " class=\"amounts\"",
                _ => "",
            },
            one: [english.0, german.0],
            all: [english.1, german.1],
            paths,
            fields: Vec::new(),
        }
    }
}
