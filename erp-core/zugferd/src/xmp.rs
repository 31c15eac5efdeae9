//! Reads and writes the invoice properties in XMP metadata.

#[cfg(test)]
mod tests;

use super::{Profile, Standard, json};
use erp_pdfa::xmp::{
    self, ExtensionSchema, OwnSchema, PacketHeader, PdfaIdentification, PropertyFacts, SchemaFacts,
    SchemaProperty, TextEncoding, XmpFault,
};
use serde::Serialize;

/// What a packet says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct XmpFacts {
    /// The encoding; PDF/A allows only UTF-8.
    #[serde(skip)]
    pub encoding: TextEncoding,
    /// The header, if there is one.
    #[serde(skip)]
    pub header: Option<PacketHeader>,
    /// The PDF/A identification, if there is one.
    #[serde(serialize_with = "json::claim")]
    pub pdfa: Option<PdfaIdentification>,
    /// The properties of hybrid invoices, one entry for each namespace.
    pub invoices: Vec<InvoiceFacts>,
    /// The extension schemas.
    #[serde(skip)]
    pub schemas: Vec<SchemaFacts>,
}

/// The properties of a hybrid invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceFacts {
    /// The standard that the namespace belongs to.
    pub standard: Standard,
    /// The namespace as found.
    #[serde(skip)]
    pub namespace: String,
    /// The prefix.
    #[serde(skip)]
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

pub(super) fn read(packet: &[u8]) -> Result<XmpFacts, XmpFault> {
    let mut invoices = Vec::new();
    let facts = xmp::read(packet, |property| note(&mut invoices, &property))?;
    Ok(XmpFacts {
        encoding: facts.encoding,
        header: facts.header,
        pdfa: facts.pdfa,
        invoices,
        schemas: facts.schemas,
    })
}

/// Notes a property when it is one of an invoice.
fn note(invoices: &mut Vec<InvoiceFacts>, property: &PropertyFacts<'_>) {
    let Some(standard) = Standard::from_namespace(property.namespace) else {
        return;
    };
    let is_same = |facts: &InvoiceFacts| facts.namespace == property.namespace;
    if !invoices.iter().any(is_same) {
        invoices.push(InvoiceFacts {
            standard,
            namespace: property.namespace.to_owned(),
            prefix: property.prefix.to_owned(),
            document_type: None,
            file_name: None,
            version: None,
            level: None,
        });
    }
    let Some(facts) = invoices.iter_mut().find(|facts| is_same(facts)) else {
        return;
    };
    let place = match property.name {
        "DocumentType" => &mut facts.document_type,
        "DocumentFileName" => &mut facts.file_name,
        "Version" => &mut facts.version,
        "ConformanceLevel" => &mut facts.level,
        _ => return,
    };
    if place.is_none() {
        *place = property.text.map(|text| text.trim().to_owned());
    }
}

// clause: 6.6.2.3.3
/// The four properties of a hybrid whose XML is attached under the name of its profile (Factur-X 1.08, 6.3.1).
pub(super) fn own_schema(profile: &Profile) -> OwnSchema {
    let family = match profile.standard {
        Standard::ZugferdRc | Standard::Zugferd1 | Standard::Zugferd2 => "ZUGFeRD",
        Standard::FacturX | Standard::XRechnung => "Factur-X",
        Standard::OrderX => "Order-X",
    };
    let properties = [
        ("DocumentType", "type of the hybrid document"),
        ("DocumentFileName", "name of the embedded XML file"),
        ("Version", "version of the standard of the embedded XML"),
        ("ConformanceLevel", "profile of the embedded XML"),
    ];
    let described = properties.map(|(name, description)| SchemaProperty {
        name: name.to_owned(),
        description: description.to_owned(),
    });
    let values = [
        profile.document_type(),
        profile.file_name(),
        profile.xmp_version(),
        profile.xmp_level(),
    ];
    OwnSchema {
        schema: ExtensionSchema {
            namespace: profile.standard.xmp_namespace().to_owned(),
            prefix: profile.standard.xmp_prefix().to_owned(),
            title: format!("{family} PDFA Extension Schema"),
            properties: described.into(),
        },
        values: values.map(str::to_owned).into(),
        replaces: |namespace| Standard::from_namespace(namespace).is_some(),
    }
}
