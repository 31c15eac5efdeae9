//! One body: its name and length, and why it was not stored.

use std::io::{self, BufReader, Read, Write};

use erp_core::media::BodyHash;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// Size of the read and write buffers in bytes.
pub(super) const PIECE: usize = 64 * 1024;

/// Looks for a body that is moved aside again and again.
pub(super) const LOOKS: usize = 10;

/// The folder or the part of keys where bodies are that were moved aside: `aside/<hash>/<seconds since 1970>`.
pub(super) const ASIDE: &str = "aside";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBody {
    /// The SHA-256 of its bytes.
    pub hash: BodyHash,
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
/// `bring_back` returns whether there was anything aside. Nothing in both places may be something on its way from one to the
/// other; twice in succession it is not there.
pub(super) fn look<T>(
    in_place: impl Fn() -> io::Result<Option<T>>,
    bring_back: impl Fn() -> io::Result<bool>,
) -> io::Result<Option<T>> {
    let mut was_nowhere = false;
    for _ in 0..LOOKS {
        let found = in_place()?;
        if found.is_some() {
            return Ok(found);
        }
        let is_nowhere = !bring_back()?;
        if is_nowhere && was_nowhere {
            return Ok(None);
        }
        was_nowhere = is_nowhere;
    }
    in_place()
}

/// Maps "not found" to `None`: what is looked for may have been removed meanwhile.
pub(super) fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

#[derive(Debug, Error)]
pub enum BodyError {
    #[error("the file is empty")]
    Empty,
    /// It has more bytes than the setting `media_body_bytes` allows.
    #[error("the file is longer than the {0} bytes allowed")]
    TooLong(u64),
    #[error(transparent)]
    Io(#[from] io::Error),
}

pub(super) fn other_bytes() -> io::Error {
    let text = "it holds other bytes than its name says";
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Passes bytes on to what is inside, or from it, and computes their SHA-256 and length.
#[derive(Debug)]
pub(crate) struct Summed<T> {
    inner: T,
    sum: Sha256,
    length: u64,
}

impl<T> Summed<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self {
            inner,
            sum: Sha256::new(),
            length: 0,
        }
    }

    /// Hash and length of the bytes so far.
    pub(crate) fn body(&self) -> StoredBody {
        StoredBody {
            hash: BodyHash::new(self.sum.clone().finalize().into()),
            length: self.length,
        }
    }

    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn into_inner(self) -> T {
        self.inner
    }

    fn count(&mut self, bytes: &[u8]) {
        self.sum.update(bytes);
        self.length += bytes.len() as u64;
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.count(bytes.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.count(into.get(..count).unwrap_or_default());
        Ok(count)
    }
}

/// Hash and length of all bytes of a reader.
pub(crate) fn sum_of(bytes: impl Read) -> io::Result<StoredBody> {
    let mut sum = Summed::new(io::sink());
    io::copy(&mut BufReader::with_capacity(PIECE, bytes), &mut sum)?;
    Ok(sum.body())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_body_that_comes_back_while_it_is_looked_for_is_found() {
        // Another process brings it back just before this one does, and it is moved aside once more.
        let looks = Cell::new(0);
        let in_place = || Ok((looks.replace(looks.get() + 1) == 2).then_some("body"));
        let found = look(in_place, || Ok(looks.get() == 2)).unwrap();
        assert_eq!(found, Some("body"));
        let looks = Cell::new(0);
        let nowhere = || Ok(None::<()>).inspect(|_| looks.set(looks.get() + 1));
        assert_eq!(look(nowhere, || Ok(false)).unwrap(), None);
        assert_eq!(looks.get(), 2);
    }
}
