//! What a packet says about PDF/A and the invoice.

use super::check::header_attributes;
use super::extension::Extension;
use super::fault::XmpFault;
use super::namespaces as ns;
use super::packet::Packet;
use super::rdf::Model;
use super::source::{TextEncoding, XmpSource};

/// What a packet says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketFacts {
    /// The encoding; PDF/A allows only UTF-8.
    pub encoding: TextEncoding,
    /// The header, if there is one.
    pub header: Option<PacketHeader>,
    /// The PDF/A identification, if there is one.
    pub pdfa: Option<PdfaIdentification>,
    /// The extension schemas.
    pub schemas: Vec<SchemaFacts>,
}

/// The attributes of the `xpacket` header that PDF/A forbids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PacketHeader {
    /// The attribute `bytes`.
    pub bytes: Option<String>,
    /// The attribute `encoding`.
    pub encoding: Option<String>,
}

/// The PDF/A identification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PdfaIdentification {
    /// The prefix of the first property; PDF/A allows only `pdfaid`.
    pub prefix: String,
    /// The part of ISO 19005.
    pub part: Option<String>,
    /// The conformance level: A, B or U; E or F in part 4.
    pub conformance: Option<String>,
    /// The amendment.
    pub amd: Option<String>,
    /// The corrigendum.
    pub corr: Option<String>,
    /// The year of the edition, in part 4.
    pub rev: Option<String>,
}

/// A property of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PropertyFacts<'p> {
    /// The namespace as found.
    pub namespace: &'p str,
    /// The prefix.
    pub prefix: &'p str,
    /// The name, without the prefix.
    pub name: &'p str,
    /// The value as found; `None` if it is not plain text.
    pub text: Option<&'p str>,
}

/// A described schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFacts {
    /// The namespace of the properties.
    pub namespace: String,
    /// The required prefix.
    pub prefix: String,
    /// The names of the properties.
    pub properties: Vec<String>,
}

/// Reads a packet, in any encoding that XMP allows; `each` gets all its properties, in their order.
/// Errors: an [`XmpFault`] when the packet is too large, not well-formed or no XMP.
pub fn read(
    packet: &[u8],
    mut each: impl FnMut(PropertyFacts<'_>),
) -> Result<PacketFacts, XmpFault> {
    let source = XmpSource::decode(packet)?;
    let encoding = source.encoding;
    let packet = Packet::parse(&source.text)?;
    let model = Model::read(&packet)?;
    for property in &model.properties {
        each(PropertyFacts {
            namespace: property.name.namespace,
            prefix: property.name.prefix,
            name: property.name.local,
            text: property.value.text(),
        });
    }
    let schemas = Extension::read(&model).schemas.into_iter();
    Ok(PacketFacts {
        encoding,
        header: packet.header_content().map(header),
        pdfa: identification(&model),
        schemas: schemas.map(|schema| schema.facts).collect(),
    })
}

fn header(content: &str) -> PacketHeader {
    let attributes = header_attributes(content).unwrap_or_default();
    let find = |wanted: &str| {
        let (_, value) = attributes.iter().find(|(name, _)| name == wanted)?;
        Some(value.clone())
    };
    PacketHeader {
        bytes: find("bytes"),
        encoding: find("encoding"),
    }
}

fn identification(model: &Model<'_>) -> Option<PdfaIdentification> {
    let own = || {
        let properties = model.properties.iter();
        properties.filter(|property| property.name.namespace == ns::PDFA_ID)
    };
    let text = |local: &str| {
        let mut named = own().filter(|property| property.name.local == local);
        let text = named.find_map(|property| property.value.text())?;
        Some(text.trim().to_owned())
    };
    Some(PdfaIdentification {
        prefix: own().next()?.name.prefix.to_owned(),
        part: text("part"),
        conformance: text("conformance"),
        amd: text("amd"),
        corr: text("corr"),
        rev: text("rev"),
    })
}
