//! File access of the journal as a trait, so that tests can record the order of writes and syncs and inject errors.

use std::fmt::Debug;
use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek, SeekFrom, Write};
use std::path::Path;

/// Creates and opens journal files.
pub trait JournalFiles: Debug + Send + Sync {
    /// Creates a file of `size` zero bytes, which are durable when this returns.
    /// Errors: of the file; the file may then exist in part.
    fn create(&self, path: &Path, size: u64) -> io::Result<Box<dyn JournalFile>>;

    /// Opens a file for writing.
    /// Errors: of the file.
    fn open(&self, path: &Path) -> io::Result<Box<dyn JournalFile>>;
}

/// One file of the journal.
pub trait JournalFile: Debug + Send {
    /// Writes all bytes at an offset within the size of the file.
    /// Errors: of the file; any part of the bytes may be written.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes all written bytes durable.
    /// Errors: of the file; what is durable is then unknown.
    fn sync(&mut self) -> io::Result<()>;
}

/// Implementation with the files of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

/// Size of the writes that fill a new file, in bytes.
const PIECE: usize = 64 * 1024;

impl JournalFiles for DiskFiles {
    fn create(&self, path: &Path, size: u64) -> io::Result<Box<dyn JournalFile>> {
        let file = File::create(path)?;
        let mut zeros = io::repeat(0).take(size);
        io::copy(&mut zeros, &mut BufWriter::with_capacity(PIECE, &file))?;
        file.sync_all()?;
        Ok(Box::new(file))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn JournalFile>> {
        Ok(Box::new(File::options().write(true).open(path)?))
    }
}

impl JournalFile for File {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(offset))?;
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
