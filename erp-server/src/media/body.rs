//! One body: its name and length, and why it was not stored.

use std::io::{self, Read};

use erp_core::media::BodyHash;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// Size of the read and write buffers in bytes.
pub(super) const PIECE: usize = 64 * 1024;

/// Looks for a body that is moved aside again and again.
pub(super) const LOOKS: usize = 10;

/// The folder or the part of keys where bodies are that were moved aside: `aside/<hash>/<seconds since 1970>`.
pub(super) const ASIDE: &str = "aside";

/// A body that is stored and synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBody {
    /// The SHA-256 of its bytes.
    pub hash: BodyHash,
    /// Length in bytes.
    pub length: u64,
}

/// A body that was moved aside. Each move makes a new name, so that a late removal never meets a later move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AsideBody {
    pub(super) hash: BodyHash,
    /// When it was moved, in seconds since 1970.
    pub(super) at: u64,
}

/// Looks for something that another process may move aside meanwhile: what is not in its place is brought back first.
/// `bring_back` returns whether there was anything aside.
pub(super) fn look<T>(
    in_place: impl Fn() -> io::Result<Option<T>>,
    bring_back: impl Fn() -> io::Result<bool>,
) -> io::Result<Option<T>> {
    for _ in 0..LOOKS {
        match in_place()? {
            None if bring_back()? => (),
            None => break,
            found => return Ok(found),
        }
    }
    in_place()
}

/// Why a body was not stored.
#[derive(Debug, Error)]
pub enum BodyError {
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// It has more bytes than the setting `media_body_bytes` allows.
    #[error("the file is longer than the {0} bytes allowed")]
    TooLong(u64),
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The SHA-256 of all bytes of a reader.
pub(super) fn sum_of(bytes: &mut impl Read) -> io::Result<BodyHash> {
    let mut sum = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        match bytes.read(&mut piece) {
            Ok(0) => return Ok(BodyHash::new(sum.finalize().into())),
            Ok(count) => sum.update(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
}
