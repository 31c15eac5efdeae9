//! A body being received.

use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use super::body::{BodyError, StoredBody, Summed};

/// A body whose bytes arrive in pieces. If it is dropped before its end, its file is removed.
#[derive(Debug)]
pub struct Incoming {
    path: PathBuf,
    file: Summed<File>,
    most_bytes: u64,
    renamed: bool,
}

impl Incoming {
    pub(super) fn create(folder: &Path, most_bytes: u64) -> io::Result<Self> {
        let path = folder.join(format!("{:032x}", rand::random::<u128>()));
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)?;
        Ok(Self {
            path,
            file: Summed::new(file),
            most_bytes,
            renamed: false,
        })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), BodyError> {
        let length = self.file.length().saturating_add(bytes.len() as u64);
        if length > self.most_bytes {
            return Err(BodyError::TooLong(self.most_bytes));
        }
        Ok(self.file.write_all(bytes)?)
    }

    /// Hash and length of the bytes so far.
    pub(super) fn body(&self) -> StoredBody {
        self.file.body()
    }

    /// The file, positioned at its start. Its name is removed where the system allows it.
    pub(super) fn into_file(mut self) -> io::Result<File> {
        self.file.inner().rewind()?;
        self.file.inner().try_clone()
    }

    /// Syncs the bytes and renames the file. The caller syncs the folder.
    pub(super) fn rename(mut self, path: &Path) -> io::Result<()> {
        self.file.inner().sync_all()?;
        fs::rename(&self.path, path)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if !self.renamed {
            // If this fails, the next collection removes the file.
            let _ = fs::remove_file(&self.path);
        }
    }
}
