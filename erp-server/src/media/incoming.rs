use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::path::Path;

use tempfile::TempPath;

use super::body::{BodyError, StoredBody, Summed};

/// A body whose bytes arrive in pieces. If it is dropped before its end, its file is removed; if that fails, by the next
/// collection.
#[derive(Debug)]
pub struct Incoming {
    file: Summed<File>,
    path: TempPath,
    most_bytes: u64,
}

impl Incoming {
    pub(super) fn create(folder: &Path, most_bytes: u64) -> io::Result<Self> {
        let path = folder.join(format!("{:032x}", rand::random::<u128>()));
        let path = TempPath::try_from_path(path)?;
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)?;
        Ok(Self {
            file: Summed::new(file),
            path,
            most_bytes,
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
    pub(super) fn into_file(self) -> io::Result<File> {
        let mut file = self.file.into_inner();
        file.rewind()?;
        Ok(file)
    }

    /// Syncs the bytes and renames the file. The caller syncs the folder.
    pub(super) fn rename(self, path: &Path) -> io::Result<()> {
        self.file.into_inner().sync_all()?;
        // `persist` would go past the C library, where tests record what reaches the disk.
        fs::rename(&self.path, path)?;
        self.path.keep()?;
        Ok(())
    }
}
