//! Errors of the operations.

use erp_derive::Say;
use thiserror::Error;

use crate::domain::document::{InvoiceNumber, Mismatch, OfferNumber, OrderNumber, OrderStatus};
use crate::storage::{Sequence, StorageError};
use crate::values::problem::Problems;
use crate::values::text::Text;

/// Why an operation failed. All variants but the last are caused by the request; the last by the store.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The request violates rules; all violations are listed.
    #[error("the request breaks rules:\n{0}")]
    Invalid(#[from] Problems),
    /// Parts of the request contradict each other.
    #[error("parts of the request contradict each other:\n{0}")]
    Malformed(#[source] Problems),
    /// The record does not exist, or the caller may not see it.
    #[error("there is no {what} `{number}`")]
    NotFound {
        /// Kind of the record.
        what: &'static str,
        /// Its number as sent.
        number: String,
    },
    /// The state of a record forbids the operation.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// A template offer does not fit the customer.
    #[error("the offer does not fit the customer")]
    Mismatch(Vec<Mismatch>),
    /// The record does not have the revision that the request expects (`If-Match`).
    #[error("the record was changed meanwhile")]
    PreconditionFailed,
    /// What has changed since this mark cannot be told; everything is to be read again.
    #[error("what has changed since this mark cannot be told")]
    MarkExpired,
    /// The operation would read more entries than a single request may.
    #[error("more than {limit} entries would have to be read")]
    TooBroad {
        /// The limit, in entries (`scan_entries`).
        limit: usize,
    },
    /// A search among documents finds the words in the names of too many customers.
    #[error("more than {limit} customers have these words in their names")]
    ManyCustomers {
        /// The limit, in customers.
        limit: usize,
    },
    /// A new record needs a number, and all of its sequence are taken.
    #[error("the numbers {first} to {last} of the sequence `{}` are used up", .sequence.as_str())]
    NumbersUsedUp {
        /// The sequence.
        sequence: Sequence,
        /// The first number of its range.
        first: u64,
        /// The last number of its range.
        last: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// How the state of a record forbids an operation.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[non_exhaustive]
pub enum Conflict {
    /// Another user has this name.
    #[say("conflict.user_exists")]
    UserExists(Text<80>),
    /// This user is the last admin and must stay one.
    #[say("conflict.last_admin")]
    LastAdmin(Text<80>),
    /// The offer was converted into an order, and changes no more.
    #[say("conflict.already_ordered")]
    AlreadyOrdered {
        /// The offer.
        offer: OfferNumber,
        /// The order.
        order: OrderNumber,
    },
    /// The order that the offer became was canceled; the offer is not ordered again.
    #[say("conflict.ordered_and_canceled")]
    OrderedAndCanceled(OfferNumber, OrderNumber),
    /// The offer belongs to another customer than the request names.
    #[say("conflict.other_customer")]
    OtherCustomer(OfferNumber),
    /// An order in one state cannot become the other.
    #[say("conflict.order_status", from = field_from.as_str(), to = field_to.as_str())]
    OrderStatus {
        /// The state it has.
        from: OrderStatus,
        /// The wanted state.
        to: OrderStatus,
    },
    /// The order is in work or completed; a shop cancels only new ones.
    #[say("conflict.not_new", status = field_status.as_str())]
    NotNew {
        /// The order.
        order: OrderNumber,
        /// The state it has.
        status: OrderStatus,
    },
    /// The customer has an order with this `AuftBestellNr`, and they must differ.
    #[say("conflict.duplicate_reference")]
    DuplicateReference {
        /// The number in the foreign system.
        reference: Text<36>,
        /// The order that has it.
        order: OrderNumber,
    },
    /// The order was placed by another user than the one who wants to cancel it.
    #[say("conflict.other_user")]
    OtherUser(OrderNumber),
    /// There is no invoice of a canceled order.
    #[say("conflict.canceled_order")]
    CanceledOrder(OrderNumber),
    /// An order with an invoice is canceled after the invoice.
    #[say("conflict.invoiced_order")]
    InvoicedOrder {
        /// The order.
        order: OrderNumber,
        /// Its invoice.
        invoice: InvoiceNumber,
    },
    /// The customer has an order in work; it is completed or canceled before the customer is forgotten.
    #[say("conflict.order_in_work", status = field_status.as_str())]
    OrderInWork {
        /// The customer.
        customer: Text<8>,
        /// The order.
        order: OrderNumber,
        /// The state it has.
        status: OrderStatus,
    },
    /// The response to the first request was removed with its customer.
    #[say("conflict.forgotten_response")]
    ForgottenResponse,
    /// The record is no longer as the change left it that is to be put back.
    #[say("conflict.changed_since")]
    ChangedSince(String),
    /// A credit note cannot be canceled.
    #[say("conflict.credit_note")]
    CreditNote(InvoiceNumber),
}

/// What a program does about an [`enum@Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is wrong: correct it.
    Invalid,
    /// The record does not exist for this caller.
    NotFound,
    /// Another user may do this.
    NotAllowed,
    /// The state of a record forbids it.
    Conflict,
    /// Somebody was faster: read again, decide again.
    Changed,
    /// It is too much at once: ask for less.
    TooBroad,
    /// Too many write at the same time: the same call may succeed in a moment.
    Busy,
    /// The store failed, or its numbers are used up: somebody must look at it.
    Unavailable,
}

impl Error {
    /// What to do about it.
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid(_) | Self::Malformed(_) => ErrorKind::Invalid,
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Conflict(Conflict::OtherUser(_)) => ErrorKind::NotAllowed,
            Self::Conflict(_) | Self::Mismatch(_) => ErrorKind::Conflict,
            Self::PreconditionFailed | Self::MarkExpired => ErrorKind::Changed,
            Self::TooBroad { .. } | Self::ManyCustomers { .. } => ErrorKind::TooBroad,
            Self::Storage(StorageError::Busy) => ErrorKind::Busy,
            Self::NumbersUsedUp { .. } | Self::Storage(_) => ErrorKind::Unavailable,
        }
    }

    pub(crate) fn not_found(what: &'static str, number: impl Into<String>) -> Self {
        Self::NotFound {
            what,
            number: number.into(),
        }
    }
}
