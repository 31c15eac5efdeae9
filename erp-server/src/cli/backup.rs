//! `erp-server backup`, `erp-server verify`.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::Erp;
use erp_core::erp::BackupNote;
use http_body_util::BodyExt as _;
use hyper::Method;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::backend::{Backend, BackendArgs};
use super::failure::Failure;
use super::json::with;
use super::media::bodies;
use super::print::ResultArgs;
use super::private_file::Part;
use super::progress::byte_bar;
use super::time::{commit_time, readable};
use crate::backup::{Backup, BackupError, BackupSource, Manifest, write};
use crate::media::Bodies;
use crate::resources::backup_file_name;
use crate::store::{Snapshots as _, Store};

/// Write one state of the store with its media to a file, and verify it; of a running server with `--server`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server backup erp.tar.gz\n  \
        erp-server backup --server https://erp.example.com --login admin")]
pub(super) struct BackupCommand {
    /// The file to write; without it a file in this folder, named by the time
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
        if output.exists() {
            return Err(Failure::exists(&output));
        }
        let backup = self.backend.run(async |backend| match backend {
            Backend::Server(_) => online(backend, &output).await,
            Backend::Store(erp, settings) => offline(erp, &bodies(settings), &output).await,
        })?;
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
    result.print(
        &fields,
        format_args!("{file}: {}", summary(backup.manifest())),
    );
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

async fn online(server: &Backend, output: &Path) -> Result<Backup, Failure> {
    let mut response = server.open("/admin/backup").await?;
    let bar = byte_bar("receiving");
    let mut part = create(output)?;
    while let Some(frame) = response.frame().await {
        let frame =
            frame.map_err(|error| Failure::new(format!("the backup was cut off: {error}")))?;
        if let Ok(data) = frame.into_data() {
            bar.inc(data.len() as u64);
            let written = part.write_all(&data);
            written.map_err(|error| Failure::cannot_write(part.path(), &error))?;
        }
    }
    bar.finish_and_clear();
    let backup = finish(part)?;
    let confirmation = json!({"sha256": backup.sha256()});
    server
        .call(Method::POST, "/admin/backup/confirm", Some(&confirmation))
        .await?;
    Ok(backup)
}

async fn offline(erp: &Erp<Store>, bodies: &Bodies, output: &Path) -> Result<Backup, Failure> {
    let source = BackupSource {
        store: erp.store(),
        bodies,
    };
    let mut part = create(output)?;
    let bar = byte_bar("writing");
    let written = write(&source, &mut bar.wrap_write(&mut part));
    written.map_err(|error| match error {
        BackupError::Io(error) => Failure::cannot_write(part.path(), &error),
        other => other.into(),
    })?;
    bar.finish_and_clear();
    let backup = finish(part)?;
    // When the store is closed, the checkpoint removes the covered part of the journal.
    let snapshot = &backup.manifest().snapshot;
    erp.store().backed_up(snapshot)?;
    let at = Timestamp::now();
    let note = BackupNote {
        at,
        revision: snapshot.revision,
    };
    // A store without room for a note has its backup all the same.
    if erp.upkeep(at).note_backup(note).await.is_err() {
        complain!("erp-server: warning: the time of this backup could not be noted");
    }
    Ok(backup)
}

fn create(output: &Path) -> Result<Part, Failure> {
    Part::create(output).map_err(|error| Failure::cannot_write(output, &error))
}

/// Syncs the file, verifies what is on the disk, and gives it its name.
fn finish(mut part: Part) -> Result<Backup, Failure> {
    let synced = part.sync();
    synced.map_err(|error| Failure::cannot_write(part.path(), &error))?;
    let backup = verified(part.path())?;
    part.keep()?;
    Ok(backup)
}

/// Reads a backup and verifies every bit of it.
pub(super) fn verified(path: &Path) -> Result<Backup, Failure> {
    let bar = byte_bar("verifying");
    let backup = Backup::verify(path, &mut |bytes| match bar.length() {
        None => bar.set_length(bytes),
        Some(_) => bar.inc(bytes),
    });
    bar.finish_and_clear();
    backup.map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}
