//! Exports one consistent state of a store during operation.
//!
//! All records are read page by page in their current state. The commits made meanwhile follow from the journal,
//! so that the export, applied in order, is the state of the last of these commits.

use std::collections::BTreeMap;
use std::sync::Mutex;

use erp_core::internal::{RecordSink, Snapshot};
use erp_core::limits::ENTRIES_PER_PAGE;
use erp_core::storage::{Key, Scan, Sequence};

use super::SledInner;
use super::committer::high_water;
use super::error::Fault;
use super::journal::{Segments, read_range};
use super::layout::id_text;
use super::records::INTERNAL;
use super::shared::unpoisoned;

/// Keeps the journal after a commit while it lives.
struct Pin<'a> {
    segments: &'a Mutex<Segments>,
    revision: u64,
}

impl Drop for Pin<'_> {
    fn drop(&mut self) {
        unpoisoned(self.segments.lock()).unpin(self.revision.saturating_sub(1));
    }
}

impl SledInner {
    /// Passes one state of the store to a sink and returns which state it was.
    pub(crate) fn snapshot(&self, sink: &mut RecordSink<'_>) -> Result<Snapshot, Fault> {
        let pin = self.pin();
        self.records(sink)?;
        let last = self.shared.tables().last();
        let mut time = 0;
        let segments = unpoisoned(self.segments.lock()).list.clone();
        // If no commit follows, the time is that of the last commit itself; the journal of a store that was just
        // restored does not contain it.
        let first = segments.first().map_or(0, |segment| segment.base);
        let after = pin.revision.saturating_sub(1).max(first.min(pin.revision));
        read_range(&segments, self.identity.id, after, last, |commit| {
            time = commit.time;
            if commit.revision <= pin.revision {
                return Ok(());
            }
            for (key, value) in commit.changes {
                if key.space() != INTERNAL {
                    sink(key, commit.revision, value)?;
                }
            }
            Ok(())
        })?;
        Ok(Snapshot {
            store: id_text(self.identity.id),
            revision: last,
            time,
            sequences: self.sequences()?,
        })
    }

    /// Pins the journal from the last commit on. No segment is removed between reading the revision and pinning,
    /// because the newest segments always stay.
    fn pin(&self) -> Pin<'_> {
        let mut segments = unpoisoned(self.segments.lock());
        let revision = self.shared.tables().last();
        segments.pin(revision.saturating_sub(1));
        Pin {
            segments: &self.segments,
            revision,
        }
    }

    fn records(&self, sink: &mut RecordSink<'_>) -> Result<(), Fault> {
        let mut next = Some(Scan {
            from: Key::from_bytes(vec![INTERNAL + 1]),
            until: Key::from_bytes(vec![u8::MAX; 64]),
            backwards: false,
            limit: ENTRIES_PER_PAGE,
        });
        while let Some(scan) = next {
            let page = self.shared.tables().page(&scan)?;
            for (key, entry) in page.entries {
                sink(key, entry.revision, Some(entry.value))?;
            }
            next = page.next;
        }
        Ok(())
    }

    /// The marks of the sequences: never below a number that was given out.
    fn sequences(&self) -> Result<BTreeMap<String, u64>, Fault> {
        let tables = self.shared.tables();
        let mark = |sequence: Sequence| {
            let mark = high_water(&tables, sequence)?;
            Ok((sequence.as_str().to_owned(), mark))
        };
        Sequence::ALL.into_iter().map(mark).collect()
    }
}
