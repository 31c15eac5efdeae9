//! `erp-server backup`, `erp-server verify`.

mod part;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::Erp;
use erp_core::erp::BackupNote;
use http_body_util::BodyExt as _;
use hyper::Method;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::failure::Failure;
use super::json::with;
use super::media::bodies;
use super::open::{Opening, open_erp, runtime};
use super::print::ResultArgs;
use super::remote::{Remote, RemoteArgs};
use super::settings_args::SettingsArgs;
use super::time::{commit_time, readable};
use crate::backup::{Backup, BackupError, Manifest, Source, write};
use crate::config::Settings;
use crate::media::Bodies;
use crate::resources::backup_file_name;
use crate::store::{Snapshots as _, Store};
use part::{Bar, Counted, Part};
pub(super) use part::{cannot_write, verified};

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
    remote: RemoteArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl BackupCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let output = self.file.or(self.output);
        let output = output.unwrap_or_else(|| PathBuf::from(backup_file_name()));
        if output.exists() {
            return Err(Failure::usage(format!(
                "`{}` exists already",
                output.display()
            )));
        }
        let runtime = runtime()?;
        let remote = runtime.block_on(self.remote.log_in())?;
        let backup = match remote {
            Some(remote) => runtime.block_on(online(remote, &output)),
            None => offline(&self.settings.load()?, &output),
        }?;
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

/// What a backup holds, as JSON.
pub(super) fn contents(manifest: &Manifest) -> Value {
    json!({
        "revision": manifest.snapshot.revision,
        "time": commit_time(manifest.snapshot.time).to_string(),
        "records": manifest.records,
        "media_files": manifest.media,
        "missing_media": manifest.missing_media,
    })
}

/// What a backup holds, in one line.
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

async fn online(remote: Remote, output: &Path) -> Result<Backup, Failure> {
    let mut response = remote.open("/admin/backup").await?;
    let bar = Bar::new("receiving");
    let mut part = Part::create(output)?;
    while let Some(frame) = response.frame().await {
        let frame =
            frame.map_err(|error| Failure::new(format!("the backup was cut off: {error}")))?;
        if let Ok(data) = frame.into_data() {
            bar.count(data.len() as u64);
            let written = part.file.write_all(&data);
            written.map_err(|error| part.refuse(&error))?;
        }
    }
    bar.end();
    let backup = part.finish(output)?;
    let confirmation = json!({"sha256": backup.sha256()});
    remote
        .call(Method::POST, "/admin/backup/confirm", Some(&confirmation))
        .await?;
    remote.log_out().await;
    Ok(backup)
}

fn offline(settings: &Settings, output: &Path) -> Result<Backup, Failure> {
    let erp = open_erp(settings, Opening::Existing)?;
    let written = write_offline(erp.store(), &bodies(settings), output);
    let noted = written.and_then(|backup| {
        let snapshot = &backup.manifest().snapshot;
        erp.store().backed_up(snapshot)?;
        note(&erp, snapshot.revision);
        Ok(backup)
    });
    // The checkpoint at close removes the covered part of the journal.
    erp.store().close()?;
    noted
}

/// Notes the time of the backup. A store without room for a note has its backup all the same.
fn note(erp: &Erp<Store>, revision: u64) {
    let at = Timestamp::now();
    let noted = erp.upkeep(at).note_backup(BackupNote { at, revision });
    let noted = runtime().map(|runtime| runtime.block_on(noted));
    if !matches!(noted, Ok(Ok(()))) {
        complain!("erp-server: warning: the time of this backup could not be noted");
    }
}

fn write_offline(store: &Store, bodies: &Bodies, output: &Path) -> Result<Backup, Failure> {
    let source = Source { store, bodies };
    let mut part = Part::create(output)?;
    let bar = Bar::new("writing");
    let written = write(&source, &mut Counted(&mut part.file, &bar));
    written.map_err(|error| match error {
        BackupError::Io(error) => part.refuse(&error),
        other => other.into(),
    })?;
    bar.end();
    part.finish(output)
}
