//! The parts after the lines: sums, taxes, payment, remarks.

use super::Invoice;
use super::canvas::{Area, Ink, Pen, Style, mm};
use super::labels::{self, category};
use super::letter::grouped;
use super::parts::{DocumentKind, Tax, TaxCategory};
use super::sheet::{BODY, LEFT, RIGHT, SMALL, Sheet};
use rust_decimal::Decimal;

/// The sums: where their labels start, and the room of the amounts.
const SUMS: i32 = mm(98);
const AMOUNT: i32 = mm(38);
const ROW: i32 = mm(6);
const PAYABLE: Style = Style::new(115, Ink::Blue).bold();
const PAYABLE_HEIGHT: i32 = mm(9);
/// The taxes: edges of the columns.
const RATE: i32 = mm(125);
const BASE: i32 = mm(158);
const TAX_HEAD: Style = Style::new(85, Ink::Blue).bold();

pub(crate) fn closing(sheet: &mut Sheet<'_>) {
    let (page, top) = (sheet.done.len(), sheet.y);
    sums(sheet);
    let invoice = sheet.invoice;
    // Beside the sums, so that a short invoice has its QR-bill on the same page.
    let is_beside = invoice.payment.swiss.is_some() && sheet.done.len() == page;
    if is_beside {
        let end = std::mem::replace(&mut sheet.y, top - mm(5));
        payment(sheet, SUMS - LEFT - mm(5));
        if sheet.done.len() == page {
            sheet.y = sheet.y.max(end);
        }
    }
    taxes(sheet);
    if !is_beside {
        payment(sheet, RIGHT - LEFT);
    }
    if !invoice.remarks.is_empty() {
        sheet.head(&sheet.writer.label(labels::REMARKS));
        for remark in &invoice.remarks {
            sheet.paragraph(BODY, remark);
            sheet.y += mm(15) / 10;
        }
    }
}

fn sums(sheet: &mut Sheet<'_>) {
    let (invoice, writer) = (sheet.invoice, sheet.writer);
    let totals = &invoice.totals;
    let mut rows: Vec<(String, Decimal, Style)> = Vec::new();
    if !invoice.adjustments.is_empty() {
        rows.push((writer.label(labels::SUM_OF_LINES), totals.lines, BODY));
    }
    for adjustment in &invoice.adjustments {
        let text = match adjustment.percent {
            Some(percent) => format!("{} ({})", adjustment.text, writer.percent(percent)),
            None => adjustment.text.clone(),
        };
        rows.push((text, adjustment.amount, BODY));
    }
    let of_tax = |label| {
        let rate = only_tax(invoice).and_then(|tax| tax.rate);
        let rate = rate.map(|rate| writer.percent(rate));
        [writer.label(label), rate.unwrap_or_default()].join(" ")
    };
    if !invoice.gross_prices {
        rows.push((writer.label(labels::NET_TOTAL), totals.net, BODY));
        rows.push((of_tax(labels::TAX_TOTAL), totals.tax, BODY));
    }
    if totals.prepaid.is_some() || totals.rounding.is_some() {
        rows.push((writer.label(labels::GROSS_TOTAL), totals.gross, BODY.bold()));
    }
    if invoice.gross_prices {
        rows.push((of_tax(labels::TAX_INCLUDED), totals.tax, BODY));
        rows.push((writer.label(labels::NET_TOTAL), totals.net, BODY));
    }
    if let Some(prepaid) = totals.prepaid {
        rows.push((writer.label(labels::PREPAID), -prepaid, BODY));
    }
    if let Some(rounding) = totals.rounding {
        rows.push((writer.label(labels::ROUNDING), rounding, BODY));
    }
    // A short list of sums stays together.
    let height = ROW.saturating_mul(i32::try_from(rows.len()).unwrap_or(i32::MAX));
    sheet.need(height.min(mm(80)) + PAYABLE_HEIGHT);
    for (label, amount, style) in rows {
        let lines = sheet.wrap(style, &label, RIGHT - AMOUNT - SUMS - mm(3));
        sheet.need(ROW);
        sheet.y += mm(1);
        let edge = (RIGHT - mm(1), AMOUNT - mm(2));
        sheet.right(edge, sheet.y, style, &writer.amount(amount));
        for line in lines {
            sheet.need(style.line());
            sheet.text(SUMS + mm(2), sheet.y, style, &line);
            sheet.y += style.line();
        }
        sheet.y += ROW - mm(1) - style.line();
    }
    sheet.y += mm(1);
    sheet.need(PAYABLE_HEIGHT);
    let area = Area {
        x: SUMS,
        y: sheet.y,
        width: RIGHT - SUMS,
        height: PAYABLE_HEIGHT,
    };
    sheet.shade(area);
    let pen = Pen::new(mm(3) / 10, Ink::Blue);
    sheet.line((SUMS, sheet.y), (RIGHT, sheet.y), pen);
    let label = writer.label(match invoice.kind {
        DocumentKind::CreditNote => labels::CREDITED,
        _ => labels::PAYABLE,
    });
    let y = sheet.y + (PAYABLE_HEIGHT - PAYABLE.size * 11 / 10) / 2;
    let amount = writer.amount(totals.payable);
    let amount = format!("{amount}\u{a0}{}", invoice.currency);
    sheet.text(SUMS + mm(2), y, PAYABLE, &label);
    let room = RIGHT - SUMS - mm(5) - sheet.width(PAYABLE, &label);
    sheet.right((RIGHT - mm(1), room), y, PAYABLE, &amount);
    sheet.y += PAYABLE_HEIGHT;
}

