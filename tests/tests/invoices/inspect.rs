//! `zugferd::inspect` on files of all kinds.

use std::path::Path;

use erp_core::zugferd::{
    CrossReference, Encryption, Error, Inspection, Limits, Password, PdfError, inspect,
    inspect_with,
};

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zugferd");
    std::fs::read(folder.join(name)).unwrap()
}

fn inspected(name: &str) -> Inspection {
    inspect(&fixture(name), &Limits::DEFAULT).unwrap()
}

#[test]
fn a_hybrid_is_reported_with_its_invoice() {
    let inspected = inspected("hybrid-facturx-en16931.pdf");
    let invoices: Vec<_> = inspected
        .attachments
        .iter()
        .filter(|file| file.invoice.is_some())
        .collect();
    assert_eq!(invoices.len(), 1, "{inspected:#?}");
    assert_eq!(invoices[0].file_name, "factur-x.xml");
    assert_eq!(invoices[0].media_type.as_deref(), Some("text/xml"));
    assert!(
        invoices[0].bytes.is_some_and(|bytes| bytes > 1_000),
        "{inspected:#?}"
    );
    assert!(invoices[0].associated && !invoices[0].on_page);
    let invoice = invoices[0].invoice.as_ref().unwrap();
    assert_eq!(
        (invoice.standard, invoice.level),
        ("Factur-X", Some("EN 16931"))
    );
    assert_eq!(
        invoice.guideline.as_deref(),
        Some("urn:cen.eu:en16931:2017")
    );
    assert_eq!(inspected.metadata_invoices.len(), 1);
    assert_eq!(
        inspected.metadata_invoices[0].file_name.as_deref(),
        Some("factur-x.xml")
    );
    assert_eq!(
        inspected.pdfa_claim.and_then(|claim| claim.part).as_deref(),
        Some("3")
    );
    assert_eq!(inspected.pdfa_faults, Vec::<String>::new());
    assert_eq!(
        (
            inspected.encryption,
            inspected.signed,
            inspected.pages.is_some()
        ),
        (None, false, true)
    );
}

#[test]
fn other_attachments_are_no_invoices() {
    let inspected = inspected("a3b-attachments.pdf");
    assert!(!inspected.attachments.is_empty());
    assert!(
        inspected
            .attachments
            .iter()
            .all(|file| file.invoice.is_none()),
        "{inspected:#?}"
    );
}

#[test]
fn signatures_and_streams_are_reported() {
    let inspected = inspected("a3b-signed-streams.pdf");
    assert!(inspected.signed);
    assert_eq!(inspected.cross_reference, CrossReference::Stream);
    assert!(inspected.sections >= 2, "{inspected:#?}");
}

#[test]
fn an_encrypted_file_is_reported_as_far_as_it_opens() {
    let owner = inspected("enc-aes256-owner-only.pdf");
    assert_eq!(owner.encryption, Some(Encryption::OwnerPassword));
    assert!(owner.pages.is_some());
    let user = inspected("enc-aes256-user-password.pdf");
    assert_eq!(user.encryption, Some(Encryption::UserPassword));
    assert_eq!((user.pages, user.attachments.len()), (None, 0));
    assert!(user.pdfa_faults[0].contains("encrypted"), "{user:#?}");
    let file = fixture("enc-aes256-user-password.pdf");
    let with = |password| inspect_with(&file, &Password::from(password), &Limits::DEFAULT);
    let user = with("user").unwrap();
    assert_eq!(user.encryption, Some(Encryption::UserPassword));
    assert_eq!(user.pages, Some(1));
    assert_eq!(
        with("other").unwrap_err(),
        Error::Pdf(PdfError::WrongPassword)
    );
}

#[test]
fn a_false_claim_is_reported_with_its_faults() {
    let inspected = inspected("claim-false-helvetica.pdf");
    assert!(inspected.pdfa_claim.is_some());
    assert!(
        inspected
            .pdfa_faults
            .iter()
            .any(|fault| fault.contains("Helvetica")),
        "{inspected:#?}"
    );
}

#[test]
fn a_broken_cross_reference_is_reported() {
    let mut broken = fixture("hybrid-facturx-en16931.pdf");
    broken.truncate(broken.len() - 30);
    let inspected = inspect(&broken, &Limits::DEFAULT).unwrap();
    assert_eq!(inspected.cross_reference, CrossReference::Rebuilt);
    assert!(inspect(b"%PDX", &Limits::DEFAULT).is_err());
}

#[test]
fn the_report_has_its_own_member_names_in_json() {
    let json = serde_json::to_value(inspected("enc-aes256-owner-only.pdf")).unwrap();
    assert_eq!(json["encryption"], "owner_password");
    assert!(json["pdfa_claim"].is_null() || json["pdfa_claim"].is_object());
    assert!(json["attachments"].is_array());
}
