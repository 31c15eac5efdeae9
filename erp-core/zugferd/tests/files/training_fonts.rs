//! Fonts of real files: those that veraPDF takes for PDF/A have no fault, and what it finds is found.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[cfg(test)]
mod tests {
    use erp_zugferd::PdfLimits;
    use erp_zugferd::pdfa::{PdfaFault, Repair, check};
    use std::path::{Path, PathBuf};

    const TRAINING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/zugferd");

    fn files(folder: &str) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(Path::new(TRAINING).join(folder)) else {
            eprintln!("skipped: there are no training files");
            return Vec::new();
        };
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut pdfs: Vec<_> = paths
            .filter(|path| path.extension().is_some_and(|ext| ext == "pdf"))
            .collect();
        pdfs.sort();
        pdfs
    }

    fn font_faults(path: &Path) -> Vec<PdfaFault> {
        let bytes = std::fs::read(path).unwrap();
        let Ok(found) = check(&bytes, &PdfLimits::DEFAULT) else {
            return Vec::new();
        };
        found
            .into_iter()
            .filter(|fault| fault.clause.starts_with("6.2.11"))
            .collect()
    }

    #[test]
    fn fonts_of_hybrids_have_no_fault() {
        for path in files("hybrid") {
            assert_eq!(font_faults(&path), [], "{}", path.display());
        }
    }

    #[test]
    fn fonts_of_other_files_have_the_faults_they_should() {
        let not_embedded = [
            "fpdf.pdf",
            "groff.pdf",
            "pdf-lib.pdf",
            "pdfkit.pdf",
            "tcpdf.pdf",
        ];
        for path in files("combine") {
            let name = path.file_name().unwrap().to_str().unwrap();
            // Strings and streams of an encrypted file are not what they seem.
            if name.contains("enc") {
                continue;
            }
            let found = font_faults(&path);
            if not_embedded.contains(&name) {
                assert!(
                    found
                        .iter()
                        .any(|fault| fault.text.ends_with("is not embedded")),
                    "{name}"
                );
                assert!(
                    found.iter().all(|fault| fault.clause == "6.2.11.4.1"),
                    "{name}: {found:?}"
                );
            } else if name == "weasyprint-pdf-a-1b.pdf" {
                // Complete by the rules of PDF/A-1 alone.
                assert!(
                    found.iter().all(|fault| fault.clause == "6.2.11.4.2"),
                    "{found:?}"
                );
                assert!(
                    found
                        .iter()
                        .all(|fault| matches!(fault.repair, Some(Repair::Edit(_)))),
                    "{found:?}"
                );
                assert_eq!(found.len(), 2);
            } else {
                assert_eq!(found, [], "{name}");
            }
        }
    }
}
