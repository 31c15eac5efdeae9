//! Clauses of PDF/A-3b on whole files, where the checks beside the code look at less.

#[cfg(test)]
mod tests {
    use erp_core::pdf::Limits;
    use erp_core::pdfa::check;

    #[expect(
        clippy::disallowed_methods,
        reason = "the core reads no files, this test does"
    )]
    fn fixture(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/zugferd");
        std::fs::read(format!("{folder}/{name}.pdf")).unwrap()
    }

    /// The clauses that the file breaks without a cure.
    fn clauses(pdf: &[u8]) -> Vec<&'static str> {
        let faults = check(pdf, &Limits::DEFAULT).unwrap();
        let incurable = faults.iter().filter(|fault| fault.cure.is_none());
        incurable.map(|fault| fault.clause).collect()
    }

    /// A file of these objects; the first is the catalog. It has no cross-reference.
    fn loose(objects: &[&str]) -> Vec<u8> {
        let mut text = "%PDF-1.7\n".to_owned();
        for (place, object) in objects.iter().enumerate() {
            text.push_str(&format!("{} 0 obj\n{object}\nendobj\n", place + 1));
        }
        text.push_str("trailer\n<</Root 1 0 R>>\n%%EOF\n");
        text.into_bytes()
    }

    const PAGES: &str = "<</Type/Pages/Kids[3 0 R]/Count 1>>";

    #[test]
    fn a_certifying_signature_has_no_digests_of_its_own() {
        let with = |reference: &str| {
            clauses(&loose(&[
                "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>/Perms<</DocMDP 5 0 R>>>>",
                PAGES,
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
                "<</FT/Sig/T(a)/V 5 0 R>>",
                &format!("<</Type/Sig/Reference[<<{reference}>>]>>"),
            ]))
        };
        assert!(!with("/TransformMethod/DocMDP").contains(&"6.1.12"));
        for name in ["DigestLocation", "DigestMethod", "DigestValue"] {
            assert!(with(&format!("/{name}(x)")).contains(&"6.1.12"), "{name}");
        }
    }

    #[test]
    fn a_signature_covers_all_but_its_own_value() {
        let whole = fixture("a3b-signed");
        assert_eq!(clauses(&whole), Vec::<&str>::new());
        let from = whole
            .windows(10)
            .position(|part| part == b"/ByteRange")
            .unwrap();
        let digit = whole[from..]
            .iter()
            .position(|byte| (b'1'..=b'9').contains(byte))
            .unwrap();
        let mut moved = whole;
        moved[from + digit] -= 1;
        assert_eq!(clauses(&moved), ["6.4.3"]);
    }

    #[test]
    fn more_faults_than_are_kept_are_one_more_fault() {
        let content: String = (0..400).map(|number| format!("op{number} ")).collect();
        let found = clauses(&loose(&[
            "<</Type/Catalog/Pages 2 0 R>>",
            PAGES,
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<<>>/Contents 4 0 R>>",
            &format!(
                "<</Length {}>>\nstream\n{content}\nendstream",
                content.len()
            ),
        ]));
        assert_eq!(found.last(), Some(&"6"));
        assert!(found.contains(&"6.2.2") && found.len() < 400);
    }
}
