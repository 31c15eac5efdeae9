//! Nothing is acknowledged before it is durable. A write that the disk refuses is not acknowledged.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use erp_core::storage::{CommitError, Sequence, Storage, StorageError};
use erp_server::store::journal::{DiskFiles, JournalFile, JournalFiles};
use erp_server::store::{SledStore, StoreOptions};
use erp_tests::embedded_store::{Workload, commit, content, copy, files, manual, open, put};
use erp_tests::wait::spin_until;
use tempfile::TempDir;

/// Operations of the disk and responses to writers, in sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Write,
    Sync,
    /// A writer got the response for this revision.
    Acknowledged(u64),
}

/// Records all steps; fails writes or syncs on request.
#[derive(Debug, Default)]
struct Watch {
    steps: Mutex<Vec<Step>>,
    /// Number of bytes per write that still reach the disk before it is full, if it is full.
    full: Mutex<Option<usize>>,
    full_files: AtomicUsize,
    failing_writes: AtomicUsize,
    failing_syncs: AtomicUsize,
}

#[derive(Clone, Debug)]
struct Watched(Arc<Watch>);

#[derive(Debug)]
struct WatchedFile {
    watch: Arc<Watch>,
    file: Box<dyn JournalFile>,
}

fn take(counter: &AtomicUsize) -> bool {
    counter
        .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
            left.checked_sub(1)
        })
        .is_ok()
}

