//! The letter (DIN 5008, form B): header, address window, information block, title, and the footer of each page.

use super::canvas::{Area, HEIGHT, Ink, Mark, Pen, Style, WIDTH, mm};
use super::labels::{self, title};
use super::parts::{DocumentKind, Language, Party};
use super::sheet::{BILL, BODY, LEFT, RIGHT, SMALL, Sheet};
use super::{Error, Invoice};
use krilla::image::Image;

/// The zone of the return address and the one of the address, in the window.
const RETURN: i32 = mm(59);
const RETURN_HEIGHT: i32 = mm(9);
const ADDRESS: i32 = mm(63);
const ADDRESS_HEIGHT: i32 = mm(27);
const ADDRESS_WIDTH: i32 = mm(80);
const BLOCK: (i32, i32) = (mm(125), mm(50));
const BLOCK_VALUE: i32 = mm(153);
/// Where the title stands when the information block is no longer than the window.
const TITLE: i32 = mm(94);

const TITLE_STYLE: Style = Style::new(170, Ink::Blue).bold();
const NAME_STYLE: Style = Style::new(170, Ink::Blue).bold();
const FOOT_STYLE: Style = Style::new(70, Ink::Grey);
/// Between two columns of the foot.
const FOOT_SPACE: i32 = mm(5);
const LOGO: Area = Area {
    x: LEFT,
    y: mm(14),
    width: mm(75),
    height: mm(24),
};

/// The names of countries in the languages of labels, by their codes.
const COUNTRIES: &str = include_str!("countries.tsv");

/// The lines of an address. The country is shown when it is not `home`, in words as post abroad needs it.
fn address(party: &Party, home: &str, language: Language) -> Vec<String> {
    let mut lines = vec![party.name.clone()];
    lines.extend(party.additions.iter().cloned());
    lines.extend(street(party));
    lines.push(town(party));
    if home != party.country {
        let name = language.in_table(COUNTRIES, &party.country);
        let country = party.country_name.as_deref().or(name);
        lines.push(country.unwrap_or(&party.country).to_uppercase());
    }
    lines.retain(|line| !line.is_empty());
    lines
}

pub(crate) fn street(party: &Party) -> Option<String> {
    let street = party.street.iter().chain(&party.house_number);
    let street: Vec<&str> = street.map(String::as_str).collect();
    (!street.is_empty()).then(|| street.join(" "))
}

/// Name, street and town of who sends it.
fn sender_lines(party: &Party) -> [Option<String>; 3] {
    [Some(party.name.clone()), street(party), Some(town(party))]
}

pub(crate) fn town(party: &Party) -> String {
    match &party.postcode {
        Some(postcode) => format!("{postcode} {}", party.town),
        None => party.town.clone(),
    }
}

/// An IBAN or a reference in groups of four.
pub(crate) fn grouped(code: &str) -> String {
    in_groups(code, 4)
}

pub(crate) fn in_groups(code: &str, length: usize) -> String {
    let plain = code.chars().filter(|c| !c.is_whitespace());
    let mut groups = String::new();
    for (at, character) in plain.enumerate() {
        if at > 0 && at.is_multiple_of(length) {
            groups.push(' ');
        }
        groups.push(character);
    }
    groups
}

/// The first page down to the table.
pub(crate) fn opening(sheet: &mut Sheet<'_>, logo: Option<&Image>) -> Result<(), Error> {
    let invoice = sheet.invoice;
    sheet.foot = foot_height(sheet);
    match logo {
        Some(logo) => sheet.page.marks.push(Mark::Logo(logo_area(logo))),
        None => name(sheet),
    }
    window(sheet)?;
    let block_end = block(sheet);
    sheet.y = TITLE.max(block_end + mm(4));
    let heading = title(invoice.kind, invoice.language);
    sheet.paragraph(TITLE_STYLE, &format!("{heading} {}", invoice.number));
    sheet.y += mm(3);
    let to = invoice.delivery.to.as_ref().map(|to| {
        let lines = address(to, &invoice.seller.party.country, invoice.language).join(", ");
        sheet.writer.fill(labels::DELIVERY_ADDRESS, &[&lines])
    });
    for text in invoice.introduction.iter().chain(&to) {
        sheet.paragraph(BODY, text);
        sheet.y += mm(2);
    }
    sheet.y += mm(2);
    Ok(())
}

