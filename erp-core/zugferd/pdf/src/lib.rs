//! Reads and changes PDF files (ISO 32000-1), each read bounded: files may be hostile.
//!
//! [`PdfFile`] reads only what is asked for, within [`Limits`]. [`Update`] collects changes and appends them to the
//! file, whose bytes are kept; [`rewrite`](rewrite::rewrite) writes a file again whose frame is at fault. Of
//! encrypted files those are read that open without a password.
//!
//! The README begins with an example.

mod budget;
mod chain;
mod decode;
mod error;
pub mod file;
mod filter;
mod indirect;
mod kinds;
pub mod lexer;
mod limits;
mod located;
mod memory;
pub mod object;
mod object_stream;
mod open;
pub mod pages;
mod rebuild;
pub mod rewrite;
mod section;
mod security;
mod state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod text;
pub mod tokens;
mod tree;
mod update;
mod write;
mod xref;

pub use error::PdfError;
pub use file::PdfFile;
pub use limits::Limits;
pub use object::{Dict, Object, ObjectId, Stream};
pub use update::Update;

/// The code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
