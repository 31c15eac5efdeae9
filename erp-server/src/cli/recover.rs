//! `erp-server recover`: repairs a store from a backup and its journal.

use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use super::backup::verified;
use super::failure::Failure;
use super::open::{Opening, check_folder, store_failure, store_options};
use super::print::ResultArgs;
use super::settings_args::SettingsArgs;
use super::time::{commit_time, readable, time};
use crate::backup::Backup;
use crate::media::Bodies;
use crate::store::sled::RESTORE_ADVICE;
use crate::store::{OpenError, Records, Recovery, recover_store};

/// Rebuild damaged or lost records from a backup and the commit journal
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server recover --backup erp.tar.gz --data /var/lib/erp")]
pub(super) struct RecoverCommand {
    /// The backup to start with; not needed while the journal holds every commit
    #[arg(long, value_name = "FILE")]
    backup: Option<PathBuf>,
    /// Return to the state at this time, for example 2026-11-21T10:00:00Z; without it every commit counts
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<Timestamp>,
    #[command(flatten)]
    result: ResultArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl RecoverCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let settings = self.settings.load()?;
        if settings.store.database.is_some() {
            return Err(Failure::usage(
                "`recover` is for the store in a data folder; a database is recovered by its own means",
            ));
        }
        check_folder(&settings, Opening::Existing)?;
        let until = self.until.map(milliseconds).transpose()?;
        let mut backup = self.backup.as_deref().map(verified).transpose()?;
        let options = store_options(&settings);
        let snapshot = backup.as_ref().map(Backup::manifest);
        let snapshot = snapshot.map(|manifest| manifest.snapshot.clone());
        let records = backup.as_mut().map(|backup| backup as &mut dyn Records);
        let base = snapshot.as_ref().zip(records);
        let has_base = base.is_some();
        let recovered = recover_store(&settings.store.data_dir, &options, base, until);
        let recovery = recovered.map_err(|mut error| {
            // A backup was given already, so `recover` cannot help: advise to restore it.
            if let OpenError::Damaged { advice, .. } = &mut error
                && has_base
            {
                *advice = RESTORE_ADVICE;
            }
            store_failure(error)
        })?;
        // Only now it is known that the backup is of this store.
        if let Some(backup) = &backup {
            backup.restore_media(&Bodies::of(&settings.media_options())?.unbounded())?;
        }
        self.report(&recovery, &settings.store.data_dir.join(&recovery.aside));
        Ok(())
    }

    fn report(&self, recovery: &Recovery, aside: &Path) {
        let (time, aside) = (commit_time(recovery.time), aside.display());
        let mut words = format!(
            "recovered to commit {} at {}, {} of them from the journal; what was there before is in `{aside}`",
            recovery.revision,
            readable(time),
            recovery.replayed,
        );
        if self.until.is_some() {
            words.push_str(
                "\nmake a new backup now: the journal of the recovered store begins with this state",
            );
        }
        let result = json!({
            "revision": recovery.revision,
            "time": time.to_string(),
            "replayed": recovery.replayed,
            "replaced_files": aside.to_string(),
        });
        self.result.print(&result, words);
    }
}

/// Milliseconds since 1970; a commit of this very millisecond is included.
fn milliseconds(until: Timestamp) -> Result<u64, Failure> {
    u64::try_from(until.as_millisecond())
        .map_err(|_| Failure::usage(format!("--until `{until}` is before 1970")))
}
