//! `erp-server restore`: a new store from a backup.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use erp_core::erp::FirstNumbers;
use erp_core::storage::Sequence;
use jiff::Timestamp;

use super::backup::{contents, summary, verified};
use super::failure::Failure;
use super::json::with;
use super::open::{database_options, store_failure, store_options};
use super::print::ResultArgs;
use super::settings_args::SettingsArgs;
use crate::backup::{BackupError, Manifest};
use crate::config::Settings;
use crate::media::Bodies;
use crate::store::postgres::load;
use crate::store::{Continuation, Records, Snapshot, create_private, restore};

/// Create the store of a backup in an empty data folder
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server restore erp.tar.gz --data /var/lib/erp-restored")]
pub(super) struct RestoreCommand {
    /// The backup
    file: PathBuf,
    #[command(flatten)]
    result: ResultArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl RestoreCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = self.settings.load()?;
        let mut backup = verified(&self.file)?;
        let target = match database_options(&settings)? {
            None => settings.store.data_dir.display().to_string(),
            Some(database) => database.url.to_string(),
        };
        // Media before records, so that no record refers to a missing file.
        let media = Bodies::of(&settings.media_options())?.unbounded();
        if settings.store.database.is_none() {
            refuse_full(&settings.store.data_dir)?;
        }
        let refuse = |error: io::Error| Failure::cannot_write(&settings.store.data_dir, &error);
        create_private(&settings.store.data_dir).map_err(refuse)?;
        backup.restore_media(&media).map_err(|error| match error {
            BackupError::Io(error) => refuse(error),
            other => other.into(),
        })?;
        let snapshot = backup.manifest().snapshot.clone();
        let first = first_numbers(&settings);
        let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
        let continuation = Continuation::after_loss(&snapshot, &first, now, rand::random());
        fill(
            &settings,
            &snapshot,
            &continuation,
            &mut backup,
            &mut |_| (),
        )?;
        self.report(backup.manifest(), &target, &continuation);
        Ok(())
    }
}

impl RestoreCommand {
    fn report(&self, manifest: &Manifest, target: &str, continuation: &Continuation) {
        let mut words = format!("restored to `{target}`: {}", summary(manifest));
        let next = |sequence: Sequence| continuation.sequences.get(sequence.name());
        let (order, customer) = (next(Sequence::Order), next(Sequence::Customer));
        if let (Some(order), Some(customer)) = (order, customer) {
            words.push_str(&format!(
                "\nnew numbers skip those that were given out after the backup: orders continue at {order}, customers at {customer}"
            ));
        }
        let fields = with(contents(manifest), "restored_to", target);
        let fields = with(fields, "next_order", order.copied());
        let fields = with(fields, "next_customer", customer.copied());
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
            &settings.store.data_dir,
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
