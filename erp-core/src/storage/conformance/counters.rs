//! Counters.

use super::{Factory, assert_value, commit, get, key, present, put, try_commit};
use crate::storage::{ChangeSet, CommitError, Storage};

/// An absent counter is 0, and amounts from one or several sets add up.
pub fn counters_begin_at_zero_and_add_up(factory: &impl Factory) {
    let store = factory.open();
    commit(&store, add(&[("a", 5)]));
    assert_counter(&store, "a", 5, "an absent counter does not begin at 0");
    commit(&store, add(&[("a", -7), ("a", 1), ("b", 0)]));
    assert_counter(&store, "a", -1, "two additions of one set do not add up");
    assert_counter(&store, "b", 0, "adding 0 does not make a counter");
    let mut delete = ChangeSet::new();
    delete.delete(key("a"));
    commit(&store, delete);
    commit(&store, add(&[("a", 3)]));
    assert_counter(
        &store,
        "a",
        3,
        "a deleted counter does not begin at 0 again",
    );
}

/// Additions of many threads commute and none is lost, without any guard.
pub fn counters_need_no_guard(factory: &impl Factory) {
    let store = factory.open();
    std::thread::scope(|scope| {
        for thread in 1..=6_i64 {
            let store = &store;
            scope.spawn(move || {
                for _ in 0..20 {
                    commit(
                        store,
                        add(&[("sum", thread), ("back", thread), ("back", -thread)]),
                    );
                }
            });
        }
    });
    for (name, expected, otherwise) in [
        ("sum", 20 * 21, "additions of several threads are lost"),
        ("back", 0, "additions of several threads do not commute"),
    ] {
        assert_counter(&store, name, expected, otherwise);
    }
}

/// A sum beyond 64 bits fails the whole set.
pub fn an_overflow_fails_the_whole_set(factory: &impl Factory) {
    let store = factory.open();
    commit(&store, add(&[("high", i64::MAX), ("low", i64::MIN)]));
    for (name, delta) in [("high", 1), ("low", -1)] {
        let mut changes = put("other", b"1");
        changes.add(key("fine"), 1);
        changes.add(key(name), delta);
        changes.event(b"event".to_vec());
        let answer = try_commit(&store, changes);
        let named =
            matches!(&answer, Err(CommitError::CounterOverflow { key: at }) if *at == key(name));
        assert!(
            named,
            "`{name}` should have overflowed, the answer was {answer:?}"
        );
        for (name, otherwise) in [
            ("other", "an overflow leaves a part of its set"),
            ("fine", "an overflow leaves another counter changed"),
        ] {
            assert_value(&store, name, None, otherwise);
        }
    }
    assert_counter(
        &store,
        "high",
        i64::MAX,
        "an overflow has changed its counter",
    );
    commit(&store, add(&[("high", -1), ("high", 1)]));
    assert_counter(
        &store,
        "high",
        i64::MAX,
        "a counter at its end does not move back",
    );
}

fn add(deltas: &[(&str, i64)]) -> ChangeSet {
    let mut changes = ChangeSet::new();
    for (name, delta) in deltas {
        changes.add(key(name), *delta);
    }
    changes
}

#[track_caller]
fn assert_counter(store: &impl Storage, name: &str, expected: i64, otherwise: &str) {
    let entry = present(get(store, &key(name)), "a counter");
    assert_eq!(entry.counter(), Some(expected), "{otherwise}");
}
