//! What the durable stores of `erp-core` have in common: why one does not open, how its state leaves it and
//! comes into another one, and where a store goes on that begins with such a state.

mod continuation;
mod error;
mod snapshot;
mod sync_time;

pub use continuation::{Continuation, revision_after};
pub use error::OpenError;
pub use snapshot::{RecordSink, Records, Snapshot, Snapshots};
pub use sync_time::SyncTime;
