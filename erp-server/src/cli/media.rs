//! `erp-server media`: maintenance of the media files.

use std::sync::Arc;

use clap::Subcommand;
use serde_json::{Value, json};

use super::failure::Failure;
use super::open::{Opening, open_erp, runtime};
use super::settings_args::SettingsArgs;
use crate::config::Settings;
use crate::media::{Bodies, GRACE, Unnamed, collect};

/// Maintain the media files while no server runs
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server media collect --dry-run")]
pub(super) enum MediaCommand {
    /// Move media files aside that no record names, and remove those that were moved aside a day ago; a running server
    /// does so every hour
    #[command(after_help = "Example:\n  erp-server media collect --dry-run")]
    Collect {
        /// Only list what would be moved aside
        #[arg(long)]
        dry_run: bool,
        /// Print the files and the count of the others as one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: SettingsArgs,
    },
}

impl MediaCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self::Collect {
            dry_run,
            json,
            settings,
        } = self;
        let settings = settings.load()?;
        let (unnamed, done) = if dry_run {
            (Unnamed::List, "would be moved aside")
        } else {
            (Unnamed::Remove, "moved aside")
        };
        let erp = open_erp(&settings, Opening::Existing)?;
        let bodies = bodies(&settings);
        let collected = runtime()?.block_on(collect(&erp, &bodies, GRACE, unnamed));
        erp.store().close()?;
        let collected = collected?;
        let files = collected.unnamed.iter();
        if json {
            let files =
                files.map(|file| json!({"sha256": file.hash.to_string(), "bytes": file.length}));
            let files: Value = files.collect();
            say!(
                "{}",
                json!({"named": collected.named, "unnamed": files, "removed": !dry_run})
            );
            return Ok(());
        }
        files.for_each(|file| say!("{} {} bytes", file.hash, file.length));
        say!(
            "{} files named by records, {} not named {done} ({} bytes), {} of earlier days removed",
            collected.named,
            collected.unnamed.len(),
            collected.bytes(),
            collected.removed
        );
        Ok(())
    }
}

pub(super) fn bodies(settings: &Settings) -> Arc<Bodies> {
    Arc::new(Bodies::of_checked(&settings.media_options()))
}
