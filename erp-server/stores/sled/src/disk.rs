//! What the operating system says of disks and files.

use std::fs::File;
use std::io;
use std::path::Path;

/// Free bytes of the file system of a folder.
/// Errors: when the folder does not exist or the system does not report it.
#[cfg(unix)]
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let told = rustix::fs::statvfs(folder)?;
    Ok(told.f_bavail.saturating_mul(told.f_frsize))
}

/// Free bytes of the file system of a folder: unknown on this system.
#[cfg(not(unix))]
pub fn free_bytes(_folder: &Path) -> io::Result<u64> {
    Ok(u64::MAX)
}

/// Allocates disk space to the first bytes of a file without changing its length; returns whether there was enough.
#[cfg(target_os = "linux")]
pub(crate) fn allocate(file: &File, bytes: u64) -> bool {
    use rustix::fs::{FallocateFlags, fallocate};
    fallocate(file, FallocateFlags::KEEP_SIZE, 0, bytes).is_ok()
}

/// Has the file system write every change of names in a folder at once (`chattr +D`), where it knows how. ext4 and XFS
/// write them in order before a later sync of a file; btrfs needs this flag for it.
#[cfg(target_os = "linux")]
pub(crate) fn sync_names(folder: &Path) {
    use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
    let Ok(file) = File::open(folder) else {
        return;
    };
    if let Ok(flags) = ioctl_getflags(&file)
        && !flags.contains(IFlags::DIRSYNC)
    {
        // Other file systems refuse it.
        let _refused = ioctl_setflags(&file, flags | IFlags::DIRSYNC);
    }
}

/// Has every change of names in a folder written at once: other systems have no call for it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn sync_names(_folder: &Path) {}

/// Allocates disk space to the first bytes of a file: other systems have no call for it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn allocate(_file: &File, _bytes: u64) -> bool {
    true
}

/// A number that the system draws when the machine starts; other systems than Linux have none.
pub(crate) fn start_of_machine() -> io::Result<String> {
    let number = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    Ok(number.trim().to_owned())
}

/// What distinguishes a file from its copies.
#[cfg(unix)]
pub(crate) fn number_of_file(path: &Path) -> io::Result<String> {
    use std::os::unix::fs::MetadataExt as _;
    let data = std::fs::metadata(path)?;
    Ok(format!("{} {}", data.dev(), data.ino()))
}

/// What distinguishes a file from its copies: not known on this system.
#[cfg(not(unix))]
pub(crate) fn number_of_file(_path: &Path) -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes `to` another way to the file or folder `from`.
#[cfg(unix)]
pub(crate) fn link(from: &Path, to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(from, to)
}

/// Makes `to` another way to the file or folder `from`: not done on this system.
#[cfg(not(unix))]
pub(crate) fn link(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
