//! The upkeep of a store: deliveries of events, export, backups, leases, integrity.

mod backup;
mod events;
mod export;
mod integrity;
mod lease;

pub use backup::BackupNote;
pub use events::{
    ATTEMPTS_KEPT, AttemptOutcome, Backlog, Delivery, DeliveryAttempt, DeliveryState, Due,
    EventTarget, FailedPage, LogQuery, LoggedEntry, LoggedEvent, NewEventTarget, OutboxEntry,
    RETRY_WAITS, Schedule, Verdict,
};
pub use export::{ExportOf, ExportPage, ExportPlace, ExportedRow};
pub use integrity::{Finding, Integrity};
pub use lease::{Lease, LeaseAfter, LeaseRecord, LeaseTerms, Leased};
