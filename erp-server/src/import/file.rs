//! Imports a file: all rows are parsed before the first one is written.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use erp_core::Erp;
use erp_core::erp::{Actor, Error, ImportReport, ImportRow, Part, RowError, TriedRows};
use erp_core::import::{InvalidRow, Row};
use erp_core::storage::{Storage, StorageError};
use jiff::Timestamp;
use thiserror::Error as ThisError;

use super::{
    Files, Format, MOST_BAD_ROWS, Source, csv, is_invalid, read_rows, store_bodies, try_bodies,
};
use crate::media::Bodies;

/// Rows per commit. A batch is committed completely or not at all.
pub const ROWS_PER_BATCH: usize = 1_000;

#[derive(Clone, Debug)]
pub struct Import {
    /// The name of the file, for messages.
    pub name: String,
    /// The folder for the files of its media rows.
    pub folder: PathBuf,
    /// NDJSON, or CSV of a kind.
    pub format: Format,
    pub bytes: Vec<u8>,
}

#[derive(Debug, ThisError)]
pub enum ImportError {
    #[error("`{file}` cannot be read: {reason}")]
    Unreadable { file: String, reason: String },
    #[error("`{kind}` is no kind of rows; --kind takes {allowed}")]
    UnknownKind { kind: String, allowed: String },
    #[error("{}", all_bad_rows(.0))]
    BadRows(Vec<BadFile>),
    #[error(
        "`{0}` is a spreadsheet or an archive: export its table as CSV (UTF-8) and import that"
    )]
    Spreadsheet(String),
    /// A batch was rejected. The batches before it are written; importing the corrected file again leaves them
    /// unchanged.
    #[error("{}", refused(.file, .error, *.written))]
    Refused {
        file: String,
        error: Error,
        /// Number of rows in the batches before.
        written: usize,
    },
    /// The media folder cannot be written; nothing of the file was imported.
    #[error("the files of the media rows of `{file}` cannot be stored: {reason}")]
    Bodies { file: String, reason: String },
    #[error("the store failed: {0}")]
    Store(#[from] StorageError),
}

/// How ZIP files begin, those of Excel and OpenDocument among them.
const ZIP: &[u8] = b"PK\x03\x04";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadFile {
    pub file: String,
    pub problems: Vec<RowError>,
}

fn all_bad_rows(files: &[BadFile]) -> String {
    let mut text = "nothing was imported, because ".to_owned();
    for (at, BadFile { file, problems }) in files.iter().enumerate() {
        let line_end = if at == 0 { "" } else { "\n" };
        text.push_str(&format!("{line_end}rows of `{file}` are wrong:"));
        for RowError { line, problem } in problems.iter().take(MOST_BAD_ROWS) {
            text.push_str(&format!("\n  {file}:{line}: {problem}"));
        }
        if problems.len() > MOST_BAD_ROWS {
            text.push_str(&format!("\n  {file}: and more"));
        }
    }
    text
}

/// The problems that rows have by themselves; `None` if there are none.
pub(crate) fn bad_rows(file: &str, rows: &[ImportRow]) -> Option<BadFile> {
    let mut problems = Vec::new();
    for ImportRow { line, row } in rows {
        let Row::Invalid(row) = row else { continue };
        problems.extend(row.problems.iter().map(|problem| RowError {
            line: *line,
            problem: problem.clone(),
        }));
    }
    let file = file.to_owned();
    (!problems.is_empty()).then_some(BadFile { file, problems })
}

fn refused(file: &str, error: &Error, written: usize) -> String {
    let mut text = match written {
        0 => format!("nothing was imported, because rows of `{file}` cannot be applied:"),
        written => {
            format!("rows of `{file}` cannot be applied; {written} rows before them are imported:")
        }
    };
    match error {
        Error::Invalid(problems) => {
            for problem in problems.as_slice() {
                text.push_str(&format!(
                    "\n  {file}: {}: {} ({})",
                    problem.path, problem.message, problem.code
                ));
            }
        }
        other => text.push_str(&format!(" {other}")),
    }
    text
}

