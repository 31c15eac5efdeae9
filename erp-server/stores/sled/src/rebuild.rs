//! Rebuilds the records from a backup, from the journal, or from both.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use erp_core::internal::{Continuation, Records, Snapshot, history_key, revision_after};
use erp_core::storage::{OpenError, Sequence};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::error::Fault;
use super::journal::{Journal, KeyChange, Replayed, Segment, SegmentHead, Segments, now, recover};
use super::layout::{
    Identity, JOURNAL, Layout, Origin, RECOVERING, create_private, is_store, parse_id,
};
use super::loader::Loader;
use super::records::{Note, piece_bytes, sequence_key};
use super::tree::{Cleaning, Tree};
use super::{StoreOptions, quiet, replace};

/// Result of a recovery.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// The last commit in the recovered store.
    pub revision: u64,
    /// Its time, as [`Snapshot::time`].
    pub time: u64,
    /// Commits replayed from the journal.
    pub replayed: u64,
    /// The folder in the data directory that contains the replaced files.
    pub aside: String,
}

/// Creates a store from a snapshot in an empty folder. A crash leaves either no store or a complete one.
/// Errors: [`OpenError`]; [`OpenError::HoldsStore`] when there is a store already.
pub fn restore(
    path: &Path,
    options: &StoreOptions,
    snapshot: &Snapshot,
    continuation: &Continuation,
    records: &mut dyn Records,
) -> Result<(), OpenError> {
    let mut work = || {
        quiet::install();
        create_private(path)?;
        if is_store(path) {
            return Err(Fault::HoldsStore);
        }
        let layout = Layout::lock(path)?;
        let old = parse_id(&snapshot.store).ok_or_else(foreign_snapshot)?;
        let origin = Origin {
            store: old,
            revision: snapshot.revision,
        };
        let base = continuation.revision.max(snapshot.revision);
        let identity = Identity {
            origin: Some(origin),
            base,
            ..Identity::random(options.sled_segment_bytes)
        };
        let made = make(&layout, options, &identity, |loader| {
            load(loader, snapshot, records)?;
            Ok(base)
        });
        let marks = (base > snapshot.revision).then_some(&continuation.sequences);
        let made = made.and_then(|_| make_journal(&layout, options, &identity, marks));
        settle(&layout, made).map(|_| ())
    };
    work().map_err(|fault| fault.at(path))
}

/// Rebuilds the records of a store from a snapshot, or from nothing, plus the journal up to its end or up to a time
/// in milliseconds since 1970.
///
/// With the whole journal, the journal stays in use. With a time, the result is a new store that starts with that
/// state and continues above every revision and number of the later commits; these stay in the folder aside.
/// Errors: [`OpenError`]; then nothing was changed.
pub fn recover_store(
    path: &Path,
    options: &StoreOptions,
    base: Option<(&Snapshot, &mut dyn Records)>,
    until: Option<u64>,
) -> Result<Recovery, OpenError> {
    let work = || {
        quiet::install();
        if !is_store(path) {
            return Err(Fault::NotAStore);
        }
        let layout = Layout::lock(path)?;
        replace::settle(&layout)?;
        rebuild(&layout, options, base, until)
    };
    work().map_err(|fault| fault.at(path))
}

