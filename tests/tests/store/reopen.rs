//! Opening, closing, locks, limits of sled, and the format of the files.

use std::time::Duration;

use erp_core::storage::{ChangeSet, CommitError, Key, Sequence, Space, Storage, StorageError};
use erp_server::store::{OpenError, SledStore, StoreOptions, check};
use erp_tests::embedded_store::{Workload, commit, content, copy, files, manual, open, put};
use erp_tests::own_process::only;
use tempfile::TempDir;

#[test]
fn twenty_rounds_of_writing_and_reopening() {
    let folder = TempDir::new().unwrap();
    let options = StoreOptions {
        checkpoint_bytes: 64 << 10,
        checkpoint_after: Duration::from_millis(15),
        seal_after: Duration::from_millis(3),
        ..manual()
    };
    let mut work = Workload::new(9);
    let mut given = std::collections::BTreeSet::new();
    for round in 0..20 {
        let store = open(folder.path(), &options);
        assert!(
            content(&store) == work.expected,
            "round {round}: reopening has changed something"
        );
        work.run(&store, 60, 500);
        for _ in 0..37 {
            let number =
                pollster::block_on(store.next_numbers(&[(Sequence::Offer, 5)])).unwrap()[0];
            assert!(
                given.insert(number),
                "round {round}: number {number} was assigned twice"
            );
        }
        match round % 3 {
            0 => store.close().unwrap(),
            1 => store.abandon(),
            _ => drop(store),
        }
        if round % 4 == 0 {
            let report = check(folder.path(), &options).unwrap();
            let records: u64 = report.spaces.values().map(|space| space.records).sum();
            assert_eq!(records, work.expected.len() as u64);
            let bytes = |(key, entry): (&Key, &erp_core::storage::Entry)| {
                (key.as_bytes().len() + entry.value.len()) as u64
            };
            let expected: u64 = work.expected.iter().map(bytes).sum();
            assert_eq!(
                report.spaces.values().map(|space| space.bytes).sum::<u64>(),
                expected
            );
        }
    }
}

#[test]
fn a_closed_store_returns_an_error() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &manual());
    commit(&store, put(1, b"1"));
    let handle = store.clone();
    store.close().unwrap();
    store.close().unwrap();
    let response = pollster::block_on(handle.commit(put(1, b"2")));
    assert_eq!(response, Err(CommitError::Storage(StorageError::Closed)));
    let keys = [put(1, b"").writes[0].key().clone()];
    assert_eq!(
        pollster::block_on(handle.get(&keys)),
        Err(StorageError::Closed)
    );
    let number = pollster::block_on(handle.next_numbers(&[(Sequence::Order, 1)]));
    assert_eq!(number, Err(StorageError::Closed));
    assert_eq!(handle.checkpoint(), Err(StorageError::Closed));
    assert_eq!(handle.check(), Err(StorageError::Closed));
    let again = open(folder.path(), &manual());
    assert_eq!(content(&again).len(), 1);
}

#[test]
fn a_check_of_the_running_store_counts_everything() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &manual());
    let mut work = Workload::new(21);
    for _ in 0..3 {
        work.run(&store, 40, 200);
        let report = store.check().unwrap();
        let records: u64 = report.spaces.values().map(|space| space.records).sum();
        assert_eq!(records, work.expected.len() as u64);
        assert_eq!(report.last_revision, store.status().last_revision);
    }
}

#[test]
fn a_second_opening_reports_who_uses_the_store() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &manual());
    let second = SledStore::open(folder.path(), manual());
    assert!(
        matches!(second, Err(OpenError::Locked { .. })),
        "{second:?}"
    );
    assert!(matches!(
        check(folder.path(), &manual()),
        Err(OpenError::Locked { .. })
    ));
    drop(store);
    assert!(SledStore::open(folder.path(), manual()).is_ok());
}

