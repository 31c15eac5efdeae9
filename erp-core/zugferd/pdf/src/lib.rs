//! Reads and changes PDF files (ISO 32000-1). Every read is limited, because files may be hostile.
//!
//! [`PdfFile`] reads only the requested objects, within [`Limits`]. [`Update`] collects changes and appends them to the
//! file, whose bytes are kept; [`rewrite`](rewrite::rewrite) rewrites a file with a broken structure. Encrypted files
//! are read if they open without a password.
//!
//! The README starts with an example.
// Its code is tested.
#![cfg_attr(doctest, doc = include_str!("../README.md"))]

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
mod tests;
pub mod text;
pub mod tokens;
mod tree;
mod update;
mod write;
mod xref;

pub use error::{PdfError, Result};
pub use file::PdfFile;
pub use limits::Limits;
pub use object::{Dict, Object, ObjectId, Stream};
pub use update::Update;
