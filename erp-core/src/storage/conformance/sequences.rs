//! Number sequences.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::{Factory, number, numbers};
use crate::storage::Sequence;

/// Numbers start at `first` or above and increase, and sequences are independent.
pub fn numbers_respect_their_first(factory: &impl Factory) {
    let store = factory.open();
    for sequence in Sequence::ALL {
        let one = number(&store, sequence, 1);
        assert!(one >= 1, "a number is below the first one");
        let two = number(&store, sequence, 1);
        assert!(two > one, "number {two} does not come behind {one}");
        let jump = number(&store, sequence, 100_000);
        assert!(
            jump >= 100_000,
            "number {jump} is below the first one that was asked for"
        );
        let next = number(&store, sequence, 1);
        assert!(next > jump, "number {next} does not come behind {jump}");
    }
}

/// One call draws numbers of several sequences; those of one sequence differ and increase.
pub fn numbers_of_one_call_increase(factory: &impl Factory) {
    let store = factory.open();
    let (order, address) = (Sequence::Order, Sequence::Address);
    let mut last = (0, 0);
    // More calls than any store reserves numbers for at once.
    for _ in 0..150 {
        let wanted = [(address, 1), (order, 1), (address, 1), (address, 1)];
        let [one, other, two, three] = numbers(&store, wanted);
        assert!(
            last.0 < one && one < two && two < three && last.1 < other,
            "numbers {one}, {two}, {three} and {other} come after {last:?}"
        );
        last = (three, other);
    }
    let [jump, next] = numbers(&store, [(address, 100_000), (address, 1)]);
    assert!(
        jump >= 100_000 && next > jump,
        "number {next} does not come after {jump}"
    );
    let none = numbers(&store, []);
    assert!(none.is_empty(), "numbers that were not asked for");
}

/// Concurrent threads never get the same number.
pub fn numbers_are_unique_under_threads(factory: &impl Factory) {
    let store = factory.open();
    let given = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for thread in 0..6_u64 {
            let (store, given) = (&store, &given);
            scope.spawn(move || {
                for round in 0..60 {
                    // Some threads ask for much higher numbers, as after a changed setting.
                    let first = if round == 30 { thread * 500 } else { 1 };
                    let drawn = number(store, Sequence::Order, first);
                    assert!(drawn >= first, "number {drawn} is below {first}");
                    let mut given = given.lock().unwrap_or_else(PoisonError::into_inner);
                    assert!(given.insert(drawn), "number {drawn} was given twice");
                }
            });
        }
    });
}

/// A reopened store never repeats a number.
pub fn numbers_do_not_repeat_after_reopening(factory: &impl Factory) {
    let mut store = factory.open();
    let mut given = BTreeSet::new();
    for round in 0..5 {
        for _ in 0..=round * 30 {
            for sequence in [Sequence::Order, Sequence::Customer] {
                let drawn = number(&store, sequence, 10);
                let new = given.insert((sequence, drawn));
                assert!(new, "number {drawn} was given again after reopening");
            }
        }
        match factory.reopen(store) {
            Some(reopened) => store = reopened,
            None => return,
        }
    }
}
