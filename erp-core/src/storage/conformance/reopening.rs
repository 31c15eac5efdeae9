//! Durability: reopening, and random operations compared with a model.

use std::collections::BTreeMap;

use super::{Factory, Random, commit, everything, get_all, key, page, scan_all, try_commit};
use crate::storage::{ChangeSet, CommitError, Entry, Key, Revision, Scan, Storage, Write};

/// Entries, revisions, deletions and counters are the same after reopening, and revisions continue.
pub fn reopening_keeps_everything(factory: &impl Factory) {
    let mut store = factory.open();
    for round in 0..4_u8 {
        let mut changes = ChangeSet::new();
        for number in 0..60_u8 {
            match number.wrapping_add(round).wrapping_rem(3) {
                0 => changes.delete(key(&format!("{number}"))),
                _ => changes.put(
                    key(&format!("{number}")),
                    vec![number; usize::from(round) * 700],
                ),
            }
        }
        changes.add(key("counter"), 11);
        changes.event(vec![round]);
        let last = commit(&store, changes);
        let before = scan_all(&store, all());
        store = match factory.reopen(store) {
            Some(reopened) => reopened,
            None => return,
        };
        assert_eq!(
            scan_all(&store, all()),
            before,
            "reopening has changed what is stored"
        );
        let next = commit(&store, ChangeSet::new());
        assert!(
            next > last,
            "revision {next} after reopening does not come behind {last}"
        );
    }
}

/// Random commits and reads give the same results as a model, with reopening in between.
pub fn random_operations_agree_with_a_model(factory: &impl Factory, seed: u64, steps: u32) {
    let mut random = Random(seed);
    let mut store = factory.open();
    let mut model = Model::default();
    for step in 0..steps {
        let changes = random_changes(&mut random, &model);
        let expected = model.expect(&changes);
        let answer = try_commit(&store, changes.clone());
        match (answer, expected) {
            (Ok(revision), Ok(after)) => model.enter(revision, after, &changes),
            (Err(CommitError::Conflict { key }), Err(Some(at))) if key == at => {}
            (Err(CommitError::CounterOverflow { .. }), Err(None)) => {}
            (answer, expected) => assert_eq!(
                answer.map(|_| ()).map_err(|error| error.to_string()),
                expected
                    .map(|_| ())
                    .map_err(|key| format!("failing on {key:?}")),
                "seed {seed}, step {step}: the store (left) and the model (right) do not agree"
            ),
        }
        compare_reads(&store, &model, &mut random, (seed, step));
        if random.below(100) == 0 {
            store = match factory.reopen(store) {
                Some(reopened) => reopened,
                // A store that cannot be reopened starts again empty.
                None => {
                    model = Model::default();
                    factory.open()
                }
            };
        }
    }
    let found: BTreeMap<Key, Entry> = scan_all(&store, all()).into_iter().collect();
    assert_eq!(
        found, model.entries,
        "seed {seed}: the store and the model have parted"
    );
}

/// Both spaces that the suite writes to.
fn all() -> Scan {
    Scan {
        from: Key::from_bytes(vec![1]),
        until: Key::from_bytes(vec![255]),
        ..everything()
    }
}

#[derive(Default)]
struct Model {
    entries: BTreeMap<Key, Entry>,
    last: Revision,
}

impl Model {
    /// The expected values after a set, the key of the guard that fails, or `None` for an overflow.
    fn expect(&self, changes: &ChangeSet) -> Result<BTreeMap<Key, Option<Vec<u8>>>, Option<Key>> {
        for guard in &changes.guards {
            let found = self.entries.get(&guard.key).map(|entry| entry.revision);
            if found != guard.expected {
                return Err(Some(guard.key.clone()));
            }
        }
        let mut after = BTreeMap::new();
        let mut sums: BTreeMap<Key, i128> = BTreeMap::new();
        for write in &changes.writes {
            match write {
                Write::Put { key, value } => drop(after.insert(key.clone(), Some(value.clone()))),
                Write::Delete { key } => drop(after.insert(key.clone(), None)),
                Write::Add { key, delta } => {
                    let stored = || self.entries.get(key).and_then(Entry::counter).unwrap_or(0);
                    let sum = sums
                        .entry(key.clone())
                        .or_insert_with(|| i128::from(stored()));
                    *sum = sum.saturating_add(i128::from(*delta));
                    let sum = i64::try_from(*sum).map_err(|_| None)?;
                    after.insert(key.clone(), Some(sum.to_be_bytes().to_vec()));
                }
            }
        }
        Ok(after)
    }

