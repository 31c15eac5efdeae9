//! The commit journal (write-ahead log): a commit is written and synced here before it is acknowledged.
//!
//! The journal is a series of segment files of fixed size. They are filled with zeros and synced before use, so
//! that a commit changes no file length and needs one `fdatasync`, and a truncated file is detected. A segment is
//! named by its base: the number of the commit before its first record.
//!
//! Records start at multiples of 64 bytes and are of three kinds:
//!
//! - a **group** of commits with consecutive numbers, all synced by one call;
//! - a **seal**, written in a 4 KiB page of its own when the journal has been idle for a moment. It confirms the last
//!   commit number, so that damage of the last group is distinguished from a write that a crash interrupted;
//! - a **successor** at the end of a full segment, so that a missing last segment is detected.
//!
//! A damaged part is skipped only if it can contain nothing but a group that was never acknowledged: if no later
//! record has a higher commit number.

mod files;
mod record;
mod recover;
mod segment;
mod writer;

pub use files::{DiskFiles, JournalFile, JournalFiles};
pub(crate) use record::{KeyChange, put_change, put_change_count, put_time};
pub(crate) use recover::{Recovered, Replayed, read_range, recover};
pub use segment::Retention;
pub(crate) use segment::{Segment, SegmentHead, Segments, prepare_spare};
pub(crate) use writer::{AppendError, Journal, now};
