//! Files that were once judged wrongly, where they are there.

#![expect(clippy::disallowed_methods, reason = "tests read files")]

#[cfg(test)]
mod tests {
    use erp_zugferd::{CombineOptions, Error, combine};

    const CASES: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/zugferd/cases"
    );
    const XML: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/fixtures/zugferd/xml/facturx-en16931.xml"
    );

    /// Clauses against a claim, or `made` where there are none.
    fn outcome(pdf: &[u8]) -> Vec<String> {
        let options = CombineOptions {
            decrypt: true,
            ..CombineOptions::default()
        };
        match combine(pdf, &std::fs::read(XML).unwrap(), &options) {
            Ok(made) if made.pdfa.reasons().is_empty() => vec!["made".to_owned()],
            Ok(made) => {
                let reasons = made.pdfa.reasons().iter();
                reasons.map(|reason| reason.clause.to_owned()).collect()
            }
            Err(error @ Error::Pdf(_)) => vec![error.to_string()],
            Err(error) => panic!("{error}"),
        }
    }

    // clause: 6.1.13
    #[test]
    fn no_claim_is_false() {
        let wanted = [
            ("0031-veraPDF_test_suite_6-1-12-t10-fail-b", "6.1.13"),
            ("0584-veraPDF_test_suite_6-1-13-t08-fail-b", "6.1.13"),
            ("1589-TWG_test_suite_A007-pdfa2-fail-b", "6.1.13"),
            // The fonts get what their glyphs name.
            ("0745-veraPDF_test_suite_6-2-2-t04-fail-d", "made"),
            ("1575-TWG_test_suite_A002-pdfa2-fail-b", "made"),
            ("damaged-024-00053-refs-kept", "6.1.1"),
            // The generation of the catalog.
            ("damaged-032-00093-huge-kept", "made"),
            ("damaged-039-00101-names-lifted", "6.1.1"),
            ("damaged-040-00073-dup-lifted", "6.2.11.4.1"),
            ("damaged-041-00033-names-lifted", "made"),
            ("damaged-041-00165-noise-lifted", "6.2.11.4.1"),
            ("damaged-052-00145-cut-end-lifted", "6.2.2"),
            ("damaged-065-00093-noise-lifted", "6.2.11.4.1"),
            // The font keeps its program.
            ("metadata-is-font-descriptor", "made"),
        ];
        let mut wrong = Vec::new();
        for (name, clause) in wanted {
            let Ok(pdf) = std::fs::read(format!("{CASES}/{name}.pdf")) else {
                eprintln!("skipped: there are no cases");
                return;
            };
            let found = outcome(&pdf);
            if !found.iter().any(|reason| reason == clause) {
                wrong.push(format!("{name}: {found:?}, wanted {clause}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