/// The tax of an invoice that has one, above zero: its sums are those of the invoice, and need no summary.
fn only_tax(invoice: &Invoice) -> Option<&Tax> {
    match &invoice.taxes[..] {
        [tax] if tax.category == TaxCategory::Taxed && tax.reason.is_none() => Some(tax),
        _ => None,
    }
}

fn taxes(sheet: &mut Sheet<'_>) {
    let (invoice, writer) = (sheet.invoice, sheet.writer);
    if invoice.taxes.is_empty() || only_tax(invoice).is_some() {
        return;
    }
    sheet.head(&writer.label(labels::TAX_RECAP));
    // The column headings are in the line of the title.
    let y = sheet.y - TAX_HEAD.line() - mm(2);
    for (edge, label) in [
        (RATE, labels::TAX_RATE),
        (BASE, labels::TAX_BASE),
        (RIGHT - mm(1), labels::TAX),
    ] {
        sheet.right((edge, mm(30)), y, TAX_HEAD, &writer.label(label));
    }
    sheet.rule(sheet.y);
    for tax in &invoice.taxes {
        tax_row(sheet, tax);
    }
}

fn tax_row(sheet: &mut Sheet<'_>, tax: &Tax) {
    let (invoice, writer) = (sheet.invoice, sheet.writer);
    sheet.need(ROW + SMALL.line());
    sheet.y += mm(1);
    let y = sheet.y;
    if let Some(rate) = tax.rate {
        sheet.right((RATE, mm(18)), y, BODY, &writer.percent(rate));
    }
    sheet.right((BASE, mm(31)), y, BODY, &writer.amount(tax.base));
    sheet.right((RIGHT - mm(1), mm(29)), y, BODY, &writer.amount(tax.amount));
    let name = category(tax.category, invoice.language);
    sheet.column(BODY, name, LEFT, RATE - LEFT - mm(20));
    if let Some(reason) = &tax.reason {
        sheet.column(SMALL, reason, LEFT, RIGHT - LEFT);
    }
    sheet.y += mm(1);
    sheet.rule(sheet.y);
}

fn payment(sheet: &mut Sheet<'_>, width: i32) {
    let (invoice, writer) = (sheet.invoice, sheet.writer);
    let payment = &invoice.payment;
    let mut sentences = Vec::new();
    for discount in &payment.discounts {
        let (day, percent) = (
            &writer.date(discount.until),
            &writer.percent(discount.percent),
        );
        sentences.push(match discount.payable {
            Some(payable) => {
                let payable = format!("{}\u{a0}{}", writer.amount(payable), invoice.currency);
                writer.fill(labels::CASH_DISCOUNT_PAYABLE, &[day, percent, &payable])
            }
            None => writer.fill(labels::CASH_DISCOUNT, &[day, percent]),
        });
    }
    if let Some(due) = payment.due {
        sentences.push(writer.fill(labels::DUE, &[&writer.date(due)]));
    }
    sentences.extend(payment.terms.iter().cloned());
    // A QR-bill says where to pay to.
    let account = payment.account.as_ref().filter(|_| payment.swiss.is_none());
    let details = [
        (
            labels::BANK,
            account.and_then(|account| account.bank.clone()),
        ),
        (labels::IBAN, account.map(|account| grouped(&account.iban))),
        (labels::BIC, account.and_then(|account| account.bic.clone())),
        (labels::PAYMENT_REFERENCE, payment.reference.clone()),
    ];
    if sentences.is_empty() && details.iter().all(|(_, value)| value.is_none()) {
        return;
    }
    sheet.head(&writer.label(labels::PAYMENT));
    for sentence in sentences {
        sheet.column(BODY, &sentence, LEFT, width);
        sheet.y += mm(5) / 10;
    }
    sheet.y += mm(1);
    for (label, value) in details {
        let Some(value) = value else { continue };
        sheet.need(BODY.line());
        let style = Style::new(95, Ink::Grey);
        sheet.text(LEFT, sheet.y, style, &writer.label(label));
        sheet.column(BODY, &value, LEFT + mm(36), width - mm(36));
    }
}
