//! The texts before they are laid out: with the characters of the fonts, and within their lengths.

use super::font::Fonts;
use super::parts::{Change, Contact, Party, References, Seller};
use super::{Error, Invoice};
use std::collections::BTreeMap;
use std::fmt::Display;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Characters of a number, a unit, a code: they stand in narrow columns.
const SHORT: usize = 40;
/// Characters of a reference: of the many lines beside the address, none may push the table off the first page.
pub(crate) const REFERENCE: usize = 100;
/// Characters of a line: the longest names and addresses of the interface have as many.
pub(crate) const LINE: usize = 255;
/// Characters of a paragraph: some pages, so that a text cannot fill a book.
pub(crate) const PARAGRAPH: usize = 20_000;
/// Lines of an invoice, which take about 400 pages.
const LINES: usize = 10_000;
/// Members of any other list: all that real invoices have, many times.
const FEW: usize = 100;
/// Lines of an address between name and street: the window has to hold all lines.
const ADDITIONS: usize = 5;

/// Signs that the fonts do not have, and what people write for them.
const USUAL: [(char, &str); 10] = [
    ('∅', "Ø"),
    ('⌀', "Ø"),
    ('✓', "√"),
    ('✔', "√"),
    ('★', "*"),
    ('☆', "*"),
    ('☎', "Tel."),
    ('₹', "Rs"),
    ('₺', "TL"),
    ('₽', "RUB"),
];
/// Stands for every other character that they do not have.
const BOX: &str = "□";

/// The invoice with all texts as they are printed, and what is printed otherwise; or why they cannot be.
pub(crate) fn checked(invoice: &Invoice, fonts: &Fonts) -> Result<(Invoice, Vec<Change>), Error> {
    let mut invoice = invoice.clone();
    let mut check = TextCheck {
        fonts,
        replaced: BTreeMap::new(),
    };
    check.head(&mut invoice)?;
    check.list("introduction", &mut invoice.introduction, FEW)?;
    limited("lines", invoice.lines.len(), LINES)?;
    for (at, line) in invoice.lines.iter_mut().enumerate() {
        let place = format_args!("lines[{at}]");
        check.text(format_args!("{place}.position"), &mut line.position, SHORT)?;
        check.option(format_args!("{place}.number"), &mut line.number, LINE)?;
        check.text(format_args!("{place}.name"), &mut line.name, PARAGRAPH)?;
        check.option(format_args!("{place}.text"), &mut line.text, PARAGRAPH)?;
        check.text(format_args!("{place}.unit"), &mut line.unit, SHORT)?;
    }
    limited("adjustments", invoice.adjustments.len(), FEW)?;
    for (at, adjustment) in invoice.adjustments.iter_mut().enumerate() {
        check.text(
            format_args!("adjustments[{at}].text"),
            &mut adjustment.text,
            LINE,
        )?;
    }
    limited("taxes", invoice.taxes.len(), FEW)?;
    for (at, tax) in invoice.taxes.iter_mut().enumerate() {
        check.option(
            format_args!("taxes[{at}].reason"),
            &mut tax.reason,
            PARAGRAPH,
        )?;
    }
    check.payment(&mut invoice)?;
    check.list("remarks", &mut invoice.remarks, FEW)?;
    let changes = check.replaced.into_iter();
    let changes = changes.map(|(character, printed)| Change::Character { character, printed });
    Ok((invoice, changes.collect()))
}

struct TextCheck<'f> {
    fonts: &'f Fonts,
    replaced: BTreeMap<char, String>,
}