impl JournalFiles for Watched {
    fn create(&self, path: &Path, size: u64) -> io::Result<Box<dyn JournalFile>> {
        if take(&self.0.full_files) {
            std::fs::write(path, [0; 100])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        let file = DiskFiles.create(path, size)?;
        Ok(Box::new(WatchedFile {
            watch: Arc::clone(&self.0),
            file,
        }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn JournalFile>> {
        let file = DiskFiles.open(path)?;
        Ok(Box::new(WatchedFile {
            watch: Arc::clone(&self.0),
            file,
        }))
    }
}

impl JournalFile for WatchedFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        if let Some(part) = self.watch.full.lock().unwrap().take() {
            self.file
                .write_at(offset, &bytes[..part.min(bytes.len())])?;
            return Err(io::ErrorKind::StorageFull.into());
        }
        if take(&self.watch.failing_writes) {
            return Err(io::Error::other("input/output error"));
        }
        self.watch.steps.lock().unwrap().push(Step::Write);
        self.file.write_at(offset, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        if take(&self.watch.failing_syncs) {
            return Err(io::Error::other("input/output error"));
        }
        self.file.sync()?;
        self.watch.steps.lock().unwrap().push(Step::Sync);
        Ok(())
    }
}

fn watched() -> (Arc<Watch>, StoreOptions) {
    let watch = Arc::new(Watch::default());
    let options = StoreOptions {
        files: Arc::new(Watched(Arc::clone(&watch))),
        ..manual()
    };
    (watch, options)
}

fn unavailable(result: Result<u64, CommitError>) -> String {
    match result {
        Err(CommitError::Storage(StorageError::Unavailable(reason))) => reason,
        other => panic!("should be unavailable, was {other:?}"),
    }
}

fn try_commit(store: &SledStore, number: u64) -> Result<u64, CommitError> {
    pollster::block_on(store.commit(put(number, b"value")))
}

/// When a commit is acknowledged, the last journal write before it must have been synced. This is checked for every
/// commit of every group: the number of commits with a finished sync is never below the number of acknowledged ones.
#[test]
fn no_group_is_acknowledged_before_its_sync() {
    let folder = TempDir::new().unwrap();
    let (watch, options) = watched();
    let store = open(folder.path(), &options);
    watch.steps.lock().unwrap().clear();
    // Each writer reads the number of finished syncs directly after its response.
    std::thread::scope(|scope| {
        for thread in 0..16_u64 {
            let (store, watch) = (&store, &watch);
            scope.spawn(move || {
                for round in 0..40 {
                    let revision = try_commit(store, thread * 1000 + round).unwrap();
                    watch
                        .steps
                        .lock()
                        .unwrap()
                        .push(Step::Acknowledged(revision));
                }
            });
        }
    });
    let groups = store.status().groups;
    let steps = watch.steps.lock().unwrap().clone();
    store.abandon();
    assert!(groups < 16 * 40, "concurrent commits should share groups");

    // The journal on disk shows which commits are in each group. Each group has one write and one sync, in order, so
    // the k-th sync makes the k-th group durable.
    let mut writes = 0_u64;
    let mut syncs = 0_u64;
    let mut acknowledged = BTreeMap::new();
    for step in &steps {
        match step {
            Step::Write => {
                assert_eq!(
                    writes, syncs,
                    "a group is written before the one before is synced"
                );
                writes += 1;
            }
            Step::Sync => syncs += 1,
            Step::Acknowledged(revision) => {
                acknowledged.insert(*revision, syncs);
            }
        }
    }
    assert_eq!(acknowledged.len(), 16 * 40);
    let by_group = groups_of(folder.path());
    for (revision, syncs) in acknowledged {
        let group = by_group.iter().position(|last| revision <= *last).unwrap() as u64;
        assert!(
            syncs > group,
            "revision {revision} was acknowledged before the sync of its group"
        );
    }
}

/// The last commit number of each group, from the journal's bytes: kind 1, count, first number.
fn groups_of(path: &Path) -> Vec<u64> {
    let mut lasts = Vec::new();
    for file in files(&path.join("journal")) {
        let bytes = std::fs::read(file).unwrap();
        for offset in (64..bytes.len() - 32).step_by(64) {
            if bytes[offset..offset + 6] == [0xE7, 0x9A, 0x4A, 0x52, 1, 1] {
                let number = |from: usize, length: usize| {
                    let field = &bytes[offset + from..offset + from + length];
                    field
                        .iter()
                        .fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
                };
                lasts.push(number(16, 8) + number(12, 4) - 1);
            }
        }
    }
    lasts.sort_unstable();
    lasts
}

/// A slow disk: while the sync runs, nothing is acknowledged and nothing is visible.
#[test]
fn nothing_is_visible_before_its_sync() {
    #[derive(Debug)]
    struct HttpState {
        holding: AtomicU64,
        lock: Mutex<()>,
    }
    #[derive(Clone, Debug)]
    struct Gated(Arc<HttpState>);
    #[derive(Debug)]
    struct GatedFile(Arc<HttpState>, Box<dyn JournalFile>);
    impl JournalFiles for Gated {
        fn create(&self, path: &Path, size: u64) -> io::Result<Box<dyn JournalFile>> {
            Ok(Box::new(GatedFile(
                Arc::clone(&self.0),
                DiskFiles.create(path, size)?,
            )))
        }
        fn open(&self, path: &Path) -> io::Result<Box<dyn JournalFile>> {
            Ok(Box::new(GatedFile(
                Arc::clone(&self.0),
                DiskFiles.open(path)?,
            )))
        }
    }
    impl JournalFile for GatedFile {
        fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
            self.1.write_at(offset, bytes)
        }
        fn sync(&mut self) -> io::Result<()> {
            self.0.holding.fetch_add(1, Ordering::SeqCst);
            let _held = self.0.lock.lock().unwrap();
            self.1.sync()
        }
    }
    let http_state = Arc::new(HttpState {
        holding: AtomicU64::new(0),
        lock: Mutex::new(()),
    });
    let options = StoreOptions {
        files: Arc::new(Gated(Arc::clone(&http_state))),
        ..manual()
    };
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &options);
    let before = http_state.holding.load(Ordering::SeqCst);
    let closed = http_state.lock.lock().unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| try_commit(&store, 1));
        spin_until("the commit waits for its sync", || {
            http_state.holding.load(Ordering::SeqCst) > before
        });
        assert_eq!(
            content(&store).len(),
            0,
            "a commit is visible before its sync"
        );
        assert!(
            !writer.is_finished(),
            "a commit is acknowledged before its sync"
        );
        drop(closed);
        writer.join().unwrap().unwrap();
    });
    assert_eq!(content(&store).len(), 1);
}

#[test]
fn after_a_failed_sync_nothing_is_written_until_reopening() {
    for what in ["sync", "write"] {
        let folder = TempDir::new().unwrap();
        let (watch, options) = watched();
        let store = open(folder.path(), &options);
        try_commit(&store, 1).unwrap();
        let failing = if what == "sync" {
            &watch.failing_syncs
        } else {
            &watch.failing_writes
        };
        failing.store(1, Ordering::SeqCst);
        // The bytes may be on the disk.
        let unknown = match try_commit(&store, 2) {
            Err(CommitError::Storage(StorageError::OutcomeUnknown(reason))) => reason,
            other => panic!("should be unknown, was {other:?}"),
        };
        assert!(unknown.contains("input/output error"), "{unknown}");
        assert!(unavailable(try_commit(&store, 3)).contains("after a restart"));
        assert!(store.status().writes_refused.is_some());
        let seen: Vec<_> = content(&store).into_keys().collect();
        assert_eq!(
            seen.len(),
            1,
            "after a failed {what}: reads go on with what was acknowledged"
        );
        assert!(store.close().is_err());

        let store = open(folder.path(), &options);
        try_commit(&store, 4).unwrap();
        let now: Vec<_> = content(&store).into_keys().collect();
        assert!(
            now.contains(&seen[0]) && now.len() >= 2,
            "an acknowledged commit is gone"
        );
    }
}

