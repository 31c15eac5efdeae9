//! XMP metadata packets: read, checked for PDF/A-3 and edited in place.
//!
//! A packet is never written anew when there is one: [`edit`] cuts and inserts text, so that whatever
//! it does not know stays as it was.

mod changes;
mod check;
mod date;
mod describe;
mod edit;
mod extension;
mod fault;
mod lexical;
mod namespaces;
mod predefined;
mod rdf;
mod read;
mod retype;
mod source;
#[cfg(test)]
mod tests;
mod tree;
mod types;
mod write;

pub(crate) use changes::{Changes, Claim, Conformance, FxProperties, Info};
pub(crate) use check::faults;
pub(crate) use date::xmp_date;
pub(crate) use edit::edit;
pub(crate) use fault::{FaultKind, XmpFault};
pub(crate) use read::read;
pub use read::{InvoiceFacts, PacketHeader, PdfaIdentification, SchemaFacts, XmpFacts};
pub use source::TextEncoding;
