//! Readable pages for e-invoices: a PDF/A-3b as people know invoices, with the XML of the invoice in it.
//!
//! [`pages`] takes an [`Invoice`] as plain data, lays it out as a business letter (DIN 5008, form B) in one of four
//! languages, and embeds the CII XML. For Switzerland and Liechtenstein the last page ends with the payment part of the
//! QR-bill. Nothing is computed: every sum is given, apart from the sums carried from page to page.
//!
//! The README starts with an example.
// Its code is tested.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

// The samples of the tests name the crate.
#[cfg(test)]
extern crate self as erp_invoice_pages;

mod canvas;
mod check;
mod closing;
mod error;
mod font;
mod format;
mod labels;
mod letter;
pub mod parts;
mod sheet;
mod swiss;
mod table;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use parts::{DocumentKind, Invoice, Language};

use canvas::Mark;
use erp_zugferd::{CombineOptions, combine};
use font::Fonts;
use krilla::image::Image;
use parts::Change;
use sheet::Sheet;
use swiss::Bill;

/// A PDF/A-3b that shows the invoice, with `xml` embedded as the invoice for machines.
///
/// The name of the embedded file, its relationship and the metadata follow from the XML: `xrechnung.xml` for an
/// XRechnung, otherwise `factur-x.xml`. Whether pages and XML say the same is the caller's business.
///
/// What the fonts or the standard of the QR-bill do not have is printed otherwise, as [`changes`] tells.
///
/// # Errors
/// [`Error::TooLong`] for a text that cannot be shown, [`Error::Swiss`] for a QR-bill that the standard forbids,
/// [`Error::Logo`] for an image that cannot be used, [`Error::Xml`] for an XML that is not a known invoice.
pub fn pages(invoice: &Invoice, xml: &[u8]) -> Result<Vec<u8>, Error> {
    let fonts = Fonts::new()?;
    let (invoice, _) = check::checked(invoice, &fonts)?;
    let logo = invoice.logo.as_deref().map(canvas::logo).transpose()?;
    let drawn = drawn(&invoice, &fonts, logo.as_ref())?;
    let pdf = canvas::render(&invoice, &fonts, logo.as_ref(), &drawn)?;
    let options = CombineOptions {
        now: Some(canvas::made(&invoice)),
        require_pdfa: true,
        ..CombineOptions::default()
    };
    Ok(combine(&pdf, xml, &options)?.pdf)
}

/// What the pages of an invoice show otherwise than it was given: characters that the fonts do not have, each once, and
/// texts that are too long for the QR-bill. Characters that the standard of the QR-bill replaces by others of the same
/// meaning, for example a typographic apostrophe by a straight one, are not told.
pub fn changes(invoice: &Invoice) -> Result<Vec<Change>, Error> {
    let (invoice, mut changes) = check::checked(invoice, &Fonts::new()?)?;
    if let Some(bill) = Bill::of(&invoice)? {
        changes.extend(bill.changes);
    }
    Ok(changes)
}

/// Whether a file can be the logo of an invoice, so that one who stores it knows before the first invoice.
///
/// # Errors
/// [`Error::Logo`].
pub fn check_logo(file: &[u8]) -> Result<(), Error> {
    let logo = canvas::logo(file)?;
    let page = vec![Mark::Logo(letter::logo_area(&logo))];
    // The file is read when the page is written.
    canvas::render(&Invoice::default(), &Fonts::new()?, Some(&logo), &[page]).map(drop)
}

/// Everything on each page.
fn drawn(invoice: &Invoice, fonts: &Fonts, logo: Option<&Image>) -> Result<Vec<Vec<Mark>>, Error> {
    let bill = Bill::of(invoice)?;
    let mut sheet = Sheet::new(invoice, fonts);
    letter::opening(&mut sheet, logo)?;
    table::lines(&mut sheet);
    closing::closing(&mut sheet);
    if let Some(bill) = &bill {
        bill.draw(&mut sheet)?;
    }
    Ok(letter::finish(sheet))
}
