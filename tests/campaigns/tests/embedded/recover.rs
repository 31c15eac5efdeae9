//! A store with damaged or lost records is recovered from its journal, or from a backup and the journal, with every
//! acknowledged commit. A snapshot is one consistent state of a store at work.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use erp_core::storage::{Sequence, Storage};
use erp_server::store::{
    Continuation, OpenError, RecordSink, Records, Retention, SledStore, Snapshot, Snapshots,
    StoreOptions, restore,
};
use erp_tests::embedded_store::{
    Content, SnapshotRecords, Workload, commit, content, copy, files, keeping, open, put,
    recovered, repairing, try_recover,
};
use erp_tests::wait::wait_until;
use tempfile::TempDir;

fn sled_files(path: &Path) -> Vec<PathBuf> {
    files(&path.join("sled"))
        .into_iter()
        .filter(|file| file.metadata().unwrap().len() > 0)
        .collect()
}

/// A store with several journal files and checkpoints, closed or left as after a crash.
fn store_with_history(path: &Path, crash: bool) -> Content {
    let store = open(path, &keeping());
    let mut work = Workload::new(7);
    for _ in 0..3 {
        work.run(&store, 150, 60);
        store.checkpoint().unwrap();
    }
    work.run(&store, 40, 60);
    match crash {
        true => store.abandon(),
        false => store.close().unwrap(),
    }
    work.expected
}

#[test]
fn damaged_or_deleted_records_come_back_from_the_journal() {
    for crash in [false, true] {
        let original = TempDir::new().unwrap();
        let expected = store_with_history(original.path(), crash);
        let journal = files(&original.path().join("journal")).len();
        assert!(journal > 2, "the history fits into {journal} journal files");
        for (number, file) in sled_files(original.path()).iter().enumerate() {
            let name = file.strip_prefix(original.path()).unwrap();
            for damage in ["delete", "empty", "cut", "flip"] {
                let copied = TempDir::new().unwrap();
                copy(original.path(), copied.path());
                let target = copied.path().join(name);
                let mut bytes = fs::read(&target).unwrap();
                let middle = bytes.len() / 2;
                match damage {
                    "delete" => fs::remove_file(&target).unwrap(),
                    "empty" => fs::write(&target, []).unwrap(),
                    "cut" => fs::write(&target, &bytes[..middle]).unwrap(),
                    _ => {
                        for at in (number..bytes.len()).step_by(97) {
                            bytes[at] ^= 0x10;
                        }
                        fs::write(&target, &bytes).unwrap();
                    }
                }
                let store = open(copied.path(), &repairing());
                assert!(
                    content(&store) == expected,
                    "{damage} of {} after crash {crash}",
                    name.display()
                );
                let report = store.check().unwrap();
                assert_eq!(report.last_revision, store.status().last_revision);
                store.close().unwrap();
                // After a repair the store opens without another one.
                let store = open(copied.path(), &repairing());
                assert!(store.repaired().is_none());
                assert!(content(&store) == expected);
            }
        }
    }
}

/// Damage of the records is always repaired, damage of the journal never hides a commit.
#[test]
fn damage_at_a_hundred_places_loses_nothing() {
    let original = TempDir::new().unwrap();
    let expected = store_with_history(original.path(), true);
    let mut random = Workload::new(101);
    let all: Vec<PathBuf> = files(original.path())
        .into_iter()
        .filter(|file| file.metadata().unwrap().len() > 0)
        .collect();
    let (mut served, mut refused) = (0, 0);
    for place in 0..100 {
        let copied = TempDir::new().unwrap();
        copy(original.path(), copied.path());
        let name = all[random.below(all.len() as u64) as usize]
            .strip_prefix(original.path())
            .unwrap();
        let target = copied.path().join(name);
        let mut bytes = fs::read(&target).unwrap();
        let at = random.below(bytes.len() as u64) as usize;
        let length = [1, 64, 4096][random.below(3) as usize].min(bytes.len() - at);
        for byte in &mut bytes[at..at + length] {
            *byte ^= 1 << (place % 8);
        }
        fs::write(&target, &bytes).unwrap();
        let what = format!("{length} bytes at {at} of {}", name.display());
        match SledStore::open(copied.path(), repairing()) {
            Ok(store) => {
                assert!(content(&store) == expected, "{what}");
                served += 1;
            }
            Err(error) => {
                assert!(error.is_damage(), "{what}: {error}");
                assert!(!name.starts_with("sled"), "{what}: {error}");
                refused += 1;
            }
        }
    }
    println!("{served} served whole, {refused} refused");
    assert!(served > 10 && refused > 5);
}

