//! What is read from a packet.

use super::super::{TextEncoding, faults, read as read_packet};
use super::{HEADER, claimed, container, facts, packet, read, schema};

const FX: &str = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#";

#[test]
fn elements_and_attributes_say_the_same() {
    let elements = packet(&format!(
        "<rdf:Description rdf:about=''><q:DocumentType xmlns:q='{FX}'>INVOICE</q:DocumentType>\
         <q:DocumentFileName xmlns:q='{FX}'> factur-x.xml </q:DocumentFileName><q:Version xmlns:q='{FX}'>1.0</q:Version>\
         <q:ConformanceLevel xmlns:q='{FX}'>EN <![CDATA[16931]]></q:ConformanceLevel></rdf:Description>\
         <rdf:Description rdf:about=''><pdfaid:part>3</pdfaid:part><pdfaid:conformance>A</pdfaid:conformance></rdf:Description>"
    ));
    let attributes = packet(&format!(
        "<rdf:Description rdf:about='' pdfaid:part='3' pdfaid:conformance='A'/><rdf:Description xmlns:q='{FX}' rdf:about='' \
         q:ConformanceLevel='EN 16931' q:DocumentFileName='factur-x.xml' q:DocumentType='INVOICE' q:Version='1.0'/>"
    ));
    for text in [elements, attributes] {
        let (facts, mut found) = read(text.as_bytes(), &[FX]);
        let pdfa = facts.pdfa.unwrap();
        assert_eq!(
            (pdfa.part.as_deref(), pdfa.conformance.as_deref()),
            (Some("3"), Some("A"))
        );
        assert_eq!(pdfa.prefix, "pdfaid");
        found.sort_unstable();
        let found = found
            .iter()
            .map(|(_, name, text)| [name.as_str(), text.as_str()]);
        let wanted = [
            ["ConformanceLevel", "EN 16931"],
            ["DocumentFileName", "factur-x.xml"],
            ["DocumentType", "INVOICE"],
            ["Version", "1.0"],
        ];
        assert_eq!(found.collect::<Vec<_>>(), wanted);
    }
}

#[test]
fn amendments_schemas_and_the_header_are_read() {
    let schemas = container(&schema("urn:p", "own", "Text", ""));
    let text = claimed(&format!(
        "<pdfaid:amd>2005</pdfaid:amd><pdfaid:corr>c</pdfaid:corr><pdfaid:rev>r</pdfaid:rev>{schemas}"
    ))
    .replace(HEADER, "<?xpacket begin='' id='x' bytes='10' encoding='UTF-8'?>");
    let facts = facts(text.as_bytes());
    let header = facts.header.unwrap();
    assert_eq!(
        (header.bytes.as_deref(), header.encoding.as_deref()),
        (Some("10"), Some("UTF-8"))
    );
    let pdfa = facts.pdfa.unwrap();
    assert_eq!(
        (
            pdfa.amd.as_deref(),
            pdfa.corr.as_deref(),
            pdfa.rev.as_deref()
        ),
        (Some("2005"), Some("c"), Some("r"))
    );
    assert_eq!(facts.schemas.len(), 1);
    assert_eq!(facts.schemas[0].namespace, "urn:p");
    assert_eq!(facts.schemas[0].properties, ["own"]);
}

#[test]
fn a_packet_that_says_nothing_has_no_facts() {
    let facts = facts(packet("").as_bytes());
    assert_eq!((facts.pdfa, facts.schemas), (None, vec![]));
    assert!(read_packet(b"", |_| {}).is_err());
    assert!(read_packet(b"<rdf/>", |_| {}).is_err());
}

#[test]
fn utf_16_and_utf_32_are_read_and_seen() {
    let text = claimed("");
    let narrow = facts(text.as_bytes());
    assert_eq!(narrow.encoding, TextEncoding::Utf8);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = facts(&wide);
    assert_eq!(wide.encoding, TextEncoding::Utf16);
    assert_eq!(wide.pdfa, narrow.pdfa);
    let widest: Vec<u8> = text
        .chars()
        .flat_map(|letter| u32::from(letter).to_be_bytes())
        .collect();
    assert_eq!(facts(&widest).encoding, TextEncoding::Utf32);
}

#[test]
fn no_bytes_make_the_reader_fail_otherwise_than_in_words() {
    let text = claimed(&container(&schema("urn:p", "own", "Text", "")));
    for end in 0..text.len() {
        let cut = &text.as_bytes()[..end];
        let _ = read_packet(cut, |_| {});
        assert!(!faults(cut).is_empty());
    }
}
