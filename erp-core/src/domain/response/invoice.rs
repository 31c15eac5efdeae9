//! Invoices as `GET /www/rechnung/{RechNr}` returns them.

use erp_derive::Record;

use crate::domain::document::{self, InvoiceNumber};
use crate::values::text::Text;

/// `data` of an invoice.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct Invoice {
    /// The invoice as it was made.
    #[wire(group)]
    pub invoice: document::Invoice,
    /// The credit note that cancels it.
    #[wire("GutschriftNr")]
    pub credit_note: Option<InvoiceNumber>,
}

/// `data` of the response to a new invoice or credit note.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct InvoiceNumberAnswer {
    /// Number of the invoice or the credit note.
    #[wire("RechNr", required)]
    pub number: InvoiceNumber,
    /// What is odd about it, said once: it is of an earlier day than the one before it.
    #[wire("Hinweis")]
    pub notice: Option<Text<255>>,
}
