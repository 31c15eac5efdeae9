//! What an invoice says, by the terms of EN 16931, whatever it is written in.

pub(crate) mod model;
pub(crate) mod path;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::invoice::abort::shorten;
use crate::limits::CheckLimits;
use crate::xml::text::decode;
use crate::xml::{Element, Tree, XmlError};
use model::{InvoiceField, Model, Section, SectionKind};

/// Entries of lists that are read: an invoice of 10,000 lines has some 60,000.
const MOST_ENTRIES: usize = 100_000;
const UBL: &str = "urn:oasis:names:specification:ubl:schema:xsd:";

/// Why an invoice cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The XML is not well-formed, or larger than allowed.
    #[error("the XML is not well-formed: {0}")]
    NotWellFormed(#[from] XmlError),
    /// It is another document, with this root element.
    #[error("the root element `{0}` is neither that of an invoice in CII nor in UBL")]
    NotAnInvoice(String),
    /// There are too many entries, or nobody waits for them any more.
    #[error("the invoice has more than {MOST_ENTRIES} entries, or takes too long")]
    TooLarge,
}

/// What an invoice says (CII, UBL 2.1) as JSON by the numbers of the terms of EN 16931, the same in both syntaxes.
///
/// A term is a text (`BT-1`), of parties, delivery and totals in their group (`BG-4`). Groups of which there may be several
/// are lists (`BG-25`), as are terms (`BT-29`, with its scheme). What is missing has no member. Amounts are in the
/// currency `BT-5` unless another follows (`12.00 USD`). Whether the invoice keeps its rules is not looked at.
pub fn read(xml: &[u8], limits: &CheckLimits) -> Result<Value, ReadError> {
    let text = decode(xml, &limits.xml)?;
    let tree = Tree::parse(&text, &limits.xml)?;
    let root = tree.root();
    let is_ubl = match (root.local(), root.namespace()) {
        ("CrossIndustryInvoice" | "CrossIndustryDocument", _) => false,
        ("Invoice" | "CreditNote", space) if space.starts_with(UBL) => true,
        (other, _) => return Err(ReadError::NotAnInvoice(shorten(other))),
    };
    let model = Model::get();
    let mut reader = Reader {
        is_ubl,
        currency: &model.text(root, "BT-5", is_ubl),
        accounting: &model.text(root, "BT-6", is_ubl),
        limits,
        entries: 0,
    };
    let mut invoice = Group::new();
    add(&mut invoice, "syntax", if is_ubl { "UBL" } else { "CII" });
    for section in &model.sections {
        reader.section(section, root, &mut invoice)?;
    }
    Ok(invoice.into())
}

struct Reader<'r> {
    is_ubl: bool,
    currency: &'r str,
    accounting: &'r str,
    limits: &'r CheckLimits,
    /// Entries of lists so far.
    entries: usize,
}

type Group = Map<String, Value>;

