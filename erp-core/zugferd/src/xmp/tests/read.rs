//! What is read from a packet.

use super::super::{TextEncoding, faults, read};
use super::{HEADER, claimed, container, packet, schema};
use crate::profile::Standard;

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
        let facts = read(text.as_bytes()).unwrap();
        let pdfa = facts.pdfa.unwrap();
        assert_eq!(
            (pdfa.part.as_deref(), pdfa.conformance.as_deref()),
            (Some("3"), Some("A"))
        );
        assert_eq!(pdfa.prefix, "pdfaid");
        let [invoice] = facts.invoices.as_slice() else {
            panic!("one invoice is expected");
        };
        assert_eq!(invoice.standard, Standard::FacturX);
        assert_eq!(
            (invoice.namespace.as_str(), invoice.prefix.as_str()),
            (FX, "q")
        );
        assert_eq!(invoice.document_type.as_deref(), Some("INVOICE"));
        assert_eq!(invoice.file_name.as_deref(), Some("factur-x.xml"));
        assert_eq!(invoice.version.as_deref(), Some("1.0"));
        assert_eq!(invoice.level.as_deref(), Some("EN 16931"));
    }
}

#[test]
fn amendments_schemas_and_the_header_are_read() {
    let schemas = container(&schema("urn:p", "own", "Text", ""));
    let text = claimed(&format!(
        "<pdfaid:amd>2005</pdfaid:amd><pdfaid:corr>c</pdfaid:corr><pdfaid:rev>r</pdfaid:rev>{schemas}"
    ))
    .replace(HEADER, "<?xpacket begin='' id='x' bytes='10' encoding='UTF-8'?>");
    let facts = read(text.as_bytes()).unwrap();
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
    let facts = read(packet("").as_bytes()).unwrap();
    assert_eq!(
        (facts.pdfa, facts.invoices, facts.schemas),
        (None, vec![], vec![])
    );
    assert!(read(b"").is_err());
    assert!(read(b"<rdf/>").is_err());
}

#[test]
fn utf_16_and_utf_32_are_read_and_seen() {
    let text = claimed("");
    let narrow = read(text.as_bytes()).unwrap();
    assert_eq!(narrow.encoding, TextEncoding::Utf8);
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = read(&wide).unwrap();
    assert_eq!(wide.encoding, TextEncoding::Utf16);
    assert_eq!(wide.pdfa, narrow.pdfa);
    let widest: Vec<u8> = text
        .chars()
        .flat_map(|letter| u32::from(letter).to_be_bytes())
        .collect();
    assert_eq!(read(&widest).unwrap().encoding, TextEncoding::Utf32);
}

#[test]
fn no_bytes_make_the_reader_fail_otherwise_than_in_words() {
    let text = claimed(&container(&schema("urn:p", "own", "Text", "")));
    for end in 0..text.len() {
        let cut = &text.as_bytes()[..end];
        let _ = read(cut);
        assert!(!faults(cut).is_empty());
    }
}