impl Import {
    /// Reads a file, or standard input for `-`. The file name determines the format: `.csv` is CSV of `kind`, or of
    /// the kind in the file name. Standard input is CSV when `kind` is given.
    ///
    /// # Errors
    /// A missing argument as a sentence, or a read error.
    pub fn read(path: &Path, kind: Option<&str>) -> Result<Self, ImportError> {
        let is_stdin = path.as_os_str() == "-";
        let name = match is_stdin {
            true => "standard input".to_owned(),
            false => path.display().to_string(),
        };
        let is_csv = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default();
        let format = if is_csv || (is_stdin && kind.is_some()) {
            let kind = kind.unwrap_or(stem);
            Format::csv(kind).map_err(|allowed| ImportError::UnknownKind {
                kind: kind.to_owned(),
                allowed,
            })?
        } else {
            Format::Ndjson
        };
        let bytes = match is_stdin {
            true => {
                let mut bytes = Vec::new();
                let read = std::io::stdin().lock().read_to_end(&mut bytes);
                read.map(|_| bytes)
            }
            false => std::fs::read(path),
        };
        let bytes = bytes.map_err(|error| ImportError::Unreadable {
            file: name.clone(),
            reason: error.to_string(),
        })?;
        if bytes.starts_with(ZIP) {
            return Err(ImportError::Spreadsheet(name));
        }
        Ok(Self {
            folder: path.parent().unwrap_or(Path::new(".")).to_owned(),
            bytes,
            name,
            format,
        })
    }

    /// Imports the rows.
    ///
    /// # Errors
    /// See [`ImportError`].
    pub async fn run<S: Storage>(
        &self,
        erp: &Erp<S>,
        bodies: &Bodies,
        watch: &Watch<'_>,
        actor: Option<&Actor>,
    ) -> Result<ImportReport, ImportError> {
        let media = self.media(bodies);
        import_bytes(erp, &media, self.content(), watch, actor).await
    }

    /// Dry run of [`Import::run`] on a [`crate::store::Trial`].
    ///
    /// # Errors
    /// See [`ImportError`], but for problems of rows, which are noted in `tried`; nothing is written.
    pub(crate) async fn try_out<S: Storage>(
        &self,
        trial: &Erp<S>,
        bodies: &Bodies,
        watch: &Watch<'_>,
        tried: &mut TriedFiles,
    ) -> Result<ImportReport, ImportError> {
        let media = self.media(bodies);
        let mut found = TriedRows::default();
        let keep = Keep::No(&mut found, &mut tried.is_unread);
        let report = import_as(keep, trial, &media, self.content(), watch).await;
        tried.files.push((self.name.clone(), found));
        report
    }

    fn content(&self) -> Content<'_> {
        Content {
            name: &self.name,
            format: self.format,
            bytes: &self.bytes,
        }
    }

    fn media<'a>(&'a self, bodies: &'a Bodies) -> Media<'a> {
        Media {
            bodies,
            files: Files::Folder(&self.folder),
        }
    }
}

/// What trying one file after the other has found.
#[derive(Debug, Default)]
pub(crate) struct TriedFiles {
    files: Vec<(String, TriedRows)>,
    /// Whether rows of a file could not be read. Nothing is said then of what the rows of later files name.
    is_unread: bool,
}

