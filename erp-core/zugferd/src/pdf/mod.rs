//! Reading and changing PDF files (ISO 32000-1) as far as invoices need it.
//!
//! [`PdfFile`] reads only what is asked for, and every read is bounded by [`Limits`]; [`Update`] collects changes
//! and puts them behind the file, whose bytes stay as they are; [`rewrite`] writes a file anew where its frame is
//! at fault. Of encrypted files those are read
//! that open without a password.

mod budget;
mod chain;
mod decode;
mod error;
mod file;
mod filter;
mod indirect;
pub(crate) mod kinds;
mod lexer;
mod limits;
mod located;
mod memory;
mod object;
mod object_stream;
mod open;
mod pages;
mod rebuild;
mod rewrite;
mod section;
mod security;
mod state;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod update;
mod write;
mod xref;

pub use error::PdfError;
pub(crate) use file::{PdfFile, Value};
pub(crate) use kinds::is_white;
pub(crate) use lexer::{Lexer, Syntax};
pub use limits::Limits;
pub(crate) use located::Located;
pub(crate) use object::{Dict, Name, Object, ObjectId, PdfString, Stream, StreamData};
pub(crate) use pages::{Page, PageTree, TreeFault, page_tree, pages};
pub(crate) use rewrite::{Rewritten, rewrite};
pub(crate) use text::{decode_text, encode_text};
pub(crate) use tree::name_tree;
pub(crate) use update::Update;
pub(crate) use write::fingerprint;
pub(crate) use xref::SectionKind;
