//! The folder of the bodies.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use erp_core::media::BodyHash;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::incoming::Incoming;
use crate::store::sync_folder;

/// The folder of bodies that are not complete yet.
const NEW: &str = "new";

/// Bytes that are read or written at a time.
pub(super) const PIECE: usize = 64 * 1024;

/// A body that is stored and synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBody {
    /// The SHA-256 of its bytes.
    pub hash: BodyHash,
    /// How many they are.
    pub length: u64,
}

/// Why a body is not stored.
#[derive(Debug, Error)]
pub enum BodyError {
    /// No bytes at all.
    #[error("the file is empty")]
    Empty,
    /// More bytes than the setting `media_body_bytes` allows.
    #[error("the file is longer than the {0} bytes allowed")]
    TooLong(u64),
    /// The system's reason.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What became of a body that a record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyState {
    /// It is there with the bytes its name promises.
    Sound,
    /// There is no file.
    Missing,
    /// The file has another length or other bytes.
    Damaged,
}

/// The bodies in a data folder. One of them serves a whole process: it orders storing and removing.
#[derive(Debug)]
pub struct Bodies {
    data_dir: PathBuf,
    folder: PathBuf,
    most_bytes: u64,
    /// Folders that were made durable by this process.
    synced: Mutex<BTreeSet<PathBuf>>,
    /// Who wants everything to stay.
    holds: AtomicUsize,
}

/// Nothing is removed while one lives.
#[derive(Debug)]
pub struct Hold<'a>(&'a Bodies);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.holds.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Bodies {
    /// The bodies in the folder `media` of a data folder, each of at most `most_bytes`. Nothing is
    /// made before the first body comes.
    #[must_use]
    pub fn new(data_dir: &Path, most_bytes: u64) -> Self {
        Self {
            data_dir: data_dir.to_owned(),
            folder: data_dir.join("media"),
            most_bytes,
            synced: Mutex::default(),
            holds: AtomicUsize::new(0),
        }
    }

    /// Where a body is, whether it is there or not.
    #[must_use]
    pub fn path(&self, hash: BodyHash) -> PathBuf {
        let name = hash.to_string();
        let part = |from: usize| name.get(from..from.saturating_add(2)).unwrap_or_default();
        self.folder.join(part(0)).join(part(2)).join(&name)
    }