pub(crate) fn logo_area(logo: &Image) -> Area {
    let (width, height) = logo.size();
    let (width, height) = (i64::from(width), i64::from(height));
    let room = (i64::from(LOGO.width), i64::from(LOGO.height));
    let (width, height) = if width * room.1 > height * room.0 {
        (room.0, height * room.0 / width.max(1))
    } else {
        (width * room.1 / height.max(1), room.1)
    };
    let length = |length: i64| i32::try_from(length).unwrap_or_default().max(1);
    Area {
        width: length(width),
        height: length(height),
        ..LOGO
    }
}

fn name(sheet: &mut Sheet<'_>) {
    let name = &sheet.invoice.seller.party.name;
    let room = (LOGO.width * 2, LOGO.height);
    let (style, lines) = smaller(sheet, NAME_STYLE, std::slice::from_ref(name), room);
    let mut y = LOGO.y + mm(4);
    for line in &lines {
        sheet.text(LEFT, y, style, line);
        y += style.line();
    }
}

/// The largest size, down to 4 points, in which the lines fit into a height.
fn smaller(
    sheet: &Sheet<'_>,
    style: Style,
    texts: &[String],
    (width, height): (i32, i32),
) -> (Style, Vec<String>) {
    let mut style = style;
    loop {
        let lines = texts.iter().flat_map(|text| sheet.wrap(style, text, width));
        let lines: Vec<String> = lines.collect();
        let count = i32::try_from(lines.len()).unwrap_or(i32::MAX);
        let used = style.line().saturating_mul(count);
        let next = style.size * 9 / 10;
        if used <= height || next < Style::new(40, style.ink).size {
            return (style, lines);
        }
        style.size = next;
    }
}

fn window(sheet: &mut Sheet<'_>) -> Result<(), Error> {
    let Invoice { seller, buyer, .. } = sheet.invoice;
    let sender = sender_lines(&seller.party).into_iter().flatten();
    let sender = sender.collect::<Vec<_>>().join(" · ");
    let room = (ADDRESS_WIDTH, RETURN_HEIGHT);
    let (style, lines) = smaller(sheet, Style::new(65, Ink::Grey), &[sender], room);
    // The last line is next to the address. The foot has all of a sender that is too long even so.
    let most = usize::try_from(RETURN_HEIGHT / style.line()).unwrap_or_default();
    for (line, above) in lines.iter().take(most).rev().zip(0..) {
        sheet.text(LEFT, RETURN - style.line() * above, style, line);
    }
    let lines = address(buyer, &seller.party.country, sheet.invoice.language);
    let room = (ADDRESS_WIDTH, ADDRESS_HEIGHT);
    let (style, lines) = smaller(sheet, Style::new(100, Ink::Black), &lines, room);
    let mut y = ADDRESS + mm(1);
    for line in &lines {
        if y + style.line() > ADDRESS + ADDRESS_HEIGHT + mm(1) {
            return Err(Error::TooLong {
                field: "buyer".to_owned(),
                limit: format!("{} lines of 80 mm", ADDRESS_HEIGHT / style.line()),
            });
        }
        sheet.text(LEFT, y, style, line);
        y += style.line();
    }
    Ok(())
}