/// The test runs its own binary as another process while the store is open.
#[test]
fn another_process_reports_who_uses_the_store() {
    const FOLDER: &str = "STORE_OF_THE_PARENT";
    if let Ok(folder) = std::env::var(FOLDER) {
        let response = SledStore::open(folder, manual());
        println!(
            "{}",
            response.map_or_else(|error| error.to_string(), |_| "opened".to_owned())
        );
        return;
    }
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &manual());
    let child = || {
        let output = only(module_path!(), "another_process_reports_who_uses_the_store")
            .env(FOLDER, folder.path())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(child().contains("another process uses the data directory"));
    store.close().unwrap();
    assert!(child().contains("opened"));
}

#[test]
fn other_folders_are_not_changed() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    let response = SledStore::open(folder.path(), manual());
    assert!(
        matches!(response, Err(OpenError::NotAStore { .. })),
        "{response:?}"
    );
    assert_eq!(
        files(folder.path()).len(),
        1,
        "something was written into a foreign folder"
    );
    let empty = TempDir::new().unwrap();
    assert!(matches!(
        check(empty.path(), &manual()),
        Err(OpenError::NotAStore { .. })
    ));
    assert!(files(empty.path()).is_empty());
    std::fs::create_dir(empty.path().join("lost+found")).unwrap();
    open(empty.path(), &manual()).close().unwrap();
    let missing = folder.path().join("nothing here");
    assert!(matches!(
        check(&missing, &manual()),
        Err(OpenError::NotAStore { .. })
    ));
    assert!(!missing.exists());

    let newer = TempDir::new().unwrap();
    open(newer.path(), &manual()).close().unwrap();
    let file = newer.path().join("STORE");
    let text = std::fs::read_to_string(&file)
        .unwrap()
        .replace("format 1", "format 7");
    let (text, _) = text.split_once("checksum").unwrap();
    let checksum = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
    std::fs::write(&file, format!("{text}checksum {checksum:016x}\n")).unwrap();
    let response = SledStore::open(newer.path(), manual());
    assert!(
        matches!(
            response,
            Err(OpenError::NewerFormat {
                found: 7,
                known: 1,
                ..
            })
        ),
        "{response:?}"
    );
}

/// A creation that was interrupted by a crash is started again; nothing was acknowledged yet.
#[test]
fn an_unfinished_creation_is_started_again() {
    let folder = TempDir::new().unwrap();
    open(folder.path(), &manual()).close().unwrap();
    std::fs::rename(
        folder.path().join("STORE"),
        folder.path().join("STORE.creating"),
    )
    .unwrap();
    std::fs::remove_file(folder.path().join("sled/conf")).unwrap();
    let store = open(folder.path(), &manual());
    commit(&store, put(1, b"1"));
    assert!(!folder.path().join("STORE.creating").exists());
}

/// sled writes large pages to files that it never syncs, so our records must never be that large.
#[test]
fn the_largest_records_make_no_file_of_their_own() {
    let folder = TempDir::new().unwrap();
    let options = StoreOptions {
        sled_segment_bytes: StoreOptions::default().sled_segment_bytes,
        journal_segment_bytes: StoreOptions::default().journal_segment_bytes,
        ..manual()
    };
    let store = open(folder.path(), &options);
    let value = |round: u8, number: u8| {
        let length = erp_core::limits::RECORD_BYTES - 100 - usize::from(round) * 700_000;
        vec![number.wrapping_mul(31).wrapping_add(round); length]
    };
    for round in 0..3 {
        for group in 0..7 {
            let mut changes = ChangeSet::new();
            for part in 0..3 {
                let number = group * 3 + part;
                let key = Key::of(Space::Scratch).number(u64::from(number));
                changes.put(key, value(round, number));
            }
            commit(&store, changes);
        }
        store.checkpoint().unwrap();
    }
    let blobs = files(&folder.path().join("sled/blobs"));
    assert!(blobs.is_empty(), "sled has made {blobs:?}");
    store.close().unwrap();
    let store = open(folder.path(), &options);
    for (number, entry) in content(&store).into_values().enumerate() {
        assert!(
            entry.value == value(2, number as u8),
            "record {number} is not read back"
        );
    }
    let mut changes = ChangeSet::new();
    for key in content(&store).into_keys() {
        changes.delete(key);
    }
    commit(&store, changes);
    assert!(
        store.check().unwrap().spaces.is_empty(),
        "deleting has left something"
    );
}

