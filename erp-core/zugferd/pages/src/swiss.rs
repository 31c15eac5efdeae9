//! The payment part of the Swiss QR-bill with its receipt, by the "Swiss Implementation Guidelines QR-bill" 2.3 and their
//! style guide of SIX: structured addresses, a QR-IBAN with the reference type QRR, another IBAN with NON or SCOR.
//!
//! Texts are written in the characters of the standard and cut to its lengths. A payer who cannot be written so is left
//! to the box for name and address.

use super::canvas::{Area, Ink, Mark, Pen, Style, WIDTH, mm, tenths};
use super::format::number;
use super::labels::{self, Label};
use super::letter::{grouped, in_groups};
use super::parts::{Change, Party};
use super::sheet::{BILL, Sheet};
use super::{Error, Invoice};
use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};
use rust_decimal::Decimal;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The receipt is left of it, the payment part right of it.
const RECEIPT: i32 = mm(62);
const MARGIN: i32 = mm(5);
const CODE: i32 = mm(46);
/// Where the right half of the payment part starts.
const DETAILS: i32 = RECEIPT + MARGIN + CODE + MARGIN;

/// A payment part whose values the standard allows.
#[derive(Debug)]
pub(crate) struct Bill<'a> {
    iban: String,
    creditor: Party,
    debtor: Option<Party>,
    amount: Decimal,
    currency: &'a str,
    reference: Option<String>,
    message: Option<String>,
    information: Option<String>,
    /// What it says otherwise than it was given.
    pub(crate) changes: Vec<Change>,
}

impl<'a> Bill<'a> {
    /// The bill of an invoice that asks for one.
    pub(crate) fn of(invoice: &'a Invoice) -> Result<Option<Self>, Error> {
        let Some(bill) = &invoice.payment.swiss else {
            return Ok(None);
        };
        let account = invoice.payment.account.as_ref();
        let iban = account.map_or("", |account| &account.iban);
        let iban = checked_iban(iban).map_err(|fault| wrong("payment.account.iban", fault))?;
        let reference = checked_reference(bill.reference.as_deref(), &iban)
            .map_err(|fault| wrong("payment.swiss.reference", fault))?;
        let mut changes = Vec::new();
        let creditor = fitted(&invoice.seller.party, SELLER, Some('?'), &mut changes)
            .map_err(|field| wrong(field, "is missing"))?;
        // The debtor is complete or missing; without one there is a box for name and address.
        let mut of_debtor = Vec::new();
        let debtor = fitted(&invoice.buyer, BUYER, None, &mut of_debtor);
        changes.extend(match &debtor {
            Ok(_) => of_debtor,
            Err(field) => vec![Change::NoPayer { field }],
        });
        let written = |text: &Option<String>| text.as_deref().and_then(|text| written(text, None));
        let bill = Self {
            iban,
            creditor,
            debtor: debtor.ok(),
            amount: invoice.totals.payable.normalize(),
            currency: &invoice.currency,
            reference,
            message: written(&bill.message),
            information: written(&bill.bill_information),
            changes,
        };
        if !matches!(bill.currency, "CHF" | "EUR") {
            return Err(wrong("currency", "is neither CHF nor EUR"));
        }
        let most = Decimal::new(99_999_999_999, 2);
        if bill.amount.scale() > 2 || bill.amount < Decimal::new(1, 2) || bill.amount > most {
            let fault = "is not an amount of 0.01 to 999999999.99 with two decimals";
            return Err(wrong("totals.payable", fault));
        }
        let texts = [&bill.message, &bill.information].into_iter().flatten();
        if texts.map(|text| text.chars().count()).sum::<usize>() > 140 {
            let fault = "is longer than 140 characters, message and bill information together";
            return Err(wrong("payment.swiss.bill_information", fault));
        }
        Ok(Some(bill))
    }

