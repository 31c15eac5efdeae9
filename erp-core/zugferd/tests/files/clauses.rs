//! Clauses of PDF/A-3b on whole files, where the checks beside the code look at less.

#[cfg(test)]
mod tests {
    use erp_zugferd::PdfLimits;
    use erp_zugferd::pdfa::{Repair, check};
    use erp_zugferd::{CombineOptions, Combined, combine};

    #[expect(
        clippy::disallowed_methods,
        reason = "the core reads no files, this test does"
    )]
    fn fixture(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/zugferd");
        std::fs::read(format!("{folder}/{name}")).unwrap()
    }

    /// The clauses that the file breaks without a repair.
    fn clauses(pdf: &[u8]) -> Vec<&'static str> {
        let faults = check(pdf, &PdfLimits::DEFAULT).unwrap();
        let unrepairable = faults.iter().filter(|fault| fault.repair.is_none());
        unrepairable.map(|fault| fault.clause).collect()
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

    // clause: 6.1.12
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

    // clause: 6.4.3
    #[test]
    fn a_signature_covers_all_but_its_own_value() {
        let whole = fixture("a3b-signed.pdf");
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
    fn the_frame_of_unsigned_files_is_repaired_by_rewriting() {
        let repairs = |pdf: &[u8]| {
            let faults = check(pdf, &PdfLimits::DEFAULT).unwrap();
            let repairs = faults.into_iter().map(|fault| (fault.clause, fault.repair));
            repairs.collect::<Vec<_>>()
        };
        let rewrite = |clause| vec![(clause, Some(Repair::Rewrite))];
        let junk = repairs(&fixture("odd-leading-junk.pdf"));
        assert_eq!(junk, rewrite("6.1.2"));
        for name in ["odd-trailing-text.pdf", "odd-trailing-zeros.pdf"] {
            assert_eq!(repairs(&fixture(name)), rewrite("6.1.3"), "{name}");
        }
        // A rewritten file would not be what was signed.
        let signed = [fixture("a3b-signed.pdf").as_slice(), b"\0"].concat();
        assert!(repairs(&signed).contains(&("6.1.3", None)));
    }

    // clause: 6
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

    /// An empty page whose metadata are these.
    fn with_page_metadata(packet: &str) -> Combined {
        with_page_stream("/Type/Metadata/Subtype/XML", packet)
    }

    /// An empty page whose `/Metadata` is this stream.
    fn with_page_stream(members: &str, packet: &str) -> Combined {
        let pdf = loose(&[
            "<</Type/Catalog/Pages 2 0 R>>",
            PAGES,
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Metadata 4 0 R>>",
            &format!(
                "<<{members}/Length {}>>\nstream\n{packet}\nendstream",
                packet.len()
            ),
        ]);
        let xml = fixture("xml/facturx-basic.xml");
        combine(&pdf, &xml, &CombineOptions::default()).unwrap()
    }

    // clause: 6.6.2.1
    #[test]
    fn metadata_of_a_page_count_as_well() {
        let packet = |property: &str| {
            format!(
                "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>\
                 <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
                 <rdf:Description rdf:about='' xmlns:p='urn:p'>{property}</rdf:Description>\
                 </rdf:RDF></x:xmpmeta><?xpacket end='w'?>"
            )
        };
        assert_eq!(with_page_metadata(&packet("")).pdfa.word(), "lifted");
        // A text of an unknown schema is described, a structure is not.
        let described = with_page_metadata(&packet("<p:own>x</p:own>"));
        assert_eq!(described.pdfa.word(), "lifted");
        let text = String::from_utf8_lossy(&described.pdf).into_owned();
        assert!(text.contains("<pdfaProperty:name>own</pdfaProperty:name>"));
        for (wrong, clause) in [
            (packet("<p:own><rdf:Bag/></p:own>"), "6.6.2.3.1"),
            ("no XMP".to_owned(), "6.6.2.1"),
        ] {
            let made = with_page_metadata(&wrong);
            let [reason] = made.pdfa.reasons() else {
                panic!("one reason: {:?}", made.pdfa);
            };
            assert_eq!((reason.clause, reason.object), (clause, Some(4)));
        }
    }

    // clause: 6.6.2.1
    #[test]
    fn metadata_need_not_say_that_they_are() {
        for members in ["", "/Type/Metadata/Subtype/XML/Filter/DCTDecode"] {
            let made = with_page_stream(members, "abc");
            let [reason] = made.pdfa.reasons() else {
                panic!("one reason: {:?}", made.pdfa);
            };
            assert_eq!(reason.object, Some(4), "{reason}");
        }
    }
}
