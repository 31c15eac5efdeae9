//! Sends rows to `POST /admin/import`, in as many requests as its size limit requires.

use erp_core::erp::{ChangedMembers, ImportReport};
use hyper::{Method, StatusCode};
use serde::Deserialize;

use super::file::{ImportFile, MediaFile};
use super::problems::{Listed, Placed, RowProblems, row_of};
use crate::cli::backend::{Backend, data};
use crate::cli::failure::Failure;
use crate::cli::print::bar;
use crate::cli::remote::{json_of, reason_in};
use crate::import::LONGEST_BODY;

const NDJSON: &str = "application/x-ndjson";

/// Rows that exceed one request are sent in slices of this fraction of the limit.
const SLICES: u64 = 4;

#[derive(Default, Deserialize)]
pub(super) struct Imported {
    #[serde(flatten)]
    pub(super) report: ImportReport,
    /// What is missing to sell anything.
    #[serde(default)]
    pub(super) missing: Vec<String>,
    /// Of a dry run: which members would change.
    #[serde(default)]
    changes: ChangedMembers,
    #[serde(skip)]
    pub(super) notes: Vec<String>,
}

impl Imported {
    pub(super) fn counts(&self) -> String {
        let report = &self.report;
        let skipped = match report.skipped {
            0 => String::new(),
            count => format!(", {count} orders, offers and invoices skipped"),
        };
        format!(
            "{} {}: {} added, {} changed, {} removed, {} unchanged{skipped}",
            report.rows,
            if report.rows == 1 { "row" } else { "rows" },
            report.added,
            report.changed,
            report.removed,
            report.unchanged
        )
    }

    fn add(&mut self, mut later: Self) {
        later.report.changed_members = later.changes;
        self.report.add(&later.report);
        self.missing = later.missing;
    }
}

enum Sent {
    Imported(Imported),
    /// Nothing of it is imported.
    Refused(Listed),
    /// It makes a larger commit than the store takes.
    TooLarge,
    /// No response came, so it may be imported.
    Lost(Failure),
}

/// All rows of the files, in order.
pub(super) struct Rows<'a> {
    files: &'a [ImportFile],
    rows: Vec<Placed<'a>>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(files: &'a [ImportFile]) -> Self {
        let rows = files.iter().enumerate().flat_map(|(at, file)| {
            let lines = file.lines.iter();
            lines.map(move |line| Placed { file, at, line })
        });
        Self {
            files,
            rows: rows.collect(),
        }
    }

    /// Finds the problems of all rows, and counts what an import would change. Rows that bring files are left out,
    /// because the files are not stored.
    pub(super) async fn try_out(mut self, backend: &Backend) -> Result<Imported, Failure> {
        let all = self.rows.len();
        self.rows.retain(|row| MediaFile::of(&row.line.1).is_none());
        let untried = all - self.rows.len();
        let mut problems = RowProblems::of(self.files);
        let mut waiting = slices(&self.rows);
        let (mut tried, mut parts) = (Imported::default(), 0);
        let is_whole = waiting.len() == 1 && !self.files.iter().any(|file| file.is_unread);
        // What another slice or a file that cannot be read brings would be missing, beside the problems that are known.
        if !problems.is_empty() && !is_whole {
            waiting.clear();
        }
        while let Some(slice) = waiting.pop() {
            match post(backend, "/admin/import?dry_run=true", slice).await? {
                Sent::Imported(part) => tried.add(part),
                Sent::Lost(failure) => return Err(failure),
                Sent::Refused(found) => problems.add(slice, found),
                Sent::TooLarge => {
                    halve(slice, &mut waiting);
                    continue;
                }
            }
            parts += 1;
        }
        if parts > 1 {
            tried.notes.push(format!(
                "the rows were tried in {parts} requests: what the rows of one bring is missing in the others"
            ));
        }
        if !problems.is_empty() {
            let notes = tried.notes.iter().map(|note| format!("\n{note}"));
            let text = problems.text("nothing was imported");
            return Err(Failure::new(text + &notes.collect::<String>()));
        }
        if untried > 0 {
            let note = format!("{untried} rows that bring files were not tried");
            tried.notes.push(note);
        }
        Ok(tried)
    }

    /// Imports the rows: all or nothing if one request takes them, else slice by slice.
    pub(super) async fn import(self, backend: &Backend) -> Result<Imported, Failure> {
        let rows = &self.rows;
        let bar = bar("{msg} {wide_bar} {pos}/{len} {per_sec} {eta}", "importing");
        bar.set_length(rows.len() as u64);
        let mut sum = Imported::default();
        let mut waiting = slices(rows);
        while let Some(slice) = waiting.pop() {
            let done = rows.get(..sum.report.rows).unwrap_or_default();
            let sent = post(backend, "/admin/import", slice).await;
            match sent.map_err(|failure| failure.at(consequence(done)))? {
                Sent::Lost(failure) => return Err(failure.at(doubt(done, slice))),
                Sent::Imported(imported) => sum.add(imported),
                Sent::TooLarge => halve(slice, &mut waiting),
                Sent::Refused(found) => {
                    let mut problems = RowProblems::of(self.files);
                    problems.add(slice, found);
                    return Err(Failure::new(problems.text(&consequence(done))));
                }
            }
            bar.set_position(sum.report.rows as u64);
        }
        bar.finish_and_clear();
        Ok(sum)
    }
}

