//! What an invoice says, by the terms of EN 16931, whatever it is written in.
//!
//! ```text
//! Tree ──model.txt, path──> elements of fields ──> TermGroup (`read`), or texts for people (`html`)
//! ```

mod group;
pub(crate) mod model;
pub(crate) mod path;
#[cfg(test)]
mod tests;

use crate::invoice::abort::shorten;
use crate::limits::CheckLimits;
use crate::xml::text::decode;
use crate::xml::{Element, Tree, XmlError};
use model::{InvoiceField, Model, Section, SectionKind};

pub use group::{TermGroup, TermValue};

/// Values that are read: an invoice of 10,000 lines has some 250,000.
const MOST_VALUES: usize = 400_000;
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
    /// There are too many values, or nobody waits for them any more.
    #[error("the invoice has more than {MOST_VALUES} values, or takes too long")]
    TooLarge,
}

/// What an invoice says (CII, also of ZUGFeRD 1; UBL 2.1), by the numbers of the terms of EN 16931.
///
/// The same invoice says the same in both syntaxes. Whether it keeps its rules is not looked at: [`check`](crate::check) does
/// that, and what an invoice lacks is not there. [`TermGroup`] tells the form.
///
/// # Errors
/// [`ReadError`] of XML that is not well-formed, of another document, and of what takes more than the limits.
///
/// ```
/// use erp_invoice_check::{CheckLimits, read};
///
/// let xml = br#"<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><ID>R-1</ID>
///     <InvoiceLine><ID>1</ID><InvoicedQuantity unitCode="C62">2</InvoicedQuantity></InvoiceLine></Invoice>"#;
/// let invoice = read(xml, &CheckLimits::DEFAULT)?;
/// assert_eq!(invoice.text("BT-1"), Some("R-1"));
/// let lines = invoice.list("BG-25");
/// assert_eq!((lines[0].text("BT-129"), lines[0].text("BT-130")), (Some("2"), Some("C62")));
/// # Ok::<(), erp_invoice_check::ReadError>(())
/// ```
pub fn read(xml: &[u8], limits: &CheckLimits) -> Result<TermGroup, ReadError> {
    let text = decode(xml, &limits.xml)?;
    let tree = Tree::parse(&text, &limits.xml)?;
    let root = tree.root();
    let syntax = match (root.local(), root.namespace()) {
        ("CrossIndustryInvoice" | "CrossIndustryDocument", _) => "CII",
        ("Invoice" | "CreditNote", space) if space.starts_with(UBL) => "UBL",
        (other, _) => return Err(ReadError::NotAnInvoice(shorten(other))),
    };
    let is_ubl = syntax == "UBL";
    let model = Model::get();
    let mut reader = Reader {
        is_ubl,
        currency: &model.text(root, "BT-5", is_ubl),
        accounting: &model.text(root, "BT-6", is_ubl),
        limits,
        values: 0,
    };
    let mut invoice = TermGroup::default();
    invoice.add("syntax", TermValue::Text(syntax.to_owned()));
    for section in &model.sections {
        reader.section(section, root, &mut invoice)?;
    }
    Ok(invoice)
}

struct Reader<'r> {
    is_ubl: bool,
    currency: &'r str,
    accounting: &'r str,
    limits: &'r CheckLimits,
    /// Values so far.
    values: usize,
}

