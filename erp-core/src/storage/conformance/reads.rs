//! Reading: order, pages, one state per call.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Factory, commit, everything, get_all, key, keys, page, put, value};
use crate::storage::{ChangeSet, Key, Scan, Space, Storage, StorageError};
use crate::values::limits::{ENTRIES_PER_PAGE, KEYS_PER_GET};

/// Scans return exactly the keys of their range, in ascending or descending byte order.
pub fn scans_are_ordered_and_bounded(factory: &impl Factory) {
    let store = factory.open();
    let texts = ["", "a", "a\0", "a\0b", "ab", "b", "ba", "\u{e9}", "z"];
    let mut changes = ChangeSet::new();
    for text in texts.iter().rev() {
        changes.put(key(text), text.as_bytes().to_vec());
    }
    changes.put(Key::of(Space::Outbox).number(1), b"below".to_vec());
    commit(&store, changes);

    let mut all: Vec<Key> = texts.iter().map(|text| key(text)).collect();
    all.sort();
    assert_eq!(
        keys(&store, everything()),
        all,
        "a scan is not in the order of the keys"
    );
    let mut reversed = all.clone();
    reversed.reverse();
    let backwards = keys(&store, everything().backwards());
    assert_eq!(
        backwards, reversed,
        "a scan backwards is not against the order"
    );

    for from in &all {
        for until in &all {
            let scan = Scan {
                from: from.clone(),
                until: until.clone(),
                ..everything()
            };
            let inside = |key: &&Key| from <= *key && *key < until;
            let expected: Vec<Key> = all.iter().filter(inside).cloned().collect();
            assert_eq!(
                keys(&store, scan),
                expected,
                "a scan from {from:?} until {until:?}"
            );
        }
    }
}

/// Pages of every size, in both directions, add up to the whole range, also during concurrent writes.
pub fn pages_join_without_gaps(factory: &impl Factory) {
    let store = factory.open();
    let count = 2 * ENTRIES_PER_PAGE + 7;
    let numbered = |number: usize| Key::of(Space::Scratch).number(number as u64);
    let mut changes = ChangeSet::new();
    for number in 0..count {
        changes.put(numbered(number), number.to_be_bytes().to_vec());
    }
    commit(&store, changes);
    let all: Vec<Key> = (0..count).map(numbered).collect();
    let reversed: Vec<Key> = all.iter().rev().cloned().collect();
    for limit in [97, ENTRIES_PER_PAGE, 2 * count] {
        assert_eq!(
            keys(&store, everything().limit(limit)),
            all,
            "pages of {limit}"
        );
        let backwards = keys(&store, everything().backwards().limit(limit));
        assert_eq!(backwards, reversed, "pages of {limit} backwards");
    }
    let first = page(&store, everything().limit(count));
    assert!(
        first.entries.len() <= ENTRIES_PER_PAGE,
        "a page is longer than a page may be"
    );
    let small = page(&store, everything().limit(3));
    assert_eq!(
        small.entries.len(),
        3,
        "a page has not the length that was asked for"
    );

    let mut found = Vec::new();
    let mut next = Some(everything().limit(100));
    while let Some(scan) = next {
        let read = page(&store, scan);
        found.extend(read.entries.into_iter().map(|(key, _)| key));
        next = read.next;
        let last = found.last().cloned().unwrap_or_else(|| key(""));
        let mut delete = ChangeSet::new();
        delete.delete(last);
        commit(&store, delete);
    }
    assert_eq!(
        found, all,
        "deleting the last key of each page has made a gap"
    );
}

/// `get` returns entries in the order of the keys, with `None` for absent ones, up to its limit.
pub fn get_keeps_the_order_of_the_keys(factory: &impl Factory) {
    let store = factory.open();
    let mut changes = ChangeSet::new();
    for number in 0..50_u8 {
        changes.put(key(&format!("{number}")), vec![number]);
    }
    commit(&store, changes);
    let asked: Vec<u8> = vec![49, 3, 200, 3, 0, 111, 25];
    let keys: Vec<Key> = asked
        .iter()
        .map(|number| key(&format!("{number}")))
        .collect();
    let found: Vec<Option<Vec<u8>>> = get_all(&store, &keys)
        .into_iter()
        .map(|entry| entry.map(|entry| entry.value))
        .collect();
    let expected: Vec<Option<Vec<u8>>> = asked
        .into_iter()
        .map(|number| (number < 50).then(|| vec![number]))
        .collect();
    assert_eq!(
        found, expected,
        "`get` does not answer in the order of its keys"
    );
    assert_eq!(
        get_all(&store, &[]),
        [],
        "`get` of nothing answers something"
    );

    let most = vec![key("1"); KEYS_PER_GET];
    assert!(
        get_all(&store, &most).iter().all(Option::is_some),
        "`get` of many keys"
    );
    let more = vec![key("1"); KEYS_PER_GET + 1];
    let answer = pollster::block_on(store.get(&more));
    let refused = matches!(answer, Err(StorageError::TooLarge { .. }));
    assert!(refused, "`get` takes more keys than it may");
}

/// While commits change two keys together, `get` never sees one changed and the other not.
pub fn get_sees_one_state(factory: &impl Factory) {
    let store = factory.open();
    let write = |round: u32| {
        let mut changes = put("first", &round.to_be_bytes());
        changes.put(key("last"), round.to_be_bytes().to_vec());
        commit(&store, changes);
    };
    write(0);
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (1..200).for_each(write);
            ended.store(true, Ordering::SeqCst);
        });
        while !ended.load(Ordering::SeqCst) {
            let found = get_all(&store, &[key("first"), key("last")]);
            let [first, last] = found.as_slice() else {
                continue;
            };
            assert_eq!(first, last, "`get` has seen a commit in half");
        }
    });
}

/// Every call sees what was committed before it began, from every thread.
pub fn commits_are_read_at_once(factory: &impl Factory) {
    let store = factory.open();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..25_u32 {
                    let name = format!("{thread}");
                    let content = round.to_be_bytes();
                    commit(store, put(&name, &content));
                    let read = value(store, &name);
                    assert_eq!(read, Some(content.to_vec()), "a commit is not read at once");
                    let prefix = Scan::prefix(&key(&name));
                    let scanned = page(store, prefix)
                        .entries
                        .pop()
                        .map(|(_, entry)| entry.value);
                    assert_eq!(scanned, read, "a scan does not see a commit at once");
                }
            });
        }
    });
}