    /// The lines of the QR code.
    fn payload(&self) -> String {
        let mut lines: Vec<String> = ["SPC", "0200", "1"].map(str::to_owned).to_vec();
        lines.push(self.iban.clone());
        lines.extend(party_lines(Some(&self.creditor)));
        // The ultimate creditor, which the standard does not use yet.
        lines.extend(party_lines(None));
        lines.push(self.amount_text());
        lines.push(self.currency.to_owned());
        lines.extend(party_lines(self.debtor.as_ref()));
        let kind = match &self.reference {
            None => "NON",
            Some(_) if is_qr(&self.iban) => "QRR",
            Some(_) => "SCOR",
        };
        lines.push(kind.to_owned());
        lines.push(self.reference.clone().unwrap_or_default());
        lines.push(self.message.clone().unwrap_or_default());
        lines.push("EPD".to_owned());
        lines.extend(self.information.clone());
        lines.join("\n")
    }

    fn amount_text(&self) -> String {
        let mut amount = self.amount;
        amount.rescale(2);
        amount.to_string()
    }

    /// Draws it on the last page, or on one of its own.
    pub(crate) fn draw(&self, sheet: &mut Sheet<'_>) -> Result<(), Error> {
        let code = self.code()?;
        if !sheet.has_room_for_bill() {
            sheet.new_page();
        }
        sheet.page.bill = true;
        separators(sheet);
        self.receipt(sheet);
        self.payment_part(sheet);
        draw_code(sheet, &code);
        Ok(())
    }

    fn code(&self) -> Result<QrCode, Error> {
        let segments = QrSegment::make_bytes(self.payload().as_bytes());
        // The guidelines fix the level of correction and the largest version.
        QrCode::encode_segments_advanced(
            &[segments],
            QrCodeEcc::Medium,
            Version::MIN,
            Version::new(25),
            None,
            false,
        )
        .map_err(|_| wrong("invoice", "is too long for the QR code"))
    }

    /// What both parts say about account, reference and payer.
    fn details(&self, full: bool, streets: bool) -> Vec<Detail> {
        let mut account = vec![grouped(&self.iban)];
        account.extend(address(&self.creditor, streets));
        let mut details = vec![(labels::QR_ACCOUNT, account)];
        if let Some(reference) = &self.reference {
            let reference = match reference.split_at_checked(2) {
                Some((first, rest)) if is_qr(&self.iban) => {
                    format!("{first} {}", in_groups(rest, 5))
                }
                _ => grouped(reference),
            };
            details.push((labels::QR_REFERENCE, vec![reference]));
        }
        let more = [&self.message, &self.information];
        let more: Vec<String> = more.into_iter().flatten().cloned().collect();
        if full && !more.is_empty() {
            details.push((labels::QR_ADDITIONAL, more));
        }
        details.push(match &self.debtor {
            Some(debtor) => (labels::QR_PAYABLE_BY, address(debtor, streets)),
            None => (labels::QR_PAYABLE_BY_BLANK, Vec::new()),
        });
        details
    }

    fn receipt(&self, sheet: &mut Sheet<'_>) {
        let top = BILL + MARGIN;
        let heading = sheet.writer.label(labels::QR_RECEIPT);
        sheet.text(MARGIN, top, HEADING, &heading);
        let details = self.details(false, true);
        // The standard lets the receipt leave out the street.
        let short = self.details(false, false);
        let choices: [(&[Detail], i32); 4] =
            [(&details, 80), (&details, 70), (&details, 60), (&short, 60)];
        let area = Area {
            x: MARGIN,
            y: top + mm(7),
            width: RECEIPT - MARGIN * 2,
            height: mm(56),
        };
        draw_details(sheet, &choices, area, (mm(52), mm(20)));
        self.amounts(sheet, MARGIN, mm(12), (60, 80));
        let acceptance = sheet.writer.label(labels::QR_ACCEPTANCE);
        let style = Style::new(60, Ink::Black).bold();
        let edge = (RECEIPT - MARGIN, RECEIPT - MARGIN * 2);
        sheet.right(edge, BILL + mm(82), style, &acceptance);
    }

    fn payment_part(&self, sheet: &mut Sheet<'_>) {
        let x = RECEIPT + MARGIN;
        let heading = sheet.writer.label(labels::QR_PAYMENT_PART);
        sheet.text(x, BILL + MARGIN, HEADING, &heading);
        self.amounts(sheet, x, mm(16), (80, 100));
        let details = self.details(true, true);
        let choices = [100, 90, 80, 70, 60].map(|size| (&details[..], size));
        let area = Area {
            x: DETAILS,
            y: BILL + MARGIN,
            width: WIDTH - DETAILS - MARGIN,
            height: mm(85),
        };
        draw_details(sheet, &choices, area, (mm(65), mm(25)));
    }

