//! `erp-server settings`: a table of all settings, or their effective values.

use clap::{Arg, ArgAction, ArgMatches, Command};
use hyper::Method;
use serde_json::Value;

use super::place::{data, entries, shown};
use super::remote::{Remote, with_server};
use super::{Failure, print, runtime, settings, with_settings};
use crate::config::Settings;
use crate::resources::settings_json;

pub(super) fn command() -> Command {
    let values = Arg::new("values")
        .long("values")
        .action(ArgAction::SetTrue)
        .help("Print the values that file, environment and flags give, instead of the table; with `--server` those of the running server");
    with_settings(with_server(
        Command::new("settings")
            .about("Print all settings with defaults and units, or their values")
            .arg(values),
    ))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let values = match runtime()?.block_on(of_server(matches))? {
        Some(values) => values,
        None if matches.get_flag("values") => {
            settings_json(&settings(matches)?.setting_values()).into()
        }
        None => {
            print::text(format_args!("{}", Settings::table()));
            return Ok(());
        }
    };
    let head = ["name", "value"];
    let rows = entries(&values).iter();
    print::table(head, rows.map(|one| head.map(|of| shown(one, of)).into()));
    Ok(())
}

/// The settings of a running server; `None` without server flags.
async fn of_server(matches: &ArgMatches) -> Result<Option<Value>, Failure> {
    let Some(remote) = Remote::of(matches).await? else {
        return Ok(None);
    };
    let values = data(&remote, Method::GET, "/admin/settings", None).await;
    remote.log_out().await;
    values.map(Some)
}