// rule: D-ERR-09
/// A full queue refuses instead of growing.
#[test]
fn a_full_queue_is_busy() {
    let folder = TempDir::new().unwrap();
    let options = StoreOptions {
        queue: 2,
        ..manual()
    };
    let store = open(folder.path(), &options);
    let mut waiting = Vec::new();
    let mut busy = 0;
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    for number in 0..3000 {
        let mut future = Box::pin({
            let store = store.clone();
            async move { store.commit(put(number, &[1; 5000])).await }
        });
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(Err(CommitError::Storage(StorageError::Busy))) => busy += 1,
            std::task::Poll::Ready(response) => drop(response.unwrap()),
            std::task::Poll::Pending => waiting.push(future),
        }
    }
    assert!(busy > 0, "3,000 concurrent commits fit into a queue of 2");
    for future in waiting {
        pollster::block_on(future).unwrap();
    }
    assert_eq!(content(&store).len() as u64, 3000 - busy);
}

/// From the first release on stores of format 1 open for ever. Until then the folder is written again when the format
/// changes: remove it, and run this test with `WRITE_GOLDEN_STORE=1`.
#[test]
fn a_store_of_format_1_opens_with_its_content() {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/storage-format/1");
    if std::env::var_os("WRITE_GOLDEN_STORE").is_some() {
        write_golden(&golden);
    }
    let folder = TempDir::new().unwrap();
    copy(&golden, folder.path());
    let store = open(folder.path(), &StoreOptions::default());
    let expected = golden_content();
    assert!(
        content(&store) == expected.expected,
        "the golden store has another content"
    );
    let number = pollster::block_on(store.next_numbers(&[(Sequence::Order, 1)])).unwrap()[0];
    assert_eq!(
        number, 102,
        "the numbers up to 101 were reserved and may have been assigned"
    );
    store.close().unwrap();
    check(folder.path(), &StoreOptions::default()).unwrap();
}

/// The commits of the golden store: half of them in sled, half in the journal.
fn golden_commits() -> Vec<ChangeSet> {
    (0_u64..12)
        .map(|number| {
            let mut changes = put(number, format!("value {number}").as_bytes());
            changes.add(Key::of(Space::Reserved).text("sum"), 3);
            changes.put(
                Key::of(Space::Article).text("large"),
                vec![number as u8; 700],
            );
            changes.event(format!("event {number}").into_bytes());
            if number > 2 {
                changes.delete(Key::of(Space::Scratch).number(number - 2));
            }
            changes
        })
        .collect()
}

fn golden_content() -> Workload {
    let mut work = Workload::new(0);
    for (revision, changes) in (2..).zip(golden_commits()) {
        work.note(revision, &changes);
    }
    work
}

/// Writes the golden store into an empty folder.
fn write_golden(path: &std::path::Path) {
    let options = StoreOptions {
        journal_segment_bytes: 16 << 10,
        sled_segment_bytes: 32 << 10,
        ..manual()
    };
    let store = open(path, &options);
    assert_eq!(
        pollster::block_on(store.next_numbers(&[(Sequence::Order, 1)])).unwrap(),
        [1]
    );
    for (index, changes) in golden_commits().into_iter().enumerate() {
        assert_eq!(commit(&store, changes), index as u64 + 2);
        if index == 5 {
            store.checkpoint().unwrap();
        }
    }
    store.abandon();
}

/// Options with which records are read after the start, if that is safe.
fn later() -> StoreOptions {
    StoreOptions {
        read_later: true,
        ..manual()
    }
}