/// What is imported when a request fails.
fn consequence(done: &[Placed<'_>]) -> String {
    match done {
        [] => "nothing was imported".to_owned(),
        [.., last] => format!(
            "{} rows, up to line {} of `{}`, are imported, the rest is not",
            done.len(),
            last.line.0,
            last.file.name
        ),
    }
}

/// The same when nothing is known of the last request.
fn doubt(done: &[Placed<'_>], slice: &[Placed<'_>]) -> String {
    let from = slice.first().map_or_else(String::new, |first| {
        format!(" from line {} of `{}` on", first.line.0, first.file.name)
    });
    let before = match done {
        [] => String::new(),
        _ => format!("{} rows are imported; ", done.len()),
    };
    format!("{before}whether those{from} are is not known, and importing all again completes it")
}

/// Slices of one request each, the last one first; a line that is longer is a slice of its own, which the server rejects.
fn slices<'r, 'a>(rows: &'r [Placed<'a>]) -> Vec<&'r [Placed<'a>]> {
    // With its line break.
    let length = |row: &Placed<'_>| row.line.1.len() as u64 + 1;
    let all: u64 = rows.iter().map(length).sum();
    let most = if all <= LONGEST_BODY {
        LONGEST_BODY
    } else {
        LONGEST_BODY / SLICES
    };
    let (mut rest, mut slices) = (rows, Vec::new());
    while !rest.is_empty() {
        let mut sum = 0;
        let fitting = rest.iter().take_while(|row| {
            sum += length(row);
            sum <= most
        });
        let (slice, later) = rest.split_at(fitting.count().max(1));
        slices.push(slice);
        rest = later;
    }
    slices.reverse();
    slices
}

fn halve<'r, 'a>(slice: &'r [Placed<'a>], waiting: &mut Vec<&'r [Placed<'a>]>) {
    let (first, second) = slice.split_at(slice.len() / 2);
    waiting.extend([second, first]);
}

/// Sends rows; warnings name their places in the files.
async fn post(backend: &Backend, path: &str, rows: &[Placed<'_>]) -> Result<Sent, Failure> {
    let mut body = Vec::new();
    for row in rows {
        body.extend_from_slice(&row.line.1);
        body.push(b'\n');
    }
    let content = Some((NDJSON, body.into()));
    let response = match backend.send(Method::POST, path, content, true).await {
        Ok(response) => response,
        Err(failure) => return Ok(Sent::Lost(failure)),
    };
    match response.status() {
        StatusCode::PAYLOAD_TOO_LARGE if rows.len() > 1 => return Ok(Sent::TooLarge),
        StatusCode::UNPROCESSABLE_ENTITY => {
            let error = json_of(response).await?;
            return match error.get("info").map(Listed::deserialize) {
                Some(Ok(listed)) => Ok(Sent::Refused(listed)),
                _ => Err(Failure::new(reason_in(&error))),
            };
        }
        _ => {}
    }
    let response = backend.successful(response).await;
    let response = response.map_err(|failure| match rows {
        [row] => failure.at(format!("{}:{}", row.file.name, row.line.0)),
        _ => failure,
    })?;
    let mut imported: Imported = serde_json::from_value(data(json_of(response).await?))?;
    for warning in &mut imported.report.warnings {
        let (at, rest) = row_of(&warning.path);
        if let Some(row) = at.and_then(|at| rows.get(at)) {
            warning.path = format!("{}:{}: {rest}", row.file.name, row.line.0);
        }
    }
    Ok(Sent::Imported(imported))
}

/// Uploads the files of media rows, and replaces them in the rows by their hashes.
pub(super) async fn store_files(backend: &Backend, file: &mut ImportFile) -> Result<(), Failure> {
    let mut lines = std::mem::take(&mut file.lines);
    for (number, line) in &mut lines {
        let stored = store_file(backend, file, line).await;
        let place = format!("nothing was imported: {}:{number}", file.name);
        if let Some(stored) = stored.map_err(|failure| failure.at(place))? {
            *line = stored;
        }
    }
    file.lines = lines;
    Ok(())
}

async fn store_file(
    backend: &Backend,
    file: &ImportFile,
    line: &[u8],
) -> Result<Option<Vec<u8>>, Failure> {
    let Some((media, bytes)) = file.media_file(line)? else {
        return Ok(None);
    };
    let content = Some(("application/octet-stream", bytes.into()));
    let response = backend.send(Method::POST, "/admin/media", content, true);
    let response = backend.successful(response.await?).await;
    let place = format!("`{}`", media.path);
    let response = response.map_err(|failure| failure.at(place))?;
    let stored = &data(json_of(response).await?);
    let hash = stored["SHA256"].as_str().unwrap_or_default();
    if media.hash.as_deref().is_some_and(|named| named != hash) {
        let message = format!("`{}` holds other bytes than its name says", media.path);
        return Err(Failure::new(message));
    }
    Ok(Some(media.stored_as(hash)))
}