#[test]
fn a_full_disk_refuses_cleanly_and_writing_continues() {
    let folder = TempDir::new().unwrap();
    let (watch, options) = watched();
    let store = open(folder.path(), &options);
    try_commit(&store, 1).unwrap();
    for part in [0, 1, 40, 10_000] {
        *watch.full.lock().unwrap() = Some(part);
        unavailable(try_commit(&store, 2));
        assert_eq!(content(&store).len(), 1, "a refused commit is visible");
    }
    // The segment is full and no new one can be created.
    watch.full_files.store(2, Ordering::SeqCst);
    for _ in 0..2 {
        let large = put(3, &[7; 127 << 10]);
        unavailable(pollster::block_on(store.commit(large)));
    }
    assert_eq!(store.status().writes_refused, None);
    let first = store.status().last_revision;
    assert_eq!(
        try_commit(&store, 4).unwrap(),
        first + 1,
        "a refused commit has used a number"
    );
    let expected = content(&store);
    store.abandon();
    let store = open(folder.path(), &options);
    assert_eq!(content(&store), expected);
    assert_eq!(expected.len(), 2);
}

#[test]
fn numbers_that_were_not_reserved_are_not_assigned() {
    let folder = TempDir::new().unwrap();
    let (watch, options) = watched();
    let store = open(folder.path(), &options);
    let draw = |store: &SledStore| {
        pollster::block_on(store.next_numbers(&[(Sequence::Order, 1)])).map(|drawn| drawn[0])
    };
    watch.failing_syncs.store(1, Ordering::SeqCst);
    assert!(matches!(draw(&store), Err(StorageError::Unavailable(_))));
    assert!(matches!(draw(&store), Err(StorageError::Unavailable(_))));
    store.abandon();
    let store = open(folder.path(), &options);
    let first = draw(&store).unwrap();
    let last = (0..250).map(|_| draw(&store).unwrap()).max().unwrap();
    assert_eq!(last, first + 250, "numbers are skipped without a crash");
    store.close().unwrap();
    let store = open(folder.path(), &options);
    assert_eq!(
        draw(&store).unwrap(),
        last + 1,
        "a proper end should skip no number"
    );
}

/// A copy of the files, taken while writers are active, is like the state after a crash.
#[test]
fn a_copy_of_the_running_store_holds_what_was_acknowledged() {
    let folder = TempDir::new().unwrap();
    // Only one journal file, because a copy of several is not of one point in time.
    let options = StoreOptions {
        journal_segment_bytes: 4 << 20,
        ..manual()
    };
    let store = open(folder.path(), &options);
    let acknowledged = Mutex::new(BTreeMap::new());
    let copied = TempDir::new().unwrap();
    let before = std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (store, acknowledged) = (&store, &acknowledged);
            scope.spawn(move || {
                for round in 0..300 {
                    let number = thread * 1000 + round;
                    let revision = try_commit(store, number).unwrap();
                    acknowledged.lock().unwrap().insert(number, revision);
                }
            });
        }
        spin_until("commits are acknowledged", || {
            acknowledged.lock().unwrap().len() >= 300
        });
        let before = acknowledged.lock().unwrap().clone();
        copy(folder.path(), copied.path());
        before
    });
    let store = open(copied.path(), &options);
    let found = content(&store);
    for (number, revision) in before {
        let [entry] = pollster::block_on(store.get(&[put(number, b"").writes[0].key().clone()]))
            .unwrap()
            .try_into()
            .unwrap();
        assert_eq!(
            entry.map(|entry| entry.revision),
            Some(revision),
            "number {number} is lost"
        );
    }
    assert!(found.values().all(|entry| entry.value == b"value"));
}