/// The information block; returns where it ends.
fn block(sheet: &mut Sheet<'_>) -> i32 {
    let (labels, values): (Vec<String>, Vec<String>) = block_rows(sheet).into_iter().unzip();
    let room = sheet.bottom() - BLOCK.1 - mm(30);
    let mut style = Style::new(90, Ink::Black);
    let wrapped = |style: Style| -> Vec<Vec<String>> {
        let values = values.iter();
        let values = values.map(|value| sheet.wrap(style, value, RIGHT - BLOCK_VALUE));
        values.collect()
    };
    let mut shown = wrapped(style);
    let lines = |shown: &[Vec<String>]| -> i32 {
        let lines = shown.iter().map(Vec::len).sum::<usize>();
        i32::try_from(lines).unwrap_or(i32::MAX)
    };
    while style.line().saturating_mul(lines(&shown)) > room && style.size > mm(1) {
        style.size = style.size * 9 / 10;
        shown = wrapped(style);
    }
    let mut y = BLOCK.1;
    for (label, value) in labels.iter().zip(shown) {
        let label_style = Style {
            ink: Ink::Grey,
            size: style.size * 17 / 18,
            ..style
        };
        let label_style = sheet.fit(label_style, label, BLOCK_VALUE - BLOCK.0 - mm(15) / 10);
        let base = y + (style.size - label_style.size) * 9 / 10;
        sheet.text(BLOCK.0, base, label_style, label);
        for line in value {
            sheet.text(BLOCK_VALUE, y, style, &line);
            y += style.line();
        }
        y += style.line() / 8;
    }
    y
}

fn block_rows(sheet: &Sheet<'_>) -> Vec<(String, String)> {
    let (invoice, writer) = (sheet.invoice, &sheet.writer);
    let references = &invoice.references;
    let number = match invoice.kind {
        DocumentKind::Correction | DocumentKind::CreditNote => labels::NUMBER,
        _ => labels::INVOICE_NUMBER,
    };
    let dated = |number: &Option<String>, date| Some(writer.dated(number.as_ref()?, date));
    let delivered = match (invoice.delivery.from, invoice.delivery.until) {
        (Some(from), Some(until)) if from != until => {
            let period = format!("{} – {}", writer.date(from), writer.date(until));
            (labels::DELIVERY_PERIOD, Some(period))
        }
        (from, until) => (
            labels::DELIVERY_DATE,
            from.or(until).map(|day| writer.date(day)),
        ),
    };
    let rows = [
        (number, Some(invoice.number.clone())),
        (labels::DATE, Some(writer.date(invoice.date))),
        (
            labels::EARLIER_INVOICE,
            dated(&references.earlier_invoice, references.earlier_date),
        ),
        (labels::CUSTOMER_NUMBER, references.customer_number.clone()),
        (
            labels::ORDER_NUMBER,
            dated(&references.order_number, references.order_date),
        ),
        (labels::BUYER_ORDER, references.buyer_order.clone()),
        (labels::BUYER_REFERENCE, references.buyer_reference.clone()),
        (labels::DELIVERY_NOTE, references.delivery_note.clone()),
        (labels::CONTRACT, references.contract.clone()),
        (labels::PROJECT, references.project.clone()),
        delivered,
        (labels::CONTACT, invoice.contact.name.clone()),
        (labels::PHONE, invoice.contact.phone.clone()),
        (labels::EMAIL, invoice.contact.email.clone()),
        (labels::BUYER_VAT_ID, invoice.buyer_vat_id.clone()),
    ];
    let tax_id = writer.language.tax_id(&invoice.buyer.country);
    let label = |label| writer.label(label).replace("{id}", tax_id);
    let rows = rows.into_iter();
    rows.filter_map(|(name, value)| Some((label(name), value?)))
        .collect()
}

