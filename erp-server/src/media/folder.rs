//! Bodies as files in a folder.
//!
//! This does not use the crate's `LocalFileSystem`: that one syncs a file and its folder on request, but neither the
//! parent folders it creates nor a body that exists already. It also cannot record when a body was last asked for,
//! and it places its temporary files among the bodies.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use erp_core::media::BodyHash;

use super::body::{ASIDE, AsideBody, StoredBody, look, sum_of, there};
use super::incoming::Incoming;
use crate::lock::lock;
use crate::store::sync_folder;

/// The folder of incomplete bodies.
const NEW: &str = "new";

/// The folder `media` of a data folder; other processes may share it.
#[derive(Debug)]
pub(super) struct Folder {
    data_dir: PathBuf,
    folder: PathBuf,
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
        let part = |from: usize| name.get(from..from + 2).unwrap_or_default();
        self.folder.join(part(0)).join(part(2)).join(&name)
    }

    /// The folder of what was moved aside of a body.
    fn aside(&self, hash: BodyHash) -> PathBuf {
        self.folder.join(ASIDE).join(hash.to_string())
    }

    /// The folder of incomplete bodies; created if necessary.
    pub(super) fn new_bodies(&self) -> io::Result<PathBuf> {
        let folder = self.folder.join(NEW);
        self.make_durable(&folder)?;
        Ok(folder)
    }

    /// Renames a body to its final name and syncs. Existing intact bytes are not written again.
    pub(super) fn store(&self, body: StoredBody, incoming: Incoming) -> io::Result<()> {
        let path = self.path(body.hash);
        let folder = path.parent().unwrap_or(&self.folder).to_owned();
        self.make_durable(&folder)?;
        let renewed = self.is_sound(body)? && renew(&path)?;
        if !renewed {
            incoming.rename(&path)?;
        }
        // An existing body may come from a process that ended before this sync.
        sync_folder(&folder)
    }

    /// The body with a hash, if it is intact; sets its modification time to now.
    pub(super) fn find(&self, hash: BodyHash) -> io::Result<Option<StoredBody>> {
        let Some(length) = self.length(hash)? else {
            return Ok(None);
        };
        let body = StoredBody { hash, length };
        let path = self.path(hash);
        if !self.is_sound(body)? {
            return Ok(None);
        }
        // One that was moved aside in this moment is aside for a day at least.
        renew(&path)?;
        if let Some(folder) = path.parent() {
            sync_folder(folder)?;
        }
        Ok(Some(body))
    }

    /// `None` when the file does not exist in this length.
    pub(super) fn open(&self, hash: BodyHash, length: u64) -> io::Result<Option<File>> {
        let Some(file) = self.file(hash)? else {
            return Ok(None);
        };
        let found = file.metadata()?;
        Ok((found.is_file() && found.len() == length).then_some(file))
    }

    pub(super) fn length(&self, hash: BodyHash) -> io::Result<Option<u64>> {
        let file = self.file(hash)?;
        file.map(|file| Ok(file.metadata()?.len())).transpose()
    }

    fn file(&self, hash: BodyHash) -> io::Result<Option<File>> {
        let path = self.path(hash);
        look(|| there(File::open(&path)), || self.bring_back(hash))
    }

    pub(super) fn is_in_place(&self, hash: BodyHash) -> io::Result<bool> {
        fs::exists(self.path(hash))
    }

    pub(super) fn older_than(&self, before: SystemTime) -> io::Result<Vec<StoredBody>> {
        let mut found = Vec::new();
        for outer in entries(&self.folder)? {
            for inner in entries(&outer)? {
                for path in entries(&inner)? {
                    // Files without a valid body name are ignored.
                    let hash = hash_of(&path).filter(|hash| self.path(*hash) == path);
                    let Some(hash) = hash else { continue };
                    let length = old_length(&path, before)?;
                    found.extend(length.map(|length| StoredBody { hash, length }));
                }
            }
        }
        Ok(found)
    }

    /// Moves a body aside if it was last stored before `before`; returns whether it was moved.
    pub(super) fn set_aside(&self, body: AsideBody, before: SystemTime) -> io::Result<bool> {
        let path = self.path(body.hash);
        if old_length(&path, before)?.is_none() {
            return Ok(false);
        }
        let all = self.folder.join(ASIDE);
        self.make_durable(&all)?;
        let folder = self.aside(body.hash);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
            created => created?,
        }
        sync_folder(&all)?;
        let moved = there(fs::rename(path, folder.join(body.at.to_string())))?;
        there(sync_folder(&folder))?;
        Ok(moved.is_some())
    }

    /// Moves a body back to its place; returns whether there was one aside.
    pub(super) fn bring_back(&self, hash: BodyHash) -> io::Result<bool> {
        let Some(aside) = entries(&self.aside(hash))?.pop() else {
            return Ok(false);
        };
        let path = self.path(hash);
        let folder = path.parent().unwrap_or(&self.folder);
        self.make_durable(folder)?;
        // In its place it must not look old.
        renew(&aside)?;
        there(fs::rename(aside, &path))?;
        sync_folder(folder)?;
        Ok(true)
    }

    pub(super) fn aside_before(&self, before: u64) -> io::Result<Vec<AsideBody>> {
        let mut found = Vec::new();
        for folder in entries(&self.folder.join(ASIDE))? {
            let Some(hash) = hash_of(&folder) else {
                continue;
            };
            // Succeeds only if it is empty.
            let _ = fs::remove_dir(&folder);
            let files = entries(&folder)?;
            let names = files.iter().filter_map(|path| path.file_name()?.to_str());
            let times = names.filter_map(|name| name.parse().ok());
            let times = times.filter(|at| *at < before);
            found.extend(times.map(|at| AsideBody { hash, at }));
        }
        Ok(found)
    }

    pub(super) fn remove_aside(&self, body: AsideBody) -> io::Result<bool> {
        let path = self.aside(body.hash).join(body.at.to_string());
        Ok(there(fs::remove_file(path))?.is_some())
    }

    pub(super) fn remove_abandoned(&self, before: SystemTime) -> io::Result<usize> {
        let mut removed = 0_usize;
        for path in entries(&self.folder.join(NEW))? {
            if old_length(&path, before)?.is_some() && there(fs::remove_file(&path))?.is_some() {
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn is_sound(&self, body: StoredBody) -> io::Result<bool> {
        let Some(file) = self.open(body.hash, body.length)? else {
            return Ok(false);
        };
        // A read error of the disk counts as damage.
        Ok(sum_of(file).is_ok_and(|found| found == body))
    }

    /// Creates a folder below the data folder, and makes it and its parents durable.
    fn make_durable(&self, folder: &Path) -> io::Result<()> {
        let mut synced = lock(&self.synced);
        if synced.contains(folder) && folder.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(folder)?;
        // Up to the data folder, which the store has synced.
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

fn hash_of(path: &Path) -> Option<BodyHash> {
    BodyHash::parse(path.file_name()?.to_str()?).ok()
}

/// Sets the modification time to now; `false` when another process has moved the file.
fn renew(path: &Path) -> io::Result<bool> {
    let Some(file) = there(File::open(path))? else {
        return Ok(false);
    };
    file.set_modified(SystemTime::now())?;
    Ok(true)
}

/// The length of a file that was last modified before `before`; otherwise `None`.
fn old_length(path: &Path, before: SystemTime) -> io::Result<Option<u64>> {
    match there(fs::symlink_metadata(path))? {
        Some(found) if found.is_file() && found.modified()? < before => Ok(Some(found.len())),
        _ => Ok(None),
    }
}

/// The entries of a folder; empty when it is not a folder, or is removed meanwhile.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let list = fs::read_dir(folder);
    match list.and_then(|list| list.map(|entry| Ok(entry?.path())).collect()) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(Vec::new()),
        listed => Ok(there(listed)?.unwrap_or_default()),
    }
}
