//! Change sets: all or nothing, guards, revisions, events, sizes.

use std::pin::pin;
use std::task::{Context, Waker};

use super::{
    Factory, assert_value, commit, done, everything, get, get_all, key, keys, present, put,
    scan_all, try_commit, value,
};
use crate::storage::{ChangeSet, CommitError, Key, Scan, Space, Storage, StorageError, outbox_key};
use crate::values::limits::{CHANGE_SET_BYTES, KEY_BYTES, RECORD_BYTES};

/// A change set is stored completely, or not at all when its guard fails.
pub fn a_commit_is_all_or_nothing(factory: &impl Factory) {
    let store = factory.open();
    commit(&store, put("kept", b"before"));
    let mut changes = ChangeSet::new();
    changes.put(key("a"), b"1".to_vec());
    changes.delete(key("kept"));
    changes.add(key("counter"), 5);
    changes.event(b"event".to_vec());
    changes.guard(key("absent"), Some(1));
    assert_conflict(try_commit(&store, changes.clone()), &key("absent"));
    assert_eq!(
        keys(&store, everything()),
        [key("kept")],
        "a commit whose guard failed has changed something"
    );
    assert_eq!(
        outbox(&store).len(),
        0,
        "a commit whose guard failed has left an event"
    );

    changes.guards.clear();
    commit(&store, changes);
    assert_eq!(
        keys(&store, everything()),
        [key("a"), key("counter")],
        "a commit was not applied whole"
    );
    assert_eq!(outbox(&store).len(), 1, "the event of a commit is missing");
}

/// Both kinds of guards pass and fail correctly, and a failed guard changes nothing.
pub fn every_guard_is_checked(factory: &impl Factory) {
    let store = factory.open();
    let revision = commit(&store, put("present", b"1"));
    let cases = [
        ("present", Some(revision), true),
        ("present", Some(revision + 1), false),
        ("present", None, false),
        ("absent", None, true),
        ("absent", Some(revision), false),
    ];
    for (number, (name, expected, holds)) in cases.into_iter().enumerate() {
        let target = format!("written {number}");
        let mut changes = put(&target, b"x");
        changes.guard(key(name), expected);
        let answer = try_commit(&store, changes);
        if holds {
            done(answer, "a commit whose guard holds");
        } else {
            assert_conflict(answer, &key(name));
        }
        let found = value(&store, &target).is_some();
        assert_eq!(
            found, holds,
            "guard `{name}` at {expected:?}: wrong outcome"
        );
    }
}

/// Guards are checked against the stored state, not against the writes of their own set.
pub fn guards_see_the_state_right_before(factory: &impl Factory) {
    let store = factory.open();
    let mut changes = put("a", b"1");
    changes.guard(key("a"), None);
    let first = commit(&store, changes.clone());
    assert_conflict(try_commit(&store, changes), &key("a"));
    let mut replace = put("a", b"2");
    replace.guard(key("a"), Some(first));
    commit(&store, replace.clone());
    assert_conflict(try_commit(&store, replace), &key("a"));
    assert_value(&store, "a", Some(b"2"), "the guarded write is lost");
}

/// A key that was deleted and written again has a new revision, so an old guard fails.
pub fn an_old_revision_never_comes_back(factory: &impl Factory) {
    let store = factory.open();
    let first = commit(&store, put("a", b"same"));
    let mut delete = ChangeSet::new();
    delete.delete(key("a"));
    commit(&store, delete);
    assert_value(&store, "a", None, "a deleted key is still there");
    commit(&store, put("a", b"same"));
    let now = present(get(&store, &key("a")), "a key that was written again");
    assert!(
        now.revision > first,
        "a key that was written again has an old revision"
    );
    let mut changes = put("a", b"changed");
    changes.guard(key("a"), Some(first));
    assert_conflict(try_commit(&store, changes), &key("a"));
}

/// Each commit has a higher revision than the one before, and what it wrote carries it.
pub fn revisions_grow_and_entries_carry_them(factory: &impl Factory) {
    let store = factory.open();
    let mut last = 0;
    for round in 0_u8..20 {
        let mut changes = put("a", &[round]);
        changes.put(key("b"), vec![round]);
        changes.add(key("counter"), 1);
        changes.event(vec![round]);
        let revision = commit(&store, changes);
        assert!(
            revision > last,
            "revision {revision} does not come behind {last}"
        );
        last = revision;
        let keys = [key("a"), key("b"), key("counter"), outbox_key(revision, 0)];
        for entry in get_all(&store, &keys) {
            let entry = present(entry, "a key that was written");
            assert_eq!(
                entry.revision, revision,
                "an entry does not carry its commit's revision"
            );
        }
    }
    let empty = commit(&store, ChangeSet::new());
    assert!(empty > last, "an empty commit has no new revision");
}

/// Of several puts and deletes of one key in a set, the last one wins.
pub fn the_last_write_to_a_key_counts(factory: &impl Factory) {
    let store = factory.open();
    let mut changes = ChangeSet::new();
    changes.put(key("twice"), b"1".to_vec());
    changes.put(key("twice"), b"2".to_vec());
    changes.put(key("gone"), b"1".to_vec());
    changes.delete(key("gone"));
    changes.delete(key("back"));
    changes.put(key("back"), b"1".to_vec());
    changes.delete(key("never there"));
    commit(&store, changes);
    assert_value(&store, "twice", Some(b"2"), "the second put does not count");
    assert_value(&store, "gone", None, "a delete behind a put does not count");
    assert_value(&store, "back", Some(b"1"), "a put behind a delete is lost");
}

