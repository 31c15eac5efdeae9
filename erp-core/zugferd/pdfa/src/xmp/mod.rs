//! XMP metadata packets: read, checked for PDF/A-3 and edited in place.
//!
//! An existing packet is never rewritten: [`edit`] cuts and inserts text, so that all it does not know stays as it was.

mod changes;
mod check;
mod date;
mod edit;
mod extension;
mod fault;
mod lexical;
mod namespaces;
mod packet;
mod predefined;
mod rdf;
mod read;
mod retype;
mod source;
#[cfg(test)]
mod tests;
mod types;
mod write;

pub use changes::{Changes, Claim, Conformance, ExtensionSchema, Info, OwnSchema, SchemaProperty};
pub use check::faults;
pub use date::xmp_date;
pub use edit::edit;
pub use fault::{FaultKind, XmpFault};
pub(crate) use lexical::{is_locale, is_mime_type};
pub use read::{PacketFacts, PacketHeader, PdfaIdentification, PropertyFacts, SchemaFacts, read};
pub use source::TextEncoding;
