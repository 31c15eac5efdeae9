//! How large an XML may be.

use super::charset::{DecodeText, decode_text};

/// Bounds on reading a whole XML.
#[derive(Debug, Clone, Copy)]
pub struct XmlLimits {
    /// Bytes of the document.
    pub bytes: usize,
    /// Elements inside each other.
    pub depth: usize,
    /// Elements.
    pub elements: usize,
    /// Attributes, with the declarations of namespaces.
    pub attributes: usize,
    /// Different namespaces.
    pub namespaces: usize,
    /// Declarations of namespaces that are in scope at one place.
    pub scope: usize,
    /// Other encodings than UTF-8 and UTF-16. [`XmlLimits::DEFAULT`] has the tables of the feature `rare`; without it
    /// no other encoding is known. A browser hands in its `TextDecoder`.
    pub decode_text: DecodeText,
}

impl XmlLimits {
    /// 16 MiB and a million elements: an invoice of 10,000 lines has some 500,000.
    pub const DEFAULT: Self = Self {
        bytes: 16 << 20,
        depth: 128,
        elements: 1_000_000,
        attributes: 1_000_000,
        namespaces: 256,
        scope: 256,
        decode_text,
    };
}

impl Default for XmlLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