/// Events are kept in the outbox, in the order they happened.
pub fn events_are_stored_in_order_and_only_with_their_commit(factory: &impl Factory) {
    let store = factory.open();
    let mut expected = Vec::new();
    for round in 0_u8..5 {
        let mut changes = ChangeSet::new();
        for event in 0..=round {
            changes.event(vec![round, event]);
        }
        let mut failing = changes.clone();
        failing.guard(key("absent"), Some(1));
        assert_conflict(try_commit(&store, failing), &key("absent"));
        let events = changes.events.clone();
        let revision = commit(&store, changes);
        let keys = (0..).map(|index| outbox_key(revision, index));
        expected.extend(keys.zip(events));
    }
    let found: Vec<(Key, Vec<u8>)> = outbox(&store)
        .into_iter()
        .map(|(key, entry)| (key, entry.value))
        .collect();
    assert_eq!(
        found, expected,
        "the outbox does not hold the events in their order"
    );
}

/// Keys, records and sets up to their limit are accepted, larger ones are rejected.
pub fn sizes_are_limited(factory: &impl Factory) {
    let store = factory.open();
    let room = RECORD_BYTES.saturating_sub(key("large").as_bytes().len());
    let large = vec![7; room];
    commit(&store, put("large", &large));
    assert_eq!(
        value(&store, "large"),
        Some(large),
        "the largest record is not read back"
    );
    assert_too_large(&store, put("larger", &vec![7; room + 1]));

    let long = |length: usize| {
        let mut bytes = vec![b'k'; length];
        bytes.splice(..1, [Space::Scratch as u8]);
        Key::from_bytes(bytes)
    };
    let mut changes = ChangeSet::new();
    changes.put(long(KEY_BYTES), b"1".to_vec());
    commit(&store, changes);
    assert!(
        get(&store, &long(KEY_BYTES)).is_some(),
        "the longest key is not found"
    );
    let mut changes = ChangeSet::new();
    changes.put(long(KEY_BYTES + 1), b"1".to_vec());
    assert_too_large(&store, changes);

    let mut changes = ChangeSet::new();
    let parts = CHANGE_SET_BYTES.div_ceil(RECORD_BYTES / 2);
    for part in 0..=parts {
        changes.put(key(&format!("part {part}")), vec![1; RECORD_BYTES / 2]);
    }
    assert_too_large(&store, changes.clone());
    changes.writes.truncate(parts.saturating_sub(1));
    commit(&store, changes);
    assert!(
        value(&store, "part 0").is_some(),
        "a large set is not stored"
    );
}

/// A commit that has begun completes even if its future is dropped.
pub fn a_dropped_future_does_not_cancel(factory: &impl Factory) {
    let store = factory.open();
    {
        let future = pin!(store.commit(put("dropped", b"1")));
        let _ = future.poll(&mut Context::from_waker(Waker::noop()));
    }
    // Further commits give an asynchronous backend time to finish.
    for round in 0_u32..10_000 {
        if value(&store, "dropped").is_some() {
            return;
        }
        commit(&store, put("other", &round.to_be_bytes()));
    }
    assert!(
        value(&store, "dropped").is_some(),
        "dropping the future has cancelled the commit"
    );
}

/// Many threads increment one record with guards: no increment is lost.
pub fn competing_writers_never_overwrite_each_other(factory: &impl Factory) {
    let store = factory.open();
    let (threads, steps) = (4_u64, 25_u64);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..steps {
                    while !step(&store) {}
                }
            });
        }
    });
    let total = (threads * steps).to_be_bytes().to_vec();
    assert_eq!(
        value(&store, "steps"),
        Some(total),
        "guarded steps of several writers are lost"
    );
}

/// Reads, adds one, writes with a guard; returns whether the guard held.
fn step(store: &impl Storage) -> bool {
    let found = get(store, &key("steps"));
    let bytes = found.as_ref().map(|entry| entry.value.as_slice());
    let before = bytes
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u64::from_be_bytes);
    let mut changes = put("steps", &before.saturating_add(1).to_be_bytes());
    changes.guard(key("steps"), found.map(|entry| entry.revision));
    match try_commit(store, changes) {
        Err(CommitError::Conflict { .. }) => false,
        answer => done(answer, "a guarded step") > 0,
    }
}

fn outbox(store: &impl Storage) -> Vec<(Key, crate::storage::Entry)> {
    scan_all(store, Scan::of(Space::Outbox))
}

#[track_caller]
fn assert_conflict<T: std::fmt::Debug>(answer: Result<T, CommitError>, expected: &Key) {
    let conflict = matches!(&answer, Err(CommitError::Conflict { key }) if key == expected);
    assert!(
        conflict,
        "the guard on {expected:?} should have failed, the answer was {answer:?}"
    );
}

#[track_caller]
fn assert_too_large(store: &impl Storage, changes: ChangeSet) {
    let answer = try_commit(store, changes);
    let refused = matches!(
        answer,
        Err(CommitError::Storage(StorageError::TooLarge { .. }))
    );
    assert!(
        refused,
        "something too large should have been refused, the answer was {answer:?}"
    );
}
