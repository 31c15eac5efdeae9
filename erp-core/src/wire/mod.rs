//! The resources of the interface with their German names, types and lengths.
//!
//! Wire types are all-optional pictures of the JSON; they check types and lengths and nothing else.
//! The rules live in the domain modules, which turn a wire type into a value that cannot be invalid.

pub mod json;
mod record;

pub use record::{Field, Kind, Member, Reading, Record, Schema};
