//! What is drawn in the training files, against the verdicts of an independent validator.
//!
//! Skipped with a note where the files are not there.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests read files"
)]

use erp_zugferd::PdfLimits;
use erp_zugferd::pdfa::{PdfaFault, Repair, check};
use std::path::PathBuf;

/// Clauses about what is drawn.
const CLAUSES: [&str; 12] = [
    "6.1.10", "6.2.2", "6.2.4.1", "6.2.4.2", "6.2.4.3", "6.2.4.4", "6.2.5", "6.2.6", "6.2.8",
    "6.2.8.3", "6.2.9", "6.2.10",
];

fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/zugferd");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no {}", folder.display());
    None
}

fn faults(path: &PathBuf) -> Vec<PdfaFault> {
    let bytes = std::fs::read(path).unwrap();
    let all = check(&bytes, &PdfLimits::DEFAULT);
    let all = all.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    all.into_iter()
        .filter(|fault| CLAUSES.contains(&fault.clause))
        .collect()
}

#[test]
fn hybrids_draw_nothing_that_is_forbidden() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for entry in std::fs::read_dir(folder.join("hybrid")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pdf") {
            assert_eq!(faults(&path), [], "{}", path.display());
            count += 1;
        }
    }
    assert_eq!(count, 50);
}

#[test]
fn valid_inputs_draw_nothing_that_is_forbidden() {
    let Some(folder) = folder() else { return };
    let table = std::fs::read_to_string(folder.join("combine.tsv")).unwrap();
    let rows = table.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let valid: Vec<_> = rows
        .filter(|row| row[4] == "PASS")
        .map(|row| row[0].to_owned())
        .collect();
    assert!(valid.len() >= 6);
    for name in valid {
        assert_eq!(faults(&folder.join("combine").join(&name)), [], "{name}");
    }
}

#[test]
fn device_colours_without_an_intent_are_found() {
    let Some(folder) = folder() else { return };
    let (gray, rgb) = ("DeviceGray", "DeviceRGB");
    let expected: [(&str, &[&str]); 13] = [
        ("fpdf.pdf", &[gray]),
        ("ghostscript-a2.pdf", &[gray]),
        ("ghostscript.pdf", &[gray]),
        ("groff.pdf", &[gray, rgb]),
        ("libreoffice.pdf", &[rgb]),
        ("pdf-lib.pdf", &[rgb]),
        ("pdfkit.pdf", &[gray]),
        ("pypdf-blank.pdf", &[]),
        ("tcpdf.pdf", &[gray, rgb]),
        ("typst.pdf", &[]),
        ("weasyprint.pdf", &[rgb]),
        ("weasyprint-pdf-a-2b.pdf", &[]),
        ("weasyprint-pdf-a-4b.pdf", &[]),
    ];
    for (name, spaces) in expected {
        let mut found = faults(&folder.join("combine").join(name));
        found.retain(|fault| fault.clause == "6.2.4.3");
        let mut named: Vec<_> = found
            .iter()
            .filter_map(|fault| fault.text.split(' ').next())
            .collect();
        named.dedup();
        assert_eq!(named, spaces, "{name}");
        assert!(
            found
                .iter()
                .all(|fault| fault.repair == Some(Repair::OutputIntent)),
            "{name}"
        );
    }
}
