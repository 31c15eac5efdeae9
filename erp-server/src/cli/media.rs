//! `erp-server media`: maintenance of the media files.

use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Failure, Opening, open_erp, runtime, settings, with_settings};
use crate::config::Settings;
use crate::media::{Bodies, Unnamed, collect};

pub(super) fn command() -> Command {
    let dry_run = Arg::new("dry-run")
        .long("dry-run")
        .action(ArgAction::SetTrue)
        .help("Only list what would be removed");
    let collect = Command::new("collect")
        .about("Remove media files that no record names; a running server does so every hour")
        .arg(dry_run);
    Command::new("media")
        .about("Upkeep of the media files; the server must not run")
        .subcommand_required(true)
        .subcommand(with_settings(collect))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some(("collect", matches)) = matches.subcommand() else {
        return Err(Failure::usage("name what to do with the media files"));
    };
    let settings = settings(matches)?;
    let unnamed = if matches.get_flag("dry-run") {
        Unnamed::List
    } else {
        Unnamed::Remove
    };
    let erp = open_erp(&settings, Opening::Existing)?;
    let bodies = bodies(&settings);
    let collected = runtime()?.block_on(collect(&erp, &bodies, settings.media_grace(), unnamed));
    erp.store().close()?;
    let collected = collected?;
    for body in &collected.unnamed {
        say!("{} {} bytes", body.hash, body.length);
    }
    let (count, bytes) = (collected.unnamed.len(), collected.bytes());
    let done = match unnamed {
        Unnamed::List => "would be removed",
        Unnamed::Remove => "removed",
    };
    say!(
        "{} files named by records, {count} not named {done} ({bytes} bytes)",
        collected.named
    );
    Ok(())
}

/// The media files of these settings.
pub(super) fn bodies(settings: &Settings) -> Arc<Bodies> {
    Arc::new(Bodies::of_checked(&settings.media_options()))
}
