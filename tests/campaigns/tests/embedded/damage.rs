//! Damage anywhere in a store is repaired from the journal, or found before anything is served.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use erp_campaigns::damage::damage_unseen;
use erp_core::storage::{CommitError, Key, Sequence, Storage as _, StorageError};
use erp_server::store::{Retention, SledStore, Snapshots as _, StoreOptions, check};
use erp_tests::embedded_store::{
    Content, Workload, commit, content, copy, files, manual, open, put, try_content,
};
use erp_tests::process::Server;
use erp_tests::wait::wait_until;
use tempfile::TempDir;

/// Number of places; `DAMAGE_PLACES` in the environment sets it.
fn places() -> u64 {
    let wanted = std::env::var("DAMAGE_PLACES")
        .ok()
        .and_then(|places| places.parse().ok());
    wanted.unwrap_or(60)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// Opening it failed with an error message.
    Refused,
    /// It has exactly what was acknowledged.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Damage {
    Bit,
    Page,
    Tail,
    File,
}

fn options(keep: usize) -> StoreOptions {
    StoreOptions {
        journal_keep_segments: keep,
        seal_after: Duration::from_millis(20),
        ..manual()
    }
}

/// A store with records partly in sled and partly in the journal after a seal, as after a crash.
fn make_store(path: &Path, keep: usize) -> Content {
    let unsealed = StoreOptions {
        seal_after: Duration::MAX,
        ..options(keep)
    };
    let store = open(path, &unsealed);
    let mut work = Workload::new(11);
    work.run(&store, 900, 4000);
    store.checkpoint().unwrap();
    work.run(&store, 700, 4000);
    store.checkpoint().unwrap();
    work.run(&store, 500, 4000);
    store.abandon();
    // A store that is opened writes nothing before the seal.
    let store = open(path, &options(keep));
    wait_until("the seal is written", || store.status().syncs > 0);
    store.abandon();
    work.expected
}

#[test]
fn damage_is_found_or_repaired() {
    let outcomes = damage_everywhere(0);
    for damage in [Damage::Bit, Damage::Page, Damage::Tail, Damage::File] {
        assert!(
            outcomes.contains_key(&(damage, Outcome::Refused)),
            "{damage:?} was never found"
        );
    }
    assert!(
        count(&outcomes, Outcome::Refused) >= 25,
        "damage should be found more often"
    );
}

