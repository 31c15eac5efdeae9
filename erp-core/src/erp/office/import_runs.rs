//! The last imports over the interface: who imported when, and what became of the rows.

use erp_derive::Word;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::ImportReport;
use crate::erp::catalogue::slices::ENTRIES_PER_READ;
use crate::erp::engine::{Actor, Error, Office, keys, retry_on_conflict};
use crate::storage::record::{decode, encode};
use crate::storage::{ChangeSet, Scan, Space, Storage};

/// Runs that are kept.
pub const IMPORT_RUNS_KEPT: usize = 50;

/// An import as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportRun {
    /// When it ended.
    pub at: Timestamp,
    /// Who imported.
    pub user: Option<SmolStr>,
    /// How it ended.
    pub state: ImportState,
    /// The counts; all 0 of a refused import.
    #[serde(flatten)]
    pub report: ImportReport,
    /// Rows with a problem; an import lists a bounded number of them.
    pub failed: usize,
}

/// How an import ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
pub enum ImportState {
    /// All rows are stored.
    Done,
    /// Rows have problems, and nothing is stored.
    Refused,
}

impl ImportRun {
    /// An import that stored its rows.
    #[must_use]
    pub fn done(actor: &Actor, report: ImportReport) -> Self {
        Self {
            state: ImportState::Done,
            report,
            ..Self::refused(actor, 0)
        }
    }

    /// An import with problems in this many rows.
    #[must_use]
    pub fn refused(actor: &Actor, failed: usize) -> Self {
        Self {
            at: actor.at,
            user: actor.user.clone(),
            state: ImportState::Refused,
            report: ImportReport::default(),
            failed,
        }
    }
}

impl<S: Storage> Office<'_, S> {
    /// Adds a run to the list and removes the oldest ones beyond [`IMPORT_RUNS_KEPT`].
    #[cfg(feature = "internal")]
    pub async fn note_import(self, actor: &Actor, run: &ImportRun) -> Result<(), Error> {
        retry_on_conflict!(self.erp, None, {
            let mut changes = ChangeSet::new();
            let page = self.erp.store.scan(newest_first()).await?;
            for (key, _) in page.entries.iter().skip(IMPORT_RUNS_KEPT - 1) {
                changes.delete(key.clone());
            }
            changes.put(keys::import_run(run.at, &actor.request), encode(run)?);
            (changes, ())
        });
        Ok(())
    }

    /// The last imports, newest first; at most [`IMPORT_RUNS_KEPT`].
    #[cfg(feature = "internal")]
    pub async fn import_runs(self) -> Result<Vec<ImportRun>, Error> {
        let page = self.erp.store.scan(newest_first()).await?;
        let newest = page.entries.iter().take(IMPORT_RUNS_KEPT);
        let runs = newest.map(|(key, entry)| decode(key, entry));
        Ok(runs.collect::<Result<_, _>>()?)
    }
}

fn newest_first() -> Scan {
    let all = Scan::of(Space::ImportRun);
    all.backwards().limit(ENTRIES_PER_READ)
}
