//! The work of the recorded process on a store.

use std::path::Path;
use std::time::Duration;

use erp_campaigns::Random;
use erp_campaigns::power::Mark;
use erp_core::storage::{ChangeSet, Key, Sequence, Space, Storage as _};
use erp_server::store::{SledStore, StoreOptions};

use super::LogMark;

/// The amount of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub seed: u64,
    /// How often the store is opened.
    pub starts: u64,
    pub writers: u64,
    /// Commits of each writer in each start.
    pub commits: u64,
}

impl Plan {
    pub fn render(self) -> String {
        let Self {
            seed,
            starts,
            writers,
            commits,
        } = self;
        format!("{seed} {starts} {writers} {commits}")
    }

    pub fn parse(text: &str) -> Self {
        let mut numbers = text.split(' ').map(|number| number.parse().unwrap());
        let mut next = || numbers.next().unwrap();
        Self {
            seed: next(),
            starts: next(),
            writers: next(),
            commits: next(),
        }
    }
}

/// Journal files so small that a short run fills, removes and reuses many of them. Checkpoints are many of one batch or,
/// with an odd seed, few of many batches.
pub fn options(seed: u64) -> StoreOptions {
    let (checkpoint_bytes, checkpoint_after) = match seed % 2 {
        0 => (24 << 10, Duration::from_millis(20)),
        _ => (500 << 10, Duration::from_secs(2)),
    };
    StoreOptions {
        cache_bytes: 1 << 20,
        journal_segment_bytes: 48 << 10,
        journal_keep_segments: usize::try_from(seed % 3).unwrap(),
        checkpoint_bytes,
        checkpoint_after,
        seal_after: Duration::from_millis(3),
        sled_segment_bytes: 256 << 10,
        ..StoreOptions::default()
    }
}

/// The changes of one commit: some records are written, some deleted, sometimes long ones, counters and events.
pub fn changes(seed: u64, writer: u64, number: u64) -> ChangeSet {
    let mut random = Random(seed ^ (writer << 40) ^ (number << 8));
    let mut changes = ChangeSet::new();
    for _ in 0..=random.below(5) {
        let space = [Space::Article, Space::Order, Space::Scratch][random.index(3)];
        let key = Key::of(space).number(random.below(150));
        if random.below(5) == 0 {
            changes.delete(key);
        } else {
            let length = match random.below(30) {
                0 => 9_000 + random.index(9_000),
                _ => random.index(if seed.is_multiple_of(2) { 500 } else { 3_000 }),
            };
            let byte = u8::try_from(random.below(256)).unwrap();
            changes.put(key, vec![byte; length]);
        }
    }
    changes.add(Key::of(Space::Reserved).number(random.below(10)), 1);
    if random.below(4) == 0 {
        changes.event(vec![1, 2, 3]);
    }
    changes
}

/// Opens the store in the folder `data` repeatedly, writes, and marks what was acknowledged in the log.
pub fn run(plan: Plan, root: &Path, log: &Path) {
    let mark = Mark::open(log).unwrap();
    mark.put(&LogMark::Plan(plan).render());
    for start in 0..plan.starts {
        let store = SledStore::open(root.join("data"), options(plan.seed)).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..plan.writers {
                let (store, mark) = (&store, &mark);
                scope.spawn(move || write(plan, store, mark, writer, start));
            }
        });
        match start % 3 {
            0 => store.abandon(),
            1 => store.checkpoint().unwrap(),
            _ => store.close().unwrap(),
        }
    }
}

fn write(plan: Plan, store: &SledStore, mark: &Mark, writer: u64, start: u64) {
    let mut random = Random(plan.seed ^ writer ^ (start << 16));
    for number in start * plan.commits..(start + 1) * plan.commits {
        let changes = changes(plan.seed, writer, number);
        let revision = pollster::block_on(store.commit(changes)).unwrap();
        let noted = LogMark::Commit {
            writer,
            number,
            revision,
        };
        mark.put(&noted.render());
        if random.below(3) == 0 {
            let drawn = pollster::block_on(store.next_numbers(&[(Sequence::Order, 1)])).unwrap()[0];
            mark.put(&LogMark::Number(drawn).render());
        }
        if random.below(8) == 0 {
            // Long enough for a seal, and sometimes for a checkpoint.
            std::thread::sleep(Duration::from_millis(1 + random.below(8)));
        }
    }
}
