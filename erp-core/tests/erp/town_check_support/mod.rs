//! What the checks of towns are measured with.

pub(crate) mod spelling;
pub(crate) mod tally;
pub(crate) mod typing;