    /// Begins a body whose bytes come piece by piece.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn begin(&self) -> io::Result<Incoming> {
        let folder = self.folder.join(NEW);
        let mut synced = self.lock();
        self.make_durable(&folder, &mut synced)?;
        drop(synced);
        Incoming::create(&folder, self.most_bytes)
    }

    /// Stores bytes; when it answers they are on the disk under their name. Bytes that are there
    /// already are not written again.
    ///
    /// # Errors
    /// When there are none or too many, or the folder cannot be written.
    pub fn put(&self, mut bytes: impl Read) -> Result<StoredBody, BodyError> {
        let mut incoming = self.begin()?;
        let mut piece = vec![0; PIECE];
        loop {
            let count = bytes.read(&mut piece)?;
            match piece.get(..count) {
                None | Some([]) => break,
                Some(read) => incoming.write(read)?,
            }
        }
        self.finish(incoming)
    }

    /// Gives a complete body its name.
    ///
    /// # Errors
    /// As [`Bodies::put`].
    pub fn finish(&self, incoming: Incoming) -> Result<StoredBody, BodyError> {
        let body = incoming.body();
        if body.length == 0 {
            return Err(BodyError::Empty);
        }
        let path = self.path(body.hash);
        let folder = path.parent().unwrap_or(&self.folder).to_owned();
        let mut synced = self.lock();
        self.make_durable(&folder, &mut synced)?;
        if self.state(body.hash, body.length)? == BodyState::Sound {
            renew(&path)?;
        } else {
            incoming.rename(&path)?;
        }
        // A body that was there may be from a process that ended before this.
        sync_folder(&folder)?;
        Ok(body)
    }

    /// The body under a hash, when it is there; it is not collected within the grace time from now on.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn find(&self, hash: BodyHash) -> io::Result<Option<StoredBody>> {
        let path = self.path(hash);
        let _ordered = self.lock();
        let Some(length) = length_of(&path)? else {
            return Ok(None);
        };
        if self.state(hash, length)? != BodyState::Sound {
            return Ok(None);
        }
        renew(&path)?;
        if let Some(folder) = path.parent() {
            sync_folder(folder)?;
        }
        Ok(Some(StoredBody { hash, length }))
    }

    /// Opens a body to read it; `None` when it is not there in its length.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn open(&self, hash: BodyHash, length: u64) -> io::Result<Option<File>> {
        match File::open(self.path(hash)) {
            Ok(file) => {
                let found = file.metadata()?;
                Ok((found.is_file() && found.len() == length).then_some(file))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a body and compares it with its name.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn state(&self, hash: BodyHash, length: u64) -> io::Result<BodyState> {
        if length_of(&self.path(hash))?.is_none() {
            return Ok(BodyState::Missing);
        }
        let Some(mut file) = self.open(hash, length)? else {
            return Ok(BodyState::Damaged);
        };
        let mut sum = Sha256::new();
        let mut piece = vec![0; PIECE];
        loop {
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => sum.update(piece.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                // A disk that cannot read a file back has damaged it.
                Err(_) => return Ok(BodyState::Damaged),
            }
        }
        let sound = BodyHash::new(sum.finalize().into()) == hash;
        Ok(if sound {
            BodyState::Sound
        } else {
            BodyState::Damaged
        })
    }

    /// Keeps every body until the hold is dropped, so that a backup finds what its records name.
    pub fn hold(&self) -> Hold<'_> {
        let _ordered = self.lock();
        self.holds.fetch_add(1, Ordering::SeqCst);
        Hold(self)
    }

    /// Every body, in the order of their names.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn all(&self) -> io::Result<Vec<StoredBody>> {
        let later = SystemTime::now().checked_add(Duration::from_secs(86_400 * 365));
        self.older_than(later.unwrap_or_else(SystemTime::now))
    }

    /// Every body that nobody stored or asked for since `before`, in the order of their names.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn older_than(&self, before: SystemTime) -> io::Result<Vec<StoredBody>> {
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
        found.sort_unstable_by_key(|body| body.hash);
        Ok(found)
    }

    /// Removes a body that still is as old; answers whether it did.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn remove_older(&self, hash: BodyHash, before: SystemTime) -> io::Result<bool> {
        let path = self.path(hash);
        let _ordered = self.lock();
        let held = self.holds.load(Ordering::SeqCst) > 0;
        let old = !held && old_length(&path, before)?.is_some();
        if old {
            fs::remove_file(&path)?;
        }
        Ok(old)
    }

    /// Removes what was begun before and never completed; answers how many files that were.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn remove_abandoned(&self, before: SystemTime) -> io::Result<usize> {
        let mut removed = 0_usize;
        for path in entries(&self.folder.join(NEW))? {
            if old_length(&path, before)?.is_some() {
                fs::remove_file(&path)?;
                removed = removed.saturating_add(1);
            }
        }
        Ok(removed)
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

fn renew(path: &Path) -> io::Result<()> {
    File::open(path)?.set_modified(SystemTime::now())
}

