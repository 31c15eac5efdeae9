//! Master data import: a batch of rows is one commit, all or nothing.

mod addresses;
mod apply;
mod batch;
mod forms;
mod media;
mod members;
mod prices;
mod references;
mod report;
mod restore;
mod row;
mod stated;
mod write;

use crate::erp::engine::{Error, Office, retry_on_conflict};
use crate::import::Row;
use crate::storage::{ChangeSet, Storage};
use crate::values::problem::{Code, Problem, Problems};

pub(super) use forms::whole;
pub use members::ChangedMembers;
pub use report::ImportReport;
pub use restore::Restoring;
pub use row::{ImportRow, RowError};
pub use stated::Stated;

/// A time zone that every time zone database contains; used to detect a missing database.
const KNOWN_EVERYWHERE: &str = "Europe/London";

impl<S: Storage> Office<'_, S> {
    /// Adds or replaces master data, all of it or none.
    ///
    /// # Errors
    /// As [`Office::import`]; `line N` is the N-th row. An article that no shop sees is one of the warnings.
    pub async fn put(self, rows: impl IntoIterator<Item = Row>) -> Result<ImportReport, Error> {
        let rows = rows.into_iter().zip(1..);
        let rows: Vec<_> = rows
            .map(|(row, line)| ImportRow {
                line,
                row: row.checked(),
            })
            .collect();
        let mut report = self.import(&rows).await?;
        rows.iter().for_each(|row| report.warn_of_hidden(row));
        Ok(report)
    }

    /// Applies a batch of rows in order. It is idempotent: applying the same rows again changes nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] lists the rows that cannot be applied, with `line N` as first step of the path; then nothing
    /// of the batch is written.
    pub async fn import(self, rows: &[ImportRow]) -> Result<ImportReport, Error> {
        let contradictions = Stated::default().contradictions(rows);
        let (report, _) =
            retry_on_conflict!(self.erp, None, self.importing(rows, &contradictions).await?);
        Ok(report)
    }

    /// What the rows change, with its entry of the audit trail.
    async fn importing(
        self,
        rows: &[ImportRow],
        contradictions: &[RowError],
    ) -> Result<(ChangeSet, ImportReport), Error> {
        let mut batch = self.erp.load_batch(rows, self.now).await?;
        let media = self.erp.media_keys(&batch, rows).await?;
        let (report, mut errors) = batch.apply_all(rows, &media);
        errors.extend(batch.check(rows));
        errors.extend_from_slice(contradictions);
        errors.extend(rows.iter().filter_map(|row| self.unknown_time_zone(row)));
        let unknown = self.erp.unknown(batch.references(rows)).await?;
        errors.extend(unknown.into_iter().map(RowError::from));
        let (claims, taken) = self.erp.claimed_addresses(&mut batch, rows).await?;
        errors.extend(taken);
        refuse(errors)?;
        self.erp.number_addresses(&mut batch, &claims).await?;
        let mut changes = batch.changes()?;
        let changed = batch.changed();
        if !changed.is_empty() {
            let (master, _) = self.erp.load_master(&[]).await?;
            let by = (self.user(), self.now);
            batch.add_events(&mut changes, &changed, &master.company, by);
            self.erp.note_import(&mut changes, changed).await?;
        }
        let differences = self.actor.map(|_| batch.differences());
        self.erp
            .audit_changes(self.actor, &mut changes, differences)?;
        Ok((changes, report))
    }

    /// The error of a company row with an unknown time zone. Its message distinguishes a wrong name from a program
    /// without a time zone database.
    fn unknown_time_zone(self, row: &ImportRow) -> Option<RowError> {
        let Row::Company(company) = &row.row else {
            return None;
        };
        let name = &company.time_zone;
        if (self.erp.settings.time_zones)(name).is_some() {
            return None;
        }
        let message = if (self.erp.settings.time_zones)(KNOWN_EVERYWHERE).is_some() {
            sentence!("unknown_value.time_zone", name)
        } else {
            sentence!("unknown_value.no_time_zones", name)
        };
        let code = Code::UnknownValue;
        Some(RowError::new(row.line, "Zeitzone", code, message))
    }
}

fn refuse(mut errors: Vec<RowError>) -> Result<(), Error> {
    if errors.is_empty() {
        return Ok(());
    }
    errors.sort_by_key(|error| error.line);
    let mut problems = Problems::new();
    for RowError { line, problem } in errors {
        let path = format!("line {line}: {}", problem.path);
        let path = path.trim_end_matches([' ', ':']).to_owned();
        problems.push(Problem { path, ..problem });
    }
    Err(problems.into())
}
