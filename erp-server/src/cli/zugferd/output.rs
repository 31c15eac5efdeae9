//! Writes results atomically and without overwriting existing files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::failure::Failure;
use crate::cli::private_file::folder_of;

/// Where the results of a command go.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Write this file; `-` is standard output
    #[arg(long, short, value_name = "FILE", conflicts_with = "output_dir")]
    output: Option<PathBuf>,
    /// Write into this folder, which is created if it is missing
    #[arg(long, value_name = "FOLDER")]
    output_dir: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

impl OutputArgs {
    pub(super) const fn is_given(&self) -> bool {
        self.output.is_some() || self.output_dir.is_some() || self.force
    }

    /// Standard output, unless another destination was given.
    pub(super) fn or_stdout(mut self) -> Self {
        if self.output_dir.is_none() {
            self.output.get_or_insert_with(|| PathBuf::from("-"));
        }
        self
    }

    /// The destination for this number of input files.
    pub(super) fn open(self, files: usize) -> Result<Outputs, Failure> {
        let destination = match (self.output, self.output_dir) {
            (Some(_), _) if files > 1 => {
                return Err(Failure::usage(
                    "`--output` names one file, but there are several; use `--output-dir`",
                ));
            }
            (Some(file), _) if file.as_os_str() == "-" => Destination::Stdout,
            (Some(file), _) => Destination::File(file),
            (None, Some(folder)) => {
                fs::create_dir_all(&folder)
                    .map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
                Destination::Folder(folder)
            }
            (None, None) => Destination::Beside,
        };
        Ok(Outputs {
            destination,
            force: self.force,
            written: BTreeMap::new(),
        })
    }
}

#[derive(Debug)]
pub(super) struct Outputs {
    destination: Destination,
    force: bool,
    /// The files of this run, each with its input: one run never replaces its own results.
    written: BTreeMap<PathBuf, PathBuf>,
}

#[derive(Debug)]
enum Destination {
    /// Next to each input file.
    Beside,
    Folder(PathBuf),
    File(PathBuf),
    Stdout,
}

impl Outputs {
    pub(super) const fn is_stdout(&self) -> bool {
        matches!(self.destination, Destination::Stdout)
    }

    pub(super) const fn is_folder(&self) -> bool {
        matches!(self.destination, Destination::Folder(_))
    }

    /// Writes the result of an input; `beside` and `within` are its names next to the input and within an output
    /// folder. Returns its location.
    pub(super) fn write(
        &mut self,
        input: &Path,
        beside: &str,
        within: &str,
        bytes: &[u8],
    ) -> Result<String, String> {
        let path = match &self.destination {
            Destination::Stdout => {
                let mut stdout = io::stdout().lock();
                let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
                written.map_err(|error| format!("standard output: {error}"))?;
                return Ok("-".to_owned());
            }
            Destination::Beside => input.with_file_name(beside),
            Destination::Folder(folder) => folder.join(within),
            Destination::File(file) => file.clone(),
        };
        let shown = path.display().to_string();
        if let Some(first) = self.written.get(&path) {
            let first = first.display();
            return Err(format!("{shown}: it was written in this run for `{first}`"));
        }
        self.write_file(&path, bytes)
            .map_err(|error| format!("{shown}: {error}"))?;
        self.written.insert(path, input.to_owned());
        Ok(shown)
    }

    /// Writes and syncs a temporary file, then renames it.
    fn write_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if !self.force && path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".erp-zugferd-").suffix(".part");
        #[cfg(unix)]
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        #[cfg(unix)]
        builder.permissions(permissions);
        let mut file = builder.tempfile_in(folder_of(path))?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        let kept = if self.force {
            file.persist(path)
        } else {
            file.persist_noclobber(path)
        };
        match kept {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
            Err(error) => Err(error.error),
        }
    }
}

fn exists() -> io::Error {
    let text = "it exists already; `--force` replaces it";
    io::Error::new(io::ErrorKind::AlreadyExists, text)
}
