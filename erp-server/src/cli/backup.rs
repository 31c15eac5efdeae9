//! `erp-server backup`, `verify`, `restore`, `recover`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use erp_core::Erp;
use erp_core::erp::imported_number;
use erp_core::storage::Sequence;
use http_body_util::BodyExt as _;
use hyper::Method;
use indicatif::{ProgressBar, ProgressStyle};
use jiff::Timestamp;
use serde_json::json;
use tokio::runtime::Runtime;

use super::media::bodies;
use super::remote::{Remote, with_server};
use super::{
    Failure, Opening, database_options, open_erp, runtime, settings, store_failure, store_options,
    with_settings,
};
use crate::api::backup_file_name;
use crate::backup::{Backup, BackupError, Manifest, Source, write};
use crate::config::Settings;
use crate::media::Bodies;
use crate::media::removal::hold_until_released;
use crate::store::postgres::load;
use crate::store::{
    Continuation, OpenError, Records, Snapshot, Snapshots as _, Store, create_private,
    recover_store, restore, sync_folder,
};

pub(super) fn commands() -> [Command; 4] {
    let output = Arg::new("output")
        .long("output")
        .value_name("FILE")
        .help("Where the backup goes; without it a file named by the time, in this folder");
    let file = |help: &'static str| {
        Arg::new("file")
            .required(true)
            .value_name("FILE")
            .help(help)
    };
    let backup = Command::new("backup")
        .about("Write one state of the store with its media to a file, and verify it; of a running server with `--server`")
        .arg(output);
    let recover = Command::new("recover")
        .about("Make damaged or lost records anew from a backup and the commit journal")
        .arg(
            Arg::new("backup")
                .long("backup")
                .value_name("FILE")
                .help("The backup to begin with; not needed while the journal holds every commit"),
        )
        .arg(
            Arg::new("until")
                .long("until")
                .value_name("TIME")
                .help("Come back to the state at this time, for example 2026-11-21T10:00:00Z; without it every commit counts"),
        );
    [
        with_settings(with_server(backup)),
        Command::new("verify")
            .about("Read a backup and prove every bit of it")
            .arg(file("The backup")),
        with_settings(
            Command::new("restore")
                .about("Make the store of a backup in an empty data folder")
                .arg(file("The backup")),
        ),
        with_settings(recover),
    ]
}

pub(super) fn backup(matches: &ArgMatches) -> Result<(), Failure> {
    let output = matches.get_one::<String>("output").map(PathBuf::from);
    let output = output.unwrap_or_else(|| PathBuf::from(backup_file_name()));
    if output.exists() {
        return Err(Failure::usage(format!(
            "`{}` exists already",
            output.display()
        )));
    }
    let runtime = runtime()?;
    let remote = runtime.block_on(Remote::of(matches))?;
    let backup = match remote {
        Some(remote) => runtime.block_on(online(remote, &output)),
        None => offline(&settings(matches)?, &output),
    }?;
    say!("{}: {}", output.display(), told(backup.manifest()));
    Ok(())
}

fn told(manifest: &Manifest) -> String {
    let time = i64::try_from(manifest.snapshot.time).unwrap_or(0);
    let time = Timestamp::from_millisecond(time).unwrap_or_default();
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
            frame.map_err(|error| Failure::new(format!("the backup broke off: {error}")))?;
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
    let written = write_offline(&erp, &bodies(settings), output);
    let noted = written.and_then(|backup| {
        erp.store().backed_up(&backup.manifest().snapshot)?;
        Ok(backup)
    });
    // The checkpoint at close removes the covered part of the journal.
    erp.store().close()?;
    noted
}

fn write_offline(erp: &Erp<Store>, bodies: &Bodies, output: &Path) -> Result<Backup, Failure> {
    let runtime = runtime()?;
    // Servers that use the database at the same time may remove media files.
    let hold = match erp.store() {
        Store::Sled(_) => None,
        Store::Postgres(_) => Some(runtime.block_on(hold_until_released(erp))?),
    };
    let written = write_held(&runtime, erp, bodies, output);
    if let Some(hold) = hold {
        runtime.block_on(erp.media().release(hold))?;
    }
    written
}