    /// Currency and amount, side by side.
    fn amounts(&self, sheet: &mut Sheet<'_>, x: i32, apart: i32, (small, large): (i32, i32)) {
        let y = BILL + mm(68);
        let label = Style::new(small, Ink::Black).bold();
        let value = Style::new(large, Ink::Black);
        let amount = number(self.amount, 2, ' ', '.');
        let columns = [
            (x, labels::QR_CURRENCY, self.currency),
            (x + apart, labels::QR_AMOUNT, &amount),
        ];
        for (x, name, text) in columns {
            sheet.text(x, y, label, &sheet.writer.label(name));
            sheet.text(x, y + tenths(small + 30), value, text);
        }
    }
}

const HEADING: Style = Style::new(110, Ink::Black).bold();
const PEN: Pen = Pen::new(tenths(8), Ink::Black);

/// A heading with the lines below; without lines, an empty box to write into.
type Detail = (Label, Vec<String>);

fn wrong(field: &str, fault: impl Into<String>) -> Error {
    Error::Swiss {
        field: field.to_owned(),
        fault: fault.into(),
    }
}

/// Name, street, house number, postal code, town, country.
type PartyFields = [&'static str; 6];

const SELLER: PartyFields = [
    "seller.party.name",
    "seller.party.street",
    "seller.party.house_number",
    "seller.party.postcode",
    "seller.party.town",
    "seller.party.country",
];
const BUYER: PartyFields = [
    "buyer.name",
    "buyer.street",
    "buyer.house_number",
    "buyer.postcode",
    "buyer.town",
    "buyer.country",
];

/// A party in the characters of the standard, cut to its lengths; or the member that it needs and does not have.
fn fitted(
    party: &Party,
    [name, street, house_number, postcode, town, country]: PartyFields,
    other: Option<char>,
    changes: &mut Vec<Change>,
) -> Result<Party, &'static str> {
    let mut fit = |field, text: &str, most| {
        let written = written(text.trim(), other).ok_or(field)?;
        let written = written.trim();
        let cut: String = written.chars().take(most).collect();
        let cut = cut.trim_end().to_owned();
        if cut.len() < written.len() || other.is_some() && cut.contains('?') && !text.contains('?')
        {
            let printed = cut.clone();
            changes.push(Change::Bill { field, printed });
        }
        Ok(cut)
    };
    let needed = |field, text: String| {
        if text.is_empty() {
            Err(field)
        } else {
            Ok(text)
        }
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    if !matches!(party.country.as_bytes(), [b'A'..=b'Z', b'A'..=b'Z']) {
        return Err(country);
    }
    Ok(Party {
        name: needed(name, fit(name, &party.name, 70)?)?,
        street: Some(fit(street, &text(&party.street), 70)?).filter(|text| !text.is_empty()),
        house_number: Some(fit(house_number, &text(&party.house_number), 16)?)
            .filter(|text| !text.is_empty()),
        postcode: Some(needed(
            postcode,
            fit(postcode, &text(&party.postcode), 16)?,
        )?),
        town: needed(town, fit(town, &party.town, 35)?)?,
        country: party.country.clone(),
        ..Party::default()
    })
}

/// A text in the characters of the standard: Latin, with the letters of Europe. Typographic signs become plain ones,
/// other letters those below their accents; boxes, which stand for what cannot be printed, are left out. For what is none
/// of these there is `other`, or no text at all.
fn written(text: &str, other: Option<char>) -> Option<String> {
    let is_allowed = |c: char| matches!(c, ' '..='~' | '\u{a0}'..='\u{17f}' | 'Ș'..='ț' | '€');
    let mut written = String::new();
    for character in text.chars() {
        match character {
            _ if is_allowed(character) => written.push(character),
            '‘' | '’' | '‚' | '‛' | '′' | '‹' | '›' => written.push('\''),
            '“' | '”' | '„' | '‟' | '″' => written.push('"'),
            '‐'..='―' | '−' => written.push('-'),
            'ẞ' => written.push_str("SS"),
            _ => {
                let simple = [character].into_iter().nfkd();
                let simple: String = simple.filter(|part| !is_combining_mark(*part)).collect();
                match other {
                    _ if simple.chars().all(is_allowed) => written.push_str(&simple),
                    Some(other) => written.push(other),
                    None => return None,
                }
            }
        }
    }
    Some(written)
}

/// An account that a bill may have.
fn checked_iban(iban: &str) -> Result<String, &'static str> {
    const FOREIGN: &str = "is not an IBAN of Switzerland or Liechtenstein";
    let iban = compact(iban);
    if !iban.is_ascii() || iban.len() != 21 || !(iban.starts_with("CH") || iban.starts_with("LI")) {
        return Err(FOREIGN);
    }
    if sound(&iban) {
        Ok(iban)
    } else {
        Err("has a wrong check digit")
    }
}

