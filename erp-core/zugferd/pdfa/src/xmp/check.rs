//! The checks of PDF/A-3 on a packet.

use erp_xml::{Attribute, Tree, XmlLimits};

use super::extension::Extension;
use super::fault::{FaultKind, XmpFault};
use super::packet::Packet;
use super::rdf::{Model, Property, Value};
use super::source::{TextEncoding, XmpSource};
use super::{namespaces as ns, predefined};

/// Everything in a packet that PDF/A-3 forbids (ISO 19005-3:2012, 6.6.2 and 6.6.4).
///
/// Empty when the packet, as the metadata of the document, is allowed in a PDF/A-3.
/// In doubt it is a fault: a false claim is worse than none.
pub fn faults(packet: &[u8]) -> Vec<XmpFault> {
    find_faults(packet).unwrap_or_else(|fault| vec![fault])
}

fn find_faults(packet: &[u8]) -> Result<Vec<XmpFault>, XmpFault> {
    let source = XmpSource::decode(packet)?;
    let mut faults = Vec::new();
    if source.encoding != TextEncoding::Utf8 {
        let what = "the XMP metadata is not in UTF-8";
        faults.push(XmpFault::new(FaultKind::Encoding, what));
    }
    if source.has_junk_before {
        let what = "something stands before the header of the XMP metadata";
        faults.push(XmpFault::new(FaultKind::Header, what));
    }
    let packet = Packet::parse(&source.text)?;
    let model = Model::read(&packet)?;
    check_wrapper(&packet, &mut faults);
    faults.extend(model.faults.iter().cloned());
    let extension = Extension::read(&model);
    faults.extend(extension.faults.iter().cloned());
    check_known(&model, &extension, &mut faults);
    for property in &model.properties {
        faults.extend(type_fault(property, &extension));
    }
    check_identification(&model, &mut faults);
    Ok(faults)
}

pub(super) fn header_attributes(content: &str) -> Option<Vec<(String, String)>> {
    let element = format!("<xpacket {content}/>");
    let tree = Tree::parse(&element, &XmlLimits::DEFAULT).ok()?;
    let pair = |attribute: Attribute<'_>| [attribute.local(), attribute.value()].map(str::to_owned);
    Some(tree.root().attributes().map(|a| pair(a).into()).collect())
}

/// Whether the header has the form of XMP and nothing that PDF/A forbids.
pub(super) fn is_good_header(content: &str) -> bool {
    let Some(attributes) = header_attributes(content) else {
        return false;
    };
    let is_good = |(name, value): &(String, String)| match name.as_str() {
        "begin" => matches!(value.as_str(), "" | "\u{feff}"),
        "id" => value == "W5M0MpCehiHzreSzNTczkc9d",
        _ => false,
    };
    attributes.len() == 2 && attributes.iter().all(is_good)
}

fn check_wrapper(packet: &Packet<'_>, faults: &mut Vec<XmpFault>) {
    let mut fault = |what: String| faults.push(XmpFault::new(FaultKind::Header, what));
    match packet.header_content() {
        None => fault("the XMP metadata has no `xpacket` header".to_owned()),
        Some(content) if !is_good_header(content) => {
            let attributes = header_attributes(content).unwrap_or_default();
            let names = attributes.iter().map(|(name, _)| name.as_str());
            let forbidden = names.filter(|name| matches!(*name, "bytes" | "encoding"));
            let mut forbidden = forbidden.peekable();
            if forbidden.peek().is_none() {
                fault("the `xpacket` header of the XMP metadata is broken".to_owned());
            }
            for name in forbidden {
                fault(format!("the `xpacket` header has the attribute `{name}`"));
            }
        }
        Some(_) => {}
    }
    if packet.declarations.iter().any(|place| place.start > 0) {
        let what = "an XML declaration is not at its start";
        faults.push(XmpFault::not_well_formed(what));
    }
    let trailer = packet.tail().trim().replace('\'', "\"");
    let known = ["<?xpacket end=\"w\"?>", "<?xpacket end=\"r\"?>"];
    if !known.contains(&&*trailer) {
        let what = "the XMP metadata does not end with an `xpacket` trailer";
        faults.push(XmpFault::new(FaultKind::Header, what));
    }
}

fn check_known(model: &Model<'_>, extension: &Extension<'_>, faults: &mut Vec<XmpFault>) {
    for (_, property) in extension.unknown(model) {
        let name = property.name.qualified();
        let namespace = property.name.namespace;
        let form = match property.value {
            Value::Text(_) => "",
            _ => "structured ",
        };
        let what = format!(
            "the {form}property `{name}` of the namespace `{namespace}` is described by no extension schema"
        );
        faults.push(XmpFault::new(FaultKind::UnknownProperty, what));
    }
}

fn type_fault(property: &Property<'_>, extension: &Extension<'_>) -> Option<XmpFault> {
    let (namespace, local) = (property.name.namespace, property.name.local);
    let wanted = predefined::property_type(namespace, local)
        .or_else(|| extension.property_type(namespace, local))?;
    if extension.types.matches(&property.value, wanted) {
        return None;
    }
    let name = property.name.qualified();
    let found = match &property.value {
        Value::Text(text) => format!(": `{}`", text.chars().take(80).collect::<String>()),
        Value::Foreign(what) => format!(": it has {what}"),
        Value::Array(..) => ": it is an array".to_owned(),
        Value::Structure(_) => ": it is a structure".to_owned(),
    };
    let wanted = wanted.trim_start_matches('=');
    let what = format!("the property `{name}` is not of the type `{wanted}`{found}");
    Some(XmpFault::new(FaultKind::ValueType, what))
}

fn check_identification(model: &Model<'_>, faults: &mut Vec<XmpFault>) {
    let mut fault = |what: String| faults.push(XmpFault::new(FaultKind::Identification, what));
    match model.claimed("part") {
        Some("3") => {}
        Some(part) => fault(format!(
            "the PDF/A identification names part `{part}`, not 3"
        )),
        None => fault("the PDF/A identification is missing".to_owned()),
    }
    match model.claimed("conformance") {
        Some("A" | "B" | "U") => {}
        Some(level) => fault(format!(
            "the PDF/A identification names the conformance `{level}`, none of A, B and U"
        )),
        None => fault("the PDF/A identification names no conformance".to_owned()),
    }
    let names = model.properties.iter().map(|property| property.name);
    for name in names.filter(|name| name.namespace == ns::PDFA_ID && name.prefix != "pdfaid") {
        let name = name.qualified();
        fault(format!(
            "`{name}` of the PDF/A identification has not the prefix `pdfaid`"
        ));
    }
}
