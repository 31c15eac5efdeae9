//! `erp-server import --server`: sends rows to `POST /admin/import`, in as many requests as its size limit requires.

use std::io::Read as _;

use erp_core::erp::ImportReport;
use erp_core::master::Company;
use serde::Deserialize;
use serde_json::Value;

use super::report::{Counts, row_bar, warn};
use crate::cli::backend::Backend;
use crate::cli::failure::Failure;
use crate::import::{
    Import, ImportError, LONGEST_BODY, Source, bad_rows, lines_of, open_inside, read_rows,
};

const NDJSON: &str = "application/x-ndjson";

/// A file that exceeds one request is sent in slices of this fraction of the limit.
const SLICES: u64 = 4;

#[derive(Default, Deserialize)]
struct Imported {
    #[serde(flatten)]
    report: ImportReport,
    #[serde(default)]
    missing: Vec<String>,
}

/// An NDJSON row with its line number in the file.
type Line = (usize, Vec<u8>);

/// Validates all rows before anything is sent.
fn check(imports: &[Import]) -> Result<(), Failure> {
    let read = |import: &Import| {
        let source = Source {
            name: &import.name,
            format: import.format,
            // Only the server knows the company's language; it does not affect validation.
            language: Company::default().language,
        };
        bad_rows(&import.name, &read_rows(&source, &import.bytes))
    };
    let bad: Vec<_> = imports.iter().filter_map(read).collect();
    match bad.is_empty() {
        true => Ok(()),
        false => Err(ImportError::BadRows(bad).into()),
    }
}

/// Imports the files in order. A file that fits into one request is imported completely or not at all.
pub(super) async fn send(
    server: &Backend,
    imports: &[Import],
    printed: &Counts,
) -> Result<(), Failure> {
    check(imports)?;
    let mut missing = Vec::new();
    for import in imports {
        let imported = send_file(server, import).await?;
        printed.print(Some(&import.name), &imported.report);
        missing = imported.missing;
    }
    warn(&missing);
    Ok(())
}

async fn send_file(server: &Backend, import: &Import) -> Result<Imported, Failure> {
    let mut lines = lines_of(import.format, &import.bytes);
    for line in &mut lines {
        store_file(server, import, line).await?;
    }
    let bar = row_bar("importing", &import.name);
    bar.set_length(lines.len() as u64);
    let most = match length_of(&lines) <= LONGEST_BODY {
        true => LONGEST_BODY,
        false => LONGEST_BODY.div_euclid(SLICES),
    };
    let mut sum = Imported::default();
    for slice in slices(&lines, most) {
        let sent = post(server, "/admin/import", &[(import, slice)]).await;
        let imported = sent.map_err(|failure| Failure {
            message: match sum.report.rows {
                0 => format!(
                    "nothing of `{}` was imported: {}",
                    import.name, failure.message
                ),
                rows => format!(
                    "{rows} rows of `{}`, up to line {}, are imported, the rest is not: {}",
                    import.name,
                    line_before(&lines, slice),
                    failure.message
                ),
            },
            ..failure
        })?;
        sum.report.add(&imported.report);
        sum.missing = imported.missing;
        bar.inc(slice.len() as u64);
    }
    bar.finish_and_clear();
    Ok(sum)
}

/// Dry run on the server; all files are in one request, because rows depend on earlier ones.
pub(super) async fn try_out(
    server: &Backend,
    imports: &[Import],
    printed: &Counts,
) -> Result<(), Failure> {
    check(imports)?;
    let mut files: Vec<(&Import, Vec<Line>)> = imports
        .iter()
        .map(|import| (import, lines_of(import.format, &import.bytes)))
        .collect();
    let before: usize = files.iter().map(|(_, lines)| lines.len()).sum();
    for (_, lines) in &mut files {
        lines.retain(|(_, line)| !brings_file(line));
    }
    let rows: usize = files.iter().map(|(_, lines)| lines.len()).sum();
    if files.iter().map(|(_, lines)| length_of(lines)).sum::<u64>() > LONGEST_BODY {
        return Err(Failure::new(format!(
            "a dry run on a server is one request of at most {LONGEST_BODY} bytes; try these files on a data \
             folder, for example one restored from a backup"
        )));
    }
    let parts: Vec<(&Import, &[Line])> = files
        .iter()
        .map(|(import, lines)| (*import, lines.as_slice()))
        .collect();
    let tried = post(server, "/admin/import?dry_run=true", &parts).await?;
    printed.print(None, &tried.report);
    warn(&tried.missing);
    if rows < before {
        let untried = before.saturating_sub(rows);
        let words = format!("{untried} rows that bring files were not tried");
        match printed.json {
            true => complain!("erp-server: {words}"),
            false => say!("{words}"),
        }
    }
    Ok(())
}

