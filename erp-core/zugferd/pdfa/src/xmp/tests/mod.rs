//! Tests of packets as a whole.

mod check;
mod edit;
mod read;

use super::{PacketFacts, namespaces as ns};

/// What a packet says.
pub(super) fn facts(packet: &[u8]) -> PacketFacts {
    super::read(packet, |_| {}).unwrap()
}

/// What a packet says, with namespace, name and text of the properties of some namespaces.
pub(super) fn read(packet: &[u8], wanted: &[&str]) -> (PacketFacts, Vec<(String, String, String)>) {
    let mut found = Vec::new();
    let facts = super::read(packet, |property| {
        if wanted.contains(&property.namespace) {
            let text = property.text.unwrap().trim();
            let row = [property.namespace, property.name, text].map(str::to_owned);
            found.push(row.into());
        }
    });
    (facts.unwrap(), found)
}

pub(super) const HEADER: &str = "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>";

/// A packet around the descriptions, with the usual prefixes declared outside.
pub(super) fn packet(descriptions: &str) -> String {
    format!(
        "{HEADER}\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n <rdf:RDF xmlns:rdf=\"{}\" xmlns:dc=\"{}\" \
         xmlns:xmp=\"{}\" xmlns:pdf=\"{}\" xmlns:pdfaid=\"{}\">{descriptions}</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>",
        ns::RDF,
        ns::DC,
        ns::XMP,
        ns::PDF,
        ns::PDFA_ID,
    )
}

/// A packet of one description that also claims PDF/A-3B.
pub(super) fn claimed(properties: &str) -> String {
    packet(&format!(
        "<rdf:Description rdf:about=\"\"><pdfaid:part>3</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>{properties}</rdf:Description>"
    ))
}

/// A container of extension schemas with these items.
pub(super) fn container(items: &str) -> String {
    format!(
        "<pdfaExtension:schemas xmlns:pdfaExtension=\"{}\" xmlns:pdfaSchema=\"{}\" xmlns:pdfaProperty=\"{}\" \
         xmlns:pdfaType=\"{}\" xmlns:pdfaField=\"{}\"><rdf:Bag>{items}</rdf:Bag></pdfaExtension:schemas>",
        ns::EXTENSION,
        ns::SCHEMA,
        ns::PROPERTY,
        ns::TYPE,
        ns::FIELD,
    )
}

/// The item that describes one property of a namespace.
pub(super) fn schema(namespace: &str, name: &str, kind: &str, more: &str) -> String {
    format!(
        "<rdf:li rdf:parseType=\"Resource\"><pdfaSchema:schema>s</pdfaSchema:schema>\
         <pdfaSchema:namespaceURI>{namespace}</pdfaSchema:namespaceURI><pdfaSchema:prefix>p</pdfaSchema:prefix>\
         <pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType=\"Resource\"><pdfaProperty:name>{name}</pdfaProperty:name>\
         <pdfaProperty:valueType>{kind}</pdfaProperty:valueType><pdfaProperty:category>external</pdfaProperty:category>\
         <pdfaProperty:description>d</pdfaProperty:description></rdf:li></rdf:Seq></pdfaSchema:property>{more}</rdf:li>"
    )
}
