//! Simulated power losses: everything a process does to its files is recorded. From the record, the possible contents
//! of the disk after a power loss at any point are built.
//!
//! - [`Recorder`] compiles `power/record.c`, which is loaded into the process under test and
//!   appends an [`Event`] to a log for each write, change of a name and sync.
//! - [`Disk`] replays the log up to a moment and knows what must be on the disk at that point and what may be.
//! - [`Loss`] says what happens to the rest.
//!
//! The model assumes only what POSIX guarantees: bytes and length of a file are durable when an `fsync` or `fdatasync`
//! of that file has returned that started after they were written. A name is durable after such a sync of its folder.
//! `sync_file_range` makes nothing durable.

mod disk;
mod event;
mod file;
mod recorder;

pub use disk::{Disk, Loss};
pub use event::{Event, Log, Mark};
pub use file::BLOCK;
pub use recorder::Recorder;