impl Reader<'_> {
    fn section(
        &mut self,
        section: &Section,
        root: Element<'_>,
        invoice: &mut TermGroup,
    ) -> Result<(), ReadError> {
        let is_one = section.kind == SectionKind::Facts;
        let most = if is_one { 1 } else { usize::MAX };
        let places = path::all(root, path::of_syntax(section.paths, self.is_ubl));
        for place in places.into_iter().take(most) {
            let may_charge = section.groups.len() > 1;
            let charge = may_charge.then(|| self.is_charge(section, place));
            let mut read = TermGroup::default();
            for field in &section.fields {
                self.field(field, place, charge, &mut read)?;
            }
            match section.groups.get(usize::from(charge == Some(true))) {
                None => invoice.extend(read),
                Some(_) if read.is_empty() => {}
                Some((name, true)) => invoice.add(name, TermValue::List(vec![read])),
                Some((name, false)) => invoice.add(name, TermValue::Group(read)),
            }
        }
        Ok(())
    }

    fn is_charge(&self, section: &Section, place: Element<'_>) -> bool {
        let kind = section.fields.first();
        let path = kind.map(|kind| path::of_syntax(kind.paths.each_ref(), self.is_ubl));
        let kind = path.and_then(|path| path::first(place, path.elements));
        kind.is_some_and(|kind| matches!(kind.text().trim(), "true" | "1"))
    }

    fn field(
        &mut self,
        field: &InvoiceField,
        place: Element<'_>,
        charge: Option<bool>,
        read: &mut TermGroup,
    ) -> Result<(), ReadError> {
        let path = path::of_syntax(field.paths.each_ref(), self.is_ubl);
        let mut before = None;
        for element in path::all(place, path.elements) {
            self.values += 1;
            if self.values > MOST_VALUES || !(self.limits.keep_going)() {
                return Err(ReadError::TooLarge);
            }
            let is_foreign = other_currency(element, self.currency) == Some(self.accounting);
            // What is beside elements is that of the first: each of many would look through all others.
            let around = element.parent().map(Element::index);
            let is_first = before.replace(around) != Some(around);
            let mut values = TermGroup::default();
            for (part, [term, other]) in path.parts.iter().zip(&field.terms) {
                let is_other = charge.unwrap_or(term != other && is_foreign);
                let term = if is_other { other } else { term };
                if term.starts_with("BT") && (is_first || !part.starts_with("..")) {
                    let is_accounting = is_other && charge.is_none();
                    let own = if is_accounting {
                        self.accounting
                    } else {
                        self.currency
                    };
                    values.add(term, TermValue::Text(part_of(element, part, own)));
                }
            }
            // In UBL the creditor identifier (BT-90) is among those of its party.
            let is_creditor = values.text("BT-29-1").or(values.text("BT-60-1")) == Some("SEPA");
            if values.is_empty() || is_creditor {
                continue;
            }
            let mut groups = field.groups.iter();
            let at = groups.try_fold(&mut *read, |at, (name, is_list)| at.inside(name, *is_list));
            match (at, field.list) {
                (Some(at), Some(list)) => at.add(list, TermValue::List(vec![values])),
                (Some(at), None) => at.extend(values),
                (None, _) => {}
            }
        }
        Ok(())
    }
}

/// The text of a part of an element: dates as `2026-01-31`, amounts in another currency with it.
fn part_of(element: Element<'_>, part: &str, currency: &str) -> String {
    if let Some(name) = part.strip_prefix('@') {
        return element
            .attribute(name)
            .unwrap_or_default()
            .trim()
            .to_owned();
    }
    let is_code = part == "#";
    let Some(found) = path::first(element, if is_code { "." } else { part }) else {
        return String::new();
    };
    let text = found.text();
    let mut text = text.trim();
    // A note in UBL begins with its subject code: `#AAI#Text`.
    let is_note = found.local() == "Note" && found.parent().is_some_and(|it| it.parent().is_none());
    let coded = text.strip_prefix('#').and_then(|rest| rest.split_once('#'));
    let coded = coded.filter(|(code, _)| code.len() == 3 && is_note);
    match coded {
        Some((code, _)) if is_code => text = code,
        Some((_, rest)) => text = rest,
        None if is_code => text = "",
        None => {}
    }
    match other_currency(found, currency) {
        Some(other) if !text.is_empty() => format!("{text} {other}"),
        // The content of an attached file is left to whoever wants it.
        _ if found.local().ends_with("BinaryObject") => String::new(),
        _ => day(found, text).unwrap_or_else(|| text.to_owned()),
    }
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
    let is_amount = element.local().ends_with("Amount");
    let named = element.attribute("currencyID").filter(|_| is_amount);
    named.filter(|named| *named != own)
}
