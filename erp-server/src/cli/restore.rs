//! `erp-server restore`: a new store from a backup.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::{fs, io};

use clap::Args;
use erp_core::erp::FirstNumbers;
use erp_core::storage::Sequence;
use jiff::Timestamp;

use super::backup::{contents, summary, verified};
use super::failure::Failure;
use super::json::with;
use super::open::{database_options, store_failure, store_options};
use super::print::ResultArgs;
use super::private_file::PrivateFile;
use super::settings_args::SettingsArgs;
use crate::backup::Manifest;
use crate::config::Settings;
use crate::media::Bodies;
use crate::observe::logging;
use crate::store::postgres::load;
use crate::store::{Continuation, create_private, holds_store, restore};

/// Create the store of a backup in an empty data folder or database
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server restore erp.tar.gz --data /var/lib/erp-restored\n  \
        erp-server restore - --nothing-lost moves --database postgresql://erp@db/erp --data /srv/erp")]
pub(super) struct RestoreCommand {
    /// The backup; `-` is standard input
    file: PathBuf,
    /// Continue with the next numbers and the same event ids, because nothing was written after the backup: why
    #[arg(long, value_name = "REASON")]
    nothing_lost: Option<String>,
    /// How many numbers of each sequence to skip, where it is known how many were given out after the backup
    #[arg(long, value_name = "N", conflicts_with = "nothing_lost")]
    skip: Option<u64>,
    #[command(flatten)]
    result: ResultArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl RestoreCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = self.settings.load()?;
        let data_dir = &settings.store.data_dir;
        let is_piped = self.file.as_os_str() == "-";
        let received = is_piped.then(|| receive(&settings)).transpose()?;
        let received = received.as_ref().map(PrivateFile::path);
        let mut backup = verified(received.unwrap_or(&self.file))?;
        let database = database_options(&settings)?;
        let target = match &database {
            None => data_dir.display().to_string(),
            Some(database) => database.url.to_string(),
        };
        // Media before records, so that no record refers to a missing file.
        let media = Bodies::of(&settings.media_options())?.unbounded();
        refuse_full(&settings)?;
        let refuse = |error: io::Error| Failure::cannot_write(data_dir, &error);
        create_private(data_dir).map_err(refuse)?;
        backup.restore_media(&media).map_err(refuse)?;
        let snapshot = backup.manifest().snapshot.clone();
        let continuation = if self.nothing_lost.is_some() {
            Continuation::lossless(&snapshot)
        } else {
            let first = first_numbers(&settings);
            let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
            Continuation::after_loss(&snapshot, (&first, self.skip), now, rand::random())
        };
        let options = store_options(&settings);
        let filled = match &database {
            Some(database) => load(database, &snapshot, &continuation, &mut backup, &mut |_| ()),
            None => restore(data_dir, &options, &snapshot, &continuation, &mut backup),
        };
        filled.map_err(store_failure)?;
        self.log(&settings)?;
        self.report(backup.manifest(), &target, &continuation);
        Ok(())
    }

    /// Notes in the log of the new store why no number is skipped: who finds one twice looks there.
    fn log(&self, settings: &Settings) -> Result<(), Failure> {
        if let Some(reason) = &self.nothing_lost {
            let log = logging::start(&settings.logging_options(), false)?;
            tracing::warn!(reason, "restored with nothing lost: no number is skipped");
            log.flush()?;
        }
        Ok(())
    }

    fn report(&self, manifest: &Manifest, target: &str, continuation: &Continuation) {
        let mut words = format!("restored to `{target}`: {}", summary(manifest));
        let next = |sequence: Sequence| continuation.sequences.get(sequence.as_str());
        let (order, customer) = (next(Sequence::Order), next(Sequence::Customer));
        if let Some(reason) = &self.nothing_lost {
            words.push_str(&format!(
                "\nnumbers and event ids continue where the backup ends, because nothing is lost: {reason}"
            ));
        } else if let (Some(order), Some(customer)) = (order, customer) {
            words.push_str(&format!(
                "\nnew numbers skip those that were given out after the backup: orders continue at {order}, customers at {customer}"
            ));
        }
        let fields = with(contents(manifest), "restored_to", target);
        let fields = with(fields, "next_order", order.copied());
        let fields = with(fields, "next_customer", customer.copied());
        let fields = with(fields, "nothing_lost", self.nothing_lost.as_deref());
        self.result.print(&fields, words);
    }
}

/// The start of sequences that have not given out a number.
fn first_numbers(settings: &Settings) -> BTreeMap<Sequence, u64> {
    BTreeMap::from([
        (Sequence::Order, settings.business.first_order_number),
        (Sequence::Offer, settings.business.first_offer_number),
        (Sequence::Customer, settings.business.first_customer_number),
        (Sequence::Address, FirstNumbers::default().address),
    ])
}

/// A backup from standard input. Every bit of it is verified before anything is stored, so it is a file until then.
fn receive(settings: &Settings) -> Result<PrivateFile, Failure> {
    refuse_full(settings)?;
    create_private(&settings.store.data_dir)?;
    let mut part = PrivateFile::create(&settings.store.data_dir.join("received"))?;
    io::copy(&mut io::stdin().lock(), &mut part)?;
    part.sync()?;
    Ok(part)
}

/// A restore changes neither a folder with a store nor one with files of others. What an interrupted restore left is
/// its own.
fn refuse_full(settings: &Settings) -> Result<(), Failure> {
    let data_dir = &settings.store.data_dir;
    if settings.store.database.is_some() {
        return Ok(());
    }
    let own = |name: &OsStr| {
        let names = ["lost+found", "LOCK", "media", "recovering"];
        names.iter().any(|own| name == *own) || name.to_string_lossy().starts_with("received")
    };
    let mut entries = fs::read_dir(data_dir).into_iter().flatten().flatten();
    let what = if holds_store(data_dir) {
        "a store already".to_owned()
    } else if let Some(other) = entries.find(|entry| !own(&entry.file_name())) {
        format!("`{}`", other.file_name().display())
    } else {
        return Ok(());
    };
    Err(Failure::new(format!(
        "`{}` holds {what}; choose an empty or a new directory",
        data_dir.display()
    )))
}