fn write_held(
    runtime: &Runtime,
    erp: &Erp<Store>,
    bodies: &Bodies,
    output: &Path,
) -> Result<Backup, Failure> {
    let mut named = || {
        let named = runtime.block_on(erp.media().named_bodies());
        named.map_err(|error| io::Error::other(error.to_string()))
    };
    let mut source = Source {
        store: erp.store(),
        bodies,
        named: &mut named,
    };
    let mut part = Part::create(output)?;
    let bar = Bar::new("writing");
    let written = write(&mut source, &mut Counted(&mut part.file, &bar));
    written.map_err(|error| match error {
        BackupError::Io(error) => part.refuse(&error),
        other => other.into(),
    })?;
    bar.end();
    part.finish(output)
}

/// A backup being written; dropping an unfinished one removes its file.
struct Part {
    path: PathBuf,
    file: BufWriter<File>,
    done: bool,
}

impl Part {
    fn create(output: &Path) -> Result<Self, Failure> {
        let mut name = output.as_os_str().to_owned();
        name.push(".part");
        let path = PathBuf::from(name);
        let refuse = |error: io::Error| cannot_write(&path, &error);
        // An existing file is from a killed backup or from another user. It is removed and never written to: it may
        // be a link, and it would keep its owner and mode.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(refuse(error)),
            _ => {}
        }
        let mut options = File::options();
        options.write(true).create_new(true);
        // The backup contains all data of the store.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = BufWriter::new(options.open(&path).map_err(refuse)?);
        Ok(Self {
            path,
            file,
            done: false,
        })
    }

    fn refuse(&self, error: &io::Error) -> Failure {
        cannot_write(&self.path, error)
    }

    /// Syncs the file, verifies what is on the disk, and renames it.
    fn finish(mut self, output: &Path) -> Result<Backup, Failure> {
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

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("`{}` cannot be written: {error}", path.display()))
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn verified(path: &Path) -> Result<Backup, Failure> {
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

pub(super) fn verify(matches: &ArgMatches) -> Result<(), Failure> {
    let path = file(matches);
    let backup = verified(&path)?;
    say!("{}: {}", path.display(), told(backup.manifest()));
    Ok(())
}

fn file(matches: &ArgMatches) -> PathBuf {
    matches
        .get_one::<String>("file")
        .map(PathBuf::from)
        .unwrap_or_default()
}

pub(super) fn restore_store(matches: &ArgMatches) -> Result<(), Failure> {
    let settings = settings(matches)?;
    let mut backup = verified(&file(matches))?;
    let place = match database_options(&settings)? {
        None => settings.data_dir.display().to_string(),
        Some(database) => database.url.to_string(),
    };
    // Media before records, so that no record refers to a missing file.
    let media = Bodies::of(&settings)?.unbounded();
    if settings.database.is_none() {
        refuse_full(&settings.data_dir)?;
    }
    let refuse = |error: io::Error| cannot_write(&settings.data_dir, &error);
    create_private(&settings.data_dir).map_err(refuse)?;
    backup.restore_media(&media).map_err(|error| match error {
        BackupError::Io(error) => refuse(error),
        other => other.into(),
    })?;
    let snapshot = backup.manifest().snapshot.clone();
    let first = first_numbers(&settings, &mut backup).map_err(refuse)?;
    let continuation = Continuation::after_loss(&snapshot, &first);
    fill(
        &settings,
        &snapshot,
        &continuation,
        &mut backup,
        &mut |_| (),
    )?;
    say!("restored to `{}`: {}", place, told(backup.manifest()));
    let next = |sequence: Sequence| continuation.sequences.get(sequence.name());
    if let (Some(order), Some(customer)) = (next(Sequence::Order), next(Sequence::Customer)) {
        say!(
            "new numbers skip those that were given out after the backup: orders go on at {order}, customers at {customer}"
        );
    }
    Ok(())
}

/// The start of sequences that have not given out a number, from settings or imports.
fn first_numbers(
    settings: &Settings,
    records: &mut dyn Records,
) -> io::Result<BTreeMap<Sequence, u64>> {
    let mut first = BTreeMap::from([
        (Sequence::Order, settings.first_order_number),
        (Sequence::Offer, settings.first_offer_number),
        (Sequence::Customer, settings.first_customer_number),
        (Sequence::Address, settings.first_address_number),
    ]);
    records.each(&mut |key, _, value| {
        let imported = value.and_then(|value| imported_number(&key, &value));
        if let Some((sequence, number)) = imported {
            let number = number.saturating_add(1);
            let least = first.entry(sequence).or_default();
            *least = number.max(*least);
        }
        Ok(())
    })?;
    Ok(first)
}

/// Creates the store of these settings from a snapshot; fails if there is one already.
pub(super) fn fill(
    settings: &Settings,
    snapshot: &Snapshot,
    continuation: &Continuation,
    records: &mut dyn Records,
    arrived: &mut dyn FnMut(u64),
) -> Result<(), Failure> {
    let filled = match database_options(settings)? {
        Some(database) => load(&database, snapshot, continuation, records, arrived),
        None => restore(
            &settings.data_dir,
            &store_options(settings),
            snapshot,
            continuation,
            records,
        ),
    };
    filled.map_err(store_failure)
}

/// A restore never changes a folder with a store.
fn refuse_full(data_dir: &Path) -> Result<(), Failure> {
    match crate::store::holds_store(data_dir) {
        true => Err(Failure::new(format!(
            "`{}` holds a store already; choose an empty or a new directory",
            data_dir.display()
        ))),
        false => Ok(()),
    }
}

pub(super) fn recover(matches: &ArgMatches) -> Result<(), Failure> {
    let settings = settings(matches)?;
    if settings.database.is_some() {
        return Err(Failure::usage(
            "`recover` is for the store in a data folder; a database is recovered by its own means",
        ));
    }
    let until = match matches.get_one::<String>("until") {
        Some(text) => Some(time(text)?),
        None => None,
    };
    let mut backup = match matches.get_one::<String>("backup") {
        Some(path) => Some(verified(Path::new(path))?),
        None => None,
    };
    let options = store_options(&settings);
    if let Some(backup) = &backup {
        backup.restore_media(&Bodies::of(&settings)?.unbounded())?;
    }
    let snapshot = backup
        .as_ref()
        .map(|backup| backup.manifest().snapshot.clone());
    let base = snapshot
        .as_ref()
        .zip(backup.as_mut().map(|backup| backup as &mut dyn Records));
    let has_base = base.is_some();
    let recovery =
        recover_store(&settings.data_dir, &options, base, until).map_err(|error| match error {
            // A backup was given already, so `recover` cannot help: advise to restore it.
            OpenError::Damaged { path, what, .. } if has_base => {
                store_failure(OpenError::Damaged {
                    path,
                    what,
                    advice: OpenError::RESTORE,
                })
            }
            error => store_failure(error),
        })?;
    let time = i64::try_from(recovery.time).unwrap_or(0);
    say!(
        "recovered to commit {} at {}, {} of them from the journal; what was there before is in `{}`",
        recovery.revision,
        Timestamp::from_millisecond(time).unwrap_or_default(),
        recovery.replayed,
        settings.data_dir.join(&recovery.aside).display()
    );
    if until.is_some() {
        say!("make a new backup now: the journal of the recovered store begins with this state");
    }
    Ok(())
}

/// Milliseconds since 1970; a commit of this very millisecond is included.
fn time(text: &str) -> Result<u64, Failure> {
    let time: Timestamp = text
        .parse()
        .map_err(|error| Failure::usage(format!("--until `{text}`: {error}")))?;
    u64::try_from(time.as_millisecond())
        .map_err(|_| Failure::usage(format!("--until `{text}` is before 1970")))
}

/// A progress bar on a terminal; no output elsewhere.
struct Bar(ProgressBar);

impl Bar {
    fn new(what: &'static str) -> Self {
        if !io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}");
        let bar = ProgressBar::no_length().with_message(what);
        Self(bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    fn count(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}

/// Counts the written bytes.
struct Counted<'a>(&'a mut BufWriter<File>, &'a Bar);

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
