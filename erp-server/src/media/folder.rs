//! Bodies as files of a folder.
//!
//! Not over the crate's `LocalFileSystem`: that syncs a file and its folder when told to, but neither the
//! folders above that it makes nor a body it finds there already, it cannot tell how old a body is since
//! somebody asked for it, and its temporary files lie among the bodies.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use erp_core::media::BodyHash;

use super::bodies::{StoredBody, sum_of};
use super::incoming::Incoming;
use crate::store::sync_folder;

/// The folder of bodies that are not complete yet.
const NEW: &str = "new";

/// The folder `media` of a data folder, of this process alone or shared with others.
#[derive(Debug)]
pub(super) struct Folder {
    data_dir: PathBuf,
    folder: PathBuf,
    /// Folders that were made durable by this process.
    synced: Mutex<BTreeSet<PathBuf>>,
}

impl Folder {
    pub(super) fn new(data_dir: &Path) -> Self {
        Self {
            data_dir: data_dir.to_owned(),
            folder: data_dir.join("media"),
            synced: Mutex::default(),
        }
    }

    pub(super) fn path(&self, hash: BodyHash) -> PathBuf {
        let name = hash.to_string();
        let part = |from: usize| name.get(from..from.saturating_add(2)).unwrap_or_default();
        self.folder.join(part(0)).join(part(2)).join(&name)
    }

    /// The folder of bodies that are not complete yet, made if need be.
    pub(super) fn new_bodies(&self) -> io::Result<PathBuf> {
        let folder = self.folder.join(NEW);
        self.make_durable(&folder, &mut self.lock())?;
        Ok(folder)
    }

    /// Gives a body its name and syncs it. Bytes that are there already are not written again.
    pub(super) fn store(&self, body: StoredBody, incoming: Incoming) -> io::Result<()> {
        let path = self.path(body.hash);
        let folder = path.parent().unwrap_or(&self.folder).to_owned();
        let mut synced = self.lock();
        self.make_durable(&folder, &mut synced)?;
        let renewed = self.is_sound(body)? && renew(&path)?;
        if !renewed {
            incoming.rename(&path)?;
        }
        // A body that was there may be from a process that ended before this.
        sync_folder(&folder)
    }

    /// The body under a hash, when it is there and sound; its time is now.
    pub(super) fn find(&self, hash: BodyHash) -> io::Result<Option<StoredBody>> {
        let _ordered = self.lock();
        let Some(length) = self.length(hash)? else {
            return Ok(None);
        };
        let body = StoredBody { hash, length };
        let path = self.path(hash);
        if !self.is_sound(body)? || !renew(&path)? {
            return Ok(None);
        }
        if let Some(folder) = path.parent() {
            sync_folder(folder)?;
        }
        Ok(Some(body))
    }

    /// `None` when the file is not there in its length.
    pub(super) fn open(&self, hash: BodyHash, length: u64) -> io::Result<Option<File>> {
        let Some(file) = there(File::open(self.path(hash)))? else {
            return Ok(None);
        };
        let found = file.metadata()?;
        Ok((found.is_file() && found.len() == length).then_some(file))
    }

    pub(super) fn length(&self, hash: BodyHash) -> io::Result<Option<u64>> {
        let found = there(fs::metadata(self.path(hash)))?;
        Ok(found.map(|found| found.len()))
    }

    pub(super) fn older_than(&self, before: SystemTime) -> io::Result<Vec<StoredBody>> {
        let mut found = Vec::new();
        for outer in entries(&self.folder)? {
            for inner in entries(&outer)? {
                for path in entries(&inner)? {
                    let name = path.file_name().and_then(|name| name.to_str());
                    let hash = name.and_then(|name| BodyHash::parse(name).ok());
                    // What does not bear the name of a body is not ours.
                    let Some(hash) = hash.filter(|hash| self.path(*hash) == path) else {
                        continue;
                    };
                    found.extend(
                        old_length(&path, before)?.map(|length| StoredBody { hash, length }),
                    );
                }
            }
        }
        Ok(found)
    }

    pub(super) fn remove_older(&self, hash: BodyHash, before: SystemTime) -> io::Result<bool> {
        let path = self.path(hash);
        let _ordered = self.lock();
        Ok(old_length(&path, before)?.is_some() && there(fs::remove_file(&path))?.is_some())
    }

    pub(super) fn remove_abandoned(&self, before: SystemTime) -> io::Result<usize> {
        let mut removed = 0_usize;
        for path in entries(&self.folder.join(NEW))? {
            if old_length(&path, before)?.is_some() && there(fs::remove_file(&path))?.is_some() {
                removed = removed.saturating_add(1);
            }
        }
        Ok(removed)
    }

    fn is_sound(&self, body: StoredBody) -> io::Result<bool> {
        let Some(mut file) = self.open(body.hash, body.length)? else {
            return Ok(false);
        };
        // A disk that cannot read a file back has damaged it.
        Ok(sum_of(&mut file).is_ok_and(|found| found == body.hash))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.synced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a folder below the data folder, and it and the ones above durable.
    fn make_durable(&self, folder: &Path, synced: &mut BTreeSet<PathBuf>) -> io::Result<()> {
        if synced.contains(folder) && folder.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(folder)?;
        // Up to the data folder, which the store has made durable itself.
        let above = folder.ancestors().skip(1);
        for above in above.take_while(|above| above.starts_with(&self.data_dir)) {
            sync_folder(if above.as_os_str().is_empty() {
                Path::new(".")
            } else {
                above
            })?;
        }
        synced.insert(folder.to_owned());
        Ok(())
    }
}

/// What is there; `None` for what is not, or not any more.
fn there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a file the time of now; `false` when another process has removed it.
fn renew(path: &Path) -> io::Result<bool> {
    let Some(file) = there(File::open(path))? else {
        return Ok(false);
    };
    file.set_modified(SystemTime::now())?;
    Ok(true)
}

/// The length of a file that was not touched since; `None` for a newer one or none.
fn old_length(path: &Path, before: SystemTime) -> io::Result<Option<u64>> {
    match there(fs::symlink_metadata(path))? {
        Some(found) if found.is_file() && found.modified()? < before => Ok(Some(found.len())),
        _ => Ok(None),
    }
}

/// What is in a folder; nothing when it is no folder.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(list) => list.map(|entry| Ok(entry?.path())).collect(),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}