/// As [`recover_store`]. Up to a time the store gets a new identity, because its history must not mix with the old one.
pub(crate) fn rebuild(
    layout: &Layout,
    options: &StoreOptions,
    base: Option<(&Snapshot, &mut dyn Records)>,
    until: Option<u64>,
) -> Result<Recovery, Fault> {
    let segments = Segments::list(&layout.journal())?.list;
    let given = base.as_ref().map(|(snapshot, _)| *snapshot);
    let old = identity(layout, &segments, given, options)?;
    let begin = begin_of(&old, &segments, given, until)?;
    let wanted = match until {
        None => u64::MAX,
        Some(until) => last_at(&segments, old.id, begin, until)?,
    };
    let noted = noted(layout, &old, options);
    let mut new = match until {
        None => old.clone(),
        Some(_) => Identity::random(old.sled_segment_bytes),
    };
    let (mut last, mut replayed) = (begin, 0_u64);
    let mut time = given.map_or(0, |snapshot| snapshot.time);
    let mut used = UsedNumbers::of(given);
    let mut goes_on_after = 0;
    let made = make(layout, options, &new, |loader| {
        if let Some((snapshot, records)) = base {
            load(loader, snapshot, records)?;
        }
        let end = recover(&segments, old.id, begin, |commit| {
            if commit.revision > wanted {
                used.note_lost(&commit);
                return Ok(());
            }
            used.note(&commit);
            last = commit.revision;
            time = commit.time;
            replayed += 1;
            loader.replay(commit)
        })?;
        if noted.is_some_and(|noted| noted > end.last) {
            let cut = "the journal ends before the last checkpoint";
            return Err(Fault::damaged(cut));
        }
        goes_on_after = match until {
            None => last,
            Some(_) => revision_after(end.last, now(), rand::random()),
        };
        Ok(goes_on_after)
    });
    let made = made.and_then(|_| match until {
        // The identity may be known from the journal only.
        None => Layout::write_identity(&layout.path().join(RECOVERING), &new),
        Some(_) => {
            new.origin = Some(Origin {
                store: old.id,
                revision: last,
            });
            new.base = goes_on_after;
            make_journal(layout, options, &new, Some(&used.0))
        }
    });
    let aside = settle(layout, made)?;
    Ok(Recovery {
        revision: last,
        time,
        replayed,
        aside,
    })
}

/// The last commit up to a time. The clock may have been set back, so later commits can have earlier times.
fn last_at(segments: &[Segment], store: [u8; 16], begin: u64, until: u64) -> Result<u64, Fault> {
    let mut last = begin;
    recover(segments, store, begin, |commit| {
        if commit.time <= until {
            last = commit.revision;
        }
        Ok(())
    })?;
    Ok(last)
}

/// The next number of each sequence that no commit of a history has used, including the lost commits.
struct UsedNumbers(BTreeMap<String, u64>);

impl UsedNumbers {
    fn of(snapshot: Option<&Snapshot>) -> Self {
        Self(snapshot.map_or_else(BTreeMap::new, |snapshot| snapshot.sequences.clone()))
    }

    /// Adds the marks of a commit that is kept. The last one counts: a clean shutdown lowers a mark to the
    /// numbers used.
    fn note(&mut self, commit: &Replayed) {
        for (sequence, mark) in marks(commit) {
            self.0.insert(sequence.as_str().to_owned(), mark);
        }
    }

    fn note_lost(&mut self, commit: &Replayed) {
        for (sequence, mark) in marks(commit) {
            let next = self.0.entry(sequence.as_str().to_owned()).or_default();
            *next = mark.max(*next);
        }
    }
}

fn marks(commit: &Replayed) -> impl Iterator<Item = (Sequence, u64)> + '_ {
    Sequence::ALL.into_iter().filter_map(|sequence| {
        let stored = sequence_key(sequence.as_str());
        let (_, value) = commit.changes.iter().find(|(key, _)| *key == stored)?;
        let mark = value.as_deref()?.try_into().ok()?;
        Some((sequence, u64::from_be_bytes(mark)))
    })
}

