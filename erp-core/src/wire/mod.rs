//! What records of the interface stand on: the table of a record, its [views](view), values with their rules, reading with
//! all problems, writing; and the records that belong to no part of the domain: links, attributes, errors, tokens.
//!
//! The bodies are in [`request`](crate::request), the responses in [`response`](crate::response), and what is stored,
//! imported and exported is in [`master`](crate::master). [`tables`](crate::tables) lists all of them.

mod envelope;
mod error;
mod link_builder;
mod links;
pub(crate) mod members;
pub(crate) mod record;
mod rule;
pub(crate) mod texts;
mod token;
pub(crate) mod value;
pub mod view;
mod zugferd;

pub use envelope::Envelope;
pub use error::{ErrorBody, ErrorInfo, MismatchEntry, ProblemEntry};
pub use link_builder::Links;
pub use links::{Attribute, Link};
pub use record::{
    As, Field, Kind, PatchRecord, Reader, Reading, Record, Schema, Scope, WriteRecord,
};
pub use rule::Rule;
pub use token::{Lifetime, TokenAnswer};
pub use value::Value;
pub use view::View;
pub use zugferd::ZugferdBody;