/// Whether an account takes only payments with a QR reference: its bank has a number of 30000 to 31999.
fn is_qr(iban: &str) -> bool {
    let bank = iban.get(4..9).and_then(|bank| bank.parse().ok());
    matches!(bank, Some(30_000..=31_999_u32))
}

fn compact(code: &str) -> String {
    let code: String = code.split_whitespace().collect();
    code.to_ascii_uppercase()
}

/// The reference that belongs to an account: a QR reference to a QR-IBAN, a creditor reference (ISO 11649) or none to
/// another one.
fn checked_reference(reference: Option<&str>, iban: &str) -> Result<Option<String>, &'static str> {
    let reference = reference.map(compact);
    let digits = reference.as_deref().unwrap_or_default();
    if is_qr(iban) {
        let is_right = digits.len() == 27 && digits.bytes().all(|c| c.is_ascii_digit());
        return match is_right && check_digit(digits) == 0 {
            true => Ok(reference),
            false => Err("is not a QR reference of 27 digits, which a QR-IBAN needs"),
        };
    }
    let length = (5..=25).contains(&digits.len());
    match reference.is_none() || length && digits.starts_with("RF") && sound(digits) {
        true => Ok(reference),
        false => {
            Err("is not a creditor reference: RF, two check digits, 1 to 21 letters and digits")
        }
    }
}

/// The check digit of a QR reference (modulo 10, recursive); 0 with the check digit itself.
fn check_digit(digits: &str) -> u32 {
    const NEXT: [u32; 10] = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];
    let digits = digits.chars().filter_map(|digit| digit.to_digit(10));
    let carry = digits.fold(0, |carry, digit| {
        let at = usize::try_from((carry + digit) % 10).unwrap_or_default();
        NEXT.get(at).copied().unwrap_or_default()
    });
    (10 - carry) % 10
}

/// Checks the digits of an IBAN or a creditor reference (ISO 7064, 97-10).
fn sound(code: &str) -> bool {
    let (Some(head), Some(rest)) = (code.get(..4), code.get(4..)) else {
        return false;
    };
    let digits = head.get(2..).unwrap_or_default();
    let mut remainder = 0;
    for character in rest.chars().chain(head.chars()) {
        let Some(value) = character.to_digit(36) else {
            return false;
        };
        let shift = if value > 9 { 100 } else { 10 };
        remainder = (remainder * shift + value) % 97;
    }
    remainder == 1 && digits.bytes().all(|digit| digit.is_ascii_digit())
}

/// The seven lines of an address in the code.
fn party_lines(party: Option<&Party>) -> [String; 7] {
    let Some(party) = party else {
        return Default::default();
    };
    [
        "S".to_owned(),
        party.name.clone(),
        party.street.clone().unwrap_or_default(),
        party.house_number.clone().unwrap_or_default(),
        party.postcode.clone().unwrap_or_default(),
        party.town.clone(),
        party.country.clone(),
    ]
}

/// The lines of an address in both parts.
fn address(party: &Party, with_street: bool) -> Vec<String> {
    let mut lines = vec![party.name.clone()];
    lines.extend(super::letter::street(party).filter(|_| with_street));
    let town = super::letter::town(party);
    lines.push(match party.country.as_str() {
        "CH" => town,
        country => format!("{country}-{town}"),
    });
    lines
}

