//! Why an operation did not happen.

use thiserror::Error;

use crate::document::Mismatch;
use crate::problem::Problems;
use crate::storage::StorageError;

/// Why an operation did not happen. All are the request's but the last, which is the store's.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The request breaks rules; every one is listed.
    #[error("the request breaks {} rules", .0.len())]
    Invalid(Problems),
    /// Parts of the request contradict each other.
    #[error("parts of the request contradict each other")]
    Malformed(Problems),
    /// There is no such thing, or the caller may not see it.
    #[error("there is no {what} `{number}`")]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// Its number as sent.
        number: String,
    },
    /// A rule of state forbids it.
    #[error("{0}")]
    Conflict(String),
    /// A template offer does not fit the customer.
    #[error("the offer does not fit the customer")]
    Mismatch(Vec<Mismatch>),
    /// The record has another revision than the request expects.
    #[error("the record was changed meanwhile")]
    PreconditionFailed,
    /// The request reads more entries than one request may.
    #[error("more than {limit} entries would have to be read")]
    TooBroad {
        /// How many entries one request may read (`scan_entries`).
        limit: usize,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<Problems> for Error {
    fn from(problems: Problems) -> Self {
        Self::Invalid(problems)
    }
}

impl Error {
    pub(crate) fn not_found(what: &'static str, number: impl Into<String>) -> Self {
        Self::NotFound {
            what,
            number: number.into(),
        }
    }
}
