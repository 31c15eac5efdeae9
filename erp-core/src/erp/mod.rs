//! The operations of the interface: load, decide, commit.
//!
//! [`Erp`] is the only asynchronous code of the core. The rules are plain functions in other modules; this module
//! decides what to load and which changes belong in one commit. Its three doors, [`Shop`], [`Office`] and [`Upkeep`], are also its
//! rooms; below them are the lists of orders and the engine, which they share.

mod engine;
mod lists;
mod office;
mod shop;
mod stored;
mod upkeep;

pub use crate::storage::record::Versioned;
pub use engine::{
    Actor, AddressCheck, AddressOwner, AuditEntry, AuditId, Change, ChangeLog, ChangedRecord,
    Conflict, Counted, CustomerOrderEntry, Erp, Error, Event, EventId, EventKind, Events,
    FirstNumbers, InvoiceNumbers, InvoiceXml, Leases, Method, Office, Outcome, RESPONSE_LIFETIME,
    Retry, SearchField, SeenBefore, Settings, Shop, ShownInvoice, StoredResponse, TokenHash,
    TownCheck, Unsellable, Upkeep, Users,
};
pub use lists::*;
pub use office::*;
pub use shop::*;
pub use upkeep::*;
