//! An object and how it is written in the file.

use super::Object;
use super::lexer::Syntax;
use super::memory::Alive;
use std::ops::Range;

/// An object and how it is written in the file.
#[derive(Debug)]
pub struct Located {
    /// The object itself.
    pub object: Object,
    /// From its number to the end of `endobj`; of an object in a stream, its bytes there.
    pub span: Range<usize>,
    /// The object stream it is in.
    pub in_stream: Option<u32>,
    /// The generation that is written in front of it.
    pub generation: u16,
    /// How it is framed.
    pub framing: Framing,
    /// What PDF/A forbids inside.
    pub syntax: Syntax,
    /// Its part of the memory that is in use.
    pub(super) alive: Alive,
}

/// The framing of an object; for PDF/A everything must be `false`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Framing {
    /// Blanks or line ends around `obj` or `endobj` are not those of 6.1.9.
    pub spacing: bool,
    /// `/Length` is not the length of the data (6.1.7.1).
    pub wrong_length: bool,
    /// `stream` or `endstream` is not framed by line ends (6.1.7.1).
    pub stream_lines: bool,
    /// The generation is not that of the cross-reference (6.1.4).
    pub wrong_generation: bool,
}