/// The end of the last group is cut at every length, as by a crash during its write.
#[test]
fn a_torn_tail_is_dropped_at_every_length() {
    let folder = TempDir::new().unwrap();
    let options = StoreOptions {
        journal_segment_bytes: 32 << 10,
        ..manual()
    };
    let store = open(folder.path(), &options);
    let mut work = Workload::new(3);
    work.run(&store, 20, 10_000);
    store.abandon();
    let before = TempDir::new().unwrap();
    copy(folder.path(), before.path());
    let expected = work.expected.clone();

    let store = open(folder.path(), &options);
    work.note(
        commit(&store, put(77, b"the last one")),
        &put(77, b"the last one"),
    );
    store.abandon();
    let (file, start, end) = difference(before.path(), folder.path());
    let whole = std::fs::read(&file).unwrap();
    let relative = file.strip_prefix(folder.path()).unwrap();
    for length in 0..=end - start {
        for garbage in [0, 0xA5] {
            let mut torn = whole.clone();
            let lost = &mut torn[start + length..end];
            lost.fill(garbage);
            let is_whole = torn == whole;
            let crashed = TempDir::new().unwrap();
            copy(before.path(), crashed.path());
            std::fs::write(crashed.path().join(relative), &torn).unwrap();
            let store = open(crashed.path(), &options);
            let right = if is_whole { &work.expected } else { &expected };
            assert!(
                content(&store) == *right,
                "cut at {length} of {}",
                end - start
            );
            let revision = commit(&store, put(78, b"after"));
            store.abandon();
            let store = open(crashed.path(), &options);
            assert_eq!(store.status().last_revision, revision);
        }
    }
}

/// The file in which two stores differ, and the range of the difference.
fn difference(one: &Path, two: &Path) -> (std::path::PathBuf, usize, usize) {
    let journals = files(&two.join("journal"));
    for file in journals {
        let same_file = one.join(file.strip_prefix(two).unwrap());
        let (before, after) = (
            std::fs::read(same_file).unwrap(),
            std::fs::read(&file).unwrap(),
        );
        let differs = |at: &usize| before[*at] != after[*at];
        if let Some(start) = (0..before.len()).find(differs) {
            let end = (0..before.len()).rfind(differs).unwrap() + 1;
            return (file, start, end);
        }
    }
    panic!("the last commit has changed nothing");
}

/// A crash in the middle of a checkpoint of many batches.
#[test]
fn an_interrupted_checkpoint_is_done_again() {
    let folder = TempDir::new().unwrap();
    let options = manual();
    let mut work = Workload::new(17);
    let mut interrupted = 0;
    for round in 0..6 {
        let store = open(folder.path(), &options);
        assert!(
            content(&store) == work.expected,
            "round {round}: something is lost"
        );
        work.run(&store, 20, 2000);
        for number in 0..40 {
            let value = vec![round as u8; 60_000 + number as usize * 100];
            let changes = put(number, &value);
            work.note(commit(&store, changes.clone()), &changes);
        }
        std::thread::scope(|scope| {
            scope.spawn(|| store.checkpoint());
            spin_until("the checkpoint has started", || {
                store.status().checkpoint_batches > round
            });
            store.abandon();
        });
        let report = erp_server::store::check(folder.path(), &options).unwrap();
        interrupted += u32::from(report.interrupted_checkpoint);
    }
    assert!(interrupted > 0, "no checkpoint was interrupted");
    let store = open(folder.path(), &options);
    assert!(content(&store) == work.expected);
    store.checkpoint().unwrap();
    let report = store.check().unwrap();
    assert!(!report.interrupted_checkpoint);
}

/// Otherwise a power loss could restore sled's old snapshot after data that it needs was overwritten.
#[cfg(target_os = "linux")]
#[test]
fn names_of_sleds_files_are_written_at_once() {
    use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
    use std::fs::File;

    let place = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let scratch = File::open(place.path()).unwrap();
    let is_known = ioctl_getflags(&scratch)
        .and_then(|flags| ioctl_setflags(&scratch, flags | IFlags::DIRSYNC))
        .is_ok();
    let path = place.path().join("data");
    for start in ["first", "second"] {
        SledStore::open(&path, StoreOptions::default())
            .unwrap()
            .close()
            .unwrap();
        let folder = File::open(path.join("sled")).unwrap();
        let flags = ioctl_getflags(&folder).unwrap_or(IFlags::empty());
        assert_eq!(
            flags.contains(IFlags::DIRSYNC),
            is_known,
            "after the {start} start"
        );
        if is_known {
            // A store of an earlier version does not have the flag.
            ioctl_setflags(&folder, flags - IFlags::DIRSYNC).unwrap();
        }
    }
}
