//! What a packet says about PDF/A and the invoice.

use super::check::header_attributes;
use super::extension::Extension;
use super::fault::XmpFault;
use super::namespaces as ns;
use super::rdf::{Model, Property};
use super::source::{Source, TextEncoding};
use super::tree::Tree;
use crate::profile::Standard;

/// What a packet says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmpFacts {
    /// The encoding; PDF/A allows only UTF-8.
    pub encoding: TextEncoding,
    /// The header, if there is one.
    pub header: Option<PacketHeader>,
    /// The PDF/A identification, if there is one.
    pub pdfa: Option<PdfaIdentification>,
    /// The properties of hybrid invoices, one entry for each namespace.
    pub invoices: Vec<InvoiceFacts>,
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

/// The properties of a hybrid invoice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceFacts {
    /// The standard that the namespace belongs to.
    pub standard: Standard,
    /// The namespace as found.
    pub namespace: String,
    /// The prefix.
    pub prefix: String,
    /// `DocumentType`.
    pub document_type: Option<String>,
    /// `DocumentFileName`.
    pub file_name: Option<String>,
    /// `Version`.
    pub version: Option<String>,
    /// `ConformanceLevel`.
    pub level: Option<String>,
}

/// A described schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFacts {
    /// The namespace of the properties.
    pub namespace: String,
    /// The prefix it asks for.
    pub prefix: String,
    /// The names of the properties.
    pub properties: Vec<String>,
}

/// Reads a packet, in any encoding that XMP allows.
///
/// # Errors
/// An [`XmpFault`] when the packet is too large, not well-formed or no XMP.
pub(crate) fn read(packet: &[u8]) -> Result<XmpFacts, XmpFault> {
    let source = Source::decode(packet)?;
    let encoding = source.encoding;
    let model = Model::read(Tree::parse(source.text)?)?;
    let schemas = Extension::read(&model).schemas.into_iter();
    Ok(XmpFacts {
        encoding,
        header: model.tree.header.as_ref().map(|(_, text)| header(text)),
        pdfa: identification(&model),
        invoices: invoices(&model),
        schemas: schemas
            .map(|schema| SchemaFacts {
                namespace: schema.namespace,
                prefix: schema.prefix,
                properties: schema.properties,
            })
            .collect(),
    })
}

fn header(content: &str) -> PacketHeader {
    let attributes = header_attributes(content).unwrap_or_default();
    let find = |wanted: &str| {
        let mut attributes = attributes.iter();
        attributes
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.clone())
    };
    PacketHeader {
        bytes: find("bytes"),
        encoding: find("encoding"),
    }
}

fn identification(model: &Model) -> Option<PdfaIdentification> {
    let mut found: Option<PdfaIdentification> = None;
    for property in &model.properties {
        if property.name.namespace != ns::PDFA_ID {
            continue;
        }
        let facts = found.get_or_insert_with(|| PdfaIdentification {
            prefix: property.name.prefix.clone(),
            ..PdfaIdentification::default()
        });
        let place = match property.name.local.as_str() {
            "part" => &mut facts.part,
            "conformance" => &mut facts.conformance,
            "amd" => &mut facts.amd,
            "corr" => &mut facts.corr,
            "rev" => &mut facts.rev,
            _ => continue,
        };
        fill(place, property);
    }
    found
}

fn invoices(model: &Model) -> Vec<InvoiceFacts> {
    let mut found: Vec<InvoiceFacts> = Vec::new();
    for property in &model.properties {
        let name = &property.name;
        let Some(standard) = Standard::from_namespace(&name.namespace) else {
            continue;
        };
        let known = found
            .iter()
            .position(|facts| facts.namespace == name.namespace);
        let at = known.unwrap_or(found.len());
        if known.is_none() {
            found.push(InvoiceFacts {
                standard,
                namespace: name.namespace.clone(),
                prefix: name.prefix.clone(),
                document_type: None,
                file_name: None,
                version: None,
                level: None,
            });
        }
        if let Some(facts) = found.get_mut(at) {
            take(facts, property);
        }
    }
    found
}

fn take(facts: &mut InvoiceFacts, property: &Property) {
    let place = match property.name.local.as_str() {
        "DocumentType" => &mut facts.document_type,
        "DocumentFileName" => &mut facts.file_name,
        "Version" => &mut facts.version,
        "ConformanceLevel" => &mut facts.level,
        _ => return,
    };
    fill(place, property);
}

fn fill(place: &mut Option<String>, property: &Property) {
    let text = property.value.text();
    if place.is_none() {
        *place = text.map(|text| text.trim().to_owned());
    }
}
