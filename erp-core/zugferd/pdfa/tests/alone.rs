//! The crate by its public names alone.

use erp_pdfa::erp_pdf::{Dict, Limits, Object, PdfFile, Stream, Update};
use erp_pdfa::xmp::{self, Changes, Claim, Conformance};
use erp_pdfa::{Repair, check};

const BARE: &[u8] = b"%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n\
    <</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>\nendobj\n";

#[test]
fn faults_are_found_and_gone_after_the_repair() {
    let damaged = PdfFile::rebuild(BARE, &Limits::DEFAULT).unwrap();
    let whole = erp_pdfa::erp_pdf::rewrite::rewrite(&damaged).unwrap().pdf;
    let faults = check(&whole, &Limits::DEFAULT).unwrap();
    assert!(
        faults
            .iter()
            .any(|fault| fault.repair == Some(Repair::FileId))
    );

    let file = PdfFile::open(&whole, &Limits::DEFAULT).unwrap();
    let mut update = Update::new(&file);
    let half = || Object::string(b"0123456789abcdef");
    update.set_trailer("ID", Object::Array(vec![half(), half()]));
    let packet = claim(None).unwrap();
    let dict = Dict::new()
        .with("Type", Object::name("Metadata"))
        .with("Subtype", Object::name("XML"));
    let metadata = update.add(Object::Stream(Stream::new(dict, packet)));
    let (catalog_id, mut catalog) = file.catalog().unwrap();
    catalog.set("Metadata", Object::Reference(metadata));
    update.replace(catalog_id, Object::Dict(catalog));
    let repaired = [&whole[..], &update.tail(whole.len())].concat();
    assert_eq!(check(&repaired, &Limits::DEFAULT).unwrap(), []);
}

fn claim(packet: Option<&[u8]>) -> Option<Vec<u8>> {
    let changes = Changes {
        claim: Claim::Set {
            part: 3,
            conformance: Conformance::B,
        },
        ..Changes::default()
    };
    xmp::edit(packet, &changes).ok()
}

#[test]
fn metadata_are_checked_edited_and_read() {
    let bare = xmp::edit(None, &Changes::default()).unwrap();
    assert!(!xmp::faults(&bare).is_empty());
    let claimed = claim(Some(&bare)).unwrap();
    assert_eq!(xmp::faults(&claimed), []);
    let mut names = Vec::new();
    let facts = xmp::read(&claimed, |property| names.push(property.name.to_owned())).unwrap();
    assert_eq!(facts.pdfa.unwrap().part.as_deref(), Some("3"));
    assert_eq!(names, ["part", "conformance"]);
}