/// Draws the first ones that fit into the area, or the last ones.
fn draw_details(
    sheet: &mut Sheet<'_>,
    choices: &[(&[Detail], i32)],
    area: Area,
    blank: (i32, i32),
) {
    let before = sheet.page.marks.len();
    for (details, size) in choices {
        sheet.page.marks.truncate(before);
        // Labels are two points smaller, and never below six.
        let label = Style::new((size - 20).max(60), Ink::Black).bold();
        let value = Style::new(*size, Ink::Black);
        let step = value.size * 11 / 10;
        let end = draw_sized(sheet, details, area, (label, value, step), blank);
        if end <= area.y + area.height {
            return;
        }
    }
}

/// Draws details in one size; returns where they end.
fn draw_sized(
    sheet: &mut Sheet<'_>,
    details: &[Detail],
    area: Area,
    (label, value, step): (Style, Style, i32),
    blank: (i32, i32),
) -> i32 {
    let mut y = area.y;
    for (name, lines) in details {
        sheet.text(area.x, y, label, &sheet.writer.label(*name));
        y += label.size * 5 / 4;
        for line in lines {
            for line in sheet.wrap(value, line, area.width) {
                sheet.text(area.x, y, value, &line);
                y += step;
            }
        }
        if lines.is_empty() {
            let (width, height) = blank;
            corners(sheet, area.x, y + mm(1), width, height);
            y += height + mm(1);
        }
        y += step * 3 / 4;
    }
    y - step * 3 / 4
}

/// The corners of a box to write into.
fn corners(sheet: &mut Sheet<'_>, x: i32, y: i32, width: i32, height: i32) {
    let length = mm(3);
    for (corner_x, inner_x) in [(x, x + length), (x + width, x + width - length)] {
        for (corner_y, inner_y) in [(y, y + length), (y + height, y + height - length)] {
            for to in [(inner_x, corner_y), (corner_x, inner_y)] {
                sheet.line((corner_x, corner_y), to, PEN);
            }
        }
    }
}

/// The lines along which receipt and payment part are cut off.
fn separators(sheet: &mut Sheet<'_>) {
    let pen = Pen {
        dashed: true,
        ..PEN
    };
    sheet.line((0, BILL), (WIDTH, BILL), pen);
    sheet.line((RECEIPT, BILL), (RECEIPT, mm(297)), pen);
    let text = sheet.writer.label(labels::QR_SEPARATE);
    let style = Style::new(70, Ink::Black);
    let x = (WIDTH - sheet.width(style, &text)) / 2;
    sheet.text(x, BILL - mm(4), style, &text);
}

/// The modules, with the Swiss cross over their middle.
fn draw_code(sheet: &mut Sheet<'_>, code: &QrCode) {
    let (left, top) = (RECEIPT + MARGIN, BILL + mm(17));
    let size = code.size();
    let edge = |module: i32| module * CODE / size;
    let mut boxes = Vec::new();
    for row in 0..size {
        let mut start = None;
        for column in 0..=size {
            match (code.get_module(column, row), start) {
                (true, None) => start = Some(column),
                (false, Some(from)) => {
                    boxes.push(Area {
                        x: left + edge(from),
                        y: top + edge(row),
                        width: edge(column) - edge(from),
                        height: edge(row + 1) - edge(row),
                    });
                    start = None;
                }
                _ => {}
            }
        }
    }
    sheet.page.marks.push(Mark::Boxes(boxes, Ink::Black));
    let (x, y) = (left + CODE / 2, top + CODE / 2);
    let centred = |width: i32, height: i32| Area {
        x: x - width / 2,
        y: y - height / 2,
        width,
        height,
    };
    // 7 × 7 mm with the white edge; the arms of the cross are those of the flag.
    let (field, long, short) = (mm(6), mm(6) * 20 / 32, mm(6) * 6 / 32);
    for (areas, ink) in [
        (vec![centred(mm(7), mm(7))], Ink::White),
        (vec![centred(field, field)], Ink::Black),
        (vec![centred(long, short), centred(short, long)], Ink::White),
    ] {
        sheet.page.marks.push(Mark::Boxes(areas, ink));
    }
}