#[test]
fn records_that_end_too_early_are_damaged() {
    let original = TempDir::new().unwrap();
    let expected = make_store(original.path(), 0);
    let mut refused = 0;
    for file in files(&original.path().join("sled")) {
        let name = file.strip_prefix(original.path()).unwrap();
        let length = fs::metadata(&file).unwrap().len();
        for part in 0..20 {
            let folder = TempDir::new().unwrap();
            copy(original.path(), folder.path());
            let left = length * part / 20;
            let cut = File::options().write(true).open(folder.path().join(name));
            cut.unwrap().set_len(left).unwrap();
            match SledStore::open(folder.path(), options(0)) {
                Ok(store) => {
                    let found = try_content(&store);
                    assert_eq!(found.as_ref(), Ok(&expected), "{left} of {name:?}");
                    store.close().unwrap();
                }
                Err(error) => {
                    let sentence = error.to_string();
                    assert!(
                        sentence.contains("is damaged"),
                        "{left} of {name:?}: {error}"
                    );
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 0);
}

/// With the whole journal available, most of what sled loses is restored.
#[test]
fn a_kept_journal_repairs_more() {
    let outcomes = damage_everywhere(1000);
    assert!(
        count(&outcomes, Outcome::Refused) >= 5,
        "damage should be found more often"
    );
    assert!(
        count(&outcomes, Outcome::Whole) >= 25,
        "more should be repaired: {outcomes:?}"
    );
}

type Outcomes = BTreeMap<(Damage, Outcome), u32>;

fn count(outcomes: &Outcomes, outcome: Outcome) -> u32 {
    let of = outcomes.iter().filter(|((_, found), _)| *found == outcome);
    of.map(|(_, count)| count).sum()
}

fn damage_everywhere(keep: usize) -> Outcomes {
    let original = TempDir::new().unwrap();
    let expected = make_store(original.path(), keep);
    assert!(expected.len() > 2000);
    let mut outcomes = Outcomes::new();
    let mut sentences: BTreeMap<String, u32> = BTreeMap::new();
    let mut work = Workload::new(5);
    for place in 0..places() {
        let folder = TempDir::new().unwrap();
        copy(original.path(), folder.path());
        let (damage, what) = do_damage(folder.path(), &mut work);
        let outcome = match SledStore::open(folder.path(), options(keep)) {
            Ok(store) => {
                let found = try_content(&store);
                assert!(
                    found.as_ref() == Ok(&expected),
                    "place {place}: {what} serves wrong data"
                );
                store.close().unwrap();
                Outcome::Whole
            }
            Err(error) => {
                let sentence = error.to_string();
                assert!(
                    !sentence.contains("panicked") && !sentence.contains("unwrap"),
                    "{sentence}"
                );
                assert!(
                    sentence.contains("damaged"),
                    "place {place}: {what}: {sentence}"
                );
                let checked = check(folder.path(), &options(keep));
                assert!(checked.is_err(), "place {place}: {what}: found once only");
                let sentence = sentence
                    .split_once("is damaged: ")
                    .map_or("", |(_, what)| what);
                let kind = sentence.split(';').next().unwrap_or_default();
                let kind = kind.replace(|char: char| char.is_ascii_digit(), "#");
                *sentences.entry(kind).or_default() += 1;
                Outcome::Refused
            }
        };
        *outcomes.entry((damage, outcome)).or_default() += 1;
    }
    println!("{outcomes:#?}\n{sentences:#?}");
    outcomes
}

/// Damages a random place, preferably one that is in use.
fn do_damage(path: &Path, work: &mut Workload) -> (Damage, String) {
    let all = files(path);
    let used: Vec<PathBuf> = all
        .iter()
        .filter(|file| fs::metadata(file).unwrap().len() > 0)
        .cloned()
        .collect();
    let file = &used[work.below(used.len() as u64) as usize];
    let name = file.strip_prefix(path).unwrap().display().to_string();
    match work.below(10) {
        0..4 => {
            let offset = used_offset(file, work);
            let bit = work.below(8);
            patch(file, offset, 1, |byte| byte ^ (1 << bit));
            (Damage::Bit, format!("bit {bit} of byte {offset} of {name}"))
        }
        4..7 => {
            let offset = used_offset(file, work) / 4096 * 4096;
            patch(file, offset, 4096, |_| 0);
            (Damage::Page, format!("page at {offset} of {name}"))
        }
        7..9 => {
            let length = fs::metadata(file).unwrap().len();
            let cut = work.below(length.min(200_000)) + 1;
            File::options()
                .write(true)
                .open(file)
                .unwrap()
                .set_len(length - cut)
                .unwrap();
            (Damage::Tail, format!("{cut} bytes cut from {name}"))
        }
        _ => {
            fs::remove_file(file).unwrap();
            (Damage::File, format!("{name} deleted"))
        }
    }
}

/// A random offset with a non-zero byte in the file.
fn used_offset(file: &Path, work: &mut Workload) -> u64 {
    let bytes = fs::read(file).unwrap();
    loop {
        let offset = work.below(bytes.len() as u64);
        if bytes[offset as usize] != 0 {
            return offset;
        }
    }
}

fn patch(file: &Path, offset: u64, length: usize, change: impl Fn(u8) -> u8) {
    let mut file = File::options().read(true).write(true).open(file).unwrap();
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset)).unwrap();
    Read::by_ref(&mut file)
        .take(length as u64)
        .read_to_end(&mut bytes)
        .unwrap();
    bytes.iter_mut().for_each(|byte| *byte = change(*byte));
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.write_all(&bytes).unwrap();
}

/// The only journal file, and the offset of its last non-zero byte.
fn journal_end(path: &Path) -> (PathBuf, usize) {
    let journals = files(&path.join("journal"));
    let file = journals.last().unwrap().clone();
    let end = fs::read(&file)
        .unwrap()
        .iter()
        .rposition(|byte| *byte != 0)
        .unwrap();
    (file, end)
}

fn damaged(path: &Path) -> String {
    match SledStore::open(path, options(0)) {
        Err(error) if error.is_damage() => error.to_string(),
        other => panic!("damage should be found, not {other:?}"),
    }
}

/// Damage of the last group looks like a write that a crash interrupted, until a seal confirms the group.
#[test]
fn a_seal_distinguishes_damage_from_a_torn_write() {
    for sealed in [false, true] {
        let folder = TempDir::new().unwrap();
        let store = open(folder.path(), &manual());
        commit(&store, put(1, b"first"));
        commit(&store, put(2, b"last"));
        let (file, end) = journal_end(folder.path());
        store.abandon();
        if sealed {
            let store = open(folder.path(), &options(0));
            assert!(!store.dropped_tail());
            wait_until("the seal is written", || store.status().syncs > 0);
            store.abandon();
        }
        patch(&file, end as u64, 1, |byte| byte ^ 1);
        if sealed {
            assert!(damaged(folder.path()).contains("the commits 2 to 2 are missing"));
        } else {
            let store = open(folder.path(), &manual());
            assert!(store.dropped_tail());
            assert_eq!(store.status().last_revision, 1);
            assert_eq!(content(&store).len(), 1);
        }
    }
}

#[test]
fn a_start_that_drops_the_end_of_the_journal_logs_it() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let store = open(&data, &manual());
    commit(&store, put(1, b"first"));
    let (_, before) = journal_end(&data);
    commit(&store, put(2, b"last"));
    store.abandon();
    let is_reported = || {
        let mut server = Server::start(["serve", "--data", data.to_str().unwrap()]);
        server.terminate();
        assert!(server.wait().success());
        let logs = files(&data.join("log"));
        let logs = logs.iter().map(|log| fs::read_to_string(log).unwrap());
        logs.collect::<String>()
            .contains("the journal ended with a commit that is not whole")
    };
    let damaged = TempDir::new().unwrap();
    copy(&data, damaged.path());
    let (file, end) = journal_end(&data);
    assert!(end > before);
    assert!(!is_reported(), "a crash alone is not reported");
    fs::remove_dir_all(&data).unwrap();
    copy(damaged.path(), &data);
    patch(&file, end as u64, 1, |byte| byte ^ 1);
    assert!(is_reported());
}

