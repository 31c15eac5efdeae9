//! Wrapper of sled that runs every call which may panic inside [`guarded`].

use std::fs::{self, DirEntry, File};
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::disk;
use super::error::Fault;
use super::layout::{existing, sync_folder};
use super::quiet::guarded;

/// Files that sled has after a synced creation.
const FILES: [&str; 2] = ["conf", "db"];

/// Interval at which sled may flush and, more important, clean its segments: with no interval it never frees
/// space.
const CLEANING_PERIOD_MS: u64 = 500;

/// How long a store that was just closed may take to release sled's own lock.
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// Whether sled rewrites its segments to free space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cleaning {
    /// Twice per second.
    Periodic,
    /// Not before the next start.
    Never,
}

/// One write: the bytes to store, or `None` to delete.
pub(crate) type RawWrite = (Vec<u8>, Option<Vec<u8>>);

/// The sled database and a descriptor of its file for syncing.
pub(crate) struct Tree {
    db: sled::Db,
    file: File,
    segment_bytes: u64,
    /// End of the disk space that is allocated to the file, see [`Tree::reserve_segment`].
    reserved: AtomicU64,
    /// Where sled's new snapshot goes while its folder is only read; removed with the tree.
    #[expect(dead_code, reason = "it is dropped after sled")]
    view: Option<TempDir>,
}

impl Tree {
    /// Creates the files and syncs them and their folder; sled does not.
    pub(crate) fn create(
        path: &Path,
        segment_bytes: usize,
        cache_bytes: u64,
    ) -> Result<Self, Fault> {
        fs::create_dir_all(path)?;
        let tree = Self::start(path, segment_bytes, cache_bytes, Cleaning::Periodic)?;
        tree.sync()?;
        for name in FILES {
            File::open(path.join(name))?.sync_all()?;
        }
        sync_folder(&path.join("blobs"))?;
        sync_folder(path)?;
        Ok(tree)
    }

    /// Opens what [`Tree::create`] made. On a full disk sled must not clean: it grows before it frees anything.
    pub(crate) fn open(
        path: &Path,
        segment_bytes: usize,
        cache_bytes: u64,
        cleaning: Cleaning,
    ) -> Result<Self, Fault> {
        has_files(path)?;
        Self::start(path, segment_bytes, cache_bytes, cleaning)
    }

    /// Opens what [`Tree::create`] made for reading. sled writes a new snapshot when it is opened: it goes into a
    /// temporary folder, which has links to the files and a copy of the last snapshot.
    pub(crate) fn open_to_read(
        path: &Path,
        segment_bytes: usize,
        cache_bytes: u64,
    ) -> Result<Self, Fault> {
        has_files(path)?;
        let (path, view) = (path.canonicalize()?, tempfile::tempdir()?);
        for entry in fs::read_dir(&path)? {
            let name = entry?.file_name();
            let (from, to) = (path.join(&name), view.path().join(&name));
            if name.to_string_lossy().starts_with("snap.") {
                fs::copy(from, to)?;
            } else {
                disk::link(&from, &to)?;
            }
        }
        let tree = Self::start(view.path(), segment_bytes, cache_bytes, Cleaning::Never)?;
        Ok(Self {
            view: Some(view),
            ..tree
        })
    }