#[test]
fn a_repair_says_what_was_wrong_and_keeps_the_damaged_files() {
    let folder = TempDir::new().unwrap();
    let expected = store_with_history(folder.path(), false);
    fs::write(folder.path().join("sled/db"), vec![0xA5; 8192]).unwrap();
    let refused = SledStore::open(folder.path(), keeping()).unwrap_err();
    assert!(refused.is_damage(), "{refused}");
    let store = open(folder.path(), &repairing());
    let (fault, recovery) = store.repaired().unwrap();
    assert!(refused.to_string().contains(fault), "{fault} in {refused}");
    assert_eq!(recovery.revision, store.status().last_revision);
    let aside = folder.path().join(&recovery.aside).join("sled");
    assert!(aside.join("conf").exists() && aside.join("db").exists());
    assert!(content(&store) == expected);
    assert!(!folder.path().join("recovering").exists());
}

#[test]
fn numbers_continue_after_a_repair() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &keeping());
    let draw = |store: &SledStore| {
        pollster::block_on(store.next_numbers(&[(Sequence::Order, 100_001)])).unwrap()[0]
    };
    let last = (0..250).map(|_| draw(&store)).max().unwrap();
    store.abandon();
    drop(store);
    fs::remove_dir_all(folder.path().join("sled")).unwrap();
    let store = open(folder.path(), &repairing());
    assert!(draw(&store) > last);
}

/// The journal is the only source then, so its own end must be certain.
#[test]
fn nothing_is_rebuilt_from_a_journal_that_lost_something() {
    let original = TempDir::new().unwrap();
    store_with_history(original.path(), false);
    for journal in files(&original.path().join("journal")) {
        if journal.extension().is_none() {
            continue;
        }
        let copied = TempDir::new().unwrap();
        copy(original.path(), copied.path());
        fs::remove_file(copied.path().join("sled/conf")).unwrap();
        fs::remove_file(
            copied
                .path()
                .join(journal.strip_prefix(original.path()).unwrap()),
        )
        .unwrap();
        let refused = SledStore::open(copied.path(), repairing()).unwrap_err();
        assert!(refused.is_damage(), "{refused}");
        assert!(copied.path().join("sled/db").exists());
    }
}

/// The records contain commits that the journal does not have, so the journal must not replace them.
#[test]
fn a_journal_older_than_the_records_is_not_trusted() {
    let early = TempDir::new().unwrap();
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &keeping());
    let mut work = Workload::new(3);
    work.run(&store, 50, 20);
    store.close().unwrap();
    drop(store);
    copy(&folder.path().join("journal"), early.path());
    let store = open(folder.path(), &keeping());
    work.run(&store, 50, 20);
    store.close().unwrap();
    drop(store);
    fs::remove_dir_all(folder.path().join("journal")).unwrap();
    copy(early.path(), &folder.path().join("journal"));
    let refused = SledStore::open(folder.path(), repairing()).unwrap_err();
    assert!(refused.is_damage(), "{refused}");
}

#[test]
fn a_lost_identity_comes_back_from_the_journal() {
    let folder = TempDir::new().unwrap();
    let expected = store_with_history(folder.path(), false);
    for name in ["STORE", "STORE.copy"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert!(SledStore::open(folder.path(), repairing()).is_err());
    recovered(folder.path(), None);
    assert!(content(&open(folder.path(), &keeping())) == expected);
}

#[test]
fn a_snapshot_under_load_is_one_state() {
    let folder = TempDir::new().unwrap();
    let store = open(
        folder.path(),
        &StoreOptions {
            checkpoint_bytes: 64 << 10,
            retention: Retention::Applied,
            ..keeping()
        },
    );
    let mut work = Workload::new(11);
    work.run(&store, 200, 2_000);
    let states = std::sync::Mutex::new(BTreeMap::new());
    let stop = AtomicBool::new(false);
    let (mut changed_meanwhile, mut seen) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                work.run(&store, 1, 2_000);
                let revision = store.status().last_revision;
                let mut states = states.lock().unwrap();
                states.insert(revision, work.expected.clone());
                while states.len() > 200 {
                    states.pop_first();
                }
            }
        });
        // On a busy machine the writer commits little during one snapshot.
        for _ in 0..1_000 {
            if seen >= 10 && changed_meanwhile > 20 {
                break;
            }
            let before = store.status().last_revision;
            let (snapshot, taken) = SnapshotRecords::slowly(&store);
            changed_meanwhile += snapshot.revision - before;
            // The writer records the state after its commit; intermediate states are not recorded.
            wait_until("the writer has got so far", || {
                let noted = states.lock().unwrap();
                noted.keys().next_back() >= Some(&snapshot.revision)
            });
            if let Some(expected) = states.lock().unwrap().get(&snapshot.revision) {
                assert!(taken.content() == *expected, "at {}", snapshot.revision);
                seen += 1;
            }
        }
        stop.store(true, Ordering::SeqCst);
    });
    assert!(seen >= 10, "{seen} states were compared");
    assert!(
        changed_meanwhile > 20,
        "{changed_meanwhile} commits came in between"
    );
}

