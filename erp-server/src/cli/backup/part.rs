//! The file of a backup while it is written and verified.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};

use crate::backup::Backup;
use crate::cli::failure::Failure;
use crate::cli::private_file::create_private_file;
use crate::store::sync_folder;

/// A backup being written; dropping an unfinished one removes its file.
pub(super) struct Part {
    path: PathBuf,
    pub(super) file: BufWriter<File>,
    done: bool,
}

impl Part {
    pub(super) fn create(output: &Path) -> Result<Self, Failure> {
        let mut name = output.as_os_str().to_owned();
        name.push(".part");
        let path = PathBuf::from(name);
        let refuse = |error: io::Error| cannot_write(&path, &error);
        let file = BufWriter::new(create_private_file(&path).map_err(refuse)?);
        Ok(Self {
            path,
            file,
            done: false,
        })
    }

    pub(super) fn refuse(&self, error: &io::Error) -> Failure {
        cannot_write(&self.path, error)
    }

    /// Syncs the file, verifies what is on the disk, and renames it.
    pub(super) fn finish(mut self, output: &Path) -> Result<Backup, Failure> {
        let flushed = self.file.flush();
        let durable = flushed.and_then(|()| self.file.get_ref().sync_all());
        durable.map_err(|error| self.refuse(&error))?;
        let backup = verified(&self.path)?;
        fs::rename(&self.path, output)?;
        self.done = true;
        let folder = output
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        sync_folder(folder.unwrap_or(Path::new(".")))?;
        Ok(backup)
    }
}

pub(in crate::cli) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("`{}` cannot be written: {error}", path.display()))
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.path);
        }
    }
}

pub(in crate::cli) fn verified(path: &Path) -> Result<Backup, Failure> {
    let bar = Bar::new("verifying");
    let mut length = None;
    let backup = Backup::verify(path, &mut |bytes| match length {
        None => {
            length = Some(bytes);
            bar.0.set_length(bytes);
        }
        Some(_) => bar.count(bytes),
    });
    bar.end();
    backup.map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}

/// A progress bar on a terminal; no output elsewhere.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(what: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}");
        let bar = ProgressBar::no_length().with_message(what);
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    pub(super) fn count(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}

/// Counts the written bytes.
pub(super) struct Counted<'a>(pub(super) &'a mut BufWriter<File>, pub(super) &'a Bar);

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.0.write(bytes)?;
        self.1.count(count as u64);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
