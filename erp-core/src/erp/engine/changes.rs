//! What has changed of articles, in one order, so that a client reads only what changed since its last read.
//!
//! A commit that changes what a shop can see of articles also writes a *note*: which articles, and of those whose
//! visibility changes what decided it before. Each note has a key of its own, so that no two orders wait for each other.
//!
//! A database does not make commits visible in the order of their revisions, so an order by revision could lose some.
//! Therefore a read first moves all notes to the *log*: entries numbered without gaps. Each is one commit, guarded by the
//! record of the log's end, so that the log has one order however many servers there are. A client remembers a position in
//! it. The log is bounded: its oldest entries go, and positions before them are too old.

use std::collections::BTreeMap;
use std::ops::Range;

use erp_derive::skip_serializing_none;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Erp, Error, Upkeep, keys, retry_on_conflict};
use crate::domain::document::Order;
use crate::domain::master::{Article, Attributes, Caller};
use crate::erp::catalogue::slices::{ENTRIES_PER_READ, yield_now};
use crate::storage::record::{decode, encode, mark};
use crate::storage::{
    ChangeSet, Entry, Key, Revision, Scan, Space, Storage, StoreResult, history_key,
};
use crate::values::limits::{CHANGES_IN_LOG, CHANGES_PER_ENTRY};

/// What decided before a change who sees an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SeenBefore {
    /// There was no such article, so nobody saw it.
    Absent,
    /// The contents of its attribute `RESTWEBSHOP`; empty without one.
    Selection(SmolStr),
}

impl SeenBefore {
    pub(crate) fn of(article: Option<&Article>) -> Self {
        let selection = |article: &Article| {
            let contents = article.attributes.get(Attributes::SELECTION);
            Self::Selection(contents.unwrap_or_default().into())
        };
        article.map_or(Self::Absent, selection)
    }

    /// Whether the caller saw the article.
    pub(crate) fn by(&self, caller: &Caller) -> bool {
        match self {
            Self::Absent => false,
            Self::Selection(contents) => caller.sees_selection(contents),
        }
    }
}

/// The numbers of changed records, each with what decided the visibility of an article before the first change of it.
pub(crate) type Changed = BTreeMap<SmolStr, Option<SeenBefore>>;

/// A change of one record in a [`Change`].
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedRecord {
    /// Number of the article.
    pub number: SmolStr,
    /// What decided the visibility of an article before, if that changed.
    pub before: Option<SeenBefore>,
}

/// A note of one commit, or an entry of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The records.
    pub records: Vec<ChangedRecord>,
}

impl Change {
    fn of(changed: impl IntoIterator<Item = (SmolStr, Option<SeenBefore>)>) -> Self {
        let records = changed.into_iter();
        let records = records.map(|(number, before)| ChangedRecord { number, before });
        Self {
            records: records.collect(),
        }
    }

    /// Adds the changes that come after those in `changed`.
    fn add_to(self, changed: &mut Changed) {
        for ChangedRecord { number, before } in self.records {
            let first = changed.entry(number).or_default();
            *first = first.take().or(before);
        }
    }
}

/// Where the log begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeLog {
    /// The first entry that is kept.
    pub first: u64,
    /// The entry that comes next.
    pub next: u64,
    /// How many changes the entries hold.
    pub changes: u64,
}

/// The log when there were no notes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Logged {
    pub(crate) log: ChangeLog,
    /// Identifies the history of the store: no two have a revision in common.
    pub(crate) history: Revision,
}

/// Adds the note of an order that reserves stock, or no longer does. An order has each state once, so that the key is free.
pub(crate) fn note_order(changes: &mut ChangeSet, number: u64, order: &Order) -> StoreResult<()> {
    let articles = order.reservations.iter();
    let changed: Changed = articles
        .map(|of| (of.article.as_str().into(), None))
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let key = keys::change_by_order(number, order.status);
    changes.put(key, encode(&Change::of(changed))?);
    Ok(())
}

impl<S: Storage> Erp<S> {
    /// Adds the notes of an import after those of all imports before. The caller has read the articles already: so a note
    /// of an earlier change of the same article has a lower number, or is in the log.
    pub(crate) async fn note_import(
        &self,
        changes: &mut ChangeSet,
        changed: Changed,
    ) -> StoreResult<()> {
        if changed.is_empty() {
            return Ok(());
        }
        let last = self
            .store
            .scan(keys::changes_by_imports().backwards().limit(1));
        let last = last.await?.entries.pop();
        let last = last.and_then(|(key, _)| keys::number_of_change(&key));
        let mut number = last.map_or(0, |last| last.saturating_add(1));
        let mut changed = changed.into_iter().peekable();
        while changed.peek().is_some() {
            let change = Change::of(changed.by_ref().take(CHANGES_PER_ENTRY));
            changes.insert(keys::change_by_import(number), encode(&change)?);
            number += 1;
        }
        Ok(())
    }

