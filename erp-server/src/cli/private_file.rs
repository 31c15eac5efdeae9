//! Files with all data of a store, or with passwords.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::store::sync_folder;

/// A private file being written under a name of its own. Dropping it before [`PrivateFile::keep`] removes it.
pub(super) struct PrivateFile {
    path: PathBuf,
    target: PathBuf,
    file: BufWriter<File>,
    is_kept: bool,
}

impl PrivateFile {
    pub(super) fn create(target: &Path) -> io::Result<Self> {
        let mut path = target.as_os_str().to_owned();
        path.push(".part");
        let path = PathBuf::from(path);
        Ok(Self {
            file: BufWriter::new(create_private_file(&path)?),
            path,
            target: target.to_owned(),
            is_kept: false,
        })
    }

    /// The name until the file is kept.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes what was written durable.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.sync()?;
        self.keep()
    }

    /// Gives the synced file its name, and makes that durable.
    pub(super) fn keep(mut self) -> io::Result<()> {
        fs::rename(&self.path, &self.target)?;
        self.is_kept = true;
        sync_folder(folder_of(&self.target))
    }
}

/// The folder of a file; a bare name is in the current one.
pub(super) fn folder_of(file: &Path) -> &Path {
    let folder = file.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

impl Write for PrivateFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for PrivateFile {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes a private file; a crash leaves the old one or the new one.
pub(super) fn write_private_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file = PrivateFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.finish()
}

/// Creates a file that only its owner may read, from its first byte on.
///
/// An existing file is from a command that was killed or from another user. It is removed and never written to: it
/// may be a link, and it would keep its owner and mode.
fn create_private_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn a_prepared_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("file"), folder.path().join("other"));
        fs::write(&other, "kept").unwrap();
        symlink(&other, &path).unwrap();
        drop(create_private_file(&path).unwrap());
        assert_eq!(fs::read(&other).unwrap(), b"kept");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        drop(create_private_file(&path).unwrap());
        let found = fs::symlink_metadata(&path).unwrap();
        assert!(found.is_file());
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
    }
}
