//! XML 1.0 with namespaces: the proof that a document is well-formed, and its elements as a read-only tree.
//!
//! ```text
//! bytes ── decode ──> text ── parse ──> Tree ──> Element
//! ```
//!
//! Everything is refused that XML 1.0 or Namespaces in XML 1.0 refuse, and document type declarations too: no
//! entity is ever expanded but the five that XML predefines. Depth, size and counts are bounded, and the work is
//! linear in the size (times the logarithm of the attributes of one tag). An element knows its place in the text to the
//! byte, so a document can be edited in place.
// Its code is tested.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

mod attributes;
mod chars;
mod charset;
mod cursor;
mod error;
mod limits;
mod namespaces;
mod parse;
#[cfg(test)]
mod tests;
pub mod text;
mod tree;
mod values;

pub use error::{XmlError, XmlFault};
pub use limits::XmlLimits;
pub use tree::{Attribute, Element, Tree};

/// Checks that a document is well-formed: encoding, characters, markup and namespaces.
pub fn well_formed(xml: &[u8], limits: &XmlLimits) -> Result<(), XmlError> {
    let text = text::decode(xml, limits)?;
    Tree::parse(&text, limits).map(|_| ())
}