    /// Moves the notes of all commits before this call to the log.
    pub(crate) async fn log_changes(&self) -> Result<Logged, Error> {
        let mut next = self.notes_until_now().await?;
        while let Some(notes) = next {
            next = self.log_page(notes).await?;
            yield_now().await;
        }
        let log_key = keys::change_log();
        let read = [history_key(), log_key.clone()];
        let ((log, history), written) = retry_on_conflict!(self, None, {
            let mut found = self.store.get(&read).await?.into_iter();
            let (history, end) = (found.next().flatten(), found.next().flatten());
            let end = end.map(|end| decode(&log_key, &end)).transpose()?;
            let log: ChangeLog = end.unwrap_or_default();
            let mut changes = ChangeSet::new();
            if history.is_none() {
                changes.insert(history_key(), mark(Space::History as u8));
            }
            let history = history.map(|history| history.revision);
            (changes, (log, history.unwrap_or_default()))
        });
        let history = written.map_or(history, |written| written.revision);
        Ok(Logged { log, history })
    }

    /// The notes that are not in the log. Newer ones wait for the next call: where there are always some, this one must end,
    /// too.
    async fn notes_until_now(&self) -> StoreResult<Option<Scan>> {
        let notes = keys::noted_changes().limit(ENTRIES_PER_READ);
        let last = self.store.scan(notes.clone().backwards().limit(1)).await?;
        let last = last.entries.into_iter().next();
        Ok(last.map(|(key, _)| Scan {
            until: key.successor(),
            ..notes
        }))
    }

    /// Moves the first of these notes to the log, and returns those that are left. It begins where the page before ended:
    /// what is removed costs a scan as much as what is there.
    async fn log_page(&self, notes: Scan) -> Result<Option<Scan>, Error> {
        let log_key = keys::change_log();
        let (rest, _) = retry_on_conflict!(self, None, {
            // The notes first: those that another server moves meanwhile are in the log that is read after them.
            let page = self.store.scan(notes.clone()).await?;
            let end = self.load::<ChangeLog>(&log_key).await?;
            let mut changes = ChangeSet::new();
            changes.guard(log_key.clone(), end.as_ref().map(|end| end.revision));
            let log = end.map(|end| end.value).unwrap_or_default();
            let moved = self.log_notes(&mut changes, log, &page.entries).await?;
            let rest = match page.entries.get(..moved) {
                Some(moved) if moved.len() < page.entries.len() => notes.after_page(moved, 1),
                _ => page.next,
            };
            match moved {
                0 => (ChangeSet::new(), rest),
                _ => (changes, rest),
            }
        });
        Ok(rest)
    }

    /// Makes an entry of the log of the first notes, and returns how many. The oldest entries go when there are too many
    /// changes.
    async fn log_notes(
        &self,
        changes: &mut ChangeSet,
        mut log: ChangeLog,
        notes: &[(Key, Entry)],
    ) -> StoreResult<usize> {
        let mut changed = Changed::new();
        let mut moved = 0_usize;
        for (key, entry) in notes {
            if changed.len() >= CHANGES_PER_ENTRY {
                break;
            }
            decode::<Change>(key, entry)?.add_to(&mut changed);
            changes.guard(key.clone(), Some(entry.revision));
            changes.delete(key.clone());
            moved += 1;
        }
        log.changes += changed.len() as u64;
        changes.put(keys::logged_change(log.next), encode(&Change::of(changed))?);
        log.next += 1;
        if log.changes > CHANGES_IN_LOG {
            let oldest = keys::logged_changes(log.first..log.next).limit(ENTRIES_PER_READ);
            for (key, entry) in self.store.scan(oldest).await?.entries {
                if log.changes <= CHANGES_IN_LOG {
                    break;
                }
                let change: Change = decode(&key, &entry)?;
                log.changes = log.changes.saturating_sub(change.records.len() as u64);
                log.first += 1;
                changes.delete(key);
            }
        }
        changes.put(keys::change_log(), encode(&log)?);
        Ok(moved)
    }

    /// What the entries of a part of the log hold.
    pub(crate) async fn logged(&self, part: Range<u64>) -> StoreResult<Changed> {
        let mut changed = Changed::new();
        self.add_changes(keys::logged_changes(part), &mut changed)
            .await?;
        Ok(changed)
    }

    /// What has changed since a position in the log, as far as the visibility of articles is concerned.
    pub(crate) async fn seen_before(
        &self,
        position: u64,
    ) -> StoreResult<BTreeMap<SmolStr, SeenBefore>> {
        // The notes first, because another server may move them to the log meanwhile. Orders change no visibility.
        let mut noted = Changed::new();
        self.add_changes(keys::changes_by_imports(), &mut noted)
            .await?;
        let mut changed = self.logged(position..u64::MAX).await?;
        Change::of(noted).add_to(&mut changed);
        let seen = changed.into_iter();
        Ok(seen
            .filter_map(|(number, before)| Some((number, before?)))
            .collect())
    }

    async fn add_changes(&self, scan: Scan, changed: &mut Changed) -> StoreResult<()> {
        let mut pages = self.pages(scan.limit(ENTRIES_PER_READ));
        while let Some(entries) = pages.next().await? {
            for (key, entry) in &entries {
                decode::<Change>(key, entry)?.add_to(changed);
            }
        }
        Ok(())
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// Moves the notes of what has changed to the log that [`Shop::article_changes`](super::Shop::article_changes) reads.
    /// A read does the same; a program whose clients seldom read changes calls this every minute or so, so that the notes
    /// stay few.
    pub async fn log_changes(self) -> Result<(), Error> {
        self.erp.log_changes().await?;
        Ok(())
    }
}