impl TextCheck<'_> {
    fn head(&mut self, invoice: &mut Invoice) -> Result<(), Error> {
        self.text("number", &mut invoice.number, LINE)?;
        self.text("currency", &mut invoice.currency, 3)?;
        let Seller {
            party,
            vat_id,
            tax_number,
            register,
            management,
            phone,
            email,
            website,
        } = &mut invoice.seller;
        self.party("seller.party", party)?;
        self.options(
            "seller",
            [
                ("vat_id", vat_id),
                ("tax_number", tax_number),
                ("register", register),
                ("management", management),
                ("phone", phone),
                ("email", email),
                ("website", website),
            ],
            LINE,
        )?;
        self.party("buyer", &mut invoice.buyer)?;
        self.option("buyer_vat_id", &mut invoice.buyer_vat_id, LINE)?;
        if let Some(to) = &mut invoice.delivery.to {
            self.party("delivery.to", to)?;
        }
        let References {
            customer_number,
            order_number,
            order_date: _,
            buyer_order,
            buyer_reference,
            delivery_note,
            contract,
            project,
            earlier_invoice,
            earlier_date: _,
        } = &mut invoice.references;
        self.options(
            "references",
            [
                ("customer_number", customer_number),
                ("order_number", order_number),
                ("buyer_order", buyer_order),
                ("buyer_reference", buyer_reference),
                ("delivery_note", delivery_note),
                ("contract", contract),
                ("project", project),
                ("earlier_invoice", earlier_invoice),
            ],
            REFERENCE,
        )?;
        let Contact { name, phone, email } = &mut invoice.contact;
        let members = [("name", name), ("phone", phone), ("email", email)];
        self.options("contact", members, LINE)
    }

    fn payment(&mut self, invoice: &mut Invoice) -> Result<(), Error> {
        let payment = &mut invoice.payment;
        limited("payment.discounts", payment.discounts.len(), FEW)?;
        self.list("payment.terms", &mut payment.terms, FEW)?;
        self.options("payment", [("reference", &mut payment.reference)], LINE)?;
        if let Some(account) = &mut payment.account {
            self.text("payment.account.iban", &mut account.iban, SHORT)?;
            let members = [("bic", &mut account.bic), ("bank", &mut account.bank)];
            self.options("payment.account", members, LINE)?;
        }
        let Some(bill) = &mut payment.swiss else {
            return Ok(());
        };
        let members = [
            ("reference", &mut bill.reference),
            ("message", &mut bill.message),
            ("bill_information", &mut bill.bill_information),
        ];
        self.options("payment.swiss", members, LINE)
    }

    fn party(&mut self, place: &str, party: &mut Party) -> Result<(), Error> {
        self.text(format_args!("{place}.name"), &mut party.name, LINE)?;
        let additions = &mut party.additions;
        limited(&format!("{place}.additions"), additions.len(), ADDITIONS)?;
        for (at, line) in additions.iter_mut().enumerate() {
            self.text(format_args!("{place}.additions[{at}]"), line, LINE)?;
        }
        self.text(format_args!("{place}.town"), &mut party.town, LINE)?;
        self.text(format_args!("{place}.country"), &mut party.country, SHORT)?;
        self.options(
            place,
            [
                ("street", &mut party.street),
                ("house_number", &mut party.house_number),
                ("postcode", &mut party.postcode),
                ("country_name", &mut party.country_name),
            ],
            LINE,
        )
    }

    fn list(&mut self, place: &str, texts: &mut [String], limit: usize) -> Result<(), Error> {
        limited(place, texts.len(), limit)?;
        for (at, text) in texts.iter_mut().enumerate() {
            self.text(format_args!("{place}[{at}]"), text, PARAGRAPH)?;
        }
        Ok(())
    }

    fn options<const N: usize>(
        &mut self,
        place: &str,
        members: [(&str, &mut Option<String>); N],
        limit: usize,
    ) -> Result<(), Error> {
        for (member, text) in members {
            self.option(format_args!("{place}.{member}"), text, limit)?;
        }
        Ok(())
    }

    fn option(
        &mut self,
        field: impl Display,
        text: &mut Option<String>,
        limit: usize,
    ) -> Result<(), Error> {
        if let Some(given) = text {
            self.text(field, given, limit)?;
        }
        // An empty text counts as missing.
        text.take_if(|text| text.is_empty());
        Ok(())
    }

    /// Line breaks stay in paragraphs; elsewhere they become spaces, as tabs do. Invisible characters are removed, and
    /// others that the fonts do not have are replaced.
    fn text(&mut self, field: impl Display, text: &mut String, limit: usize) -> Result<(), Error> {
        let mut printed = String::with_capacity(text.len());
        let mut characters = text.nfc().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\r' if characters.peek() == Some(&'\n') => {}
                '\n' | '\r' if limit == PARAGRAPH => printed.push('\n'),
                '\n' | '\r' | '\t' => printed.push(' '),
                '\u{ad}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}' => {}
                '\u{2000}'..='\u{200a}' | '\u{202f}' => printed.push('\u{a0}'),
                '\u{2011}' => printed.push('-'),
                _ if self.printable(character) => printed.push(character),
                _ => {
                    if !self.replaced.contains_key(&character) {
                        let replacement = self.replacement(character);
                        self.replaced.insert(character, replacement);
                    }
                    printed.extend(self.replaced.get(&character).map(String::as_str));
                }
            }
        }
        if text.nfc().nth(limit).is_some() {
            return Err(Error::TooLong {
                field: field.to_string(),
                limit: format!("{limit} characters"),
            });
        }
        // Some signs take several letters.
        if let Some((end, _)) = printed.char_indices().nth(limit) {
            printed.truncate(end);
        }
        *text = printed.trim_end().to_owned();
        Ok(())
    }

    /// What is printed for a character: what people usually write, the same in simpler characters, or a box.
    fn replacement(&self, character: char) -> String {
        if let Some((_, usual)) = USUAL.iter().find(|(sign, _)| *sign == character) {
            return (*usual).to_owned();
        }
        if is_combining_mark(character) {
            return String::new();
        }
        let simple: String = [character].into_iter().nfkc().collect();
        let bare = [character].into_iter().nfkd();
        let bare: String = bare.filter(|part| !is_combining_mark(*part)).collect();
        let mut simpler = [simple, bare].into_iter();
        let found = simpler.find(|text| text.chars().all(|part| self.printable(part)));
        found.unwrap_or_else(|| BOX.to_owned())
    }

    fn printable(&self, character: char) -> bool {
        let Fonts { regular, bold } = self.fonts;
        regular.glyph(character).is_some() && bold.glyph(character).is_some()
    }
}

fn limited(field: &str, count: usize, limit: usize) -> Result<(), Error> {
    if count <= limit {
        return Ok(());
    }
    Err(Error::TooLong {
        field: field.to_owned(),
        limit: format!("{limit} entries"),
    })
}
