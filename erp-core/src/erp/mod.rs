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
pub use lists::{
    ArticleSales, FirstDigits, ListedOffer, ListedOrder, OfferPage, OfferQuery, OrderPage,
    OrderQuery, Sales, SalesSum,
};
#[cfg(feature = "zugferd")]
pub use office::MadeInvoice;
pub use office::{
    AuditPage, AuditQuery, Audited, CustomerPage, CustomerPlace, CustomerQuery, IMPORT_RUNS_KEPT,
    ImportReport, ImportRow, ImportRun, ImportState, IssuedToken, ListedCustomer, LowStock,
    LowStockPage, LowStockQuery, RowError, Stated, UserChange,
};
pub use shop::{
    ArticleChanges, ArticleList, ArticleQuery, CustomerOrders, CustomerWithOrders, FoundCustomer,
    Mark, MediaContent, MediaPart, OrderOfCustomer, OrderPages, SearchTerms, ShownCustomer,
};
pub use upkeep::{
    ATTEMPTS_KEPT, AttemptOutcome, Backlog, BackupNote, Delivery, DeliveryAttempt, DeliveryState,
    Due, EventTarget, ExportOf, ExportPage, ExportPlace, ExportedRow, FailedPage, Finding,
    Integrity, Lease, LeaseAfter, LeaseRecord, LeaseTerms, Leased, LogQuery, LoggedEntry,
    LoggedEvent, NewEventTarget, OutboxEntry, RETRY_WAITS, Schedule, Verdict,
};
