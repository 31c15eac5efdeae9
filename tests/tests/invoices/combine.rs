//! Invoices combined with PDF files, verified by independent programs.

use crate::zugferd_common;
use std::path::PathBuf;

use crate::judge::{Judge, options};
use crate::readers::{are_installed, signatures, verapdf};
use erp_core::zugferd::{CombineOptions, Combined, Error, Password, PdfaOutcome, combine};
use zugferd_common::{Numbers, PROFILES, mutated, names, path, pdf, xml};

fn combined(pdf: &[u8], xml: &[u8]) -> Result<Combined, Error> {
    combine(pdf, xml, &options())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Kept,
    Upgraded,
    Repaired,
    NotClaimed,
    /// Any result is allowed, except a false PDF/A claim.
    Any,
}

use Wanted::{Any, Kept, NotClaimed, Repaired, Upgraded};

/// Fixtures that can be combined; hybrids of all profiles are added.
const FIXTURES: &[(&str, Wanted)] = &[
    ("a1b", Upgraded),
    ("a2b", Upgraded),
    ("a2u-cid", Upgraded),
    ("a2b-cidset-complete", Upgraded),
    ("a3b", Kept),
    ("a3b-streams", Kept),
    ("a3b-attachments", Kept),
    ("a3b-attachments-streams", Kept),
    ("a3a-rich", Kept),
    ("a3b-updated", Kept),
    ("a3b-compressed-xmp", Kept),
    ("a3b-foreign-schema", Kept),
    ("a3b-linearized", Kept),
    ("a3b-signed", Kept),
    ("a3b-signed-streams", Kept),
    ("plain-nothing-but-fonts", Repaired),
    ("plain-streams", Repaired),
    ("plain-no-id", Repaired),
    ("plain-gray", Repaired),
    ("plain-xmp-without-claim", Repaired),
    ("plain-link-no-print", Repaired),
    ("plain-link-hidden", Any),
    ("plain-cidset-wrong", Repaired),
    ("plain-interpolate", Repaired),
    ("plain-endstream", Repaired),
    ("a3b-no-id", Repaired),
    ("a3b-no-intent", Repaired),
    ("a3b-cidset-wrong", Repaired),
    ("plain-helvetica", NotClaimed),
    ("plain-cmyk", NotClaimed),
    ("plain-cmyk-image", NotClaimed),
    ("plain-javascript", NotClaimed),
    ("plain-lzw", Any),
    ("claim-false-helvetica", NotClaimed),
    ("claim-false-cmyk", NotClaimed),
    ("odd-streams", Kept),
    ("odd-leading-junk", Any),
    ("odd-trailing-zeros", Any),
    ("odd-trailing-text", Any),
    ("odd-startxref-wrong", Any),
    ("odd-startxref-missing", Any),
    ("odd-xref-shifted", Any),
    ("odd-xref-damaged", Any),
    ("odd-af-only", Any),
    ("odd-tree-only", Any),
    ("odd-f-only", Any),
    ("odd-uf-only", Any),
    ("odd-utf16-names", Kept),
    ("odd-no-relationship", Any),
    ("odd-upper-case-name", Any),
    ("odd-unknown-name", Any),
    ("odd-no-xmp", Repaired),
    ("odd-other-attachments", Kept),
    ("odd-two-invoices", Any),
    ("odd-two-the-same", Any),
    ("odd-kids", Kept),
    ("odd-tree-unsorted", Any),
    ("odd-ascii-hex", Kept),
    ("odd-two-filters", Kept),
    ("odd-not-compressed", Kept),
    ("odd-length-indirect", Kept),
    ("odd-length-wrong", Any),
    ("odd-updated-invoice", Kept),
    ("odd-one-line", Kept),
    ("odd-linearized", Kept),
    ("odd-signed", Any),
];

/// What `lopdf` finds attached to the document by this name.
fn by_lopdf(pdf: &[u8], name: &str) -> lopdf::Result<Vec<Vec<u8>>> {
    let document = lopdf::Document::load_mem(pdf)?;
    let read = |object| document.dereference(object).map(|(_, object)| object);
    let mut found = Vec::new();
    for file in read(document.catalog()?.get(b"AF")?)?.as_array()? {
        let file = read(file)?.as_dict()?;
        if file.get(b"UF")?.as_str()? == name.as_bytes() {
            let embedded = read(file.get(b"EF")?)?.as_dict()?;
            let stream = read(embedded.get(b"F")?)?.as_stream()?;
            found.push(stream.get_plain_content()?);
        }
    }
    Ok(found)
}

