//! The namespaces of XMP and of PDF/A.

pub(super) const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
pub(super) const XML: &str = "http://www.w3.org/XML/1998/namespace";
pub(super) const PDFA_ID: &str = "http://www.aiim.org/pdfa/ns/id/";
pub(super) const EXTENSION: &str = "http://www.aiim.org/pdfa/ns/extension/";
pub(super) const SCHEMA: &str = "http://www.aiim.org/pdfa/ns/schema#";
pub(super) const PROPERTY: &str = "http://www.aiim.org/pdfa/ns/property#";
pub(super) const TYPE: &str = "http://www.aiim.org/pdfa/ns/type#";
pub(super) const FIELD: &str = "http://www.aiim.org/pdfa/ns/field#";
pub(super) const DC: &str = "http://purl.org/dc/elements/1.1/";
pub(super) const XMP: &str = "http://ns.adobe.com/xap/1.0/";
pub(super) const PDF: &str = "http://ns.adobe.com/pdf/1.3/";
