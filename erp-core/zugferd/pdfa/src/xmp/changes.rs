//! What may be changed in a packet.

/// The conformance levels of PDF/A-3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conformance {
    /// Accessible.
    A,
    /// Basic.
    B,
    /// Unicode.
    U,
}

impl Conformance {
    /// The letter in the PDF/A identification.
    pub const fn letter(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::U => "U",
        }
    }
}

/// What to do with the PDF/A identification.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Claim {
    /// Keep it.
    #[default]
    Keep,
    /// Remove all of it.
    Remove,
    /// Declare this part and level; amendment and corrigendum are kept only if the part is unchanged.
    Set {
        /// The part of ISO 19005.
        part: u8,
        /// The level.
        conformance: Conformance,
    },
}

/// A schema with its properties, which replace those of its earlier versions.
#[derive(Debug, Clone)]
pub struct OwnSchema {
    /// What describes it.
    pub schema: ExtensionSchema,
    /// The texts of its properties, in their order.
    pub values: Vec<String>,
    /// Whether properties and descriptions of a namespace are removed: those of this schema and of its other versions.
    pub replaces: fn(namespace: &str) -> bool,
}

/// A schema to describe.
#[derive(Debug, Clone)]
pub struct ExtensionSchema {
    /// The namespace.
    pub namespace: String,
    /// The prefix, a plain name.
    pub prefix: String,
    /// The name of the schema in its description.
    pub title: String,
    /// Its properties.
    pub properties: Vec<SchemaProperty>,
}

/// A property to describe, always an external text.
#[derive(Debug, Clone)]
pub struct SchemaProperty {
    /// Its name, without a prefix.
    pub name: String,
    /// What it means.
    pub description: String,
}

/// What the PDF says about itself, for a packet that has to be made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
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
    /// `xmp:CreateDate`, a date of XMP; left out if it is invalid.
    pub create_date: Option<String>,
    /// `xmp:ModifyDate`, a date of XMP; left out if it is invalid.
    pub modify_date: Option<String>,
}

/// What to change in a packet.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The PDF/A identification.
    pub claim: Claim,
    /// A schema to write in the place of the earlier versions of it.
    pub own: Option<OwnSchema>,
    /// Whether properties that are plain text and of an unknown schema get a description, so that a PDF/A may have
    /// them, and predefined ones a value of the right type if that loses nothing. Structured ones stay a fault.
    pub describe_foreign: bool,
    /// Used only if there is no packet yet.
    pub info: Info,
}
