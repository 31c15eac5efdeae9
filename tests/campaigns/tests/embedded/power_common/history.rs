//! What a run has done and what was acknowledged, and what a store must contain afterwards.

use std::collections::BTreeMap;

use erp_campaigns::power::Event;
use erp_core::internal::outbox_key;
use erp_core::storage::{Entry, Write};
use erp_tests::storage::Content;

use super::workload::{Plan, changes};

/// A mark of the workload in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogMark {
    Plan(Plan),
    /// A commit was acknowledged.
    Commit {
        writer: u64,
        number: u64,
        revision: u64,
    },
    /// A number was assigned.
    Number(u64),
}

impl LogMark {
    pub fn render(self) -> Vec<u8> {
        match self {
            Self::Plan(plan) => format!("plan {}", plan.render()),
            Self::Commit {
                writer,
                number,
                revision,
            } => format!("commit {writer} {number} {revision}"),
            Self::Number(number) => format!("number {number}"),
        }
        .into_bytes()
    }

    pub fn parse(bytes: &[u8]) -> Self {
        let text = std::str::from_utf8(bytes).unwrap();
        let (kind, rest) = text.split_once(' ').unwrap();
        if kind == "plan" {
            return Self::Plan(Plan::parse(rest));
        }
        let numbers: Vec<u64> = rest
            .split(' ')
            .map(|number| number.parse().unwrap())
            .collect();
        match (kind, numbers.as_slice()) {
            ("commit", [writer, number, revision]) => Self::Commit {
                writer: *writer,
                number: *number,
                revision: *revision,
            },
            ("number", [number]) => Self::Number(*number),
            _ => panic!("{text} is no note"),
        }
    }
}

/// All commits of a run by their revisions. Revisions in between belong to marks of number sequences.
#[derive(Clone, Debug)]
pub struct History {
    pub plan: Plan,
    /// Seed, writer and number of each commit.
    commits: BTreeMap<u64, (u64, u64, u64)>,
}

impl History {
    pub fn of(events: &[Event<'_>]) -> Self {
        let mut plan: Option<Plan> = None;
        let mut commits = BTreeMap::new();
        for noted in notes(events) {
            match noted {
                LogMark::Plan(found) => plan = Some(found),
                LogMark::Commit {
                    writer,
                    number,
                    revision,
                } => {
                    let seed = plan.expect("the plan comes first").seed;
                    let before = commits.insert(revision, (seed, writer, number));
                    assert_eq!(before, None, "revision {revision} was assigned twice");
                }
                LogMark::Number(_) => {}
            }
        }
        let plan = plan.expect("the run has started");
        Self { plan, commits }
    }

    /// The history of a run that continued with this store, whose last commit was `last`.
    pub fn continued(&self, last: u64, mut next: Self) -> Self {
        let before = self.commits.range(..=last);
        next.commits
            .extend(before.map(|(revision, commit)| (*revision, *commit)));
        next
    }

    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// The content of the store if this is the last revision.
    pub fn content(&self, last: u64) -> Content {
        let mut content = Content::new();
        for (revision, (seed, writer, number)) in self.commits.range(..=last) {
            let changes = changes(*seed, *writer, *number);
            for write in changes.writes {
                put(&mut content, *revision, write);
            }
            for (index, value) in changes.events.into_iter().enumerate() {
                let entry = Entry {
                    revision: *revision,
                    value,
                };
                content.insert(outbox_key(*revision, index), entry);
            }
        }
        content
    }
}

fn put(content: &mut Content, revision: u64, write: Write) {
    let (key, value) = match write {
        Write::Put { key, value } => (key, value),
        Write::Delete { key } => {
            content.remove(&key);
            return;
        }
        Write::Add { key, delta } => {
            let before = content.get(&key).and_then(Entry::counter).unwrap_or(0);
            (key, (before + delta).to_be_bytes().to_vec())
        }
    };
    content.insert(key, Entry { revision, value });
}

/// What was acknowledged before a point of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acknowledged {
    pub revision: u64,
    pub number: u64,
}

impl Acknowledged {
    pub fn of(events: &[Event<'_>]) -> Self {
        Self::default().and(events)
    }

    /// The same, with what was acknowledged later.
    pub fn and(self, events: &[Event<'_>]) -> Self {
        let mut found = self;
        for noted in notes(events) {
            match noted {
                LogMark::Commit { revision, .. } => found.revision = found.revision.max(revision),
                LogMark::Number(number) => found.number = found.number.max(number),
                LogMark::Plan(_) => {}
            }
        }
        found
    }
}

fn notes<'a>(events: &'a [Event<'a>]) -> impl Iterator<Item = LogMark> + 'a {
    events.iter().filter_map(|event| match event {
        Event::Mark(bytes) => Some(LogMark::parse(bytes)),
        _ => None,
    })
}