fn is(outcome: &PdfaOutcome, wanted: Wanted) -> bool {
    match wanted {
        Kept => *outcome == PdfaOutcome::Kept,
        Upgraded => *outcome == PdfaOutcome::Upgraded,
        Repaired => *outcome == PdfaOutcome::Repaired,
        NotClaimed => matches!(outcome, PdfaOutcome::NotClaimed { reasons } if !reasons.is_empty()),
        Any => true,
    }
}

// rule: R-ZUG-10, R-ZUG-11, R-ZUG-12, R-ZUG-13, R-ZUG-34, R-ZUG-35
// clause: 6.1.3, 6.1.7.1, 6.2.8, 6.2.11.4.2, 6.3.2
#[test]
fn fixtures_become_pdfa_where_possible() {
    let mut wrong = Vec::new();
    for (name, wanted) in FIXTURES {
        let invoice = xml("facturx-en16931");
        match combined(&pdf(name), &invoice) {
            Ok(made) if is(&made.pdfa, *wanted) => {
                let found = by_lopdf(&made.pdf, "factur-x.xml");
                if found.as_deref().ok() != Some(&[invoice]) {
                    wrong.push(format!("{name}: lopdf finds something else: {found:?}"));
                }
            }
            Ok(made) => wrong.push(format!("{name}: {:?}, wanted {wanted:?}", made.pdfa)),
            Err(error) => wrong.push(format!("{name}: {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

// rule: R-ZUG-11, R-ZUG-16, R-ZUG-17, R-ZUG-26, R-ZUG-30, R-ZUG-31, R-ZUG-32, R-ZUG-33, R-ZUG-34
// clause: 6.1.4, 6.1.7.2, 6.2.3, 6.8
#[test]
fn every_fixture_with_several_profiles_is_sound() {
    let Some(mut judge) = Judge::new() else {
        return;
    };
    for (number, (name, _)) in FIXTURES.iter().enumerate() {
        // Every profile is used with some file, every file with four profiles.
        for step in 0..4 {
            judge.add(
                name,
                &path(name),
                &PROFILES[(number + step * 6) % PROFILES.len()],
            );
        }
    }
    judge.finish();
}

// rule: R-ZUG-18
// clause: 6.8
#[test]
fn an_invoice_of_another_version_is_replaced() {
    let Some(mut judge) = Judge::new() else {
        return;
    };
    for (number, (name, ..)) in PROFILES.iter().enumerate() {
        let name = format!("hybrid-{name}");
        for step in [1, 5, 11] {
            judge.add(
                &name,
                &path(&name),
                &PROFILES[(number + step) % PROFILES.len()],
            );
        }
    }
    judge.finish();
}

// rule: R-ZUG-18
#[test]
fn a_combined_file_can_be_combined_repeatedly() {
    let mut file = pdf("a3b-attachments");
    for (name, ..) in PROFILES.iter().chain(PROFILES) {
        file = combined(&file, &xml(name)).unwrap().pdf;
    }
    let folder = tempfile::tempdir().unwrap();
    let many = folder.path().join("many.pdf");
    std::fs::write(&many, &file).unwrap();
    let Some(mut judge) = Judge::new() else {
        return;
    };
    judge.add("many", &many, &PROFILES[0]);
    judge.finish();
}

// rule: R-ZUG-18
#[test]
fn every_fixture_combined_two_times_keeps_its_claim() {
    let folder = tempfile::tempdir().unwrap();
    let hybrids = PROFILES.iter().map(|row| format!("hybrid-{}", row.0));
    let names = FIXTURES.iter().map(|row| row.0.to_owned()).chain(hybrids);
    let mut claimed = Vec::new();
    for name in names {
        let first = combined(&pdf(&name), &xml("facturx-basic")).unwrap();
        let second = combined(&first.pdf, &xml("facturx-en16931")).unwrap();
        if !first.pdfa.reasons().is_empty() {
            continue;
        }
        assert_eq!(second.pdfa, PdfaOutcome::Kept, "{name}");
        let path = folder.path().join(format!("{name}.pdf"));
        std::fs::write(&path, &second.pdf).unwrap();
        claimed.push(path);
    }
    assert!(claimed.len() > 40, "{}", claimed.len());
    for (path, clauses) in verapdf(&claimed).unwrap_or_default() {
        assert_eq!(clauses, "", "{}", path.display());
    }
}

// rule: R-ZUG-19
#[test]
fn unusual_encodings_of_the_xml_are_kept() {
    let Some(mut judge) = Judge::new() else {
        return;
    };
    let row = PROFILES
        .iter()
        .find(|row| row.0 == "facturx-en16931")
        .unwrap();
    for name in [
        "odd-bom",
        "odd-utf16le",
        "odd-utf16be",
        "odd-latin1",
        "odd-no-declaration",
        "odd-crlf",
        "odd-comments",
        "odd-prefixes",
        "odd-default-namespace",
        "odd-spaces-in-guideline",
    ] {
        judge.add_xml("a3b", &path("a3b"), row, name, xml(name));
    }
    judge.finish();
}

// rule: R-ZUG-11, R-ZUG-16
// clause: 6.4.3
#[test]
fn a_signature_stays_intact() {
    if !are_installed() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<PathBuf> = ["a3b-signed", "a3b-signed-streams", "odd-signed"]
        .iter()
        .map(|name| path(name))
        .collect();
    let mut outputs = Vec::new();
    for (number, input) in inputs.iter().enumerate() {
        let bytes = std::fs::read(input).unwrap();
        let made = combined(&bytes, &xml("facturx-basic")).unwrap();
        assert!(made.pdf.starts_with(&bytes), "{}", input.display());
        assert_eq!(made.kept_bytes, bytes.len());
        let output = folder.path().join(format!("{number}.pdf"));
        std::fs::write(&output, &made.pdf).unwrap();
        outputs.push(output);
    }
    let whole = vec![(true, true)];
    let earlier = vec![(true, false)];
    for (input, output) in inputs.iter().zip(&outputs) {
        assert_eq!(signatures(input), whole, "{}", input.display());
        assert_eq!(signatures(output), earlier, "{}", input.display());
    }
}

/// Files that open without a password, one for each encryption method.
const DECRYPTABLE: [&str; 4] = [
    "enc-rc4-40-owner-only",
    "enc-rc4-owner-only",
    "enc-aes128-owner-only",
    "enc-aes256-owner-only",
];

// rule: R-ZUG-20
// clause: 6.1.3
#[test]
fn encrypted_files_are_refused_or_decrypted_on_request() {
    for name in DECRYPTABLE {
        let error = combined(&pdf(name), &xml("facturx-basic")).unwrap_err();
        assert_eq!(error, Error::Encrypted, "{name}");
    }
    let options = CombineOptions {
        decrypt: true,
        ..options()
    };
    let error = combine(
        &pdf("enc-aes256-user-password"),
        &xml("facturx-basic"),
        &options,
    )
    .unwrap_err();
    assert!(error.to_string().contains("none is given"), "{error}");
    let Some(mut judge) = Judge::new() else {
        return;
    };
    judge.options(options);
    for name in DECRYPTABLE {
        judge.add(name, &path(name), &PROFILES[8]);
    }
    judge.finish();
}

// rule: R-ZUG-20
#[test]
fn a_password_opens_a_file_and_lets_its_encryption_be_removed() {
    let (file, invoice) = (pdf("enc-aes256-user-password"), xml("facturx-basic"));
    for password in ["user", "owner"] {
        let options = CombineOptions {
            password: Password::from(password),
            ..options()
        };
        assert!(!format!("{options:?}").contains(password));
        let made = combine(&file, &invoice, &options).unwrap();
        assert_eq!(by_lopdf(&made.pdf, "factur-x.xml").unwrap(), [&*invoice]);
        // A password that is not one of the file's is no consent, although this opens without one.
        for name in DECRYPTABLE {
            let made = combine(&pdf(name), &invoice, &options);
            let refused = made.err().map(|error| error.to_string());
            let is_wrong = refused.is_some_and(|error| error.contains("password"));
            assert_eq!(is_wrong, password == "user", "{name}");
        }
    }
}

// rule: R-ZUG-15
#[test]
fn what_cannot_become_pdfa_is_refused_when_pdfa_is_required() {
    let required = CombineOptions {
        require_pdfa: true,
        ..options()
    };
    for (name, wanted) in FIXTURES {
        let made = combine(&pdf(name), &xml("facturx-basic"), &required);
        match (wanted, made) {
            (NotClaimed, made) => {
                let error = made.unwrap_err();
                assert!(
                    matches!(&error, Error::NotPdfa { reasons } if !reasons.is_empty()),
                    "{name}: {error}"
                );
            }
            (Any, _) => {}
            (_, made) => drop(made.unwrap_or_else(|error| panic!("{name}: {error}"))),
        }
    }
}

// rule: R-ZUG-14
// clause: 6.2.4.3, 6.2.11.4.1
#[test]
fn the_reasons_name_the_font_the_page_and_the_clause() {
    for (name, word, clause) in [
        ("plain-helvetica", "Helvetica", "6.2.11.4"),
        ("plain-cmyk", "CMYK", "6.2.4.3"),
        ("claim-false-cmyk", "CMYK", "6.2.4.3"),
    ] {
        let made = combined(&pdf(name), &xml("facturx-basic")).unwrap();
        let reasons = made.pdfa.reasons();
        let named = reasons.iter().find(|reason| {
            reason.text.contains(word)
                && reason.clause.starts_with(clause)
                && reason.page == Some(1)
        });
        assert!(named.is_some(), "{name}: {reasons:?}");
    }
}

// rule: R-ZUG-25
#[test]
fn other_xml_is_refused_with_a_sentence_about_it() {
    for (name, word) in [
        ("no-ubl-invoice", "UBL"),
        ("no-ubl-credit-note", "UBL"),
        ("no-fatturapa", "FatturaPA"),
        ("no-html", "DOCTYPE"),
        ("no-guideline", "guideline"),
        ("no-unknown-guideline", "urn:example:invoice:9p9:gigantic"),
        ("no-wrong-namespace", "CrossIndustryInvoice:999"),
        ("no-entity-bomb", "DOCTYPE"),
        ("no-external-entity", "DOCTYPE"),
        ("no-doctype", "DOCTYPE"),
        ("no-deep", "XML"),
    ] {
        match combined(&pdf("a3b"), &xml(name)) {
            Err(error @ Error::Xml(_)) => {
                assert!(error.to_string().contains(word), "{name}: {error}");
            }
            Err(error) => panic!("{name}: {error}"),
            Ok(made) => panic!("{name} is taken for {:?}", made.profile),
        }
    }
    for broken in [&xml("no-empty")[..], &xml("no-text"), b"<a>"] {
        let error = combined(&pdf("a3b"), broken).unwrap_err();
        assert!(matches!(error, Error::NotWellFormed(_)), "{error}");
    }
}

// rule: R-ZUG-23
#[test]
fn hostile_files_end_in_a_result_or_an_error() {
    let invoice = xml("facturx-basic");
    for name in names() {
        let hostile = ["bomb-", "loop-", "deep-", "huge-", "no-"]
            .iter()
            .any(|prefix| name.starts_with(prefix));
        if hostile && let Ok(made) = combined(&pdf(&name), &invoice) {
            let read = erp_core::zugferd::extract(&made.pdf, &Default::default()).unwrap();
            assert_eq!(read.xml, invoice, "{name}");
        }
    }
    for name in ["no-pdf", "no-bytes", "no-catalog", "no-header"] {
        assert!(combined(&pdf(name), &invoice).is_err(), "{name}");
    }
}

// rule: R-ZUG-23
/// The number of changes per fixture; `MUTATIONS` sets another one for longer runs.
#[test]
fn changed_files_end_in_a_sound_result_or_an_error() {
    let given = std::env::var("MUTATIONS").ok();
    let rounds: usize = given.and_then(|text| text.parse().ok()).unwrap_or(25);
    let invoice = xml("facturx-en16931");
    let mut made = 0;
    for (number, name) in (1_u64..).zip(names()) {
        if name.starts_with("bomb-") || name.starts_with("no-") {
            continue;
        }
        let whole = pdf(&name);
        let mut numbers = Numbers(number);
        for _ in 0..rounds {
            if let Ok(done) = combined(&mutated(&whole, &mut numbers), &invoice) {
                let read = erp_core::zugferd::extract(&done.pdf, &Default::default());
                let read = read.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(read.xml, invoice, "{name}");
                made += 1;
            }
        }
    }
    assert!(made > rounds, "{made}");
}