/// The identity of the store: from `STORE`, its copy, or else from the journal. Without a complete journal it is that
/// of a backup of the store.
fn identity(
    layout: &Layout,
    segments: &[Segment],
    snapshot: Option<&Snapshot>,
    options: &StoreOptions,
) -> Result<Identity, Fault> {
    let fault = match layout.known_identity() {
        Ok(Some(identity)) => return Ok(identity),
        Ok(None) => Fault::damaged("the file `STORE` is missing"),
        Err(fault @ Fault::NewerFormat(_)) => return Err(fault),
        Err(fault) => fault,
    };
    let head = |segment: &Segment| SegmentHead::read(&segment.path);
    let heads: Option<Vec<SegmentHead>> = segments.iter().map(head).collect();
    let Some([first, rest @ ..]) = heads.as_deref() else {
        return Err(fault);
    };
    // A journal that does not start at the first commit may belong to a store restored from a backup of another
    // store. A backup of the store itself proves that the two belong together.
    let belongs = |snapshot: &Snapshot| parse_id(&snapshot.store) == Some(first.store);
    let known = first.base == 0 || snapshot.is_some_and(belongs);
    if !known || rest.iter().any(|head| head.store != first.store) {
        let unknown = "the files `STORE` and `STORE.copy` are unreadable";
        return Err(Fault::damaged(match snapshot {
            None => format!("{unknown}, so a backup of this store is needed"),
            Some(_) => format!("{unknown}, and the backup is of another store"),
        }));
    }
    Ok(Identity {
        id: first.store,
        sled_segment_bytes: options.sled_segment_bytes,
        origin: None,
        base: 0,
    })
}

/// The commit after which the journal is read.
fn begin_of(
    identity: &Identity,
    segments: &[Segment],
    snapshot: Option<&Snapshot>,
    until: Option<u64>,
) -> Result<u64, Fault> {
    let Some(snapshot) = snapshot else {
        return match segments.first().map(|segment| segment.base) {
            Some(0) => Ok(0),
            _ => Err(Fault::Refused(
                "the journal does not reach back to the first commit, so a backup is needed too"
                    .to_owned(),
            )),
        };
    };
    let store = parse_id(&snapshot.store).ok_or_else(foreign_snapshot)?;
    if !identity.had(store, snapshot.revision) {
        return Err(foreign_snapshot());
    }
    match until {
        Some(until) if until < snapshot.time => Err(Fault::Refused(
            "the backup is newer than the time to recover; use an earlier one".to_owned(),
        )),
        // There are no commits between the state the store started with and its base.
        _ if store != identity.id => Ok(identity.base),
        _ => Ok(snapshot.revision),
    }
}

fn foreign_snapshot() -> Fault {
    Fault::Refused("the backup is of another store".to_owned())
}

/// The last commit noted in the old records, if it can still be read.
fn noted(layout: &Layout, identity: &Identity, options: &StoreOptions) -> Option<u64> {
    let tree = Tree::open(
        &layout.sled(),
        identity.sled_segment_bytes,
        options.cache_bytes,
        Cleaning::Never,
    );
    let note = Note::read(&tree.ok()?).ok()?;
    (note.store == identity.id).then(|| note.applied.max(note.target))
}

fn load(
    loader: &mut Loader<'_>,
    snapshot: &Snapshot,
    records: &mut dyn Records,
) -> Result<(), Fault> {
    records.each(&mut |key, revision, value| {
        loader
            .set(key, revision, value)
            .map_err(|fault| match fault {
                Fault::Io(error) => error,
                other => io::Error::other(other.to_string()),
            })
    })?;
    for sequence in Sequence::ALL {
        if let Some(mark) = snapshot.sequences.get(sequence.as_str()) {
            let value = Some(mark.to_be_bytes().to_vec());
            loader.set(sequence_key(sequence.as_str()), snapshot.revision, value)?;
        }
    }
    Ok(())
}

