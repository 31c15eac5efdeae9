//! What is wrong with a packet.

use std::fmt;

/// The rule that a packet breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// The packet is larger or deeper than the limits.
    TooLarge,
    /// It is not in UTF-8.
    Encoding,
    /// It is not well-formed XML.
    NotWellFormed,
    /// Its `xpacket` header is missing or has an attribute that PDF/A forbids.
    Header,
    /// It is XML but not the RDF that XMP allows.
    Structure,
    /// A property is neither predefined nor described by an extension schema.
    UnknownProperty,
    /// A property has not the type it should have.
    ValueType,
    /// The container of the extension schemas is not as it should be.
    ExtensionContainer,
    /// The description of an extension schema is not as it should be.
    ExtensionSchema,
    /// The PDF/A identification is missing or not as it should be.
    Identification,
}

impl FaultKind {
    /// The clause of ISO 19005-3:2012.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::TooLarge
            | Self::Encoding
            | Self::NotWellFormed
            | Self::Header
            | Self::Structure => "6.6.2.1",
            Self::UnknownProperty | Self::ValueType => "6.6.2.3.1",
            Self::ExtensionContainer => "6.6.2.3.2",
            Self::ExtensionSchema => "6.6.2.3.3",
            Self::Identification => "6.6.4",
        }
    }
}

/// One thing that is wrong with a packet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct XmpFault {
    /// The rule that is broken.
    pub kind: FaultKind,
    /// What is wrong, in words.
    pub what: String,
}

impl XmpFault {
    pub(super) fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
        }
    }

    pub(super) fn not_well_formed(what: impl fmt::Display) -> Self {
        let what = format!("the XMP metadata is not well-formed: {what}");
        Self::new(FaultKind::NotWellFormed, what)
    }

    pub(super) fn structure(what: impl Into<String>) -> Self {
        Self::new(FaultKind::Structure, what)
    }
}

impl fmt::Display for XmpFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} (PDF/A-3, {})", self.what, self.kind.clause())
    }
}

impl std::error::Error for XmpFault {}
