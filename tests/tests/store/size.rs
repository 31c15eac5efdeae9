//! A store whose records are written repeatedly keeps its size.
//!
//! `UPDATES` sets the number of updates of the same 100 records (60,000); with `FULL_SIZE` the files are as large as on
//! a server.

use std::fs;
use std::path::Path;
use std::time::Duration;

use erp_core::storage::{ChangeSet, Key, Space};
use erp_server::store::{Retention, StoreOptions, check};
use erp_tests::embedded_store::{commit, content, manual, open};
use tempfile::TempDir;

const RECORDS: u64 = 100;
const TOGETHER: u64 = 10;
/// Bytes per record, about as many as a customer's.
const LENGTH: u64 = 1_000;

fn bytes(folder: &Path) -> u64 {
    let mut sum = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        sum += match entry.metadata() {
            Ok(data) if data.is_dir() => bytes(&entry.path()),
            Ok(data) => data.len(),
            // The file was removed in the meantime.
            Err(_) => 0,
        };
    }
    sum
}

#[test]
fn endless_updates_of_the_same_records_do_not_grow_the_store() {
    update_repeatedly(Retention::Applied, 4);
}

/// The journal as a server keeps it: until a backup, but only up to a limit.
#[test]
fn a_journal_that_waits_for_a_backup_stays_within_its_limit() {
    let options = manual();
    let most_bytes = Some(8 * options.journal_segment_bytes);
    update_repeatedly(Retention::UntilBackup { most_bytes }, 12);
}

/// At most `journal_files` may exist.
fn update_repeatedly(retention: Retention, journal_files: u64) {
    let updates: u64 = std::env::var("UPDATES").map_or(60_000, |updates| updates.parse().unwrap());
    let full = std::env::var_os("FULL_SIZE").is_some();
    let small = StoreOptions {
        checkpoint_bytes: 256 << 10,
        checkpoint_after: Duration::from_millis(100),
        journal_keep_segments: 1,
        ..manual()
    };
    let options = StoreOptions {
        retention,
        ..if full { StoreOptions::default() } else { small }
    };
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), &options);
    let mut most = 0;
    let (mut early, mut sizes) = (0, Vec::new());
    for round in 0..updates / TOGETHER {
        let mut changes = ChangeSet::new();
        for record in 0..TOGETHER {
            let number = (round * TOGETHER + record) % RECORDS;
            let mut value = vec![u8::try_from(number).unwrap(); usize::try_from(LENGTH).unwrap()];
            value[..8].copy_from_slice(&round.to_be_bytes());
            changes.put(Key::of(Space::Scratch).number(number), value);
        }
        commit(&store, changes);
        if round % (updates / TOGETHER / 20).max(1) == 0 {
            let (sled, journal) = (
                bytes(&folder.path().join("sled")),
                bytes(&folder.path().join("journal")),
            );
            println!(
                "{:>8} updates: sled {sled}, journal {journal}",
                round * TOGETHER
            );
            sizes.push(sled + journal);
            most = most.max(sled + journal);
            if round <= updates / TOGETHER / 4 {
                early = most;
            }
        }
    }
    store.close().unwrap();
    let (sled, journal) = (
        bytes(&folder.path().join("sled")),
        bytes(&folder.path().join("journal")),
    );
    println!(
        "at the end: sled {sled}, journal {journal}; most {most}, in the first quarter {early}"
    );
    let written = updates * LENGTH;
    let journal_files = journal_files * options.journal_segment_bytes;
    let sled_files = 8 * options.sled_segment_bytes as u64;
    let bound = journal_files + sled_files + 4 * RECORDS * LENGTH;
    println!("written {written}, bound {bound}");
    assert!(full || written > 5 * bound, "more is written than may stay");
    assert!(most <= bound, "{sizes:?}");
    let report = check(folder.path(), &options).unwrap();
    assert_eq!(
        report
            .spaces
            .values()
            .map(|space| space.records)
            .sum::<u64>(),
        RECORDS
    );
    let store = open(folder.path(), &options);
    assert_eq!(content(&store).len() as u64, RECORDS);
}
