//! Why a document is not well-formed, and where.

/// Why a document is not well-formed XML, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct XmlError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub fault: XmlFault,
}

impl XmlError {
    pub(super) fn at(text: &str, offset: usize, fault: XmlFault) -> Self {
        let (line, column) = position(text, offset);
        Self {
            line,
            column,
            fault,
        }
    }
}

/// Line and column of a byte offset, both from 1.
pub(super) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..text.floor_char_boundary(offset));
    let before = before.unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// What makes a document not well-formed, or too large to be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlFault {
    /// The encoding is not known.
    #[error("the encoding `{0}` is not known")]
    UnknownEncoding(String),
    /// The bytes are not text of the encoding.
    #[error("the bytes are not {0}")]
    WrongBytes(String),
    /// The declared encoding contradicts the bytes.
    #[error("the encoding `{declared}` is declared, but the bytes are {actual}")]
    ContradictedEncoding {
        /// The encoding of the declaration.
        declared: String,
        /// The encoding of the bytes.
        actual: &'static str,
    },
    /// A character that XML does not allow, also not as a reference.
    #[error("the character U+{0:04X} is not allowed in XML")]
    IllegalCharacter(u32),
    /// Something else was expected by the grammar.
    #[error("{0} is expected")]
    Expected(&'static str),
    /// Something that the grammar forbids at this place.
    #[error("{0} is not allowed here")]
    NotAllowed(&'static str),
    /// The document ends too early.
    #[error("the document ends inside {0}")]
    UnexpectedEnd(&'static str),
    /// An end tag does not match the start tag.
    #[error("the end tag `{found}` does not match the start tag `{expected}`")]
    EndTag {
        /// The name of the start tag.
        expected: String,
        /// The name of the end tag.
        found: String,
    },
    /// An attribute is given twice in a tag.
    #[error("the attribute `{0}` is given twice in one tag")]
    DuplicateAttribute(String),
    /// An entity that is not one of the five predefined ones.
    #[error("the entity `{0}` is not declared")]
    UnknownEntity(String),
    /// A prefix without a declaration.
    #[error("the prefix `{0}` is not declared")]
    UndeclaredPrefix(String),
    /// The declaration of a reserved prefix or namespace, or of a prefix with an empty namespace.
    #[error("the prefix `{0}` cannot be declared like this")]
    NamespaceDeclaration(String),
    /// It has a document type declaration.
    #[error("a document type declaration is not accepted")]
    DocumentTypeDeclaration,
    /// A limit is reached.
    #[error("the document is too large: {what} over {limit}")]
    TooLarge {
        /// Which limit.
        what: &'static str,
        /// Its value.
        limit: usize,
    },
}
