//! File of a unix socket: never replaces a socket in use or another file, and removes its own.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::listen::Listen;

/// Permissions of a socket: owner and group, as of a proxy, may connect.
const MODE: u32 = 0o660;

/// File of a bound socket. Dropped: removes the file, unless another file has replaced it.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    id: Id,
}

/// Identity of a file. Inode numbers are reused, so the change time is included.
type Id = (u64, u64, i64, i64);

fn id(file: &fs::Metadata) -> Id {
    (file.dev(), file.ino(), file.ctime(), file.ctime_nsec())
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let found = fs::symlink_metadata(&self.path);
        let is_ours = found.is_ok_and(|file| id(&file) == self.id);
        if is_ours {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Binds a socket. It is created under a temporary name and renamed, so that it never exists with wrong permissions. A
/// socket without a process is replaced; one in use and any other file are not.
pub(crate) fn bind(listen: &Listen, path: &Path) -> Result<(UnixListener, SocketFile), Error> {
    remove_stale(listen, path)?;
    bind_new(path).map_err(|source| Error::Bind {
        listen: listen.clone(),
        source,
    })
}

fn bind_new(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    if fs::symlink_metadata(&beside).is_ok_and(|file| file.file_type().is_socket()) {
        fs::remove_file(&beside)?;
    }
    let listener = UnixListener::bind(&beside)?;
    listener.set_nonblocking(true)?;
    fs::set_permissions(&beside, Permissions::from_mode(MODE))?;
    fs::rename(&beside, path)?;
    let file = fs::symlink_metadata(path)?;
    let file = SocketFile {
        path: path.to_owned(),
        id: id(&file),
    };
    Ok((listener, file))
}

/// Removes the socket left by a killed process, but only if no process accepts connections on it.
fn remove_stale(listen: &Listen, path: &Path) -> Result<(), Error> {
    let failed = |source| Error::Bind {
        listen: listen.clone(),
        source,
    };
    let file = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found.map_err(failed)?,
    };
    if !file.file_type().is_socket() {
        return Err(Error::NoSocket(listen.clone()));
    }
    match UnixStream::connect(path) {
        Ok(_) => Err(Error::Taken(listen.clone())),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn try_bind(path: &Path) -> Result<(UnixListener, SocketFile), Error> {
        bind(&Listen::Unix(path.to_owned()), path)
    }

    #[test]
    fn a_stale_socket_is_replaced_and_a_living_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.sock");
        let first = try_bind(&path).unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            MODE
        );
        assert!(matches!(try_bind(&path), Err(Error::Taken(_))));
        let (listener, file) = first;
        // As after a kill: no listener, but the file remains.
        std::mem::drop(listener);
        let second = try_bind(&path).unwrap();
        // The path now belongs to the second socket, so the first must not remove it.
        drop(file);
        assert!(path.exists());
        drop(second);
        assert!(!path.exists() && fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[test]
    fn other_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.sock");
        fs::write(&path, "mine").unwrap();
        assert!(matches!(try_bind(&path), Err(Error::NoSocket(_))));
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        let nowhere = folder.path().join("no/test.sock");
        let error = try_bind(&nowhere).unwrap_err().to_string();
        assert!(error.contains(&nowhere.display().to_string()), "{error}");
    }
}
