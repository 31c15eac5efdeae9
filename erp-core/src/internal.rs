//! What the server, its stores, the npm package and the tests of this repository need beyond the face of the crate: the records and
//! rules of the interface, what is stored, users, leases, deliveries of events, the audit trail. It is in a feature of its own,
//! because no version promises that it stays as it is.

pub use crate::domain::{article, document, master, media, response, tables};
pub use crate::erp::every::*;
pub use crate::offline::every as offline;
pub use crate::storage::continuation::{Continuation, revision_after};
pub use crate::storage::key::{history_key, outbox_key};
pub use crate::storage::snapshot::{RecordSink, Records, Snapshot, Snapshots};
pub use crate::values::{json, problem};
pub use erp_derive::Say;

/// How records are stored.
pub mod record {
    pub use crate::storage::record::*;
}

/// The records of the interface: their tables, reading and writing.
pub mod wire {
    pub use crate::wire::*;
}
