//! The payment part of the Swiss QR-bill with its receipt, by the "Swiss Implementation Guidelines QR-bill" 2.3 and their
//! style guide of SIX: structured addresses, an IBAN with the reference type NON or SCOR.

use super::canvas::{Area, Ink, Mark, Pen, Style, WIDTH, mm, tenths};
use super::format::number;
use super::labels::{self, Label};
use super::letter::grouped;
use super::parts::{Party, SwissBill};
use super::sheet::{BILL, Sheet};
use super::{Error, Invoice};
use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};
use rust_decimal::Decimal;

/// The receipt is left of it, the payment part right of it.
const RECEIPT: i32 = mm(62);
/// The margin of both parts.
const MARGIN: i32 = mm(5);
const CODE: i32 = mm(46);
/// Where the right half of the payment part starts.
const DETAILS: i32 = RECEIPT + MARGIN + CODE + MARGIN;

/// A payment part whose values the standard allows.
#[derive(Debug)]
pub(crate) struct Bill<'a> {
    iban: String,
    creditor: &'a Party,
    debtor: Option<&'a Party>,
    amount: Decimal,
    currency: &'a str,
    reference: Option<String>,
    message: Option<&'a str>,
    information: Option<&'a str>,
}

impl<'a> Bill<'a> {
    /// The bill of an invoice that asks for one.
    pub(crate) fn of(invoice: &'a Invoice) -> Result<Option<Self>, Error> {
        let Some(SwissBill {
            reference,
            message,
            bill_information,
        }) = &invoice.payment.swiss
        else {
            return Ok(None);
        };
        let account = invoice.payment.account.as_ref();
        let iban = account.map_or("", |account| &account.iban);
        let debtor = &invoice.buyer;
        // The debtor is complete or missing; without one there is a box for name and address.
        let known = debtor.postcode.is_some() && !debtor.town.is_empty();
        let bill = Self {
            iban: checked_iban(iban).map_err(|fault| wrong("payment.account.iban", fault))?,
            creditor: &invoice.seller.party,
            debtor: known.then_some(debtor),
            amount: invoice.totals.payable.normalize(),
            currency: &invoice.currency,
            reference: reference
                .as_deref()
                .map(checked_reference)
                .transpose()
                .map_err(|fault| wrong("payment.swiss.reference", fault))?,
            message: message.as_deref(),
            information: bill_information.as_deref(),
        };
        if !matches!(bill.currency, "CHF" | "EUR") {
            return Err(wrong("currency", "is neither CHF nor EUR"));
        }
        let most = Decimal::new(99_999_999_999, 2);
        if bill.amount.scale() > 2 || bill.amount < Decimal::new(1, 2) || bill.amount > most {
            let fault = "is not an amount of 0.01 to 999999999.99 with two decimals";
            return Err(wrong("totals.payable", fault));
        }
        check_party("seller.party", bill.creditor)?;
        if let Some(debtor) = bill.debtor {
            check_party("buyer", debtor)?;
        }
        bill.check_texts()?;
        Ok(Some(bill))
    }

    fn check_texts(&self) -> Result<(), Error> {
        let texts = [
            ("payment.swiss.message", self.message),
            ("payment.swiss.bill_information", self.information),
        ];
        let mut length = 0;
        for (field, text) in texts {
            let text = text.unwrap_or_default();
            allowed(field, text)?;
            length += text.chars().count();
            if length > 140 {
                let fault = "is longer than 140 characters, message and bill information together";
                return Err(wrong(field, fault));
            }
        }
        Ok(())
    }