    fn start(
        path: &Path,
        segment_bytes: usize,
        cache_bytes: u64,
        cleaning: Cleaning,
    ) -> Result<Self, Fault> {
        let config = sled::Config::new()
            .path(path)
            .segment_size(segment_bytes)
            .cache_capacity(cache_bytes)
            .flush_every_ms((cleaning == Cleaning::Periodic).then_some(CLEANING_PERIOD_MS));
        remove_unfinished_snapshots(path)?;
        // While it is opened sled removes its old snapshot, and then overwrites parts of the log that are of use to
        // that one only. If a power loss brought the old one back, the store could not be opened.
        disk::sync_names(path);
        let begin = Instant::now();
        let db = loop {
            match guarded(|| config.open().map_err(fault)) {
                Err(Fault::Io(error)) if is_lock(&error) => {
                    if begin.elapsed() > LOCK_PATIENCE {
                        return Err(Fault::Locked);
                    }
                    thread::sleep(Duration::from_millis(5));
                }
                other => break other?,
            }
        };
        let file = File::options()
            .read(true)
            .write(true)
            .open(path.join("db"))?;
        Ok(Self {
            db,
            file,
            segment_bytes: segment_bytes as u64,
            reserved: AtomicU64::new(0),
            view: None,
        })
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<sled::IVec>, Fault> {
        guarded(|| self.db.get(key).map_err(fault))
    }

    /// The entries from `from` (included) to `until` (excluded). The caller runs the iteration
    /// inside [`guarded`].
    pub(crate) fn range(
        &self,
        from: &[u8],
        until: Option<&[u8]>,
    ) -> impl DoubleEndedIterator<Item = Result<(sled::IVec, sled::IVec), Fault>> + use<> {
        let until = until.map_or(Bound::Unbounded, |until| Bound::Excluded(until.to_vec()));
        self.db
            .range::<Vec<u8>, _>((Bound::Included(from.to_vec()), until))
            .map(|pair| pair.map_err(fault))
    }

    /// Allocates disk space for the rest of the last segment, up to 16 MiB. sled fills it up when it is opened after a
    /// crash, and must find room for that on a full disk too. The length of the file, which sled reads, stays.
    fn reserve_segment(&self) {
        let Ok(length) = self.file.metadata().map(|file| file.len()) else {
            return;
        };
        let end = length.next_multiple_of(self.segment_bytes);
        if end != self.reserved.load(Ordering::Relaxed) && disk::allocate(&self.file, end) {
            self.reserved.store(end, Ordering::Relaxed);
        }
    }

    /// Applies the writes in one atomic batch and syncs.
    pub(crate) fn apply(&self, writes: Vec<RawWrite>) -> Result<(), Fault> {
        self.write(writes)?;
        self.sync()
    }

    /// Applies the writes in one atomic batch, which becomes durable with [`Tree::sync`].
    pub(crate) fn write(&self, writes: Vec<RawWrite>) -> Result<(), Fault> {
        let mut batch = sled::Batch::default();
        for (key, value) in writes {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        guarded(|| self.db.apply_batch(batch).map_err(fault))
    }

    pub(crate) fn sync(&self) -> Result<(), Fault> {
        guarded(|| self.db.flush().map_err(fault))?;
        // On Linux `flush` ends in `sync_file_range`, which does not survive a power loss.
        self.file.sync_data()?;
        self.reserve_segment();
        Ok(())
    }
}

/// sled would silently create new, empty files in place of missing ones.
fn has_files(path: &Path) -> Result<(), Fault> {
    for name in FILES {
        // An unreadable file is not a missing one: nothing may be created in its place.
        let found = existing(fs::metadata(path.join(name)))?;
        found.ok_or_else(|| Fault::damaged(format!("the file `sled/{name}` is missing")))?;
    }
    Ok(())
}

/// Removes snapshot files that a crash left incomplete: sled would take one of them for the newest and find it
/// damaged. Complete ones have another name.
fn remove_unfinished_snapshots(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn is_lock(error: &io::Error) -> bool {
    error.to_string().contains("could not acquire lock")
}

fn fault(error: sled::Error) -> Fault {
    match error {
        // A file that ends too early cannot be read by trying again.
        sled::Error::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => Fault::Io(error),
        _ => Fault::damaged("the record files in `sled` contradict each other"),
    }
}

/// Size of sled's files in bytes.
pub(crate) fn bytes_on_disk(path: &Path) -> u64 {
    let length = |entry: DirEntry| fs::metadata(entry.path()).map_or(0, |data| data.len());
    fs::read_dir(path).map_or(0, |entries| entries.flatten().map(length).sum())
}
