//! A page made with lopdf gets its invoice, and lopdf reads the result.
//!
//! `cargo run -p erp-examples --example with_lopdf -- INVOICE.xml HYBRID.pdf`

use std::error::Error;
use std::fs;

use erp_core::zugferd::{CombineOptions, combine};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

/// A page with a grey square. For PDF/A a page with text embeds its fonts.
fn page() -> Document {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let square = b"0.8 g 50 50 100 100 re f".to_vec();
    let content = document.add_object(Stream::new(Dictionary::new(), square));
    let page = document.add_object(dictionary! {
        "Type" => "Page",
        "Parent" => pages,
        "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        "Resources" => Dictionary::new(),
        "Contents" => content,
    });
    let kids = dictionary! {"Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1};
    document.set_object(pages, kids);
    let catalog = document.add_object(dictionary! {"Type" => "Catalog", "Pages" => pages});
    document.trailer.set("Root", catalog);
    document
}

/// The document with the invoice, as a file that claims PDF/A-3.
fn hybrid(mut document: Document, invoice: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut page = Vec::new();
    document.save_to(&mut page)?;
    let options = CombineOptions {
        require_pdfa: true,
        ..CombineOptions::default()
    };
    Ok(combine(&page, invoice, &options)?.pdf)
}

/// The metadata of a file, where its claim is.
fn metadata(document: &Document) -> lopdf::Result<Vec<u8>> {
    let metadata = document.catalog()?.get(b"Metadata")?;
    let (_, metadata) = document.dereference(metadata)?;
    metadata.as_stream()?.get_plain_content()
}

/// The first file that the document names as its own.
fn attached(document: &Document) -> lopdf::Result<Vec<u8>> {
    let read = |object| document.dereference(object).map(|(_, object)| object);
    let files = read(document.catalog()?.get(b"AF")?)?.as_array()?;
    let file = read(files.first().unwrap_or(&Object::Null))?.as_dict()?;
    let embedded = read(file.get(b"EF")?)?.as_dict()?;
    read(embedded.get(b"F")?)?.as_stream()?.get_plain_content()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [invoice, output] = arguments.as_slice() else {
        return Err("name an invoice and the new file".into());
    };
    let file = hybrid(page(), &fs::read(invoice)?)?;
    let document = Document::load_mem(&file)?;
    println!("lopdf reads {} bytes", attached(&document)?.len());
    println!("{}", String::from_utf8_lossy(&metadata(&document)?));
    fs::write(output, file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lopdf_finds_the_invoice_and_the_claim() {
        let invoice = include_bytes!("../../tests/fixtures/zugferd/xml/facturx-en16931.xml");
        let file = hybrid(page(), invoice).unwrap();
        let mut document = Document::load_mem(&file).unwrap();
        // Also when it has saved the file itself.
        for _ in 0..2 {
            assert_eq!(attached(&document).unwrap(), invoice);
            let metadata = String::from_utf8(metadata(&document).unwrap()).unwrap();
            assert!(metadata.contains("pdfaid:part>3<"), "{metadata}");
            let mut saved = Vec::new();
            document.save_to(&mut saved).unwrap();
            document = Document::load_mem(&saved).unwrap();
        }
    }
}
