//! Free disk space.

use std::io;
use std::path::Path;

/// Free bytes of the file system of a folder.
///
/// # Errors
/// When the folder does not exist or the system does not report it.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let told = rustix::fs::statvfs(folder)?;
    Ok(told.f_bavail.saturating_mul(told.f_frsize))
}

/// Free bytes of the file system of a folder: unknown on this system.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn free_bytes(_folder: &Path) -> io::Result<u64> {
    Ok(u64::MAX)
}