/// A journal that lost its first, a middle or its last file.
#[test]
fn every_missing_journal_file_is_found() {
    let original = TempDir::new().unwrap();
    let store = open(original.path(), &manual());
    let mut work = Workload::new(8);
    work.run(&store, 500, 100);
    store.abandon();
    let count = files(&original.path().join("journal")).len();
    assert!(count >= 3);
    for missing in 0..count {
        let folder = TempDir::new().unwrap();
        copy(original.path(), folder.path());
        fs::remove_file(&files(&folder.path().join("journal"))[missing]).unwrap();
        let sentence = damaged(folder.path());
        assert!(sentence.contains("missing"), "{sentence}");
    }
}

/// Changes that sled itself would not detect.
#[test]
fn changes_made_outside_of_the_store_are_found() {
    let original = TempDir::new().unwrap();
    let store = open(original.path(), &manual());
    for number in 0..100 {
        commit(&store, put(number, &[number as u8; 50]));
    }
    store.checkpoint().unwrap();
    commit(&store, put(1, b"newer"));
    store.close().unwrap();
    type Change = fn(&sled::Db, &[u8], &[u8]);
    let changes: [(&str, Change); 5] = [
        ("a lost record", |db, one, _| drop(db.remove(one).unwrap())),
        ("a doubled record", |db, one, two| {
            let value = db.get(two).unwrap().unwrap();
            db.insert(one, value).unwrap();
        }),
        ("a flipped bit", |db, one, _| {
            let mut value = db.get(one).unwrap().unwrap().to_vec();
            *value.last_mut().unwrap() ^= 1;
            db.insert(one, value).unwrap();
        }),
        ("a shortened record", |db, one, _| {
            let value = db.get(one).unwrap().unwrap().to_vec();
            db.insert(one, &value[..value.len() - 1]).unwrap();
        }),
        ("a foreign record", |db, one, _| {
            db.insert([one, b"x"].concat(), b"foreign").unwrap();
        }),
    ];
    for (what, change) in changes {
        let folder = TempDir::new().unwrap();
        copy(original.path(), folder.path());
        let db = sled::Config::new()
            .path(folder.path().join("sled"))
            .segment_size(manual().sled_segment_bytes)
            .open()
            .unwrap();
        let key = |number| put(number, b"").writes[0].key().as_bytes().to_vec();
        change(&db, &key(40), &key(50));
        db.flush().unwrap();
        drop(db);
        let sentence = damaged(folder.path());
        assert!(sentence.contains("record"), "{what}: {sentence}");
    }
}

