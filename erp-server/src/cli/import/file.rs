//! Files of an import: their rows as lines of NDJSON, and what is wrong with them before anything is sent.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use erp_core::erp::{ChangedMembers, RowError};
use erp_core::import::{Row, RowKind};
use erp_core::internal::Stated;
use erp_core::master::Company;
use erp_core::sentence::Sentence;
use erp_core::{Code, Problem};
use serde_json::Value;

use crate::cli::failure::Failure;
use crate::cli::private_file::folder_of;
use crate::import::{
    Form, Format, MOST_BAD_ROWS, Source, Unreadable, kind_of, lines_of, read_rows,
};

/// How ZIP files begin, those of Excel and OpenDocument among them.
const ZIP: &[u8] = b"PK\x03\x04";

/// A row as a line of NDJSON, with its line in the file.
pub(super) type Line = (usize, Vec<u8>);

pub(super) struct ImportFile {
    /// The name, for messages.
    pub(super) name: String,
    /// The folder for the files of its media rows.
    folder: PathBuf,
    pub(super) lines: Vec<Line>,
    /// What is wrong with the rows themselves and with their media files, by line.
    pub(super) problems: BTreeMap<usize, Vec<Problem>>,
    /// Whether there may be rows that were not read. Nothing is said then of what the rows of other files name.
    pub(super) is_unread: bool,
    source: Source,
}

impl ImportFile {
    /// Reads a file, or standard input for `-`. The file name determines the format: `.csv` is CSV of `kind`, or of
    /// the kind in the file name. Standard input is CSV when `kind` is given.
    /// Rows may not say otherwise than those of the files before, which have `stated` something.
    pub(super) fn read(
        path: &Path,
        (kind, form): (Option<&str>, Option<Form>),
        stated: &mut Stated,
    ) -> Result<Self, Failure> {
        let is_stdin = path.as_os_str() == "-";
        let name = if is_stdin {
            "standard input".to_owned()
        } else {
            path.display().to_string()
        };
        let csv_of = csv_of(path, kind)?;
        let mut bytes = Vec::new();
        let read = if is_stdin {
            io::stdin().lock().read_to_end(&mut bytes)
        } else {
            File::open(path).and_then(|mut file| file.read_to_end(&mut bytes))
        };
        read.map_err(|error| Failure::new(format!("`{name}` cannot be read: {error}")))?;
        if bytes.starts_with(ZIP) {
            return Err(Failure::new(format!(
                "`{name}` is a spreadsheet or an archive: export its table as CSV (UTF-8) and import that"
            )));
        }
        let source = match csv_of {
            None => Source::ndjson(bytes),
            Some(kind) => Source::csv(kind, form, bytes).map_err(|why| match why {
                Unreadable::Byte(at) => Failure::new(format!(
                    "`{name}`: byte {at} is not UTF-8: save it as CSV UTF-8"
                )),
                Unreadable::Kind(why) => {
                    let why = why.english();
                    Failure::usage(format!("`{name}`: {why} (--kind)"))
                }
            })?,
        };
        let mut file = Self {
            name,
            folder: folder_of(path).to_owned(),
            lines: lines_of(source.format, &source.bytes, usize::MAX),
            problems: BTreeMap::new(),
            is_unread: false,
            source,
        };
        file.check(stated);
        Ok(file)
    }

    /// What is said of the file as a whole.
    pub(super) fn warnings(&self, changed: &ChangedMembers) -> impl Iterator<Item = Problem> {
        let warnings = self.source.warnings(changed).into_iter();
        warnings.map(|warning| Problem {
            path: self.name.clone(),
            ..warning
        })
    }

    fn check(&mut self, stated: &mut Stated) {
        let format = self.source.format;
        // Only the store knows the company's language, which no problem depends on.
        let rows = read_rows(format, Company::default().language, &self.source.bytes);
        for RowError { line, problem } in stated.contradictions(&rows) {
            self.problems.entry(line).or_default().push(problem);
        }
        let mut bad = 0;
        for row in rows {
            if let Row::Invalid(invalid) = row.row {
                bad += 1;
                self.problems.insert(row.line, invalid.problems);
            }
        }
        let is_headless = matches!(format, Format::Csv(..)) && self.lines.is_empty() && bad > 0;
        self.is_unread = is_headless || bad >= MOST_BAD_ROWS;
        for (number, line) in &self.lines {
            if let Some(Err(problem)) = MediaFile::of(line).map(|file| file.check(&self.folder)) {
                self.problems.entry(*number).or_default().push(problem);
            }
        }
    }

    pub(super) fn is_wrong(&self) -> bool {
        !self.problems.is_empty()
    }

    /// The media file that a row brings, if it is there.
    pub(super) fn media_file(&self, line: &[u8]) -> Result<Option<(MediaFile, Vec<u8>)>, Failure> {
        let Some(media) = MediaFile::of(line) else {
            return Ok(None);
        };
        let Ok(mut file) = open_inside(&self.folder, &media.path) else {
            // It was there when the rows were checked, or the store may have it.
            return Ok(None);
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Some((media, bytes)))
    }
}

