//! Invoices extracted from PDF files: one of every profile, unusual ones, hostile ones.

use crate::zugferd_common;
use std::collections::BTreeMap;

use erp_core::zugferd::PdfError;
use erp_core::zugferd::{Error, ExtractOptions, Extracted, Password, extract};
use zugferd_common::{Numbers, PROFILES, mutated, names, pdf, xml};

fn extracted(pdf: &[u8]) -> Result<Extracted, Error> {
    extract(pdf, &ExtractOptions::default())
}

/// Extracts a fixture that must be readable.
fn readable(name: &str) -> Extracted {
    extracted(&pdf(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

// rule: R-ZUG-10
#[test]
fn the_invoice_of_every_profile_is_extracted_unchanged() {
    for (name, file_name, guideline, kind, level, _) in PROFILES {
        let found = readable(&format!("hybrid-{name}"));
        assert_eq!(found.xml, xml(name), "{name}");
        assert_eq!(found.file_name, *file_name, "{name}");
        let profile = found.profile.unwrap();
        assert_eq!(profile.guideline, *guideline, "{name}");
        assert_eq!(profile.xmp_level(), *level, "{name}");
        assert_eq!(profile.document_type(), *kind, "{name}");
        assert_eq!(found.others, [], "{name}");
        // In the fixtures with orders the relationship is `Data`, which Order-X allows.
        let orders = kind.starts_with("ORDER").then_some("Data");
        let short = matches!(*level, "MINIMUM" | "BASIC WL").then_some("Data");
        let relationship = orders.or(short).unwrap_or("Alternative");
        assert_eq!(found.relationship.as_deref(), Some(relationship), "{name}");
    }
}

/// Unusual files, and the XML that must still be extracted.
const ODD: &[(&str, &str)] = &[
    ("odd-streams", "facturx-en16931"),
    ("odd-leading-junk", "facturx-en16931"),
    ("odd-trailing-zeros", "facturx-en16931"),
    ("odd-trailing-text", "facturx-en16931"),
    ("odd-startxref-wrong", "facturx-en16931"),
    ("odd-startxref-missing", "facturx-en16931"),
    ("odd-xref-shifted", "facturx-en16931"),
    ("odd-xref-damaged", "facturx-en16931"),
    ("odd-tail-cut", "facturx-en16931"),
    ("odd-af-only", "facturx-en16931"),
    ("odd-tree-only", "facturx-en16931"),
    ("odd-f-only", "facturx-en16931"),
    ("odd-uf-only", "facturx-en16931"),
    ("odd-utf16-names", "facturx-en16931"),
    ("odd-no-relationship", "facturx-en16931"),
    ("odd-upper-case-name", "facturx-en16931"),
    ("odd-unknown-name", "facturx-en16931"),
    ("odd-no-xmp", "facturx-en16931"),
    ("odd-other-attachments", "facturx-en16931"),
    ("odd-two-invoices", "zugferd-1.0-comfort"),
    ("odd-two-the-same", "facturx-en16931"),
    ("odd-kids", "facturx-en16931"),
    ("odd-tree-unsorted", "facturx-en16931"),
    ("odd-ascii-hex", "facturx-en16931"),
    ("odd-two-filters", "facturx-en16931"),
    ("odd-not-compressed", "facturx-en16931"),
    ("odd-length-indirect", "facturx-en16931"),
    ("odd-length-wrong", "facturx-en16931"),
    ("odd-updated-invoice", "facturx-en16931"),
    ("odd-one-line", "facturx-en16931"),
    ("odd-linearized", "facturx-en16931"),
    ("odd-signed", "facturx-en16931"),
    ("enc-rc4-40-owner-only", "facturx-en16931"),
    ("enc-rc4-owner-only", "facturx-en16931"),
    ("enc-aes128-owner-only", "facturx-en16931"),
    ("enc-aes256-owner-only", "facturx-en16931"),
    ("xml-bom", "odd-bom"),
    ("xml-utf16le", "odd-utf16le"),
    ("xml-utf16be", "odd-utf16be"),
    ("xml-latin1", "odd-latin1"),
    ("xml-crlf", "odd-crlf"),
];

// rule: R-ZUG-19, R-ZUG-21
#[test]
fn the_invoice_is_extracted_from_unusual_files() {
    let mut wrong = Vec::new();
    for (name, wanted) in ODD {
        match extracted(&pdf(name)) {
            Ok(found) if found.xml == xml(wanted) => {}
            Ok(found) => wrong.push(format!("{name}: other bytes from `{}`", found.file_name)),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

// rule: R-ZUG-21
#[test]
fn an_attachment_is_reported_as_it_is_in_the_file() {
    assert_eq!(readable("odd-unknown-name").file_name, "Rechnung 4711.xml");
    assert_eq!(readable("odd-upper-case-name").file_name, "FACTUR-X.XML");
    assert_eq!(readable("odd-utf16-names").file_name, "factur-x.xml");
    assert_eq!(readable("odd-no-relationship").relationship, None);
    assert!(readable("odd-no-xmp").conformance.is_none());
    assert!(readable("odd-kids").conformance.is_some());
}

// rule: R-ZUG-22
#[test]
fn of_several_invoices_the_one_in_the_metadata_is_extracted_and_the_others_are_named() {
    // The metadata of the file name the older one.
    let found = readable("odd-two-invoices");
    assert_eq!(found.file_name, "ZUGFeRD-invoice.xml");
    assert_eq!(found.xml, xml("zugferd-1.0-comfort"));
    let others: Vec<&str> = found
        .others
        .iter()
        .map(|other| other.file_name.as_str())
        .collect();
    assert_eq!(others, ["factur-x.xml"]);
    let options = ExtractOptions {
        file_name: Some("factur-x.xml".to_owned()),
        ..ExtractOptions::default()
    };
    let other = extract(&pdf("odd-two-invoices"), &options).unwrap();
    assert!(other.xml != found.xml);
    assert_eq!(other.others.len(), 1);
    assert_eq!(readable("odd-two-the-same").others.len(), 1);
}

// rule: R-ZUG-22
#[test]
fn files_without_an_invoice_say_what_is_attached() {
    for name in [
        "a1b",
        "a3b",
        "a3a-rich",
        "plain-helvetica",
        "plain-streams",
        "a3b-signed",
    ] {
        let error = extracted(&pdf(name)).unwrap_err();
        assert!(matches!(error, Error::NoInvoice { .. }), "{name}: {error}");
    }
    match extracted(&pdf("a3b-attachments")).unwrap_err() {
        Error::NoInvoice { attachments } => {
            // The order of the name tree: names that are not ASCII are at the end.
            assert_eq!(attachments, ["note.txt", "Liste ä.csv"]);
        }
        error => panic!("{error}"),
    }
}

// rule: R-ZUG-20
#[test]
fn files_that_need_a_password_are_distinguished_from_broken_ones() {
    let error = extracted(&pdf("enc-aes256-user-password")).unwrap_err();
    assert_eq!(error, Error::Pdf(PdfError::PasswordNeeded));
    let with = |password| {
        let options = ExtractOptions {
            password: Password::from(password),
            ..ExtractOptions::default()
        };
        extract(&pdf("enc-aes256-user-password"), &options)
    };
    let error = with("other").unwrap_err();
    assert_eq!(error, Error::Pdf(PdfError::WrongPassword));
    assert!(with("user").unwrap().profile.is_some());
    let error = extracted(&pdf("no-pdf")).unwrap_err();
    assert_eq!(error, Error::Pdf(PdfError::NotAPdf));
    assert_eq!(extracted(&[]).unwrap_err(), Error::Pdf(PdfError::NotAPdf));
}

// rule: R-ZUG-23
#[test]
fn bombs_are_refused() {
    for name in [
        "bomb-flate",
        "bomb-flate-twice",
        "bomb-object-stream",
        "bomb-filters",
    ] {
        let error = extracted(&pdf(name)).unwrap_err();
        assert!(matches!(error, Error::Pdf(_)), "{name}: {error}");
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn a_bomb_in_the_metadata_does_not_prevent_the_extraction() {
    let found = readable("bomb-xmp");
    assert_eq!(found.xml, xml("facturx-en16931"));
    assert!(found.conformance.is_none());
}

// rule: R-ZUG-23
#[test]
fn loops_and_deep_nesting_end() {
    // The invoice may be found or not, but no other bytes may be returned.
    for name in names() {
        let hostile = ["loop-", "deep-", "huge-", "no-"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        if let Ok(found) = extracted(&pdf(&name))
            && hostile
            && name != "no-ubl-attachment"
        {
            assert_eq!(found.xml, xml("facturx-en16931"), "{name}");
        }
    }
    for name in [
        "loop-page-tree",
        "loop-prev",
        "loop-reference",
        "huge-size",
        "huge-names",
    ] {
        assert_eq!(readable(name).xml, xml("facturx-en16931"), "{name}");
    }
    assert!(extracted(&pdf("loop-name-tree")).is_err());
}

// rule: R-ZUG-23
#[test]
fn a_file_cut_anywhere_ends_in_a_result_or_an_error() {
    // Inflating the bombs repeatedly only costs time.
    for name in names()
        .into_iter()
        .filter(|name| !name.starts_with("bomb-"))
    {
        let whole = pdf(&name);
        let known = extracted(&whole).ok().map(|found| found.xml);
        for percent in 0..100 {
            let part = &whole[..whole.len() * percent / 100];
            if let (Ok(found), Some(known)) = (extracted(part), &known) {
                // A truncated file may contain an earlier version of the attachment, but never a prefix of it.
                let is_cut = found.xml.len() < known.len() && known.starts_with(&found.xml);
                assert!(!is_cut, "{name} at {percent} % gives a cut invoice");
            }
        }
    }
}

// rule: R-ZUG-23
/// The number of changes per fixture; `MUTATIONS` sets another one for longer runs.
#[test]
fn changed_files_end_in_a_result_or_an_error() {
    let given = std::env::var("MUTATIONS").ok();
    let rounds: usize = given.and_then(|text| text.parse().ok()).unwrap_or(100);
    let mut ends = BTreeMap::new();
    for (number, name) in (1_u64..).zip(names()) {
        // Inflating the bombs repeatedly only costs time.
        if name.starts_with("bomb-") || name.starts_with("no-bytes") {
            continue;
        }
        let whole = pdf(&name);
        let mut numbers = Numbers(number);
        for _ in 0..rounds {
            let end = extracted(&mutated(&whole, &mut numbers)).is_ok();
            *ends.entry(end).or_insert(0_usize) += 1;
        }
    }
    // Both outcomes must occur, otherwise the changes are too large or too small to show anything.
    assert!(ends[&true] > rounds && ends[&false] > rounds, "{ends:?}");
}