/// The columns of the foot: where each one starts, and its lines.
fn foot_columns(sheet: &Sheet<'_>) -> Vec<(i32, Vec<String>)> {
    let (invoice, writer) = (sheet.invoice, &sheet.writer);
    let seller = &invoice.seller;
    let company = sender_lines(&seller.party);
    let labelled = |label: &str, text: &Option<String>| {
        let text = text.as_ref()?;
        Some(format!("{label} {text}"))
    };
    let phone = labelled(&writer.label(labels::PHONE), &seller.phone);
    let contact = [phone, seller.email.clone(), seller.website.clone()];
    let bank = invoice.payment.account.as_ref().map(|account| {
        let iban = format!("IBAN {}", grouped(&account.iban));
        [
            account.bank.clone(),
            Some(iban),
            labelled("BIC", &account.bic),
        ]
    });
    let filled = |label, text: &Option<String>| Some(writer.fill(label, &[text.as_ref()?]));
    let legal = [
        labelled(
            writer.language.tax_id(&seller.party.country),
            &seller.vat_id,
        ),
        filled(labels::TAX_NUMBER, &seller.tax_number),
        seller.register.clone(),
        filled(labels::MANAGEMENT, &seller.management),
    ];
    let columns = [
        &company[..],
        &contact,
        bank.as_slice().as_flattened(),
        &legal,
    ];
    let columns = columns.map(|column| column.iter().flatten().cloned().collect::<Vec<_>>());
    let columns: Vec<_> = columns.into_iter().filter(|c| !c.is_empty()).collect();
    let widths = columns.iter().map(|column| {
        let widths = column.iter().map(|line| sheet.width(FOOT_STYLE, line));
        widths.max().unwrap_or(0)
    });
    let widths: Vec<i32> = widths.collect();
    let count = i32::try_from(columns.len()).unwrap_or(1).max(1);
    let room = RIGHT - LEFT - FOOT_SPACE * (count - 1);
    // The widest columns shrink until all fit.
    let used = |most: i32| widths.iter().map(|width| *width.min(&most)).sum::<i32>();
    let mut most = room;
    while used(most) > room {
        most -= mm(1);
    }
    let apart = FOOT_SPACE + (room - used(most)) / (count - 1).max(1);
    let mut x = LEFT;
    let wrapped = columns.iter().zip(&widths).map(|(column, width)| {
        let lines = column.iter();
        let lines = lines.flat_map(|line| sheet.wrap(FOOT_STYLE, line, most));
        let placed = (x, lines.collect());
        x += width.min(&most) + apart;
        placed
    });
    wrapped.collect()
}

fn foot_height(sheet: &Sheet<'_>) -> i32 {
    let columns = foot_columns(sheet);
    let lines = columns.iter().map(|(_, lines)| lines.len()).max();
    mm(2) + FOOT_STYLE.line() * i32::try_from(lines.unwrap_or(0)).unwrap_or(0)
}

/// All pages, with their heads, feet and numbers.
pub(crate) fn finish(mut sheet: Sheet<'_>) -> Vec<Vec<Mark>> {
    sheet.new_page();
    let columns = foot_columns(&sheet);
    let pages = std::mem::take(&mut sheet.done);
    let total = pages.len();
    let mut finished = Vec::with_capacity(total);
    for (at, page) in pages.into_iter().enumerate() {
        sheet.page = page;
        match at {
            0 => fold_marks(&mut sheet),
            _ => running_head(&mut sheet),
        }
        let top = sheet.foot_top(sheet.page.bill);
        if total > 1 {
            let number = [(at + 1).to_string(), total.to_string()];
            let number = sheet.writer.fill(labels::PAGE, &[&number[0], &number[1]]);
            let style = Style::new(80, Ink::Grey);
            sheet.right((RIGHT, WIDTH), top - mm(6), style, &number);
        }
        sheet.rule(top);
        for (x, lines) in &columns {
            let mut y = top + mm(2);
            for line in lines {
                sheet.text(*x, y, FOOT_STYLE, line);
                y += FOOT_STYLE.line();
            }
        }
        finished.push(std::mem::take(&mut sheet.page).marks);
    }
    finished
}

/// Marks where the first sheet is folded and punched; a QR-bill must stay free of them.
fn fold_marks(sheet: &mut Sheet<'_>) {
    let pen = Pen::new(mm(1) / 10, Ink::Grey);
    for (y, length) in [(mm(105), mm(4)), (HEIGHT / 2, mm(6)), (mm(210), mm(4))] {
        if !sheet.page.bill || y < BILL {
            sheet.line((mm(4), y), (mm(4) + length, y), pen);
        }
    }
}

/// The header of the second and later pages.
fn running_head(sheet: &mut Sheet<'_>) {
    let invoice = sheet.invoice;
    let heading = title(invoice.kind, invoice.language);
    let text = format!("{heading} {}", invoice.number);
    let text = sheet.writer.dated(&text, Some(invoice.date));
    let y = mm(14);
    let half = (RIGHT - LEFT) / 2 - mm(2);
    let style = sheet.fit(SMALL, &text, half);
    sheet.text(LEFT, y, style, &text);
    let name = &invoice.seller.party.name;
    sheet.right((RIGHT, half), y, SMALL, name);
    sheet.rule(mm(19));
}
