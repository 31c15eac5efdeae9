//! The check on whole files, by the verdicts of the official tools; and that the crate stands alone.

mod alone;
mod verdicts;
