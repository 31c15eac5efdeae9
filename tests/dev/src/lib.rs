//! What the unit tests of several crates share.

mod pdf;
mod skipped;

pub use pdf::pdf;
pub use skipped::skipped;