    /// The lines of the QR code.
    fn payload(&self) -> String {
        let mut lines: Vec<String> = ["SPC", "0200", "1"].map(str::to_owned).to_vec();
        lines.push(self.iban.clone());
        lines.extend(party_lines(Some(self.creditor)));
        // The ultimate creditor, which the standard does not use yet.
        lines.extend(party_lines(None));
        lines.push(self.amount_text());
        lines.push(self.currency.to_owned());
        lines.extend(party_lines(self.debtor));
        let kind = self.reference.as_ref().map_or("NON", |_| "SCOR");
        lines.push(kind.to_owned());
        lines.push(self.reference.clone().unwrap_or_default());
        lines.push(self.message.unwrap_or_default().to_owned());
        lines.push("EPD".to_owned());
        lines.extend(self.information.map(str::to_owned));
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
        account.extend(address(self.creditor, streets));
        let mut details = vec![(labels::QR_ACCOUNT, account)];
        if let Some(reference) = &self.reference {
            details.push((labels::QR_REFERENCE, vec![grouped(reference)]));
        }
        let more = [self.message, self.information];
        let more: Vec<String> = more.into_iter().flatten().map(str::to_owned).collect();
        if full && !more.is_empty() {
            details.push((labels::QR_ADDITIONAL, more));
        }
        details.push(match self.debtor {
            Some(debtor) => (labels::QR_PAYABLE_BY, address(debtor, streets)),
            None => (labels::QR_PAYABLE_BY_BLANK, Vec::new()),
        });
        details
    }

    fn receipt(&self, sheet: &mut Sheet<'_>) {
        let top = BILL + MARGIN;
        sheet.text(
            MARGIN,
            top,
            HEADING,
            &sheet.writer.label(labels::QR_RECEIPT),
        );
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

fn check_party(place: &str, party: &Party) -> Result<(), Error> {
    for (member, text, most, needed) in [
        ("name", Some(&party.name), 70, true),
        ("street", party.street.as_ref(), 70, false),
        ("house_number", party.house_number.as_ref(), 16, false),
        ("postcode", party.postcode.as_ref(), 16, true),
        ("town", Some(&party.town), 35, true),
    ] {
        let field = format!("{place}.{member}");
        let text = text.map_or("", String::as_str);
        if needed && text.is_empty() {
            return Err(wrong(&field, "is missing"));
        }
        if text.chars().count() > most {
            return Err(wrong(&field, format!("has more than {most} characters")));
        }
        allowed(&field, text)?;
    }
    if matches!(party.country.as_bytes(), [b'A'..=b'Z', b'A'..=b'Z']) {
        return Ok(());
    }
    let field = format!("{place}.country");
    Err(wrong(&field, "is not a code of two letters"))
}

/// The characters of the standard: Latin, with the letters of Europe.
fn allowed(field: &str, text: &str) -> Result<(), Error> {
    let allowed = |c: char| matches!(c, ' '..='~' | '\u{a0}'..='\u{17f}' | 'Ș'..='ț' | '€');
    let Some(c) = text.chars().find(|c| !allowed(*c)) else {
        return Ok(());
    };
    let fault = format!("has the character {c:?}, which it forbids");
    Err(wrong(field, fault))
}

/// An account that a bill without QR reference may have.
fn checked_iban(iban: &str) -> Result<String, &'static str> {
    const FOREIGN: &str = "is not an IBAN of Switzerland or Liechtenstein";
    let iban = compact(iban);
    if !iban.is_ascii() || iban.len() != 21 || !(iban.starts_with("CH") || iban.starts_with("LI")) {
        return Err(FOREIGN);
    }
    if !sound(&iban) {
        return Err("has a wrong check digit");
    }
    match iban.get(4..9).and_then(|bank| bank.parse().ok()) {
        Some(30_000..=31_999) => {
            Err("is a QR-IBAN, which needs a QR reference; the ordinary IBAN is expected")
        }
        Some(0..=99_999u32) => Ok(iban),
        _ => Err(FOREIGN),
    }
}

fn compact(code: &str) -> String {
    let code: String = code.split_whitespace().collect();
    code.to_ascii_uppercase()
}

/// A creditor reference (ISO 11649).
fn checked_reference(reference: &str) -> Result<String, &'static str> {
    let reference = compact(reference);
    let length = (5..=25).contains(&reference.len());
    if length && reference.starts_with("RF") && sound(&reference) {
        return Ok(reference);
    }
    Err("is not a creditor reference: RF, two check digits, 1 to 21 letters and digits")
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
