//! Writes a PDF of a small Swiss invoice, with the XML of a file in it.
//!
//! `cargo run -p erp-invoice-pages --example invoice_pages -- INVOICE.xml INVOICE.pdf`
#![expect(
    clippy::disallowed_methods,
    reason = "the example reads and writes files; the library does not"
)]

use erp_invoice_pages::parts::{Account, Line, Party, Payment, Seller, SwissBill, Tax, Totals};
use erp_invoice_pages::{DocumentKind, Invoice, Language, pages};
use jiff::civil::date;
use rust_decimal::Decimal;

fn invoice() -> Invoice {
    let party = |name: &str, street: &str, number: &str, postcode: &str, town: &str| Party {
        name: name.to_owned(),
        street: Some(street.to_owned()),
        house_number: Some(number.to_owned()),
        postcode: Some(postcode.to_owned()),
        town: town.to_owned(),
        country: "CH".to_owned(),
        ..Party::default()
    };
    let money = |cents| Decimal::new(cents, 2);
    Invoice {
        kind: DocumentKind::Invoice,
        language: Language::French,
        number: "2026-17".to_owned(),
        date: date(2026, 11, 25),
        currency: "CHF".to_owned(),
        seller: Seller {
            party: party("Robert Schneider AG", "Rue du Lac", "1268", "2501", "Biel"),
            vat_id: Some("CHE-123.456.789 TVA".to_owned()),
            ..Seller::default()
        },
        buyer: party(
            "Pia Rutschmann",
            "Grosse Marktgasse",
            "28",
            "9400",
            "Rorschach",
        ),
        lines: vec![Line {
            position: "1".to_owned(),
            name: "Chaise de bureau".to_owned(),
            quantity: Decimal::from(2),
            unit: "pièces".to_owned(),
            price: money(124_950),
            sum: money(249_900),
            ..Line::default()
        }],
        taxes: vec![Tax {
            rate: Some(Decimal::new(81, 1)),
            base: money(249_900),
            amount: money(20_242),
            ..Tax::default()
        }],
        totals: Totals {
            lines: money(249_900),
            net: money(249_900),
            tax: money(20_242),
            gross: money(270_142),
            payable: money(270_142),
            ..Totals::default()
        },
        payment: Payment {
            due: Some(date(2026, 12, 25)),
            account: Some(Account {
                iban: "CH5800791123000889012".to_owned(),
                ..Account::default()
            }),
            swiss: Some(SwissBill::default()),
            ..Payment::default()
        },
        ..Invoice::default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut paths = std::env::args().skip(1);
    let (Some(xml), Some(pdf)) = (paths.next(), paths.next()) else {
        return Err("two files are needed: the XML to read, the PDF to write".into());
    };
    let written = pages(&invoice(), &std::fs::read(xml)?)?;
    println!("{pdf}: {} bytes", written.len());
    std::fs::write(pdf, written)?;
    Ok(())
}
