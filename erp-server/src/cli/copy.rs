//! `erp-server copy`: a whole store from one place to another.

use std::io;
use std::path::PathBuf;

use clap::Args;
use erp_core::Erp;
use erp_core::storage::{Key, StorageError};
use indicatif::ProgressBar;
use jiff::Timestamp;
use serde_json::json;
use xxhash_rust::xxh3::Xxh3;

use super::failure::Failure;
use super::open::{Opening, check_folder, open_store, runtime};
use super::print::ResultArgs;
use super::progress::bar;
use super::restore::fill;
use super::settings_args::SettingsArgs;
use crate::config::Settings;
use crate::config::core_settings;
use crate::media::{Bodies, BodyState};
use crate::store::{Continuation, RecordSink, Records, Snapshot, Snapshots as _, Store};

/// Copy a whole store between a data folder and a database, and compare; no server may run on either
#[derive(Debug, Args)]
#[command(
    after_help = "The media files of a data folder are copied too; those of a database are where the settings say.\n\n\
        Example:\n  erp-server copy --from /var/lib/erp --to postgresql://erp@db.example.com/erp"
)]
pub(super) struct CopyCommand {
    /// A data folder, or the connection string of a database
    #[arg(long, value_name = "PLACE")]
    from: String,
    /// The same; it must hold no records except those of an interrupted copy
    #[arg(long, value_name = "PLACE")]
    to: String,
    #[command(flatten)]
    result: ResultArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl CopyCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = self.settings.load()?;
        let from = settings_of("from", &self.from, &settings)?;
        let to = settings_of("to", &self.to, &settings)?;
        check_folder(&from, Opening::Existing)?;
        let source = Erp::new(open_store(&from)?, core_settings(&from));
        // Media before records, so that no record refers to a missing file.
        let media = copy_media(&source, &from, &to);
        let copied = media.and_then(|media| Ok((media, copy(source.store(), &to)?)));
        source.store().close()?;
        let (media, (tally, snapshot)) = copied?;
        let (records, revision) = (tally.entries, snapshot.revision);
        self.result.print(
            &json!({"records": records, "revision": revision, "media_files": media}),
            format_args!(
                "{records} records as of commit {revision} and {media} media files copied and compared"
            ),
        );
        Ok(())
    }
}

/// Copies the media files that records refer to, unless both stores share them; returns their number.
fn copy_media(source: &Erp<Store>, from: &Settings, to: &Settings) -> Result<usize, Failure> {
    let named = source.upkeep(Timestamp::now()).named_bodies();
    let named = runtime()?.block_on(named)?;
    if from.media.media_store.is_some() || from.store.data_dir == to.store.data_dir {
        return Ok(named.len());
    }
    let (old, new) = (
        Bodies::of(&from.media_options())?,
        Bodies::of(&to.media_options())?.unbounded(),
    );
    let bar = counting("copying media", named.len() as u64);
    for (hash, length) in &named {
        bar.inc(1);
        if new.state(*hash, *length)? == BodyState::Sound {
            continue;
        }
        let lost = || Failure::new(format!("`{}` is missing or damaged", old.shown(*hash)));
        let body = old.open(*hash, *length)?.ok_or_else(lost)?;
        if new.put(body)?.hash != *hash {
            return Err(lost());
        }
    }
    bar.finish_and_clear();
    Ok(named.len())
}

/// The settings with the store that an option names.
fn settings_of(option: &str, text: &str, settings: &Settings) -> Result<Settings, Failure> {
    let mut settings = settings.clone();
    if text.contains("://") {
        let url = text.parse();
        let url =
            url.map_err(|must: String| Failure::usage(format!("--{option} must be {must}")))?;
        settings.store.database = Some(url);
    } else {
        settings.store.database = None;
        settings.store.data_dir = PathBuf::from(text);
    }
    Ok(settings)
}

fn copy(source: &Store, to: &Settings) -> Result<(Tally, Snapshot), Failure> {
    let (before, snapshot) = tally("reading", source, 0)?;
    let mut again = Recounted {
        store: source,
        read: Tally::default(),
        snapshot: None,
    };
    let bar = counting("copying", before.entries);
    // Nothing is lost, so numbers and revisions continue without a gap.
    let continuation = Continuation::lossless(&snapshot);
    fill(to, &snapshot, &continuation, &mut again, &mut |entries| {
        bar.set_position(entries)
    })?;
    bar.finish_and_clear();
    // The source is compared too: another client may have changed a database meanwhile.
    if again.read != before
        || again
            .snapshot
            .is_none_or(|again| again.revision != snapshot.revision)
    {
        return Err(Failure::new(
            "the records have changed while they were copied; stop every server on them and copy again",
        ));
    }
    let target = open_store(to)?;
    let found = tally("comparing", &target, before.entries);
    target.close()?;
    let (found, copied) = found?;
    let marks = &copied.sequences;
    let continues =
        |(name, mark): (&String, &u64)| marks.get(name).is_some_and(|copied| copied >= mark);
    if found != before || !snapshot.sequences.iter().all(continues) {
        return Err(Failure::new(format!(
            "the copy differs from its source: {} records instead of {}; remove it and copy again",
            found.entries, before.entries
        )));
    }
    Ok((before, snapshot))
}

/// Count and digest of records, independent of their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    entries: u64,
    digest: u128,
}

impl Tally {
    fn add(&mut self, key: &Key, revision: u64, value: &[u8]) {
        let mut hash = Xxh3::new();
        hash.update(&(key.as_bytes().len() as u64).to_be_bytes());
        hash.update(key.as_bytes());
        hash.update(&revision.to_be_bytes());
        hash.update(value);
        self.entries = self.entries.saturating_add(1);
        self.digest = self.digest.wrapping_add(hash.digest128());
    }
}

/// Reads all records of a store without concurrent changes.
fn tally(
    what: &'static str,
    store: &Store,
    expected: u64,
) -> Result<(Tally, Snapshot), StorageError> {
    let (mut tally, bar) = (Tally::default(), counting(what, expected));
    let snapshot = store.snapshot(&mut |key, revision, value| {
        if let Some(value) = value {
            tally.add(&key, revision, &value);
            bar.inc(1);
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok((tally, snapshot))
}

/// The records of a store, counted again while they are read.
struct Recounted<'a> {
    store: &'a Store,
    read: Tally,
    snapshot: Option<Snapshot>,
}

impl Records for Recounted<'_> {
    fn each(&mut self, sink: &mut RecordSink<'_>) -> io::Result<()> {
        let read = &mut self.read;
        let snapshot = self.store.snapshot(&mut |key, revision, value| {
            if let Some(value) = &value {
                read.add(&key, revision, value);
            }
            sink(key, revision, value)
        });
        self.snapshot = Some(snapshot.map_err(|error| io::Error::other(error.to_string()))?);
        Ok(())
    }
}

/// A bar that counts records; without a known end it only counts.
fn counting(what: &'static str, end: u64) -> ProgressBar {
    if end == 0 {
        return bar("{msg} {spinner} {pos} records", what);
    }
    let bar = bar("{msg} {wide_bar} {pos} of {len} records", what);
    bar.set_length(end);
    bar
}
