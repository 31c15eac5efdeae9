//! `erp-server export`: all data as import lines, with the files of article media.

mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufWriter, Stdout, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::import::LEFT_OUT;
use erp_core::media::BodyHash;
use futures_util::{StreamExt as _, TryStreamExt as _};
use http_body_util::BodyExt as _;
use hyper::Response;
use serde_json::{Value, json};

use super::backend::{Backend, BackendArgs};
use super::failure::Failure;
use super::private_file::{PrivateFile, write_private_file};
use super::remote::Body;
use crate::media::Summed;

const LINES: &str = "export.ndjson";

/// The folder of media files next to it; an import finds files there by their hash.
const MEDIA: &str = "media";

/// Maximum attempts to receive a media file.
const FETCHES: usize = 2;

/// Write all data as lines that `import` reads; of a running server with `--server`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server export --output export\n  \
        erp-server export --tables --output tables")]
pub(super) struct ExportCommand {
    /// Folder for `export.ndjson` and the media files; `-` writes the lines alone to standard output
    #[arg(long, value_name = "FOLDER", default_value = "-")]
    output: PathBuf,
    /// Write a file of each kind of rows and `tables.sql`, by which DuckDB reads them as tables, and no media files
    #[arg(long, requires = "output")]
    tables: bool,
    /// Print the counts of an export into a folder as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    backend: BackendArgs,
}

impl ExportCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let folder = Some(self.output.as_path()).filter(|output| output.as_os_str() != "-");
        let lines = self.backend.run(async |backend| {
            let mut lines = Lines::create(folder, self.tables)?;
            receive_lines(backend, &mut lines).await?;
            if let Some(folder) = folder.filter(|_| !self.tables) {
                fetch_files(backend, &mut lines, folder).await?;
            }
            Ok(lines)
        })?;
        lines.finish(folder, self.json)
    }
}

/// The lines being written, and the media they refer to.
struct Lines {
    out: Out,
    rows: BTreeMap<String, usize>,
    files: BTreeSet<BodyHash>,
    left_out: u64,
    /// Files that the store does not have.
    missing: Vec<BodyHash>,
}

enum Out {
    Stdout(BufWriter<Stdout>),
    File(PrivateFile),
    /// A file of each kind.
    Tables(BTreeMap<&'static str, PrivateFile>),
}

impl Out {
    /// Writes a row: of a table without its kind.
    fn write_line(&mut self, kind: &str, line: &[u8]) -> io::Result<()> {
        let (out, line): (&mut dyn Write, _) = match self {
            Self::Stdout(out) => (out, line),
            Self::File(out) => (out, line),
            Self::Tables(tables) => {
                let row = line.strip_prefix(format!("{{\"{kind}\":").as_bytes());
                let row = row.and_then(|row| row.strip_suffix(b"}"));
                let unknown = || io::Error::other(format!("a row of the unknown kind {kind}"));
                let (table, row) = tables.get_mut(kind).zip(row).ok_or_else(unknown)?;
                (table, row)
            }
        };
        out.write_all(line)?;
        out.write_all(b"\n")
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush(),
            Self::File(out) => out.finish(),
            Self::Tables(tables) => tables.into_values().try_for_each(PrivateFile::finish),
        }
    }
}

impl Lines {
    fn create(folder: Option<&Path>, as_tables: bool) -> Result<Self, Failure> {
        let out = match folder {
            None if as_tables => {
                return Err(Failure::usage(
                    "`--tables` needs a folder: `--output FOLDER`",
                ));
            }
            None => Out::Stdout(BufWriter::new(io::stdout())),
            Some(folder) if as_tables => Out::Tables(create_tables(folder)?),
            Some(folder) => Out::File(create_in(folder)?),
        };
        Ok(Self {
            out,
            rows: BTreeMap::new(),
            files: BTreeSet::new(),
            left_out: 0,
            missing: Vec::new(),
        })
    }

    /// Writes a row, and notes what the last line says of rows that are left out.
    fn put(&mut self, line: &[u8]) -> Result<(), Failure> {
        let row: Value = serde_json::from_slice(line)?;
        let field = row.as_object().and_then(|row| row.iter().next());
        let (kind, body) =
            field.ok_or_else(|| Failure::new("the server sent a line that is not a row"))?;
        if kind == LEFT_OUT {
            self.left_out = body.as_u64().unwrap_or_default();
            return Ok(());
        }
        *self.rows.entry(kind.to_owned()).or_default() += 1;
        if let Some(hash) = body["SHA256"].as_str().filter(|_| kind == "ArtikelMedia") {
            self.files.insert(BodyHash::parse(hash)?);
        }
        let written = self.out.write_line(kind, line);
        written.map_err(|error| unwritten(&error))
    }

