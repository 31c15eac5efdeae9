//! What records of the interface stand on: the table of a record, its [views](view), values with their rules, reading with
//! all problems, writing; and the records that belong to no part of the domain: links, attributes, errors, tokens.
//!
//! The bodies are in [`request`](crate::domain::request), the responses in [`response`](crate::domain::response), and what is stored,
//! imported and exported is in [`master`](crate::domain::master). [`tables`](crate::domain::tables) lists all of them.

mod envelope;
mod error;
mod links;
pub(crate) mod record;
mod rule;
pub(crate) mod scope;
pub(crate) mod table;
pub(crate) mod texts;
mod token;
pub(crate) mod value;
pub mod view;
pub(crate) mod write;
mod zugferd;

pub use envelope::Envelope;
pub use error::{ErrorBody, ErrorInfo, MismatchEntry, ProblemEntry};
pub use links::{Attribute, Link, Links};
pub use record::{PatchRecord, Reader, Record};
pub use rule::{Rule, Spelling};
pub use scope::{Reading, Scope};
pub use table::{Field, Kind, Schema};
pub use token::{Lifetime, TokenAnswer};
pub use value::Value;
pub use write::{As, WriteRecord};
pub use zugferd::ZugferdBody;