    fn enter(
        &mut self,
        revision: Revision,
        after: BTreeMap<Key, Option<Vec<u8>>>,
        changes: &ChangeSet,
    ) {
        assert!(
            revision > self.last,
            "revision {revision} does not come behind {}",
            self.last
        );
        self.last = revision;
        let events = changes.events.iter().enumerate();
        let events = events.map(|(index, event)| {
            (
                crate::storage::outbox_key(revision, index),
                Some(event.clone()),
            )
        });
        for (key, value) in after.into_iter().chain(events) {
            match value {
                Some(value) => drop(self.entries.insert(key, Entry { revision, value })),
                None => drop(self.entries.remove(&key)),
            }
        }
    }
}

fn random_key(random: &mut Random) -> Key {
    key(&format!("record {}", random.below(40)))
}

fn random_changes(random: &mut Random, model: &Model) -> ChangeSet {
    let mut changes = ChangeSet::new();
    for _ in 0..random.below(3) {
        let key = random_key(random);
        let right = model.entries.get(&key).map(|entry| entry.revision);
        let expected = match random.below(10) {
            0 => None,
            1 => Some(random.below(model.last.saturating_add(2))),
            _ => right,
        };
        changes.guard(key, expected);
    }
    for _ in 0..random.below(6) {
        match random.below(8) {
            0 | 1 => changes.delete(random_key(random)),
            2 => changes.add(
                key(&format!("sum {}", random.below(5))),
                random_delta(random),
            ),
            _ => {
                let length = match random.below(40) {
                    0 => 300_000,
                    1..4 => 9_000,
                    _ => random.below(300),
                };
                let byte = u8::try_from(random.below(256)).unwrap_or(0);
                let length = usize::try_from(length).unwrap_or(0);
                changes.put(random_key(random), vec![byte; length]);
            }
        }
    }
    for _ in 0..random.below(2) {
        changes.event(random.next().to_be_bytes().to_vec());
    }
    changes
}

fn random_delta(random: &mut Random) -> i64 {
    let delta = random.next().cast_signed();
    if random.below(4) == 0 {
        delta
    } else {
        delta.wrapping_rem(1000)
    }
}

fn compare_reads(store: &impl Storage, model: &Model, random: &mut Random, at: (u64, u32)) {
    let keys: Vec<Key> = (0..random.below(5)).map(|_| random_key(random)).collect();
    let expected: Vec<Option<Entry>> = keys
        .iter()
        .map(|key| model.entries.get(key).cloned())
        .collect();
    assert_eq!(
        get_all(store, &keys),
        expected,
        "seed and step {at:?}: a wrong `get`"
    );

    let (one, two) = (random_key(random), random_key(random));
    let mut scan = Scan {
        from: one.clone().min(two.clone()),
        until: one.max(two),
        ..everything()
    };
    scan.backwards = random.below(2) == 0;
    scan.limit = usize::try_from(random.below(8))
        .unwrap_or(0)
        .saturating_add(1);
    let range = model.entries.range(scan.from.clone()..scan.until.clone());
    let mut expected: Vec<(Key, Entry)> = range
        .map(|(key, entry)| (key.clone(), entry.clone()))
        .collect();
    if scan.backwards {
        expected.reverse();
    }
    let first = page(store, scan.clone()).entries;
    let begins = expected.get(..first.len()) == Some(first.as_slice());
    assert!(begins, "seed and step {at:?}: a wrong page of {scan:?}");
    assert_eq!(
        scan_all(store, scan),
        expected,
        "seed and step {at:?}: a wrong scan"
    );
}
