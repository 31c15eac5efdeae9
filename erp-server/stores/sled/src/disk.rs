//! What the file system of a folder has left.

use std::io;
use std::path::Path;

/// Bytes that may still be written to the file system of a folder.
///
/// # Errors
/// When the folder is not there or the system does not tell.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let told = rustix::fs::statvfs(folder)?;
    Ok(told.f_bavail.saturating_mul(told.f_frsize))
}

/// Bytes that may still be written to the file system of a folder: not known on this system.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn free_bytes(_folder: &Path) -> io::Result<u64> {
    Ok(u64::MAX)
}