/// Whether a file is CSV, and of which kind; the columns tell the kind of one whose name does not.
fn csv_of(path: &Path, kind: Option<&str>) -> Result<Option<Option<RowKind>>, Failure> {
    let extension = path.extension();
    let is_csv = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let is_stdin = path.as_os_str() == "-";
    match kind {
        Some(kind) if is_csv || is_stdin => kind_of(kind).map(Some).map(Some).map_err(|allowed| {
            let allowed = allowed.english();
            Failure::usage(format!(
                "`{kind}` is no kind of rows; --kind takes {allowed}"
            ))
        }),
        None if is_csv => {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            Ok(Some(stem.and_then(|stem| kind_of(stem).ok())))
        }
        _ => Ok(None),
    }
}

/// A file that a media row names by its path, or by its hash where an export has written it.
pub(super) struct MediaFile {
    pub(super) path: String,
    pub(super) hash: Option<String>,
    row: Value,
}

impl MediaFile {
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let mut row: Value = serde_json::from_slice(line).ok()?;
        let row = row.get_mut("ArtikelMedia").map(Value::take)?;
        let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let (path, hash) = match (text("Datei"), text("SHA256")) {
            (Some(path), _) => (path, None),
            (None, Some(hash)) => {
                let hash = hash.to_lowercase();
                (format!("media/{hash}"), Some(hash))
            }
            (None, None) => return None,
        };
        Some(Self { path, hash, row })
    }

    /// A file with a name must be there; one with a hash may be in the store.
    fn check(&self, folder: &Path) -> Result<(), Problem> {
        match open_inside(folder, &self.path) {
            Err((code, reason)) if self.hash.is_none() => {
                let message = Sentence::Text(format!("`{}` {reason}", self.path));
                Err(Problem::new("ArtikelMedia.Datei", code, message))
            }
            _ => Ok(()),
        }
    }

    /// The row with the hash of the stored file in place of its path.
    pub(super) fn stored_as(mut self, hash: &str) -> Vec<u8> {
        if let Some(fields) = self.row.as_object_mut() {
            let name = fields.get("AMDDateiName").and_then(Value::as_str);
            let is_named = name.is_some_and(|name| !name.trim().is_empty());
            if fields.remove("Datei").is_some() && !is_named {
                // A row derives name and format of the file from its path.
                let name = self.path.rsplit(['/', '\\']).next().unwrap_or(&self.path);
                fields.insert("AMDDateiName".to_owned(), name.into());
            }
            fields.insert("SHA256".to_owned(), hash.into());
        }
        let row = serde_json::json!({"ArtikelMedia": self.row});
        row.to_string().into_bytes()
    }
}

/// Opens a file in a folder or below it, even after resolving symbolic links.
fn open_inside(folder: &Path, path: &str) -> Result<File, (Code, String)> {
    let outside = || {
        let reason = "must name a file in the folder of the import file or below it".to_owned();
        Err((Code::Malformed, reason))
    };
    let unreadable = |error: io::Error| {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "is not there".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        (Code::UnknownFile, reason)
    };
    let relative = Path::new(path);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !relative.components().all(plain) || path.contains('\0') {
        return outside();
    }
    let folder = folder.canonicalize().map_err(unreadable)?;
    let found = folder.join(relative).canonicalize().map_err(unreadable)?;
    if !found.starts_with(&folder) {
        return outside();
    }
    // Checked before opening: opening a pipe would block.
    if !found.is_file() {
        return Err((Code::UnknownFile, "is no file".to_owned()));
    }
    File::open(&found).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_come_from_the_folder_of_the_import_file_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("import");
        fs::create_dir_all(folder.join("bilder")).unwrap();
        fs::write(folder.join("bilder/a.png"), "inside").unwrap();
        fs::write(place.path().join("secret.png"), "outside").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(place.path().join("secret.png"), folder.join("out.png")).unwrap();
            symlink(place.path(), folder.join("up")).unwrap();
            symlink(folder.join("bilder/a.png"), folder.join("in.png")).unwrap();
        }
        let read =
            |path: &str| open_inside(&folder, path).map(|file| io::read_to_string(file).unwrap());
        for path in ["bilder/a.png", "./bilder/a.png", "bilder//a.png"] {
            assert_eq!(read(path).unwrap(), "inside", "{path}");
        }
        #[cfg(unix)]
        assert_eq!(read("in.png").unwrap(), "inside");
        let absolute = place.path().join("secret.png").display().to_string();
        for path in [
            "../secret.png",
            "bilder/../../secret.png",
            absolute.as_str(),
            "..",
        ] {
            assert_eq!(read(path).unwrap_err().0, Code::Malformed, "{path}");
        }
        #[cfg(unix)]
        for path in ["out.png", "up/secret.png"] {
            assert_eq!(read(path).unwrap_err().0, Code::Malformed, "{path}");
        }
        let unknown = |reason: &str| (Code::UnknownFile, reason.to_owned());
        assert_eq!(read("nope.png").unwrap_err(), unknown("is not there"));
        assert_eq!(read("bilder").unwrap_err(), unknown("is no file"));
    }
}
