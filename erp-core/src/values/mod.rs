//! Values without a place in the business: text, numbers, times, codes, JSON, problems, sentences and limits.

pub mod codes;
pub(crate) mod fold;
pub mod json;
pub mod limits;
pub(crate) mod number;
pub mod problem;
#[cfg(feature = "schema")]
mod schema;
pub mod sentence;
pub mod text;
pub mod time;
