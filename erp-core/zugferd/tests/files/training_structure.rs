//! The structure rules of PDF/A-3b against files whose verdict is known.
//!
//! Reads `shared/data/zugferd` next to the checkout; without it there is nothing to compare with, and the tests
//! say so.

#[cfg(test)]
mod tests {
    use erp_zugferd::PdfLimits;
    use erp_zugferd::pdfa::{PdfaFault, Repair, check};
    use std::path::PathBuf;

    const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/zugferd");

    fn data() -> Option<PathBuf> {
        let data = PathBuf::from(DATA);
        if data.is_dir() {
            return Some(data);
        }
        eprintln!("{DATA} is not there: nothing is compared");
        None
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the core reads no files, this test does"
    )]
    fn file(path: impl AsRef<std::path::Path>) -> Vec<u8> {
        std::fs::read(path).unwrap()
    }

    /// Whether the clause is one of those about structure.
    fn is_structure(clause: &str) -> bool {
        clause == "6.2.3" || !clause.starts_with("6.2.") && clause != "6.1.10"
    }

    fn faults(bytes: &[u8]) -> Vec<PdfaFault> {
        let faults = check(bytes, &PdfLimits::DEFAULT).unwrap();
        faults
            .into_iter()
            .filter(|fault| is_structure(fault.clause))
            .collect()
    }

    fn clauses(bytes: &[u8]) -> Vec<&'static str> {
        let mut clauses: Vec<_> = faults(bytes).iter().map(|fault| fault.clause).collect();
        clauses.dedup();
        clauses
    }

    fn shown(faults: &[PdfaFault]) -> Vec<String> {
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn hybrids_have_no_structure_fault() {
        let Some(data) = data() else { return };
        let mut count = 0;
        for entry in std::fs::read_dir(data.join("hybrid")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "pdf") {
                let found = shown(&faults(&file(&path)));
                // Whole numbers with `endobj` on their line, which 6.1.9 forbids and some validators accept.
                let joined = path.ends_with("sample_inofficial_20190125_atgp_factur-x_v_1_0.pdf");
                assert_eq!(joined, !found.is_empty(), "{}: {found:?}", path.display());
                assert!(
                    found.iter().all(|fault| fault.contains("6.1.9")),
                    "{found:?}"
                );
                count += 1;
            }
        }
        assert_eq!(count, 50);
    }

    #[test]
    fn files_that_pass_have_no_structure_fault() {
        let Some(data) = data() else { return };
        let table = std::fs::read_to_string(data.join("combine.tsv")).unwrap();
        let mut count = 0;
        for line in table.lines() {
            let cells: Vec<_> = line.split('\t').collect();
            if cells[4] == "PASS" {
                let found = faults(&file(data.join("combine").join(cells[0])));
                assert!(found.is_empty(), "{}: {:?}", cells[0], shown(&found));
                count += 1;
            }
        }
        assert_eq!(count, 6);
    }

    #[test]
    fn what_validators_find_is_found() {
        let Some(data) = data() else { return };
        let expected: [(&str, &[&str]); 15] = [
            ("a3-linearized.pdf", &["6.1.7.1"]),
            ("a3-objstm.pdf", &["6.1.7.1"]),
            ("bomb-2x.pdf", &["6.8"]),
            ("enc-aes256-owneronly.pdf", &["6.1.3"]),
            ("fpdf.pdf", &["6.1.2", "6.1.3"]),
            ("ghostscript-a2.pdf", &[]),
            ("ghostscript.pdf", &["6.1.9", "6.1.7.1"]),
            ("groff.pdf", &["6.1.3", "6.1.9", "6.1.7.1"]),
            ("hyb-leadingjunk.pdf", &["6.1.2"]),
            ("hyb-noAF.pdf", &["6.8"]),
            ("hyb-objstm.pdf", &["6.1.7.1"]),
            ("hyb-trailing-zeros.pdf", &["6.1.3"]),
            ("pypdf-blank.pdf", &["6.1.3"]),
            ("weasyprint-pdf-a-1b.pdf", &["6.1.3"]),
            ("weasyprint-pdf-a-2b.pdf", &["6.1.3"]),
        ];
        for (name, expected) in expected {
            let bytes = file(data.join("combine").join(name));
            assert_eq!(clauses(&bytes), expected, "{name}");
        }
    }

    #[test]
    fn a_signature_covers_its_revision() {
        let Some(data) = data() else { return };
        let signed = file(data.join("combine/a3-signed.pdf"));
        assert_eq!(clauses(&signed), [""; 0]);
        let text = b"/ByteRange [0 ";
        let at = signed
            .windows(text.len())
            .position(|part| part == text)
            .unwrap();
        let mut moved = signed.clone();
        let digit = &mut moved[at + text.len()];
        *digit = if *digit == b'1' { b'2' } else { b'1' };
        assert_eq!(clauses(&moved), ["6.4.3"]);
        let junk = faults(&[signed.as_slice(), b"\0"].concat());
        let frame = junk.iter().find(|fault| fault.clause == "6.1.3").unwrap();
        assert_eq!(
            frame.repair, None,
            "a rewritten file would not be what was signed"
        );
    }

    #[test]
    fn the_frame_of_unsigned_files_is_repaired_by_rewriting() {
        let Some(data) = data() else { return };
        for name in ["groff.pdf", "hyb-leadingjunk.pdf", "hyb-trailing-zeros.pdf"] {
            let found = faults(&file(data.join("combine").join(name)));
            let fixes = [Some(Repair::Rewrite), Some(Repair::FileId)];
            assert!(
                found.iter().all(|fault| fixes.contains(&fault.repair)),
                "{:?}",
                shown(&found)
            );
        }
    }
}
