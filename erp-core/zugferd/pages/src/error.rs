//! Errors.

use thiserror::Error as ThisError;

/// Why there are no pages.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// A text or a list is longer than there is room for.
    #[error("`{field}` is too long: {limit} at most")]
    TooLong {
        /// The member, for example `buyer.name`.
        field: String,
        /// How much is allowed, for example `255 characters`.
        limit: String,
    },
    /// The standard of the Swiss QR-bill forbids a value.
    #[error("no Swiss QR-bill: `{field}` {fault}")]
    Swiss {
        /// The member, for example `payment.account.iban`.
        field: String,
        /// What is wrong and what is allowed.
        fault: String,
    },
    /// The logo is neither PNG nor JPEG, or too large.
    #[error("`logo` {0}")]
    Logo(String),
    /// The XML is not an invoice that can be embedded.
    #[error(transparent)]
    Xml(#[from] erp_zugferd::Error),
    /// The PDF could not be written.
    #[error("the PDF cannot be written: {0}")]
    Pdf(String),
}
