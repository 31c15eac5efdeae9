//! `erp-server backup`, `erp-server verify`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use futures_util::TryStreamExt as _;
use http_body_util::BodyExt as _;
use hyper::Method;
use serde_json::{Value, json};

use super::backend::{Backend, BackendArgs};
use super::failure::Failure;
use super::json::with;
use super::print::{ResultArgs, byte_bar};
use super::private_file::PrivateFile;
use super::time::{commit_time, readable};
use crate::backup::{Backup, Manifest};
use crate::resources::backup_file_name;

/// Write one state of the store with its media to a file, and verify it; of a running server with `--server`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server backup erp.tar.gz\n  \
        erp-server backup - --data /var/lib/erp\n  \
        erp-server backup --server https://erp.example.com --login admin")]
pub(super) struct BackupCommand {
    /// The file to write, or `-` for standard output, where whoever reads it verifies it; without it a file in this
    /// folder, named by the time
    file: Option<PathBuf>,
    /// FILE, as scripts may still name it
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "file")]
    output: Option<PathBuf>,
    #[command(flatten)]
    result: ResultArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

impl BackupCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let output = self.file.or(self.output);
        let output = output.unwrap_or_else(|| PathBuf::from(backup_file_name()));
        if output.as_os_str() == "-" {
            let mut output = io::stdout();
            let cannot = |error| Failure::cannot_write(Path::new("standard output"), &error);
            return self
                .backend
                .run(async |backend| receive(backend, &mut output, cannot).await);
        }
        if output.exists() {
            return Err(Failure::exists(&output));
        }
        let backup = self
            .backend
            .run(async |backend| receive_file(backend, &output).await)?;
        report(&self.result, &output, &backup);
        Ok(())
    }
}

/// Read a backup and verify every bit of it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server verify erp.tar.gz")]
pub(super) struct VerifyCommand {
    /// The backup
    file: PathBuf,
    #[command(flatten)]
    result: ResultArgs,
}

impl VerifyCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let backup = verified(&self.file)?;
        report(&self.result, &self.file, &backup);
        Ok(())
    }
}

fn report(result: &ResultArgs, file: &Path, backup: &Backup) {
    let file = file.display();
    let fields = with(contents(backup.manifest()), "file", file.to_string());
    let fields = with(fields, "sha256", backup.sha256());
    let words = format!("{file}: {}", summary(backup.manifest()));
    result.print(&fields, words);
}

pub(super) fn contents(manifest: &Manifest) -> Value {
    json!({
        "revision": manifest.snapshot.revision,
        "time": commit_time(manifest.snapshot.time).to_string(),
        "records": manifest.records,
        "media_files": manifest.media,
        "missing_media": manifest.missing_media,
    })
}

pub(super) fn summary(manifest: &Manifest) -> String {
    let time = readable(commit_time(manifest.snapshot.time));
    let missing = match manifest.missing_media.len() {
        0 => String::new(),
        count => format!(
            "; {count} media files that records name were missing or damaged: {}",
            manifest.missing_media.join(", ")
        ),
    };
    format!(
        "the state of commit {} at {time}, {} records, {} media files, verified{missing}",
        manifest.snapshot.revision, manifest.records, manifest.media
    )
}

/// Writes a backup as it arrives; `cannot` names where when that fails.
async fn receive(
    backend: &Backend,
    output: &mut impl Write,
    cannot: impl Fn(io::Error) -> Failure,
) -> Result<(), Failure> {
    let response = backend.open("/admin/backup").await?;
    let mut pieces = response.into_body().into_data_stream();
    let bar = byte_bar("receiving");
    let cut_off = |error| Failure::new(format!("the backup ends early: {error}"));
    while let Some(data) = pieces.try_next().await.map_err(cut_off)? {
        bar.inc(data.len() as u64);
        output.write_all(&data).map_err(&cannot)?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Writes a backup to a file, verifies what is on the disk, and says that the journal need not hold it any longer.
async fn receive_file(backend: &Backend, output: &Path) -> Result<Backup, Failure> {
    let cannot = |error| Failure::cannot_write(output, &error);
    let mut part = PrivateFile::create(output).map_err(cannot)?;
    receive(backend, &mut part, cannot).await?;
    part.sync().map_err(cannot)?;
    let backup = verified(part.path())?;
    part.keep()?;
    let confirmation = json!({"sha256": backup.sha256()});
    let noted = backend.call(Method::POST, "/admin/backup/confirm", Some(&confirmation));
    let shown = output.display();
    noted.await.map_err(|failure| {
        let kept = format!("`{shown}` is whole and verified, but the journal keeps what it holds");
        failure.at(kept)
    })?;
    Ok(backup)
}

pub(super) fn verified(path: &Path) -> Result<Backup, Failure> {
    let bar = byte_bar("verifying");
    let backup = Backup::verify(path, &mut |bytes| match bar.length() {
        None => bar.set_length(bytes),
        Some(_) => bar.inc(bytes),
    });
    bar.finish_and_clear();
    backup.map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}
