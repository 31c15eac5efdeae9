//! Files with all data of a store, or with passwords.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Creates a file that only its owner may read, from its first byte on.
///
/// An existing file is from a command that was killed or from another user. It is removed and never written to: it
/// may be a link, and it would keep its owner and mode.
pub(super) fn create_private_file(path: &Path) -> io::Result<File> {
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
