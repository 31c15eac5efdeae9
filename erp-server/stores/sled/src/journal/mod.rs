//! The commit journal: what is acknowledged is here, synced, before anyone is told.
//!
//! The journal is a row of segment files of fixed size, filled with zeros and synced before use, so
//! that a commit changes no file length and needs one `fdatasync`, and so that a shortened file is
//! seen. A segment is named by its base: the number of the commit before its first record.
//!
//! Records begin at multiples of 64 bytes and are of three kinds:
//!
//! - a **group** of commits with gap-free numbers, all synced by one call;
//! - a **seal**, written in a 4 KiB page of its own when the journal has been idle for a moment. It
//!   confirms the last commit number, so that damage of the last group is told from a write that a
//!   crash cut short;
//! - a **successor** at the end of a full segment, so that a missing last segment is seen.
//!
//! A damaged part is skipped only when it can hold nothing but a group that was never acknowledged:
//! when no record behind it has a higher commit number.

mod files;
mod record;
mod recover;
mod segment;
mod writer;

pub use files::{DiskFiles, JournalFile, JournalFiles};
pub(crate) use record::{Change, put_change, put_change_count, put_time};
pub(crate) use recover::{Recovered, Replayed, read_range, recover};
pub use segment::Retention;
pub(crate) use segment::{Head, Segment, Segments, prepare_spare};
pub(crate) use writer::{AppendError, Journal, now};