#[test]
fn records_are_read_later_after_a_clean_shutdown_and_at_once_after_a_change() {
    let folder = TempDir::new().unwrap();
    let mut work = Workload::new(5);
    let store = open(folder.path(), &later());
    work.run(&store, 200, 50);
    store.close().unwrap();
    drop(store);
    let closed = folder.path().join("CLOSED");
    assert!(closed.exists());

    let store = open(folder.path(), &later());
    assert!(!store.is_proved());
    assert!(!closed.exists(), "a crash from now on is no clean shutdown");
    assert!(content(&store) == work.expected);
    assert!(store.read_all().unwrap() >= work.expected.len() as u64);
    work.run(&store, 20, 50);
    // The counts and digests that were not read stay correct.
    store.check().unwrap();
    store.close().unwrap();
    drop(store);

    // The file was changed since.
    let db = folder.path().join("sled/db");
    let file = std::fs::File::options().write(true).open(&db).unwrap();
    file.set_modified(std::time::SystemTime::now()).unwrap();
    let store = open(folder.path(), &later());
    assert!(store.is_proved());
    store.close().unwrap();
    drop(store);

    // The note is damaged.
    let text = std::fs::read_to_string(&closed).unwrap();
    std::fs::write(&closed, text.replace("revision ", "revision 1")).unwrap();
    let store = open(folder.path(), &later());
    assert!(store.is_proved());
    store.close().unwrap();
    drop(store);

    // Without the option everything is read.
    let store = open(folder.path(), &manual());
    assert!(store.is_proved());
    assert!(content(&store) == work.expected);
}

#[test]
fn records_are_read_later_after_a_kill_without_a_restart_of_the_machine() {
    let folder = TempDir::new().unwrap();
    let note = folder.path().join("OPEN");
    let mut work = Workload::new(6);
    open(folder.path(), &later()).close().unwrap();
    assert!(!note.exists(), "a clean shutdown has its own note");
    // Each time some changes are in sled, and some only in the journal.
    for _ in 0..3 {
        let store = open(folder.path(), &later());
        assert!(!store.is_proved() && content(&store) == work.expected);
        work.run(&store, 60, 50);
        store.checkpoint().unwrap();
        work.run(&store, 20, 50);
        store.abandon();
    }
    let store = open(folder.path(), &later());
    assert!(!store.is_proved() && content(&store) == work.expected);
    // The stored counts match the records that were not read.
    store.check().unwrap();
    assert!(store.read_all().unwrap() >= work.expected.len() as u64);
    store.abandon();
    drop(store);

    // The machine was restarted.
    let text = std::fs::read_to_string(&note).unwrap();
    std::fs::write(&note, text.replace("machine ", "machine 1")).unwrap();
    assert!(open(folder.path(), &later()).is_proved());

    // A process that was killed, and a copy of its folder.
    open(folder.path(), &later()).abandon();
    let copied = TempDir::new().unwrap();
    copy(folder.path(), copied.path());
    assert!(open(copied.path(), &later()).is_proved());
    assert!(!open(folder.path(), &later()).is_proved());
}

/// The background read counts records correctly that change before, at or after its position.
#[test]
fn records_that_change_while_all_are_read_are_counted() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &later());
    for number in 0..6 {
        let mut changes = ChangeSet::new();
        for key in 0..900_u64 {
            changes.put(numbered(key * 6 + number), vec![1; 20]);
        }
        commit(&store, changes);
    }
    store.close().unwrap();
    let store = open(
        folder.path(),
        &StoreOptions {
            checkpoint_after: Duration::from_millis(1),
            ..later()
        },
    );
    assert!(!store.is_proved());
    let reader = store.clone();
    let reading = std::thread::spawn(move || reader.read_all());
    let mut rounds = 0_u64;
    while !reading.is_finished() || rounds < 3 {
        let mut changes = ChangeSet::new();
        for key in (rounds % 7..5_400).step_by(7) {
            match key % 3 {
                0 => changes.delete(numbered(key)),
                1 => changes.put(numbered(key), vec![2; 300]),
                _ => changes.put(numbered(key + 5_400), vec![3; 20]),
            }
        }
        commit(&store, changes);
        store.checkpoint().unwrap();
        rounds += 1;
    }
    reading.join().unwrap().unwrap();
    store.check().unwrap();
}

fn numbered(key: u64) -> Key {
    Key::of(Space::Order).number(key)
}
