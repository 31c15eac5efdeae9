//! What the unit tests of several crates share.

mod invoice_cases;
mod pdf;
mod skipped;

pub use invoice_cases::{InvoiceCase, OWN_INVOICE_CASES, invoice_cases};
pub use pdf::pdf;
pub use skipped::skipped;
