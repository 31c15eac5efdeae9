//! The identity of a store: the file `STORE`, its copy, and a store that was restored after lost commits.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use erp_core::internal::history_key;
use erp_core::storage::{ChangeSet, Sequence, Storage};
use erp_server::store::{Continuation, SledStore, Snapshots, check, restore};
use erp_tests::embedded_store::{
    SnapshotRecords, Workload, commit, content, copy, files, open, put, repairing, try_recover,
};
use tempfile::TempDir;

fn flip(path: &Path, bit: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}

/// Milliseconds since 1970.
fn now() -> u64 {
    jiff::Timestamp::now().as_millisecond().unsigned_abs()
}

fn number(store: &SledStore, sequence: Sequence, first: u64) -> u64 {
    pollster::block_on(store.next_numbers(&[(sequence, first)])).unwrap()[0]
}

/// If any bit of one file is wrong, or the file is missing, the other one is used, and both are repaired.
#[test]
fn a_damaged_identity_is_read_from_its_copy() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &repairing());
    commit(&store, put(1, b"one"));
    store.close().unwrap();
    drop(store);
    let text = fs::read(folder.path().join("STORE")).unwrap();
    for name in ["STORE", "STORE.copy"] {
        let path = folder.path().join(name);
        for bit in (0..text.len() * 8).step_by(7) {
            flip(&path, bit);
            if bit % 5 == 0 {
                let report = check(folder.path(), &repairing()).unwrap();
                assert_eq!(report.identity_from_copy, name == "STORE");
            }
            let store = open(folder.path(), &repairing());
            assert_eq!(content(&store).len(), 1, "bit {bit} of {name}");
            assert_eq!(store.rewritten(), [name], "bit {bit}");
            store.close().unwrap();
            drop(store);
            assert_eq!(fs::read(&path).unwrap(), text, "bit {bit} of {name}");
        }
        fs::remove_file(&path).unwrap();
        assert_eq!(content(&open(folder.path(), &repairing())).len(), 1);
        assert_eq!(fs::read(&path).unwrap(), text);
    }
}

/// Both files are damaged and the journal starts after a backup: the identity is read from the backup.
#[test]
fn a_backup_names_a_store_that_has_lost_both_files() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let store = open(path, &repairing());
    let mut work = Workload::new(3);
    work.run(&store, 400, 60);
    let (snapshot, records) = SnapshotRecords::of(&store);
    store.checkpoint().unwrap();
    store.backed_up(&snapshot).unwrap();
    store.checkpoint().unwrap();
    work.run(&store, 50, 60);
    store.close().unwrap();
    drop(store);
    let first = files(&path.join("journal")).into_iter().min().unwrap();
    assert!(!first.ends_with("00000000000000000000.journal"));
    for name in ["STORE", "STORE.copy"] {
        flip(&path.join(name), 300);
    }
    let refused = SledStore::open(path, repairing()).unwrap_err();
    assert!(refused.is_damage(), "{refused}");
    let refused = try_recover(path, None, None).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("a backup of this store is needed"),
        "{refused}"
    );
    // A backup of another store is refused.
    let other = TempDir::new().unwrap();
    let stranger = open(other.path(), &repairing());
    commit(&stranger, put(1, b"foreign"));
    let (foreign, foreign_records) = SnapshotRecords::of(&stranger);
    let refused = try_recover(path, Some((&foreign, &foreign_records)), None).unwrap_err();
    assert!(
        refused.to_string().contains("backup is of another store"),
        "{refused}"
    );
    try_recover(path, Some((&snapshot, &records)), None).unwrap();
    let store = open(path, &repairing());
    assert!(content(&store) == work.expected);
    assert!(path.join("STORE").exists() && path.join("STORE.copy").exists());
}

/// The lost commits of the original and those of two stores that were restored from the same backup have no revision
/// and no number in common.
#[test]
fn a_restored_store_issues_nothing_again() {
    const FIRST: u64 = 100_001;
    let sequences = [
        Sequence::Order,
        Sequence::Offer,
        Sequence::Customer,
        Sequence::Address,
    ];
    let folder = TempDir::new().unwrap();
    let original = open(folder.path(), &repairing());
    commit(&original, put(1, b"kept"));
    // This also applies to a sequence that has no number in the backup.
    let kept = number(&original, Sequence::Order, FIRST);
    assert_eq!(kept, FIRST);
    let (snapshot, records) = SnapshotRecords::of(&original);
    let mut used: BTreeMap<(Sequence, u64), &str> = BTreeMap::new();
    let mut revisions = Vec::new();
    let mut lose = |store: &SledStore, name: &'static str| {
        for round in 0..300 {
            revisions.push(commit(store, put(2, &[round as u8])));
            for sequence in sequences {
                let number = number(store, sequence, FIRST);
                let before = used.insert((sequence, number), name);
                assert_eq!(before, None, "{sequence:?} {number} of {name}");
            }
        }
    };
    lose(&original, "the original");
    let first = sequences.map(|sequence| (sequence, FIRST)).into();
    // A restore starts a new history, and so does a restore of the restored store.
    let mut last = (snapshot, records);
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    for (folder, name) in folders.iter().zip(["the second", "the third"]) {
        let (snapshot, records) = &mut last;
        let continuation = Continuation::after_loss(snapshot, (&first, None), now(), 7);
        restore(
            folder.path(),
            &repairing(),
            snapshot,
            &continuation,
            records,
        )
        .unwrap();
        let store = open(folder.path(), &repairing());
        let (again, _) = SnapshotRecords::of(&store);
        assert!(again.revision > snapshot.revision + 300);
        // Existing records keep their revision, and therefore their `ETag`.
        assert!(content(&store).values().all(|entry| entry.revision <= 3));
        last = SnapshotRecords::of(&store);
        lose(&store, name);
        store.check().unwrap();
    }
    let total = revisions.len();
    revisions.sort_unstable();
    revisions.dedup();
    assert_eq!(revisions.len(), total, "a revision was used twice");
}