#[test]
fn a_snapshot_restores_values_revisions_and_numbers() {
    let folder = TempDir::new().unwrap();
    let expected = store_with_history(folder.path(), false);
    let store = open(folder.path(), &keeping());
    let number = pollster::block_on(store.next_numbers(&[(Sequence::Offer, 5)])).unwrap()[0];
    let (snapshot, taken) = SnapshotRecords::of(&store);
    assert_eq!(snapshot.revision, store.status().last_revision);
    assert!(snapshot.time > 1_700_000_000_000);
    let fresh = TempDir::new().unwrap();
    let same = Continuation::lossless(&snapshot);
    restore(
        fresh.path(),
        &keeping(),
        &snapshot,
        &same,
        &mut taken.clone(),
    )
    .unwrap();
    let restored = open(fresh.path(), &keeping());
    assert!(content(&restored) == expected);
    // Also before its journal has a commit of its own.
    let (again, copied) = SnapshotRecords::of(&restored);
    assert_eq!(again.revision, snapshot.revision);
    assert!(copied.content() == expected);
    assert!(
        pollster::block_on(restored.next_numbers(&[(Sequence::Offer, 5)])).unwrap()[0] > number
    );
    assert!(commit(&restored, put(1_000_000, b"next")) > snapshot.revision);
    restored.check().unwrap();
    drop(restored);
    // The initial content is in the backup, later commits are in its own journal.
    fs::remove_file(fresh.path().join("sled/db")).unwrap();
    let refused = SledStore::open(fresh.path(), repairing()).unwrap_err();
    assert!(refused.is_damage(), "{refused}");
    // That calls nothing damaged: the store may be sound.
    let refused = try_recover(fresh.path(), None, None).unwrap_err();
    assert!(
        refused.to_string().contains("a backup is needed") && !refused.is_damage(),
        "{refused}"
    );
    recovered(fresh.path(), Some((&snapshot, &taken)));
    let again = content(&open(fresh.path(), &keeping()));
    assert_eq!(again.len(), expected.len() + 1);
}

#[test]
fn a_restore_needs_an_empty_folder_and_leaves_nothing_when_it_fails() {
    struct Broken(SnapshotRecords);
    impl Records for Broken {
        fn each(&mut self, sink: &mut RecordSink<'_>) -> io::Result<()> {
            self.0.each(sink)?;
            Err(io::Error::other("the file ends here"))
        }
    }
    let folder = TempDir::new().unwrap();
    store_with_history(folder.path(), false);
    let store = open(folder.path(), &keeping());
    let (snapshot, taken) = SnapshotRecords::of(&store);
    store.close().unwrap();
    let same = Continuation::lossless(&snapshot);
    let into = |path: &Path, records: &mut dyn Records| {
        restore(path, &keeping(), &snapshot, &same, records)
    };
    let refused = into(folder.path(), &mut taken.clone()).unwrap_err();
    assert!(matches!(refused, OpenError::HoldsStore { .. }), "{refused}");
    let fresh = TempDir::new().unwrap();
    let broken = into(fresh.path(), &mut Broken(taken.clone()));
    assert!(
        broken
            .unwrap_err()
            .to_string()
            .contains("the file ends here")
    );
    let left: Vec<_> = fs::read_dir(fresh.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["LOCK"]);
    into(fresh.path(), &mut taken.clone()).unwrap();
}

/// A replacement of files that a crash interrupted between any two steps continues at the next start.
#[test]
fn an_interrupted_exchange_continues() {
    let folder = TempDir::new().unwrap();
    let expected = store_with_history(folder.path(), false);
    let parts = ["sled", "journal", "STORE.copy", "STORE"];
    for old_parts in [false, true] {
        for moved in 0..=parts.len() {
            for half in [false, true] {
                let place = TempDir::new().unwrap();
                let path = place.path();
                fs::create_dir_all(path.join("recovering")).unwrap();
                fs::write(path.join("REPLACING"), "replaced-x\n").unwrap();
                for (index, part) in parts.iter().enumerate() {
                    let target = match index < moved {
                        true => path.join(part),
                        false => path.join("recovering").join(part),
                    };
                    let from = folder.path().join(part);
                    match from.is_dir() {
                        true => copy(&from, &target),
                        false => drop(fs::copy(&from, &target).unwrap()),
                    }
                    // The old part is still there until it is replaced, or half replaced.
                    if old_parts && index >= moved && !(half && index == moved) {
                        fs::write(path.join(part), b"old").unwrap();
                    }
                }
                let store = open(path, &keeping());
                assert!(content(&store) == expected);
                assert!(!path.join("recovering").exists() && !path.join("REPLACING").exists());
            }
        }
    }
}

