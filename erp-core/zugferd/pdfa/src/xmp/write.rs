//! The texts that are written into a packet.

use std::fmt::Write as _;

use erp_xml::Element;
pub(super) use erp_xml::text::escape;

use super::changes::{ExtensionSchema, Info, OwnSchema, SchemaProperty};
use super::packet::binding;
use super::{lexical, namespaces as ns};

pub(super) const HEADER: &str = "<?xpacket begin=\"\u{feff}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>";
pub(super) const TRAILER: &str = "<?xpacket end=\"w\"?>";
// Room for changes in place.
const PADDING_LINES: usize = 10;
const PADDING_COLUMNS: usize = 99;

/// The prefixes and namespaces that describe extension schemas.
pub(super) const SCHEMA_PREFIXES: [(&str, &str); 3] = [
    ("pdfaExtension", ns::EXTENSION),
    ("pdfaSchema", ns::SCHEMA),
    ("pdfaProperty", ns::PROPERTY),
];

/// White space so that others can edit the packet in place, as XMP recommends.
pub(super) fn padding() -> String {
    format!("{}\n", " ".repeat(PADDING_COLUMNS)).repeat(PADDING_LINES)
}

/// Declarations of the prefixes that do not mean their namespace inside the element already.
pub(super) fn declare(at: Element<'_>, prefixes: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (prefix, uri) in prefixes {
        if binding(at, prefix) != Some(*uri) {
            let _ = write!(text, " xmlns:{prefix}=\"{}\"", escape(uri));
        }
    }
    text
}

/// An `rdf:Description` with these lines as its content.
pub(super) fn description(declarations: &str, subject: &str, content: &str) -> String {
    let subject = escape(subject);
    format!(
        "\n<rdf:Description rdf:about=\"{subject}\"{declarations}>\n{content}</rdf:Description>"
    )
}

pub(super) fn line(prefix: &str, name: &str, text: &str) -> String {
    format!("<{prefix}:{name}>{}</{prefix}:{name}>\n", escape(text))
}

pub(super) fn own_lines(own: &OwnSchema) -> String {
    let lines = own.schema.properties.iter().zip(&own.values);
    let lines = lines.map(|(property, value)| line(&own.schema.prefix, &property.name, value));
    lines.collect()
}

pub(super) fn schema_item(declarations: &str, schema: &ExtensionSchema) -> String {
    let properties = schema.properties.iter();
    let properties: String = properties
        .map(|property| property_item("", property))
        .collect();
    format!(
        "\n<rdf:li rdf:parseType=\"Resource\"{declarations}>\n{}{}{}<pdfaSchema:property>\n<rdf:Seq>{properties}\n</rdf:Seq>\n</pdfaSchema:property>\n</rdf:li>",
        line("pdfaSchema", "schema", &schema.title),
        line("pdfaSchema", "namespaceURI", &schema.namespace),
        line("pdfaSchema", "prefix", &schema.prefix),
    )
}

pub(super) fn property_item(declarations: &str, property: &SchemaProperty) -> String {
    format!(
        "\n<rdf:li rdf:parseType=\"Resource\"{declarations}>\n{}{}{}{}</rdf:li>",
        line("pdfaProperty", "name", &property.name),
        line("pdfaProperty", "valueType", "Text"),
        line("pdfaProperty", "category", "external"),
        line("pdfaProperty", "description", &property.description),
    )
}

pub(super) fn container(items: &str) -> String {
    format!("<pdfaExtension:schemas>\n<rdf:Bag>{items}\n</rdf:Bag>\n</pdfaExtension:schemas>\n")
}

/// A text in one language, which is any.
pub(super) fn alternative(text: &str) -> String {
    let text = escape(text);
    format!("<rdf:Alt><rdf:li xml:lang=\"x-default\">{text}</rdf:li></rdf:Alt>")
}

pub(super) fn new_packet(info: &Info) -> String {
    let mut content = String::new();
    let sequence = |text: &str| format!("<rdf:Seq><rdf:li>{}</rdf:li></rdf:Seq>", escape(text));
    let date = |text: &Option<String>| text.clone().filter(|text| lexical::is_date(text));
    let entries = [
        ("dc:title", info.title.as_deref().map(alternative)),
        ("dc:creator", info.author.as_deref().map(sequence)),
        ("dc:description", info.subject.as_deref().map(alternative)),
        ("pdf:Keywords", info.keywords.as_deref().map(escape)),
        ("pdf:Producer", info.producer.as_deref().map(escape)),
        ("xmp:CreatorTool", info.creator_tool.as_deref().map(escape)),
        ("xmp:CreateDate", date(&info.create_date)),
        ("xmp:ModifyDate", date(&info.modify_date)),
    ];
    for (name, value) in entries {
        if let Some(value) = value {
            let _ = writeln!(content, "<{name}>{value}</{name}>");
        }
    }
    let declarations = format!(
        " xmlns:dc=\"{}\" xmlns:pdf=\"{}\" xmlns:xmp=\"{}\"",
        ns::DC,
        ns::PDF,
        ns::XMP
    );
    let description = match content.as_str() {
        "" => String::new(),
        content => description(&declarations, "", content),
    };
    format!(
        "{HEADER}\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n<rdf:RDF xmlns:rdf=\"{}\">{description}\n</rdf:RDF>\n</x:xmpmeta>\n{TRAILER}",
        ns::RDF
    )
}
