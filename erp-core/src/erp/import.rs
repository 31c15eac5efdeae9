//! Master data import: a batch of rows is one commit, all or nothing.

mod addresses;
mod apply;
mod batch;
mod media;
mod prices;
mod report;
mod row;
mod write;

use jiff::Timestamp;

use super::bodies::BodyMarks;
use super::{Actor, Attempt, Erp, Error, retry_on_conflict};
use crate::import::Row;
use crate::limits::COMMIT_TRIES;
use crate::problem::{Code, Problem, Problems};
use crate::storage::{Storage, StorageError};

pub use report::ImportReport;
use row::problem;
pub use row::{ImportRow, RowError};

/// A time zone that every time zone database contains; used to detect a missing database.
const KNOWN_EVERYWHERE: &str = "Europe/London";

impl<S: Storage> Erp<S> {
    // rule: D-IMP-02, D-IMP-03
    /// Applies a batch of rows in order. It is idempotent: applying the same rows again changes nothing.
    ///
    /// # Errors
    /// [`Error::Invalid`] lists the rows that cannot be applied, with `line N` as first step of the path; then nothing
    /// of the batch is written. When the store fails.
    pub async fn import(
        &self,
        rows: &[ImportRow],
        now: Timestamp,
        actor: Option<&Actor>,
    ) -> Result<ImportReport, Error> {
        for _ in 0..COMMIT_TRIES {
            let marks = match rows.iter().any(|row| matches!(row.row, Row::Media(_))) {
                true => self.media().body_marks().await?,
                false => BodyMarks::default(),
            };
            if let Some(report) = self.import_stored(rows, &marks, now, actor).await? {
                return Ok(report);
            }
        }
        Err(StorageError::Busy.into())
    }

    // rule: D-MED-16
    /// Like [`Erp::import`], for rows whose bodies were stored after `marks` were read, while other processes may
    /// remove bodies. `None`: nothing is written, because a body of the rows may have been removed since. Read the
    /// marks, store the bodies and try again.
    ///
    /// # Errors
    /// As [`Erp::import`].
    pub async fn import_stored(
        &self,
        rows: &[ImportRow],
        marks: &BodyMarks,
        now: Timestamp,
        actor: Option<&Actor>,
    ) -> Result<Option<ImportReport>, Error> {
        let (report, _) = retry_on_conflict!(self, actor, {
            let mut batch = self.load_batch(rows).await?;
            let keys = self.media_keys(&batch, rows).await?;
            let mut errors = Vec::new();
            let mut report = ImportReport::default();
            for (row, media_key) in rows.iter().zip(keys) {
                let before = batch.target(&row.row, media_key);
                match batch.apply(&row.row, media_key, now) {
                    Ok(()) => {
                        report.count(&row.row, &before, &batch.target(&row.row, media_key));
                    }
                    Err(problem) => errors.push(RowError {
                        line: row.line,
                        problem,
                    }),
                }
            }
            errors.extend(batch.check(rows));
            errors.extend(rows.iter().filter_map(|row| self.unknown_time_zone(row)));
            refuse(errors)?;
            refuse(self.number_addresses(&mut batch, rows).await?)?;
            let named = batch.newly_named_bodies();
            if !named.is_empty() {
                let later = self.media().body_marks().await?;
                if !named.iter().all(|body| marks.is_same_for(*body, &later)) {
                    return Ok(None);
                }
            }
            let mut changes = batch.changes()?;
            marks.guard(&mut changes, &named);
            if changes.is_empty() {
                Attempt::Done(report)
            } else {
                Attempt::Commit(changes, report)
            }
        });
        Ok(Some(report))
    }

    // rule: D-CTR-12, D-CTR-13
    /// The error of a company row with an unknown time zone. Its message distinguishes a wrong name from a program
    /// without a time zone database.
    fn unknown_time_zone(&self, row: &ImportRow) -> Option<RowError> {
        let Row::Company(company) = &row.row else {
            return None;
        };
        let name = &company.time_zone;
        if (self.settings.time_zones)(name).is_some() {
            return None;
        }
        let message = if (self.settings.time_zones)(KNOWN_EVERYWHERE).is_some() {
            format!("there is no time zone `{name}`")
        } else {
            format!(
                "the time zone `{name}` cannot be looked up: this program has no time zone database; \
                 it sets `settings.time_zones`, for example to `|name| jiff::tz::TimeZone::get(name).ok()`"
            )
        };
        Some(RowError {
            line: row.line,
            problem: problem("Zeitzone", Code::UnknownValue, message),
        })
    }
}

fn refuse(errors: Vec<RowError>) -> Result<(), Error> {
    if errors.is_empty() {
        return Ok(());
    }
    let mut problems = Problems::new();
    for RowError { line, problem } in errors {
        let path = format!("line {line}: {}", problem.path);
        problems.push(Problem { path, ..problem });
    }
    Err(problems.into())
}