fn length_of(lines: &[Line]) -> u64 {
    lines.iter().map(length_of_line).sum()
}

/// With its line break.
fn length_of_line((_, line): &Line) -> u64 {
    (line.len() as u64).saturating_add(1)
}

/// Slices of at most `most` bytes; a longer line is a slice of its own, which the server rejects.
fn slices(lines: &[Line], most: u64) -> Vec<&[Line]> {
    let (mut rest, mut slices) = (lines, Vec::new());
    while !rest.is_empty() {
        let mut length = 0_u64;
        let fitting = rest.iter().take_while(|line| {
            length = length.saturating_add(length_of_line(line));
            length <= most
        });
        let (slice, later) = rest.split_at(fitting.count().max(1));
        slices.push(slice);
        rest = later;
    }
    slices
}

/// The line number of the last row before a slice.
fn line_before(lines: &[Line], slice: &[Line]) -> usize {
    let first = slice.first().map_or(0, |(line, _)| *line);
    let before = lines.iter().take_while(|(line, _)| *line < first);
    before.last().map_or(0, |(line, _)| *line)
}

/// Sends rows; line numbers in problems are mapped to those of the file.
async fn post(
    server: &Backend,
    path: &str,
    parts: &[(&Import, &[Line])],
) -> Result<Imported, Failure> {
    let mut body = Vec::new();
    let mut places = Vec::new();
    for (import, lines) in parts {
        for (number, line) in *lines {
            body.extend_from_slice(line);
            body.push(b'\n');
            places.push((import.name.as_str(), *number));
        }
    }
    let place = |path: &str| {
        let (line, rest) = path.strip_prefix("line ")?.split_once(": ").or_else(|| {
            // The problem concerns the whole row.
            Some((path.strip_prefix("line ")?, ""))
        })?;
        let at = line.parse::<usize>().ok()?.checked_sub(1)?;
        let (file, number) = places.get(at)?;
        let rest = match rest {
            "" => String::new(),
            rest => format!(" {rest}"),
        };
        Some(match rest.as_str() {
            "" => format!("{file}:{number}"),
            rest => format!("{file}:{number}:{rest}"),
        })
    };
    let data = server.upload(path, NDJSON, body, &place).await?;
    let mut imported: Imported = serde_json::from_value(data).unwrap_or_default();
    for warning in &mut imported.report.warnings {
        warning.path = place(&warning.path).unwrap_or_else(|| warning.path.clone());
    }
    Ok(imported)
}

/// Whether a row refers to a file by name or hash, which must be stored before the row.
fn brings_file(line: &[u8]) -> bool {
    media_of(line)
        .is_some_and(|media| media.get("Datei").is_some() || media.get("SHA256").is_some())
}

fn media_of(line: &[u8]) -> Option<Value> {
    let mut row: Value = serde_json::from_slice(line).ok()?;
    row.get_mut("ArtikelMedia").map(Value::take)
}

/// Uploads the file of a media row, and replaces it in the row by its hash.
async fn store_file(server: &Backend, import: &Import, line: &mut Line) -> Result<(), Failure> {
    let Some(mut media) = media_of(&line.1) else {
        return Ok(());
    };
    let text = |name: &str| media.get(name).and_then(Value::as_str).map(str::to_owned);
    let (path, is_export) = match (text("Datei"), text("SHA256")) {
        (Some(path), _) => (path, false),
        (None, Some(hash)) => (format!("media/{}", hash.to_lowercase()), true),
        (None, None) => return Ok(()),
    };
    let refuse = |reason: String| {
        let message = format!("{}:{}: `{path}` {reason}", import.name, line.0);
        Failure::new(message)
    };
    let mut file = match open_inside(&import.folder, &path) {
        Ok(file) => file,
        // The server may have the file already; otherwise it reports an error.
        Err(_) if is_export => return Ok(()),
        Err((_, reason)) => return Err(refuse(reason)),
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|error| refuse(format!("cannot be read: {error}")))?;
    let stored = server
        .upload("/admin/media", "application/octet-stream", bytes, &|_| None)
        .await?;
    let hash = stored.get("SHA256").cloned().unwrap_or_default();
    if let Some(fields) = media.as_object_mut() {
        let name = fields.get("AMDDateiName").and_then(Value::as_str);
        let is_named = name.is_some_and(|name| !name.trim().is_empty());
        if fields.remove("Datei").is_some() && !is_named {
            // A row derives name and format of the file from its path.
            let name = path.rsplit(['/', '\\']).next().unwrap_or(&path);
            fields.insert("AMDDateiName".to_owned(), name.into());
        }
        fields.insert("SHA256".to_owned(), hash);
    }
    line.1 = serde_json::json!({"ArtikelMedia": media})
        .to_string()
        .into_bytes();
    Ok(())
}
