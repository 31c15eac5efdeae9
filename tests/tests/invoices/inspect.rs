//! `zugferd::inspect` on files of all kinds.

use std::path::Path;

use erp_core::zugferd::{CrossReference, Encryption, Inspection, Limits, inspect};

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zugferd");
    std::fs::read(folder.join(name)).unwrap()
}

fn told(name: &str) -> Inspection {
    inspect(&fixture(name), &Limits::DEFAULT).unwrap()
}

#[test]
fn a_hybrid_is_reported_with_its_invoice() {
    let told = told("hybrid-facturx-en16931.pdf");
    let invoices: Vec<_> = told
        .attachments
        .iter()
        .filter(|file| file.invoice.is_some())
        .collect();
    assert_eq!(invoices.len(), 1, "{told:#?}");
    assert_eq!(invoices[0].file_name, "factur-x.xml");
    assert_eq!(invoices[0].media_type.as_deref(), Some("text/xml"));
    assert!(
        invoices[0].bytes.is_some_and(|bytes| bytes > 1_000),
        "{told:#?}"
    );
    assert!(invoices[0].associated && !invoices[0].on_page);
    let invoice = invoices[0].invoice.as_ref().unwrap();
    assert_eq!(
        (invoice.standard, invoice.level),
        (Some("Factur-X"), Some("EN 16931"))
    );
    assert_eq!(
        invoice.guideline.as_deref(),
        Some("urn:cen.eu:en16931:2017")
    );
    assert_eq!(told.metadata_invoices.len(), 1);
    assert_eq!(
        told.metadata_invoices[0].file_name.as_deref(),
        Some("factur-x.xml")
    );
    assert_eq!(
        told.pdfa_claim.and_then(|claim| claim.part).as_deref(),
        Some("3")
    );
    assert_eq!(told.pdfa_faults, Vec::<String>::new());
    assert_eq!(
        (told.encryption, told.signed, told.pages.is_some()),
        (None, false, true)
    );
}

#[test]
fn other_attachments_are_no_invoices() {
    let told = told("a3b-attachments.pdf");
    assert!(!told.attachments.is_empty());
    assert!(
        told.attachments.iter().all(|file| file.invoice.is_none()),
        "{told:#?}"
    );
}

#[test]
fn signatures_and_streams_are_reported() {
    let told = told("a3b-signed-streams.pdf");
    assert!(told.signed);
    assert_eq!(told.cross_reference, CrossReference::Stream);
    assert!(told.sections >= 2, "{told:#?}");
}

#[test]
fn an_encrypted_file_is_reported_as_far_as_it_opens() {
    let owner = told("enc-aes256-owner-only.pdf");
    assert_eq!(owner.encryption, Some(Encryption::OwnerPassword));
    assert!(owner.pages.is_some());
    let user = told("enc-aes256-user-password.pdf");
    assert_eq!(user.encryption, Some(Encryption::UserPassword));
    assert_eq!((user.pages, user.attachments.len()), (None, 0));
    assert!(user.pdfa_faults[0].contains("encrypted"), "{user:#?}");
}

#[test]
fn a_false_claim_is_reported_with_its_faults() {
    let told = told("claim-false-helvetica.pdf");
    assert!(told.pdfa_claim.is_some());
    assert!(
        told.pdfa_faults
            .iter()
            .any(|fault| fault.contains("Helvetica")),
        "{told:#?}"
    );
}

#[test]
fn a_broken_cross_reference_is_reported() {
    let mut broken = fixture("hybrid-facturx-en16931.pdf");
    broken.truncate(broken.len() - 30);
    let told = inspect(&broken, &Limits::DEFAULT).unwrap();
    assert_eq!(told.cross_reference, CrossReference::Rebuilt);
    assert!(inspect(b"%PDX", &Limits::DEFAULT).is_err());
}

#[test]
fn it_is_written_as_json_with_names_of_its_own() {
    let json = serde_json::to_value(told("enc-aes256-owner-only.pdf")).unwrap();
    assert_eq!(json["encryption"], "owner_password");
    assert!(json["pdfa_claim"].is_null() || json["pdfa_claim"].is_object());
    assert!(json["attachments"].is_array());
}
