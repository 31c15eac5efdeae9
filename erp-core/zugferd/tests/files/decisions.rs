//! What `DECISIONS.md` says of invoice PDFs, each with a file that shows it.

#[cfg(test)]
mod tests {
    use erp_zugferd::{
        CombineOptions, Combined, Error, ExtractOptions, Extracted, Limits, PdfError, PdfLimits,
        PdfaOutcome, Standard, Step, combine, extract,
    };
    use std::path::Path;

    const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/zugferd");

    #[expect(
        clippy::disallowed_methods,
        reason = "the core reads no files, this test does"
    )]
    fn file(path: impl AsRef<Path>) -> Vec<u8> {
        std::fs::read(path).unwrap()
    }

    fn pdf(name: &str) -> Vec<u8> {
        file(format!("{FIXTURES}/{name}.pdf"))
    }

    fn xml(name: &str) -> Vec<u8> {
        file(format!("{FIXTURES}/xml/{name}.xml"))
    }

    fn combined(pdf: &[u8], xml: &[u8]) -> Combined {
        combine(pdf, xml, &CombineOptions::default()).unwrap()
    }

    fn extracted(pdf: &[u8]) -> Extracted {
        extract(pdf, &ExtractOptions::default()).unwrap()
    }

    fn with_basic(pdf: &[u8]) -> Combined {
        combined(pdf, &xml("facturx-basic"))
    }

    /// Part and level of the claim in the metadata.
    fn claim(pdf: &[u8]) -> Option<(String, String)> {
        let claim = extracted(pdf).conformance.unwrap().pdfa?;
        Some((claim.part.unwrap(), claim.conformance.unwrap()))
    }

    /// The file with other bytes of the same length at the first place where `from` stands.
    fn changed(mut pdf: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let at = pdf
            .windows(from.len())
            .position(|part| part == from.as_bytes())
            .unwrap();
        pdf[at..at + to.len()].copy_from_slice(to.as_bytes());
        pdf
    }

    /// A PDF with these files attached, found by looking for its objects: it has no cross-reference.
    fn attaching(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut out = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R/AF[".to_vec();
        for place in 0..files.len() {
            out.extend_from_slice(format!("{} 0 R ", 10 + place * 2).as_bytes());
        }
        out.extend_from_slice(
            b"]>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n",
        );
        out.extend_from_slice(b"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>\nendobj\n");
        for (place, (name, bytes)) in files.iter().enumerate() {
            let (spec, stream) = (10 + place * 2, 11 + place * 2);
            let head = format!(
                "{spec} 0 obj\n<</Type/Filespec/F({name})/UF({name})/EF<</F {stream} 0 R>>>>\nendobj\n\
                 {stream} 0 obj\n<</Type/EmbeddedFile/Length {}>>\nstream\n",
                bytes.len()
            );
            out.extend_from_slice(head.as_bytes());
            out.extend_from_slice(bytes);
            out.extend_from_slice(b"\nendstream\nendobj\n");
        }
        out.extend_from_slice(b"trailer\n<</Root 1 0 R>>\n%%EOF\n");
        out
    }

    /// Metadata with these properties.
    fn packet(properties: &str) -> String {
        format!(
            "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \
             xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' \
             xmlns:dc='http://purl.org/dc/elements/1.1/' \
             xmlns:fx='urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#'>{properties}\
             </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>"
        )
    }

    /// As [`attaching`], with metadata that name a file.
    fn naming(files: &[(&str, Vec<u8>)], name: &str) -> Vec<u8> {
        let name = format!("<fx:DocumentFileName>{name}</fx:DocumentFileName>");
        described(files, "", &packet(&name))
    }

    /// As [`attaching`], with these metadata.
    fn described(files: &[(&str, Vec<u8>)], filter: &str, packet: &str) -> Vec<u8> {
        let stream = format!(
            "5 0 obj\n<</Type/Metadata/Subtype/XML{filter}/Length {}>>\nstream\n{packet}\nendstream\nendobj\ntrailer",
            packet.len()
        );
        let plain = attaching(files);
        let text = [
            ("/Catalog", "/Catalog/Metadata 5 0 R"),
            ("trailer", &stream),
        ];
        text.iter().fold(plain, |pdf, (from, to)| {
            let at = pdf
                .windows(from.len())
                .rposition(|part| part == from.as_bytes());
            let at = at.unwrap();
            [&pdf[..at], to.as_bytes(), &pdf[at + from.len()..]].concat()
        })
    }

    // rule: R-ZUG-22, R-ZUG-37
    #[test]
    fn the_metadata_choose_among_invoices_then_the_newest_standard_then_the_order() {
        let files = |one: &str, other: &str| [("one.xml", xml(one)), ("other.xml", xml(other))];
        let best = |pdf: &[u8]| {
            let found = extracted(pdf);
            assert_eq!(found.others.len(), 1);
            found.file_name
        };
        let two = files("zugferd-1.0-comfort", "facturx-en16931");
        assert_eq!(best(&naming(&two, "one.xml")), "one.xml");
        assert_eq!(best(&naming(&two, "OTHER.XML")), "other.xml");
        assert_eq!(best(&naming(&two, "third.xml")), "other.xml");
        // The newest standard, whatever the guideline is called.
        for (one, other, wanted) in [
            ("zugferd-1.0-comfort", "facturx-en16931", "other.xml"),
            ("facturx-basic-colon", "zugferd-1.0-comfort", "one.xml"),
            ("zugferd-1.0-comfort", "facturx-basic-colon", "other.xml"),
            ("zugferd-rc-comfort", "zugferd-1.0-comfort", "other.xml"),
            ("zugferd-rc-comfort", "facturx-basic-colon", "other.xml"),
            ("facturx-basic", "facturx-en16931", "one.xml"),
        ] {
            let pdf = attaching(&files(one, other));
            assert_eq!(best(&pdf), wanted, "{one}, {other}");
            let mut names: Vec<String> = extracted(&pdf).file_names().map(str::to_owned).collect();
            assert_eq!(names[0], wanted);
            names.sort();
            assert_eq!(names, ["one.xml", "other.xml"]);
        }
        let chosen = |name: &str| {
            let options = ExtractOptions {
                file_name: Some(name.to_owned()),
                ..ExtractOptions::default()
            };
            extract(&attaching(&two), &options)
        };
        assert_eq!(chosen("one.xml").unwrap().xml, xml("zugferd-1.0-comfort"));
        assert_eq!(chosen("other.xml").unwrap().xml, xml("facturx-en16931"));
        let error = chosen("third.xml").unwrap_err();
        assert!(matches!(error, Error::NoSuchInvoice { .. }), "{error}");
    }

    // rule: R-ZUG-36
    #[test]
    fn what_is_not_well_formed_is_refused_and_still_handed_out() {
        let whole = String::from_utf8(xml("facturx-basic")).unwrap();
        let cut = whole.trim_end().strip_suffix('>').unwrap().as_bytes();
        let error = combine(&pdf("a3b"), cut, &CombineOptions::default()).unwrap_err();
        let Error::NotWellFormed(fault) = &error else {
            panic!("{error}");
        };
        let lines = whole.trim_end().lines().count();
        assert_eq!(fault.line, lines, "{error}");
        let found = extracted(&attaching(&[("factur-x.xml", cut.to_vec())]));
        assert_eq!(
            (found.xml.as_slice(), found.fault),
            (cut, Some(fault.clone()))
        );
        assert_eq!(
            extracted(&attaching(&[("a.xml", whole.into_bytes())])).fault,
            None
        );
    }

    // rule: R-ZUG-36
    #[test]
    fn an_encoding_that_is_not_known_keeps_no_invoice_inside() {
        let plain = String::from_utf8(xml("facturx-basic")).unwrap();
        let rest = plain.split_once("?>").unwrap().1;
        let odd = format!("<?xml version=\"1.0\" encoding=\"UTF-8-w/o-BOM\"?>{rest}");
        let found = extracted(&attaching(&[("any.xml", odd.clone().into_bytes())]));
        assert_eq!(found.xml, odd.as_bytes());
        assert_eq!(
            found.profile.unwrap().guideline,
            "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic"
        );
        assert!(found.fault.is_some());
        let error = combine(&pdf("a3b"), odd.as_bytes(), &CombineOptions::default()).unwrap_err();
        assert!(matches!(error, Error::NotWellFormed(_)), "{error}");
    }

    #[test]
    fn the_highest_number_of_an_object_is_no_object() {
        let mut file = attaching(&[("factur-x.xml", xml("facturx-basic"))]);
        let trailer = file.windows(7).position(|part| part == b"trailer").unwrap();
        let object = b"4294967295 0 obj\n<</A 1>>\nendobj\n";
        file.splice(trailer..trailer, *object);
        assert_eq!(extracted(&file).file_name, "factur-x.xml");
        let made = with_basic(&file);
        assert_eq!(extracted(&made.pdf).others, []);
    }

    // rule: R-ZUG-22
    #[test]
    fn what_bears_a_standard_name_is_handed_out_whatever_it_is() {
        let found = extracted(&pdf("no-ubl-attachment"));
        assert_eq!(found.file_name, "factur-x.xml");
        assert_eq!(found.profile, None);
        assert_eq!(found.xml, xml("no-ubl-invoice"));
        // Under another name it is a file like all others, and an empty one is none.
        let other = attaching(&[("order.xml", xml("no-ubl-invoice"))]);
        for file in [other, pdf("no-empty-attachment")] {
            let error = extract(&file, &ExtractOptions::default()).unwrap_err();
            assert!(matches!(error, Error::NoInvoice { .. }), "{error}");
        }
    }

    // rule: R-ZUG-35
    // clause: 6.7
    #[test]
    fn the_level_stays_with_faults_of_the_frame_and_falls_to_b_with_others() {
        let level = |pdf: &[u8]| {
            let made = with_basic(pdf);
            (made.pdfa.word(), claim(&made.pdf).unwrap())
        };
        let of = |level: &str| ("3".to_owned(), level.to_owned());
        let whole = pdf("a3a-rich");
        assert_eq!(level(&whole), ("kept", of("A")));
        let framed = [whole.as_slice(), b"\n\n"].concat();
        assert_eq!(level(&framed), ("lifted", of("A")));
        // The link is not printed any more.
        let link = changed(whole, "172 670] /F 4", "172 670] /F 0");
        assert_eq!(level(&link), ("lifted", of("B")));
    }

    // rule: R-ZUG-35
    // clause: 6.2.11.7, 6.7
    #[test]
    fn a_level_that_does_not_hold_is_lowered_and_said() {
        let lowered = |name: &str, from: &str, to: &str| {
            let made = with_basic(&changed(pdf(name), from, to));
            let step = made.steps.iter().find_map(|step| match step {
                Step::Lowered { to, reason, .. } => Some((*to, reason.clone())),
                _ => None,
            });
            (made.pdfa.word(), claim(&made.pdf).unwrap().1, step)
        };
        for (from, to, reason) in [
            (
                "/Marked true",
                "/Marked null",
                "the document is not marked as tagged",
            ),
            (
                "/StructTreeRoot",
                "/StructTreeRoox",
                "the document has no structure tree",
            ),
            (
                "/S /P",
                "/S /Q",
                "the tag `Q` is mapped to no standard type",
            ),
        ] {
            let (word, level, step) = lowered("a3a-rich", from, to);
            assert_eq!((word, level.as_str()), ("kept", "U"), "{from}");
            assert_eq!(step, Some(("U", reason.to_owned())), "{from}");
        }
        let whole = with_basic(&pdf("a2u-cid"));
        assert_eq!(claim(&whole.pdf).unwrap().1, "U");
        let (word, level, step) = lowered("a2u-cid", "/ToUnicode", "/ToUnicodx");
        assert_eq!((word, level.as_str()), ("upgraded", "B"));
        assert!(
            step.unwrap()
                .1
                .ends_with("shows text without Unicode characters")
        );
    }

    // rule: R-ZUG-13
    // clause: 6.1.9
    #[test]
    fn whatever_stands_before_endobj_ends_its_line() {
        let number = changed(pdf("odd-length-indirect"), "942\nendobj", "942 endobj");
        let dictionary = changed(pdf("a3b"), ">>\nendobj", ">> endobj");
        for file in [number, dictionary] {
            let made = with_basic(&file);
            assert_eq!((made.pdfa.word(), made.kept_bytes), ("lifted", 0));
            let repaired =
                |step: &Step| matches!(step, Step::Repaired(why) if why.clause == "6.1.9");
            assert!(made.steps.iter().any(repaired), "{:?}", made.steps);
        }
    }

    // rule: R-ZUG-14
    #[test]
    fn a_large_file_without_a_claim_is_not_looked_through() {
        let limits = Limits {
            repaired_objects: 3,
            ..Limits::DEFAULT
        };
        let options = CombineOptions {
            limits,
            ..CombineOptions::default()
        };
        let made = |name| combine(&pdf(name), &xml("facturx-basic"), &options).unwrap();
        let plain = made("plain-nothing-but-fonts");
        let reasons: Vec<&str> = plain.pdfa.reasons().iter().map(|why| &*why.text).collect();
        assert_eq!(
            reasons,
            ["it has more than 3 objects and made no claim before; it was not looked through"]
        );
        assert!(claim(&plain.pdf).is_none());
        assert_eq!(made("a3b").pdfa, PdfaOutcome::Kept);
        assert_eq!(Limits::DEFAULT.repaired_objects, 100_000);
    }

    // rule: R-ZUG-12
    // clause: 6.6.4
    #[test]
    fn a_claim_of_pdf_a_4_becomes_one_of_3() {
        let four = changed(pdf("a3b"), "<pdfaid:part>3", "<pdfaid:part>4");
        let made = with_basic(&four);
        assert_eq!(made.pdfa, PdfaOutcome::Repaired);
        assert_eq!(claim(&made.pdf), Some(("3".to_owned(), "B".to_owned())));
    }

    // rule: R-ZUG-33
    // clause: 6.6.2.1
    #[test]
    fn metadata_nobody_can_read_are_replaced() {
        let broken = changed(pdf("a3b"), "</rdf:RDF>", "</rdf:RDX>");
        let made = with_basic(&broken);
        assert_eq!(made.pdfa, PdfaOutcome::Repaired);
        assert_eq!(claim(&made.pdf), Some(("3".to_owned(), "B".to_owned())));
        assert!(made.pdf.starts_with(&broken));
    }

    // rule: R-ZUG-28
    #[test]
    fn zugferd_2_0_has_the_version_of_its_samples() {
        let made = combined(&pdf("a3b"), &xml("zugferd-2.0-basic"));
        let facts = extracted(&made.pdf).conformance.unwrap();
        let [invoice] = facts.invoices.as_slice() else {
            panic!("one invoice in the metadata");
        };
        assert_eq!(invoice.standard, Standard::Zugferd2);
        assert_eq!(invoice.version.as_deref(), Some("1.0"));
        assert_eq!(
            invoice.namespace,
            "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#"
        );
    }

    // rule: R-ZUG-16
    // clause: 6.1.3
    #[test]
    fn a_signed_file_is_never_rewritten_for_a_claim() {
        let signed = [pdf("a3b-signed").as_slice(), b"\n\n"].concat();
        let made = with_basic(&signed);
        assert_eq!(made.kept_bytes, signed.len());
        assert!(made.pdf.starts_with(&signed));
        let clauses: Vec<&str> = made.pdfa.reasons().iter().map(|why| why.clause).collect();
        assert!(clauses.contains(&"6.1.3"), "{:?}", made.pdfa);
        assert!(claim(&made.pdf).is_none());
        assert!(made.steps.contains(&Step::Signed));
    }

    fn decrypted(pdf: &[u8]) -> Combined {
        let options = CombineOptions {
            decrypt: true,
            ..CombineOptions::default()
        };
        combine(pdf, &xml("facturx-basic"), &options).unwrap()
    }

    // rule: R-ZUG-20
    #[test]
    fn what_an_encrypted_file_loses_is_said_and_keeps_it_from_a_claim() {
        let whole = decrypted(&pdf("enc-rc4-owner-only"));
        assert_eq!((&whole.pdfa, whole.kept_bytes), (&PdfaOutcome::Repaired, 0));
        assert!(whole.steps.contains(&Step::Decrypted));
        let broken = changed(pdf("enc-rc4-owner-only"), "10 0 obj", "10 0 obx");
        let made = decrypted(&broken);
        let lost = Step::Rewritten { lost: vec![10] };
        assert!(made.steps.contains(&lost), "{:?}", made.steps);
        let reasons = made.pdfa.reasons().iter();
        let said = |text: &str| text == "1 of its objects cannot be read";
        assert!(
            reasons.clone().any(|why| said(&why.text)),
            "{:?}",
            made.pdfa
        );
    }

    // rule: R-ZUG-20
    #[test]
    fn the_bytes_of_an_encrypted_file_that_is_signed_are_not_kept_and_not_said_to_be() {
        let signed = changed(
            pdf("enc-rc4-owner-only"),
            "/OutputIntents",
            "/Perms        ",
        );
        let made = decrypted(&signed);
        assert!(made.steps.contains(&Step::Decrypted));
        assert!(!made.steps.contains(&Step::Signed), "{:?}", made.steps);
        assert_eq!(made.kept_bytes, 0);
    }

    // rule: R-ZUG-33
    #[test]
    fn metadata_beyond_the_limits_are_not_taken_for_missing_ones() {
        let mut limits = Limits::DEFAULT;
        limits.xmp_bytes = 100;
        let options = CombineOptions {
            limits,
            ..CombineOptions::default()
        };
        let error = combine(&pdf("a3b"), &xml("facturx-basic"), &options).unwrap_err();
        assert!(
            matches!(error, Error::Pdf(PdfError::TooLarge { .. })),
            "{error}"
        );
        let options = ExtractOptions {
            limits,
            ..ExtractOptions::default()
        };
        let found = extract(&pdf("hybrid-facturx-basic"), &options).unwrap();
        assert_eq!(found.xml, xml("facturx-basic"));
    }

    // rule: R-ZUG-18, R-ZUG-38
    #[test]
    fn many_small_attachments_leave_room_for_the_metadata() {
        let mut limits = Limits::DEFAULT;
        limits.pdf.total_bytes = 1 << 20;
        let names: Vec<String> = (0..100).map(|number| format!("{number}.txt")).collect();
        let files: Vec<(&str, Vec<u8>)> = names
            .iter()
            .map(|name| (name.as_str(), b"hello".to_vec()))
            .collect();
        let packet = packet("<dc:title><rdf:Alt><rdf:li>Kept</rdf:li></rdf:Alt></dc:title>");
        let packed: String = packet.bytes().map(|byte| format!("{byte:02x}")).collect();
        let attached = described(&files, "/Filter/ASCIIHexDecode", &packed);
        let options = CombineOptions {
            limits,
            ..CombineOptions::default()
        };
        let made = combine(&attached, &xml("facturx-basic"), &options).unwrap();
        let kept = made.pdf.windows(4).any(|part| part == b"Kept");
        assert!(kept, "the title of the metadata");
    }

    // clause: 6.1.13
    #[test]
    fn more_objects_than_the_limit_are_never_claimed() {
        let mut limits = Limits::DEFAULT;
        limits.pdf.objects = 5;
        let options = CombineOptions {
            limits,
            ..CombineOptions::default()
        };
        match combine(&pdf("a3b"), &xml("facturx-basic"), &options) {
            Ok(made) => assert!(!made.pdfa.reasons().is_empty() && claim(&made.pdf).is_none()),
            Err(error) => assert!(
                matches!(error, Error::Pdf(PdfError::TooLarge { .. })),
                "{error}"
            ),
        }
        // What a PDF/A may have is more than what is read.
        const { assert!(PdfLimits::DEFAULT.objects < 8_388_607) };
    }
}
