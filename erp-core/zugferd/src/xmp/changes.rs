//! What may be changed in a packet.

use crate::profile::{Profile, Standard};

/// The conformance levels of PDF/A-3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Conformance {
    /// Accessible.
    A,
    /// Basic.
    B,
    /// Unicode.
    U,
}

impl Conformance {
    /// The letter in the PDF/A identification.
    #[must_use]
    pub(crate) const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::U => "U",
        }
    }
}

/// What to do with the PDF/A identification.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Leave it as it is.
    #[default]
    Keep,
    /// Take all of it out.
    Remove,
    /// Claim this part and level; amendment and corrigendum stay only when the part does.
    Set {
        /// The part of ISO 19005.
        part: u8,
        /// The level.
        conformance: Conformance,
    },
}

/// The four properties of a hybrid invoice and how they are described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FxProperties {
    /// The namespace.
    pub namespace: String,
    /// The prefix, a plain name.
    pub prefix: String,
    /// The name of the extension schema.
    pub schema_title: String,
    /// `DocumentType`.
    pub document_type: String,
    /// `DocumentFileName`: the same as `/F` of the attachment.
    pub file_name: String,
    /// `Version`.
    pub version: String,
    /// `ConformanceLevel`.
    pub level: String,
}

impl FxProperties {
    /// The properties of a profile whose XML is attached under this name.
    #[must_use]
    pub(crate) fn of(profile: &Profile, file_name: &str) -> Self {
        let family = match profile.standard {
            Standard::ZugferdRc | Standard::Zugferd1 | Standard::Zugferd2 => "ZUGFeRD",
            Standard::FacturX | Standard::XRechnung => "Factur-X",
            Standard::OrderX => "Order-X",
        };
        Self {
            namespace: profile.xmp_namespace().to_owned(),
            prefix: profile.xmp_prefix().to_owned(),
            schema_title: format!("{family} PDFA Extension Schema"),
            document_type: profile.document_type().to_owned(),
            file_name: file_name.to_owned(),
            version: profile.xmp_version().to_owned(),
            level: profile.xmp_level().to_owned(),
        }
    }
}

/// What the PDF says about itself, for a packet that has to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Info {
    /// `dc:title`.
    pub title: Option<String>,
    /// `dc:creator`.
    pub author: Option<String>,
    /// `dc:description`.
    pub subject: Option<String>,
    /// `pdf:Keywords`.
    pub keywords: Option<String>,
    /// `pdf:Producer`.
    pub producer: Option<String>,
    /// `xmp:CreatorTool`.
    pub creator_tool: Option<String>,
    /// `xmp:CreateDate`, a date of XMP; left out when it is none.
    pub create_date: Option<String>,
    /// `xmp:ModifyDate`, a date of XMP; left out when it is none.
    pub modify_date: Option<String>,
}

/// What to change in a packet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The PDF/A identification.
    pub claim: Claim,
    /// The properties of a hybrid invoice in the place of all others, of all standards and versions.
    pub invoice: Option<FxProperties>,
    /// Whether properties that are plain text and of no known schema get a description, so that they
    /// may stay in a PDF/A, and predefined ones a value of their type where that loses nothing; structured
    /// ones stay a fault.
    pub describe_foreign: bool,
    /// Used only where there is no packet yet.
    pub info: Info,
}