/// The length of a file; `None` when there is none.
fn length_of(path: &Path) -> io::Result<Option<u64>> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(found.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The length of a file that was not touched since; `None` for a newer one or none.
fn old_length(path: &Path, before: SystemTime) -> io::Result<Option<u64>> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() && found.modified()? < before => Ok(Some(found.len())),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn bodies(most_bytes: u64) -> (tempfile::TempDir, Bodies) {
        let folder = tempfile::tempdir().unwrap();
        let bodies = Bodies::new(folder.path(), most_bytes);
        (folder, bodies)
    }

    fn age(path: &Path, seconds: u64) {
        let then = SystemTime::now() - Duration::from_secs(seconds);
        File::open(path).unwrap().set_modified(then).unwrap();
    }

    fn modified(path: &Path) -> SystemTime {
        fs::metadata(path).unwrap().modified().unwrap()
    }

    #[test]
    fn a_body_lies_under_the_hash_of_its_bytes() {
        let (folder, bodies) = bodies(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        // printf abc | sha256sum
        let name = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((stored.hash.to_string().as_str(), stored.length), (name, 3));
        let path = folder.path().join("media/ba/78").join(name);
        assert_eq!(fs::read(&path).unwrap(), b"abc");
        assert_eq!(bodies.path(stored.hash), path);
        let left = entries(&folder.path().join("media/new")).unwrap();
        assert!(left.is_empty(), "{left:?}");
        assert!(bodies.open(stored.hash, 3).unwrap().is_some());
        assert!(bodies.open(stored.hash, 4).unwrap().is_none());
        assert_eq!(bodies.find(stored.hash).unwrap(), Some(stored));
        assert_eq!(bodies.find(BodyHash::new([1; 32])).unwrap(), None);
    }

    #[test]
    fn the_same_bytes_again_are_not_written_but_count_as_new() {
        let (_folder, bodies) = bodies(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        let path = bodies.path(stored.hash);
        #[cfg(unix)]
        let file = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
        #[cfg(unix)]
        let before = file(&path);
        age(&path, 1_000);
        let old = modified(&path);
        assert_eq!(bodies.put(&b"abc"[..]).unwrap(), stored);
        #[cfg(unix)]
        assert_eq!(file(&path), before);
        assert!(modified(&path) > old);
        age(&path, 1_000);
        assert!(bodies.find(stored.hash).unwrap().is_some());
        assert!(modified(&path) > old);
    }

    #[test]
    fn damage_is_seen_and_mended_by_storing_again() {
        let (_folder, bodies) = bodies(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        let path = bodies.path(stored.hash);
        let state = || bodies.state(stored.hash, stored.length).unwrap();
        assert_eq!(state(), BodyState::Sound);
        for damaged in [&b"abd"[..], b"ab", b"abcd", b""] {
            fs::write(&path, damaged).unwrap();
            assert_eq!(state(), BodyState::Damaged, "{damaged:?}");
            assert_eq!(bodies.find(stored.hash).unwrap(), None);
            bodies.put(&b"abc"[..]).unwrap();
            assert_eq!(state(), BodyState::Sound, "{damaged:?}");
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(state(), BodyState::Missing);
        assert!(bodies.open(stored.hash, 3).unwrap().is_none());
    }

    #[test]
    fn empty_and_long_bodies_leave_nothing_behind() {
        let (folder, bodies) = bodies(4);
        assert!(bodies.put(&b"1234"[..]).is_ok());
        assert!(matches!(bodies.put(&b""[..]), Err(BodyError::Empty)));
        let long = bodies.put(&b"12345"[..]);
        assert!(matches!(long, Err(BodyError::TooLong(4))));
        assert_eq!(entries(&folder.path().join("media/new")).unwrap().len(), 0);
        let all = bodies.older_than(SystemTime::now() + Duration::from_secs(60));
        assert_eq!(all.unwrap().len(), 1);
    }

    #[test]
    fn only_old_bodies_are_listed_and_removed() {
        let (folder, bodies) = bodies(100);
        let [old, young] = [&b"old"[..], b"young"].map(|bytes| bodies.put(bytes).unwrap());
        age(&bodies.path(old.hash), 100);
        let foreign = bodies.path(old.hash).with_file_name("README");
        fs::write(&foreign, "x").unwrap();
        age(&foreign, 100);
        let before = SystemTime::now() - Duration::from_secs(50);
        assert_eq!(bodies.older_than(before).unwrap(), [old]);
        assert!(!bodies.remove_older(young.hash, before).unwrap());
        assert!(bodies.remove_older(old.hash, before).unwrap());
        assert!(!bodies.remove_older(old.hash, before).unwrap());
        assert!(foreign.exists() && bodies.path(young.hash).exists());
        let begun = folder.path().join("media/new/left-by-a-crash");
        fs::write(&begun, "x").unwrap();
        assert_eq!(bodies.remove_abandoned(before).unwrap(), 0);
        age(&begun, 100);
        assert_eq!(bodies.remove_abandoned(before).unwrap(), 1);
    }

    #[test]
    fn a_body_that_was_stored_again_is_not_removed() {
        let (_folder, bodies) = bodies(100);
        let stored = bodies.put(&b"abc"[..]).unwrap();
        age(&bodies.path(stored.hash), 100);
        let before = SystemTime::now() - Duration::from_secs(50);
        assert_eq!(bodies.older_than(before).unwrap(), [stored]);
        // An import finds the body between the listing and the removal.
        bodies.put(&b"abc"[..]).unwrap();
        assert!(!bodies.remove_older(stored.hash, before).unwrap());
        assert_eq!(bodies.find(stored.hash).unwrap(), Some(stored));
    }
}