#[test]
fn parts_that_were_never_finished_are_forgotten() {
    let folder = TempDir::new().unwrap();
    let expected = store_with_history(folder.path(), false);
    fs::create_dir_all(folder.path().join("recovering/sled")).unwrap();
    fs::write(folder.path().join("recovering/sled/db"), b"half").unwrap();
    assert!(content(&open(folder.path(), &keeping())) == expected);
    assert!(!folder.path().join("recovering").exists());
}

#[test]
fn the_journal_is_removed_after_a_backup_which_a_recovery_then_needs() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &keeping());
    let mut work = Workload::new(23);
    work.run(&store, 400, 60);
    store.checkpoint().unwrap();
    let journals = || files(&folder.path().join("journal")).len();
    let before = journals();
    assert!(before > 2);
    let (snapshot, taken) = SnapshotRecords::of(&store);
    let foreign = Snapshot {
        store: "0".repeat(32),
        ..snapshot.clone()
    };
    store.backed_up(&foreign).unwrap_err();
    store.checkpoint().unwrap();
    assert!(
        journals() >= before,
        "only a verified backup makes it shorter"
    );
    store.backed_up(&snapshot).unwrap();
    store.checkpoint().unwrap();
    assert!(journals() < before);
    work.run(&store, 60, 60);
    store.close().unwrap();
    drop(store);
    fs::remove_dir_all(folder.path().join("sled")).unwrap();
    assert!(
        SledStore::open(folder.path(), repairing())
            .unwrap_err()
            .is_damage()
    );
    let early = try_recover(folder.path(), None, None).unwrap_err();
    assert!(early.to_string().contains("a backup is needed"), "{early}");
    let wrong = try_recover(folder.path(), Some((&foreign, &taken)), None).unwrap_err();
    assert!(wrong.to_string().contains("another store"), "{wrong}");
    let recovery = recovered(folder.path(), Some((&snapshot, &taken)));
    assert!(recovery.replayed >= 60);
    let store = open(folder.path(), &keeping());
    assert!(content(&store) == work.expected);
    // The note about the backup is kept by the recovery.
    store.checkpoint().unwrap();
}

#[test]
fn the_limit_of_the_journal_applies_without_a_backup() {
    let folder = TempDir::new().unwrap();
    let options = StoreOptions {
        retention: Retention::UntilBackup {
            most_bytes: Some(3 * (128 << 10)),
        },
        ..keeping()
    };
    let store = open(folder.path(), &options);
    let mut work = Workload::new(29);
    for _ in 0..6 {
        work.run(&store, 200, 60);
        store.checkpoint().unwrap();
    }
    let segments = |path: &Path| {
        let named = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "journal");
        files(&path.join("journal"))
            .iter()
            .filter(|file| named(file))
            .count()
    };
    assert!(
        segments(folder.path()) <= 3,
        "{} files",
        segments(folder.path())
    );
    store.close().unwrap();
    drop(store);
    assert!(content(&open(folder.path(), &options)) == work.expected);
}

#[test]
fn a_store_is_recovered_to_a_point_in_time() {
    let original = TempDir::new().unwrap();
    let store = open(original.path(), &keeping());
    let mut work = Workload::new(31);
    let mut states = Vec::new();
    let mut backup = None;
    for round in 0..6 {
        work.run(&store, 30, 40);
        let (snapshot, taken) = SnapshotRecords::of(&store);
        states.push((snapshot.time, snapshot.revision, work.expected.clone()));
        if round == 2 {
            backup = Some((snapshot, taken));
        }
        store.checkpoint().unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
    store.close().unwrap();
    drop(store);
    let (snapshot, taken) = backup.unwrap();
    for (index, (time, revision, expected)) in states.iter().enumerate() {
        for base in [None, Some((&snapshot, &taken))] {
            let copied = TempDir::new().unwrap();
            copy(original.path(), copied.path());
            let recovery = try_recover(copied.path(), base, Some(*time));
            if base.is_some() && index < 2 {
                let error = recovery.unwrap_err().to_string();
                assert!(error.contains("use an earlier one"), "{error}");
                continue;
            }
            let recovery = recovery.unwrap();
            assert_eq!((recovery.revision, recovery.time), (*revision, *time));
            let store = open(copied.path(), &keeping());
            assert!(content(&store) == *expected, "state {index}");
            // The backup that the message recommends.
            assert!(SnapshotRecords::of(&store).1.content() == *expected);
            assert!(commit(&store, put(9, b"new")) > *revision);
            store.close().unwrap();
            // The later commits are not lost: they were moved aside.
            let aside = copied.path().join(&recovery.aside);
            assert!(aside.join("STORE").exists() && aside.join("journal").exists());
        }
    }
}