/// Creates sled in the folder of new parts; `fill` returns the last commit in it.
fn make(
    layout: &Layout,
    options: &StoreOptions,
    identity: &Identity,
    fill: impl FnOnce(&mut Loader<'_>) -> Result<u64, Fault>,
) -> Result<u64, Fault> {
    let folder = replace::begin(layout)?;
    let segment_bytes = identity.sled_segment_bytes;
    let tree = Tree::create(&folder.join("sled"), segment_bytes, options.cache_bytes)?;
    let mut loader = Loader::new(&tree, piece_bytes(segment_bytes));
    let revision = fill(&mut loader)?;
    loader.finish(identity.id, revision)?;
    quiet::guarded(|| {
        drop(tree);
        Ok(())
    })?;
    Ok(revision)
}

/// Creates a journal that starts after the base of the identity, and the identity file, beside the new sled. With
/// `marks`, a new history starts: the first commit sets the sequences and removes the record of the old history, so that a
/// later recovery from the same backup does so too.
fn make_journal(
    layout: &Layout,
    options: &StoreOptions,
    identity: &Identity,
    marks: Option<&BTreeMap<String, u64>>,
) -> Result<(), Fault> {
    let folder = layout.path().join(RECOVERING);
    let change =
        |(name, mark): (&String, &u64)| (sequence_key(name), Some(mark.to_be_bytes().to_vec()));
    let ended = std::iter::once((history_key(), None));
    let first: Option<Vec<KeyChange>> =
        marks.map(|marks| marks.iter().map(change).chain(ended).collect());
    let head = SegmentHead {
        store: identity.id,
        base: identity.base,
        size: options.journal_segment_bytes,
    };
    Journal::create(
        &*options.files,
        &folder.join(JOURNAL),
        head,
        first.as_deref(),
    )?;
    Layout::write_identity(&folder, identity)
}

/// Moves the new parts into place, or discards them after an error.
fn settle(layout: &Layout, made: Result<(), Fault>) -> Result<String, Fault> {
    let aside = free_name(layout.path());
    match made {
        Ok(()) => replace::finish(layout, &aside).map(|()| aside),
        Err(fault) => {
            replace::abandon(layout);
            Err(fault)
        }
    }
}

/// An unused name for the folder of the replaced files.
fn free_name(path: &Path) -> String {
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    let name = format!("replaced-{}", now.strftime("%Y%m%dT%H%M%SZ"));
    let mut free = name.clone();
    let mut count = 1_u32;
    while path.join(&free).exists() {
        count += 1;
        free = format!("{name}-{count}");
    }
    free
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::journal::{put_change, put_change_count, put_time};
    use crate::{SledStore, open};
    use erp_core::storage::{Key, Storage as _};

    /// Commits a record of each name, at its time.
    fn write(path: &Path, options: &StoreOptions, commits: &[(&str, u64)]) {
        let opened = open::open(path, options).unwrap();
        let mut journal = Journal::resume(
            Arc::clone(&options.files),
            &opened.layout.journal(),
            options.journal_segment_bytes,
            &opened.parts.recovered,
            opened.parts.segments,
            false,
        )
        .unwrap();
        for (name, time) in commits {
            let mut payload = Vec::new();
            put_time(&mut payload, *time);
            put_change_count(&mut payload, 1);
            let key = Key::from_bytes(name.as_bytes().to_vec());
            put_change(&mut payload, &key, Some(b"value"));
            journal.append(1, &payload).unwrap();
        }
    }

    /// The content of a store that was recovered up to a time.
    async fn recovered(until: u64) -> Vec<bool> {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions::default();
        SledStore::open(folder.path(), options.clone())
            .unwrap()
            .close()
            .unwrap();
        write(
            folder.path(),
            &options,
            &[("a", 100), ("b", 900), ("c", 200), ("d", 300)],
        );
        recover_store(folder.path(), &options, None, Some(until)).unwrap();
        let store = SledStore::open(folder.path(), options).unwrap();
        let keys = ["a", "b", "c", "d"].map(|name| Key::from_bytes(name.as_bytes().to_vec()));
        let found = store.get(&keys).await.unwrap();
        found.iter().map(Option::is_some).collect()
    }

    #[tokio::test]
    async fn a_clock_that_was_ahead_hides_no_later_commit() {
        assert_eq!(recovered(99).await, [false; 4]);
        assert_eq!(recovered(150).await, [true, false, false, false]);
        assert_eq!(recovered(250).await, [true, true, true, false]);
        assert_eq!(recovered(300).await, [true; 4]);
    }
}
