//! Embeds an invoice as XML in a PDF file, and extracts it again.
//!
//! `cargo run -p erp-examples --example invoice_pdf -- PAGE.pdf INVOICE.xml HYBRID.pdf`

use std::error::Error;
use std::fs;

use erp_core::jiff::Timestamp;
use erp_core::zugferd::{CombineOptions, Combined, ExtractOptions, combine, extract};

/// Embeds the invoice in the page, and extracts it as the receiver of the file does.
fn hybrid(page: &[u8], invoice: &[u8], now: Timestamp) -> Result<Combined, Box<dyn Error>> {
    let options = CombineOptions {
        now: Some(now),
        ..CombineOptions::default()
    };
    let combined = combine(page, invoice, &options)?;
    let extracted = extract(&combined.pdf, &ExtractOptions::default())?;
    if extracted.xml != invoice {
        return Err("the invoice did not come back as it was".into());
    }
    Ok(combined)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [page, invoice, output] = arguments.as_slice() else {
        return Err("name a page, an invoice and the new file".into());
    };
    let combined = hybrid(&fs::read(page)?, &fs::read(invoice)?, Timestamp::now())?;
    fs::write(output, &combined.pdf)?;
    println!("guideline: {}", combined.profile.guideline);
    println!("PDF/A-3: {}", combined.pdfa.word());
    for reason in combined.pdfa.reasons() {
        println!("  {reason}");
    }
    println!(
        "{} of {} bytes are the input's",
        combined.kept_bytes,
        combined.pdf.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &[u8] = include_bytes!("../../tests/fixtures/zugferd/a3b.pdf");
    const INVOICE: &[u8] = include_bytes!("../../tests/fixtures/zugferd/xml/facturx-en16931.xml");

    #[test]
    fn the_page_stays_and_the_invoice_is_found() {
        let now = "2026-06-01T10:00:00Z".parse().unwrap();
        let combined = hybrid(PAGE, INVOICE, now).unwrap();
        assert_eq!(combined.profile.guideline, "urn:cen.eu:en16931:2017");
        assert!(combined.pdf.starts_with(PAGE), "the input is a prefix");
        assert!(
            combined.pdfa.reasons().is_empty(),
            "{}",
            combined.pdfa.word()
        );
        assert!(hybrid(PAGE, b"<Invoice/>", now).is_err());
    }
}
