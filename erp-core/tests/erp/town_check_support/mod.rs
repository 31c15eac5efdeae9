//! Helpers that measure the check of towns.

pub(crate) mod spelling;
pub(crate) mod tally;
pub(crate) mod typing;