/// A start after a proper shutdown does not read all records, so a request may be the first to find damage. From then
/// on nothing is written, and the next start repairs the records.
#[test]
fn a_read_that_finds_damage_ends_writing() {
    const TEXT: &[u8] = b"a value";
    let original = TempDir::new().unwrap();
    let trusting = StoreOptions {
        read_later: true,
        repair: true,
        retention: Retention::UntilBackup { most_bytes: None },
        ..manual()
    };
    let store = open(original.path(), &trusting);
    let one = put(1, TEXT);
    let key = one.writes[0].key().clone();
    commit(&store, one);
    store.checkpoint().unwrap();
    commit(&store, put(9, b"another value"));
    let expected = content(&store);
    store.close().unwrap();
    drop(store);
    type Read = fn(&SledStore, &Key) -> Option<StorageError>;
    let readers: [(&str, Read); 4] = [
        ("get", |store, key| {
            pollster::block_on(store.get(std::slice::from_ref(key))).err()
        }),
        ("scan", |store, _| try_content(store).err()),
        ("snapshot", |store, _| {
            store.snapshot(&mut |_, _, _| Ok(())).err()
        }),
        ("guard", |store, key| {
            let mut changes = put(2, b"other");
            changes.guard(key.clone(), Some(1));
            match pollster::block_on(store.commit(changes)) {
                Err(CommitError::Storage(error)) => Some(error),
                _ => None,
            }
        }),
    ];
    for (name, read) in readers {
        let folder = TempDir::new().unwrap();
        copy(original.path(), folder.path());
        let segment_bytes = trusting.sled_segment_bytes;
        damage_unseen(folder.path(), segment_bytes, key.as_bytes());
        let store = open(folder.path(), &trusting);
        assert!(!store.is_proved() && store.writes_refused().is_none());
        let error = read(&store, &key).unwrap();
        assert!(matches!(error, StorageError::Damaged(_)), "{name}: {error}");
        let refused = store.writes_refused().unwrap();
        assert!(refused.contains("damaged"), "{name}: {refused}");
        let refused = pollster::block_on(store.commit(put(3, b"late")));
        assert!(refused.is_err(), "{name}");
        assert!(store.close().is_err());
        drop(store);
        let store = open(folder.path(), &trusting);
        assert!(store.repaired().is_some(), "{name}");
        assert!(content(&store) == expected, "{name}");
    }
}

/// Records that are lost without a trace after a kill are found while all records are read; lost marks of number
/// sequences are found at the start. The next start repairs both.
#[test]
fn records_that_are_missing_after_a_kill_are_found_while_they_are_read() {
    let options = StoreOptions {
        read_later: true,
        repair: true,
        retention: Retention::UntilBackup { most_bytes: None },
        ..manual()
    };
    type IsLost = fn(&[u8]) -> bool;
    let number = |store: &SledStore| {
        let drawn = pollster::block_on(store.next_numbers(&[(Sequence::Order, 1)]));
        drawn.unwrap()[0]
    };
    let lost: [(&str, IsLost); 2] = [
        ("record", |key| {
            key == put(1, b"").writes[0].key().as_bytes()
        }),
        ("sequence", |key| key.starts_with(b"\0s")),
    ];
    for (what, is_lost) in lost {
        let folder = TempDir::new().unwrap();
        let store = open(folder.path(), &options);
        commit(&store, put(1, b"a value"));
        commit(&store, put(2, b"another value"));
        let last = number(&store);
        store.checkpoint().unwrap();
        let expected = content(&store);
        store.abandon();
        drop(store);
        let db = sled::Config::new()
            .path(folder.path().join("sled"))
            .segment_size(options.sled_segment_bytes)
            .open()
            .unwrap();
        let keys: Vec<_> = db.iter().keys().map(Result::unwrap).collect();
        for key in keys.iter().filter(|key| is_lost(key)) {
            db.remove(key).unwrap();
        }
        db.flush().unwrap();
        drop(db);
        let mut store = open(folder.path(), &options);
        if what == "record" {
            assert!(!store.is_proved() && store.writes_refused().is_none());
            let error = store.read_all().unwrap_err();
            assert!(matches!(error, StorageError::Damaged(_)), "{error}");
            assert!(pollster::block_on(store.commit(put(3, b"late"))).is_err());
            store.abandon();
            drop(store);
            store = open(folder.path(), &options);
        }
        assert!(store.repaired().is_some(), "{what}");
        assert!(content(&store) == expected, "{what}");
        assert!(number(&store) > last, "{what}");
    }
}

/// An old copy of a part of the store is as bad as a damaged one.
#[test]
fn parts_of_different_age_or_stores_are_found() {
    let (old, new) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = open(new.path(), &manual());
    commit(&store, put(1, b"1"));
    store.close().unwrap();
    copy(new.path(), old.path());
    let store = open(new.path(), &manual());
    let mut work = Workload::new(1);
    work.run(&store, 400, 100);
    store.close().unwrap();
    let other = TempDir::new().unwrap();
    open(other.path(), &manual()).close().unwrap();
    for (source, part) in [
        (&old, "sled"),
        (&old, "journal"),
        (&other, "sled"),
        (&other, "journal"),
    ] {
        let mixed = TempDir::new().unwrap();
        copy(new.path(), mixed.path());
        fs::remove_dir_all(mixed.path().join(part)).unwrap();
        copy(&source.path().join(part), &mixed.path().join(part));
        damaged(mixed.path());
    }
}
