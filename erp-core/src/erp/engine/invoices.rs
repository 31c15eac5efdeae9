//! Stored invoices, which shops and the office read.

use serde::{Deserialize, Serialize};

use super::retry::packed;
use super::{Erp, Error, keys};
use crate::domain::document::{Invoice, InvoiceNumber};
use crate::storage::Storage;
use crate::storage::record::Versioned;

/// The XML of an invoice as it was made, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvoiceXml {
    /// The XML.
    #[serde(with = "packed")]
    pub xml: String,
}

/// The last number that was given to an invoice or a credit note. It is written in their commit, so that there are no gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvoiceNumbers {
    /// The number.
    pub last: u64,
}

/// An invoice or a credit note, and what has become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShownInvoice {
    /// As it was made.
    pub invoice: Invoice,
    /// The credit note that cancels it.
    pub credit_note: Option<InvoiceNumber>,
}

impl<S: Storage> Erp<S> {
    /// An invoice, whoever may see it.
    pub(crate) async fn stored_invoice(&self, number: &str) -> Result<Versioned<Invoice>, Error> {
        let unknown = || Error::not_found("invoice", number);
        let key = keys::invoice(keys::document_number(number).ok_or_else(unknown)?);
        self.load(&key).await?.ok_or_else(unknown)
    }
}
