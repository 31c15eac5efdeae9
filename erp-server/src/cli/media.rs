//! `erp-server media`: maintenance of the media files.

use std::sync::Arc;

use clap::{Args, Subcommand};
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
    Collect(Collect),
}

impl MediaCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Collect(command) => command.run(),
        }
    }
}

/// Move media files aside that no record names, and remove those that were moved aside a day ago; a running server does so
/// every hour
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server media collect --dry-run")]
pub(super) struct Collect {
    /// Only list what would be moved aside
    #[arg(long)]
    dry_run: bool,
    /// Print the files and the count of the others as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl Collect {
    fn run(self) -> Result<(), Failure> {
        let settings = self.settings.load()?;
        let (unnamed, done) = if self.dry_run {
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
        if self.json {
            let files =
                files.map(|file| json!({"sha256": file.hash.to_string(), "bytes": file.length}));
            let files: Value = files.collect();
            say!(
                "{}",
                json!({"named": collected.named, "unnamed": files, "removed": !self.dry_run})
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
