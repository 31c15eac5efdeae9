//! The operations of the interface: load, decide, commit.
//!
//! [`Erp`] is the only asynchronous code of the core. The rules are plain functions in other modules; this module
//! decides what to load and which changes belong in one commit. Its three doors, [`Shop`], [`Office`] and [`Upkeep`], are also its
//! rooms; below them are the lists of orders and the engine, which they share, then the catalogue and the keys.

mod catalogue;
mod engine;
pub(crate) mod keys;
mod lists;
mod office;
mod shop;
mod stored;
mod upkeep;

pub use crate::storage::record::Versioned;
pub use catalogue::{ArticleFilter, Counted, Unsellable};
pub use engine::{
    Actor, AddressCheck, AuditEntry, Change, ChangeLog, ChangedRecord, Conflict, Erp, Error, Event,
    EventKind, Events, FirstNumbers, InvoiceNumbers, InvoiceXml, Leases, Method, Office, Outcome,
    RESPONSE_LIFETIME, Retry, SeenBefore, Settings, Shop, ShownInvoice, StoredResponse, TownCheck,
    Upkeep, Users,
};
pub use keys::{AddressOwner, AuditId, CustomerOrderEntry, EventId, SearchField, TokenHash};
pub use lists::*;
pub use office::*;
pub use shop::*;
pub use upkeep::*;
