//! What the durable stores of `erp-core` share: open errors, export and import of a store's whole state, and the
//! revisions and numbers that a store continues with after such an import.

mod continuation;
mod error;
mod snapshot;
mod sync_time;

pub use continuation::{Continuation, revision_after};
pub use error::OpenError;
pub use snapshot::{RecordSink, Records, Snapshot, Snapshots};
pub use sync_time::SyncTime;