/// A restored store that loses its records before it has a backup of its own is recovered from the backup it was
/// restored from, and still skips the same numbers.
#[test]
fn a_recovery_from_the_first_backup_skips_the_same_numbers() {
    let folder = TempDir::new().unwrap();
    let original = open(folder.path(), &repairing());
    commit(&original, put(1, b"kept"));
    let before = number(&original, Sequence::Customer, 10_001);
    let (snapshot, mut records) = SnapshotRecords::of(&original);
    let restored = TempDir::new().unwrap();
    let path = restored.path();
    let first = BTreeMap::from([(Sequence::Customer, 10_001)]);
    let continuation = Continuation::after_loss(&snapshot, (&first, None), now(), 7);
    restore(path, &repairing(), &snapshot, &continuation, &mut records).unwrap();
    fs::remove_file(path.join("sled/db")).unwrap();
    try_recover(path, Some((&snapshot, &records)), None).unwrap();
    let store = open(path, &repairing());
    assert!(number(&store, Sequence::Customer, 10_001) >= before + 100_000);
    assert!(commit(&store, put(2, b"new")) > continuation.revision);
    assert_eq!(content(&store).len(), 2);
}

/// Recovery to a point in time: the journal shows what the lost commits have used, so only that is skipped.
#[test]
fn a_rewound_store_skips_what_the_lost_commits_used() {
    let original = TempDir::new().unwrap();
    let store = open(original.path(), &repairing());
    commit(&store, put(1, b"kept"));
    let mut kept = 0;
    for _ in 0..30 {
        kept = number(&store, Sequence::Order, 100_001);
    }
    commit(&store, put(2, b"kept"));
    let (snapshot, _) = SnapshotRecords::of(&store);
    std::thread::sleep(std::time::Duration::from_millis(5));
    let (mut lost, mut lost_revision) = (0, 0);
    for round in 0..250 {
        lost = number(&store, Sequence::Order, 100_001);
        lost_revision = commit(&store, put(3, &[round as u8]));
    }
    assert!(lost > kept);
    store.close().unwrap();
    drop(store);
    for crash in [false, true] {
        let copied = TempDir::new().unwrap();
        copy(original.path(), copied.path());
        if crash {
            fs::remove_file(copied.path().join("sled/db")).unwrap();
        }
        try_recover(copied.path(), None, Some(snapshot.time)).unwrap();
        let store = open(copied.path(), &repairing());
        assert_eq!(content(&store).len(), 2);
        let next = number(&store, Sequence::Order, 100_001);
        assert!(next > lost && next < lost + 200, "{next} after {lost}");
        assert!(commit(&store, put(4, b"new")) > lost_revision + (1 << 32));
        // Its own backup and the journal restore it once more.
        let (own, records) = SnapshotRecords::of(&store);
        store.close().unwrap();
        drop(store);
        fs::remove_file(copied.path().join("sled/db")).unwrap();
        try_recover(copied.path(), Some((&own, &records)), None).unwrap();
        assert_eq!(content(&open(copied.path(), &repairing())).len(), 3);
    }
}

/// What refers to lost commits ends: the record of the history is gone after a restore and a recovery up to a time, also
/// when such a store is recovered from the first backup. It stays in a copy, and in a recovery with every commit.
// rule: D-ANS-14
#[test]
fn a_new_history_does_not_keep_the_record_of_the_old_one() {
    let folder = TempDir::new().unwrap();
    let original = open(folder.path(), &repairing());
    let mut changes = ChangeSet::new();
    changes.put(history_key(), b"old".to_vec());
    commit(&original, changes);
    let (snapshot, mut records) = SnapshotRecords::of(&original);
    commit(&original, put(1, b"lost"));
    original.close().unwrap();
    drop(original);
    let keeps = |path: &Path| {
        let store = open(path, &repairing());
        let keeps = content(&store).contains_key(&history_key());
        store.close().unwrap();
        keeps
    };
    let after_loss = Continuation::after_loss(&snapshot, (&BTreeMap::new(), None), now(), 7);
    for (continuation, kept) in [
        (Continuation::lossless(&snapshot), true),
        (after_loss, false),
    ] {
        let restored = TempDir::new().unwrap();
        let path = restored.path();
        restore(path, &repairing(), &snapshot, &continuation, &mut records).unwrap();
        assert_eq!(keeps(path), kept);
        fs::remove_file(path.join("sled/db")).unwrap();
        try_recover(path, Some((&snapshot, &records)), None).unwrap();
        assert_eq!(keeps(path), kept, "recovered from the first backup");
    }
    for (until, kept) in [(None, true), (Some(snapshot.time), false)] {
        let copied = TempDir::new().unwrap();
        copy(folder.path(), copied.path());
        try_recover(copied.path(), None, until).unwrap();
        assert_eq!(keeps(copied.path()), kept, "{until:?}");
    }
}