impl Reader<'_> {
    fn section(
        &mut self,
        section: &Section,
        root: Element<'_>,
        invoice: &mut Group,
    ) -> Result<(), ReadError> {
        let is_one = section.kind == SectionKind::Facts;
        let most = match section.group {
            "" => usize::from(is_one),
            _ if is_one => 1,
            _ => usize::MAX,
        };
        let places = path::all(root, path::of_syntax(section.paths, self.is_ubl));
        for place in places.into_iter().take(most) {
            let mut group = Group::new();
            for field in &section.fields {
                self.field(field, place, &mut group)?;
            }
            match section.group {
                "" => invoice.append(&mut group),
                name if is_one && !group.is_empty() => {
                    invoice.insert(name.to_owned(), group.into());
                }
                name => self.push(invoice, name, group)?,
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &InvoiceField,
        place: Element<'_>,
        group: &mut Group,
    ) -> Result<(), ReadError> {
        let path = path::of_syntax(field.paths, self.is_ubl);
        let (elements, parts) = path.split_once(" > ").unwrap_or((path, "."));
        let mut terms = field.terms.split(' ');
        let list = terms.find_map(|term| term.strip_suffix('*'));
        for element in path::all(place, elements) {
            let mut entry = Group::new();
            let terms = field.terms.split(' ').filter(|term| term.starts_with("BT"));
            let parts = parts.split(' ').filter(|part| !",:–&".contains(part));
            for (term, part) in terms.zip(parts) {
                let into = if list.is_some() {
                    &mut entry
                } else {
                    &mut *group
                };
                let other = other_currency(element, self.currency);
                if term == "BT-110" && other == Some(self.accounting) {
                    add(into, "BT-111", element.text().trim());
                } else {
                    let text = text_of(element, part, self.currency);
                    add(into, term.trim_end_matches('*'), &text.unwrap_or_default());
                }
            }
            if let Some(list) = list {
                self.push(group, list, entry)?;
            }
        }
        Ok(())
    }

    /// Adds an entry that says anything.
    fn push(&mut self, group: &mut Group, list: &str, entry: Group) -> Result<(), ReadError> {
        self.entries += 1;
        if self.entries > MOST_ENTRIES || !(self.limits.keep_going)() {
            return Err(ReadError::TooLarge);
        }
        let list = (!entry.is_empty()).then(|| group.entry(list).or_insert(Value::Array(vec![])));
        if let Some(Value::Array(list)) = list {
            list.push(entry.into());
        }
        Ok(())
    }
}

/// Adds a text that says anything. What is there several times are lines, but for the same again.
fn add(group: &mut Group, term: &str, text: &str) {
    match group.get_mut(term) {
        _ if text.is_empty() => {}
        Some(Value::String(before)) if before == text => {}
        Some(Value::String(before)) => before.extend(["\n", text]),
        _ => drop(group.insert(term.to_owned(), text.into())),
    }
}

/// The text of a part of an element, or that of an attribute: of a day as `2026-01-31`, of an amount in another currency with that.
fn text_of(element: Element<'_>, part: &str, currency: &str) -> Option<String> {
    let (part, attribute) = part.split_once("/@").unwrap_or((part, ""));
    let found = path::first(element, part)?;
    let text = found.text();
    // A note in UBL begins with its subject code: `#AAI#Text`.
    let is_note = found.local() == "Note" && found.parent()?.parent().is_none();
    let coded = text
        .trim()
        .strip_prefix('#')
        .and_then(|rest| rest.split_once('#'));
    let coded = coded.filter(|(code, _)| code.len() == 3 && is_note);
    let (code, text) = coded.unwrap_or(("", text.trim()));
    Some(match (attribute, other_currency(found, currency)) {
        ("#", _) => code.to_owned(),
        ("", Some(other)) if !text.is_empty() => format!("{text} {other}"),
        ("", _) if found.local().ends_with("BinaryObject") => String::new(),
        ("", _) => day(found, text).unwrap_or_else(|| text.to_owned()),
        (name, _) => found.attribute(name)?.trim().to_owned(),
    })
}

/// The date `20260131` or `2026-01-31` of an element for dates, as the latter.
pub(crate) fn day(element: Element<'_>, text: &str) -> Option<String> {
    let mut ends = ["Date", "DateString", "TimeString"].iter();
    let digits = text.replace('-', "");
    let is_day = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_day = is_day && ends.any(|end| element.local().ends_with(end));
    let (year, day) = digits.split_at_checked(4).filter(|_| is_day)?;
    let (month, day) = day.split_at_checked(2)?;
    Some(format!("{year}-{month}-{day}"))
}

/// The currency that an amount names, if it is not this one.
pub(crate) fn other_currency<'a>(element: Element<'a>, own: &str) -> Option<&'a str> {
    let named = element.attribute("currencyID")?;
    (named != own && element.local().ends_with("Amount")).then_some(named)
}
