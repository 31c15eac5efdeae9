//! The documents that a command reads: files, and those in folders.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;

/// Documents that are read at once, and folders inside each other.
const MOST: usize = 100_000;
const DEPTH: usize = 64;

/// A document, or a place that cannot be read.
pub(super) struct Input {
    pub(super) path: PathBuf,
    /// Its name, or its path within the folder that was given.
    pub(super) name: String,
    pub(super) fault: Option<String>,
}

impl Input {
    fn new(path: PathBuf, within: Option<&Path>, fault: Option<String>) -> Self {
        let own = || Path::new(path.file_name().unwrap_or(OsStr::new("document")));
        let name = match within {
            _ if path.as_os_str() == "-" => Path::new("standard-input"),
            Some(folder) if path != folder => path.strip_prefix(folder).unwrap_or_else(|_| own()),
            _ => own(),
        };
        Self {
            name: name.to_string_lossy().into_owned(),
            path,
            fault,
        }
    }
}

/// The files, and of each folder all files `*.xml` and `*.pdf` in it and in folders inside it, in the order of their names.
pub(super) fn inputs(files: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    let mut found = Vec::new();
    for file in files {
        if !file.is_dir() {
            found.push(Input::new(file.clone(), None, None));
            continue;
        }
        let before = found.len();
        search(file, file, DEPTH, &mut found);
        if found.len() > MOST {
            let folder = file.display();
            return Err(Failure::usage(format!(
                "there are more than {MOST} documents in `{folder}`"
            )));
        }
        if found.len() == before {
            let fault = "there is no `*.xml` or `*.pdf` in this folder".to_owned();
            found.push(Input::new(file.clone(), Some(file), Some(fault)));
        }
    }
    Ok(found)
}

fn search(folder: &Path, top: &Path, depth: usize, found: &mut Vec<Input>) {
    let fault = match sorted(folder) {
        _ if depth == 0 => format!("more than {DEPTH} folders are inside each other"),
        Ok(entries) => return search_in(entries, top, depth, found),
        Err(error) => error.to_string(),
    };
    found.push(Input::new(folder.to_owned(), Some(top), Some(fault)));
}

fn search_in(entries: Vec<DirEntry>, top: &Path, depth: usize, found: &mut Vec<Input>) {
    for entry in entries {
        let path = entry.path();
        // Of the entry itself: a symbolic link is neither.
        let kind = entry.file_type();
        if kind.as_ref().is_ok_and(fs::FileType::is_dir) {
            search(&path, top, depth.saturating_sub(1), found);
        } else if kind.is_ok_and(|kind| kind.is_file()) && is_document(&path) {
            found.push(Input::new(path, Some(top), None));
        }
        if found.len() > MOST {
            return;
        }
    }
}

fn sorted(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

fn is_document(path: &Path) -> bool {
    ends_in(path, "xml") || ends_in(path, "pdf")
}

/// Whether a file has this extension, in any case.
pub(super) fn ends_in(path: &Path, wanted: &str) -> bool {
    let own = path.extension();
    own.is_some_and(|own| own.eq_ignore_ascii_case(wanted))
}
