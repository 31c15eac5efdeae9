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

/// Random numbers that are reproducible from a seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Coin(pub u64);

impl Coin {
    /// A number below a bound.
    ///
    /// # Panics
    /// When the bound is 0.
    pub const fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// A random index of a list of this length.
    ///
    /// # Panics When the list is empty.
    pub fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("it is below a length")
    }
}