    fn finish(self, folder: Option<&Path>, json: bool) -> Result<(), Failure> {
        let summary = self.summary();
        let name = match self.out {
            Out::Tables(_) => tables::STATEMENTS,
            _ => LINES,
        };
        self.out.finish().map_err(|error| unwritten(&error))?;
        match folder {
            Some(folder) if json => {
                let file = folder.join(name).display().to_string();
                say!(
                    "{}",
                    json!({"file": file, "rows": self.rows, "left_out": self.left_out, "media_files": self.files.len()})
                );
            }
            Some(folder) => say!("{}: {summary}", folder.join(name).display()),
            None => complain!("erp-server: {summary}"),
        }
        if self.missing.is_empty() {
            return Ok(());
        }
        let missing: Vec<String> = self.missing.iter().map(ToString::to_string).collect();
        Err(Failure::new(format!(
            "everything but {} media files that are missing or damaged was exported: {}",
            missing.len(),
            missing.join(", ")
        )))
    }

    fn summary(&self) -> String {
        let total: usize = self.rows.values().sum();
        let kinds = self.rows.iter();
        let kinds = kinds.map(|(kind, count)| format!("{count} {kind}"));
        let kinds: Vec<String> = kinds.collect();
        let mut summary = format!("{total} rows ({})", kinds.join(", "));
        if self.left_out > 0 {
            summary.push_str(&format!(
                "; {} prices, stock entries and media without an article or its packaging unit are left out",
                self.left_out
            ));
        }
        summary
    }
}

/// The error for lines that cannot be written. A closed pipe is no error.
fn unwritten(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::quiet(),
        _ => Failure::new(format!("the lines cannot be written: {error}")),
    }
}

fn create_in(folder: &Path) -> Result<PrivateFile, Failure> {
    let path = folder.join(LINES);
    if path.exists() {
        return Err(Failure::exists(&path));
    }
    fs::create_dir_all(folder.join(MEDIA))
        .and_then(|()| PrivateFile::create(&path))
        .map_err(|error| Failure::cannot_write(folder, &error))
}

fn create_tables(folder: &Path) -> Result<BTreeMap<&'static str, PrivateFile>, Failure> {
    let refuse = |error: io::Error| Failure::cannot_write(folder, &error);
    let files = tables::names().into_iter();
    let files: Vec<_> = files
        .map(|name| (name, folder.join(tables::file_of(name))))
        .collect();
    let mut all = files.iter().map(|(_, path)| path);
    if let Some(known) = all.find(|path| path.exists()) {
        return Err(Failure::exists(known));
    }
    fs::create_dir_all(folder).map_err(refuse)?;
    write_private_file(&folder.join(tables::STATEMENTS), &tables::statements()).map_err(refuse)?;
    let files = files
        .into_iter()
        .map(|(name, path)| Ok((name, PrivateFile::create(&path)?)));
    files.collect::<io::Result<_>>().map_err(refuse)
}

async fn receive_lines(backend: &Backend, lines: &mut Lines) -> Result<(), Failure> {
    let response = backend.open("/admin/export").await?;
    let mut pieces = response.into_body().into_data_stream();
    let mut waiting: Vec<u8> = Vec::new();
    let cut_off = |error| Failure::new(format!("the export was cut off: {error}"));
    while let Some(data) = pieces.try_next().await.map_err(cut_off)? {
        waiting.extend_from_slice(&data);
        let Some(end) = waiting.iter().rposition(|byte| *byte == b'\n') else {
            continue;
        };
        let rest = waiting.split_off(end + 1);
        let whole = std::mem::replace(&mut waiting, rest);
        let whole = whole.split(|byte| *byte == b'\n');
        for line in whole.filter(|line| !line.is_empty()) {
            lines.put(line)?;
        }
    }
    if !waiting.is_empty() {
        return Err(Failure::new("the export ends in the middle of a line"));
    }
    Ok(())
}

async fn fetch_files(backend: &Backend, lines: &mut Lines, folder: &Path) -> Result<(), Failure> {
    for hash in &lines.files {
        if !fetch_file(backend, folder, *hash).await? {
            lines.missing.push(*hash);
        }
    }
    Ok(())
}

/// Fetches a media file; `false` if there is none or only a damaged one.
///
/// A file that breaks off is fetched again: it is damaged when that breaks off too, and when the server is lost, the
/// second request fails.
async fn fetch_file(backend: &Backend, folder: &Path, hash: BodyHash) -> Result<bool, Failure> {
    for _ in 0..FETCHES {
        let path = format!("/admin/media/{hash}");
        let Some(response) = backend.open_existing(&path).await? else {
            return Ok(false);
        };
        if receive(response, &folder.join(MEDIA), hash).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes the file of a response; `false` and no file when it breaks off or does not match its hash.
async fn receive(response: Response<Body>, folder: &Path, hash: BodyHash) -> Result<bool, Failure> {
    let mut file = Summed::new(PrivateFile::create(&folder.join(hash.to_string()))?);
    let mut pieces = response.into_body().into_data_stream();
    while let Some(piece) = pieces.next().await {
        let Ok(data) = piece else { return Ok(false) };
        file.write_all(&data)?;
    }
    if file.body().hash != hash {
        return Ok(false);
    }
    file.into_inner().finish()?;
    Ok(true)
}
