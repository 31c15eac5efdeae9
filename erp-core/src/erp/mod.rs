//! The operations of the interface: load, decide, commit.
//!
//! [`Erp`] is the only asynchronous code of the core. The rules are plain functions in other modules; this module
//! decides what to load and which changes belong in one commit. Its three doors, [`Shop`], [`Office`] and [`Upkeep`], are also its
//! rooms; below them are the lists of orders and the engine, which they share, then the catalogue and the keys.
//!
//! All of them fail when the store fails ([`Error::Storage`]); what else an operation refuses stands below its `# Errors`.

mod catalogue;
mod engine;
pub(crate) mod keys;
mod lists;
mod office;
mod shop;
mod stored;
mod upkeep;

pub use crate::domain::document::ListedOrder;
pub use crate::storage::record::Versioned;
pub use catalogue::ArticleFilter;
pub use engine::{
    Actor, AddressCheck, Conflict, Erp, Error, ErrorKind, Event, EventKind, Events, FirstNumbers,
    Method, Office, Outcome, RESPONSE_LIFETIME, Retry, Settings, Shop, ShownInvoice, TownCheck,
    Upkeep,
};
pub use keys::{EventId, SearchField};
pub use lists::{
    FirstDigits, InvoicePage, InvoiceQuery, ListedInvoice, ListedOffer, OfferPage, OfferQuery,
    OrderPage, OrderQuery,
};
#[cfg(feature = "zugferd")]
pub use office::MadeInvoice;
pub use office::{
    ChangedMembers, CustomerPage, CustomerPlace, CustomerQuery, ImportReport, ImportRow,
    ListedCustomer, RowError,
};
pub use shop::{
    ArticleChanges, ArticleList, ArticleQuery, FoundCustomer, Mark, SearchTerms, ShownArticle,
    ShownCustomer,
};
pub use upkeep::{ExportOf, ExportPage, ExportPlace, ExportedRow, Finding, Integrity, OutboxEntry};

/// All public names.
#[cfg(feature = "internal")]
pub(crate) mod every {
    pub use super::catalogue::*;
    pub use super::engine::*;
    pub use super::keys::*;
    pub use super::lists::*;
    pub use super::office::*;
    pub use super::shop::*;
    pub use super::upkeep::*;
}