impl TriedFiles {
    /// Ends the trial.
    ///
    /// # Errors
    /// The problems of all files.
    pub(crate) async fn result<S: Storage>(self, trial: &Erp<S>) -> Result<(), ImportError> {
        let mut bad = Vec::new();
        for (file, found) in self.files {
            let office = trial.office(Timestamp::now());
            let problems = office.problems_of(found).await;
            let problems = problems.map_err(|error| failure(&file, error, 0))?;
            if !problems.is_empty() {
                bad.push(BadFile { file, problems });
            }
        }
        match bad.is_empty() {
            true => Ok(()),
            false => Err(ImportError::BadRows(bad)),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Media<'a> {
    pub bodies: &'a Bodies,
    pub files: Files<'a>,
}

#[derive(Clone, Copy, Debug)]
pub struct Content<'a> {
    /// The name that errors give the file.
    pub name: &'a str,
    pub format: Format,
    pub bytes: &'a [u8],
}

impl<'a> Content<'a> {
    /// Rows as JSON, one in each line.
    #[must_use]
    pub const fn ndjson(name: &'a str, bytes: &'a [u8]) -> Self {
        Self {
            name,
            format: Format::Ndjson,
            bytes,
        }
    }
}

/// Imports the content of a file, whose rows may name tax codes and price lists of later files.
///
/// # Errors
/// See [`ImportError`].
pub async fn import_bytes<S: Storage>(
    erp: &Erp<S>,
    media: &Media<'_>,
    content: Content<'_>,
    watch: &Watch<'_>,
    actor: Option<&Actor>,
) -> Result<ImportReport, ImportError> {
    import_as(Keep::Yes(actor), erp, media, content, watch).await
}

/// Whether rows are stored, on behalf of whom, or only tried.
#[derive(Debug)]
enum Keep<'a> {
    Yes(Option<&'a Actor>),
    No(&'a mut TriedRows, &'a mut bool),
}

async fn import_as<S: Storage>(
    mut keep: Keep<'_>,
    erp: &Erp<S>,
    media: &Media<'_>,
    content: Content<'_>,
    watch: &Watch<'_>,
) -> Result<ImportReport, ImportError> {
    let (file, format) = (content.name, content.format);
    let company = erp.office(Timestamp::now()).company().await;
    let source = Source {
        name: file,
        format,
        language: company.map_err(|error| failure(file, error, 0))?.language,
    };
    let mut rows = read_rows(&source, content.bytes);
    if let Keep::No(_, is_unread) = &mut keep {
        without_names(&mut rows, format, is_unread);
    }
    place(&keep, media, file, &mut rows)?;
    watch(0, rows.len());
    let mut sum = ImportReport::default();
    for batch in rows.chunks(ROWS_PER_BATCH) {
        let report = import_batch(erp, batch, &mut keep).await;
        sum.add(&report.map_err(|error| failure(file, error, sum.rows))?);
        watch(sum.rows, rows.len());
        if let Keep::No(found, is_unread) = &mut keep
            && found.count() >= MOST_BAD_ROWS
        {
            **is_unread = true;
            break;
        }
    }
    watch(rows.len(), rows.len());
    Ok(sum)
}

/// After rows that could not be read, only those with problems of their own are left, without what they name.
fn without_names(rows: &mut Vec<ImportRow>, format: Format, is_unread: &mut bool) {
    if *is_unread {
        rows.retain_mut(|row| match &mut row.row {
            Row::Invalid(row) => {
                let problems = std::mem::take(&mut row.problems);
                **row = InvalidRow {
                    problems,
                    ..InvalidRow::default()
                };
                true
            }
            _ => false,
        });
    }
    let bad = rows.iter().filter(|row| is_invalid(row)).count();
    let names_no_columns =
        matches!(format, Format::Csv(_)) && rows.iter().any(|row| row.line == csv::NAMES);
    *is_unread |= names_no_columns || bad >= MOST_BAD_ROWS;
}

/// Stores or reads the files of media rows.
fn place(
    keep: &Keep<'_>,
    media: &Media<'_>,
    file: &str,
    rows: &mut [ImportRow],
) -> Result<(), ImportError> {
    let place = match keep {
        Keep::Yes(_) => store_bodies,
        Keep::No(..) => try_bodies,
    };
    place(rows, media.bodies, media.files).map_err(|error| ImportError::Bodies {
        file: file.to_owned(),
        reason: error.to_string(),
    })?;
    match (keep, bad_rows(file, rows)) {
        (Keep::Yes(_), Some(bad)) => Err(ImportError::BadRows(vec![bad])),
        _ => Ok(()),
    }
}

/// Imports a batch; splits it in halves when its records exceed one commit.
async fn import_batch<S: Storage>(
    erp: &Erp<S>,
    batch: &[ImportRow],
    keep: &mut Keep<'_>,
) -> Result<ImportReport, Error> {
    let mut sum = ImportReport::default();
    let mut parts = vec![batch];
    while let Some(part) = parts.pop() {
        let now = Timestamp::now();
        let actor = match keep {
            Keep::Yes(Some(actor)) => Some(Actor {
                at: now,
                ..Actor::clone(actor)
            }),
            _ => None,
        };
        let mode = match keep {
            Keep::Yes(_) => Part::Proved,
            Keep::No(found, _) => Part::Tried(found),
        };
        let office = erp.office(now).actor(actor.as_ref());
        match office.import_part(part, mode).await {
            Err(Error::Storage(StorageError::TooLarge { .. })) if part.len() > 1 => {
                let (first, second) = part.split_at(part.len() / 2);
                parts.extend([second, first]);
            }
            report => sum.add(&report?),
        }
    }
    Ok(sum)
}

/// `written` rows of the file are in the store already.
fn failure(file: &str, error: Error, written: usize) -> ImportError {
    match error {
        Error::Storage(error) => ImportError::Store(error),
        error => ImportError::Refused {
            file: file.to_owned(),
            error,
            written,
        },
    }
}

/// Is told how many rows are written, and of how many.
pub type Watch<'a> = dyn Fn(usize, usize) + Sync + 'a;
