//! Runs commands either on the store of a data folder or on a running server. Each group of commands defines its
//! operations for both, with the same JSON result, and prints the result in one place.

use std::io::{IsTerminal as _, stdout};

use clap::{ArgMatches, Command};
use erp_core::Erp;
use hyper::Method;
use jiff::Timestamp;
use serde_json::Value;

use super::remote::{Remote, with_server};
use super::{Failure, Opening, open_erp, runtime, settings, with_settings};
use crate::config::Settings;
use crate::store::Store;

/// Where a command runs. Operations return the JSON of the endpoints, which the command line renders.
pub(super) enum Place {
    /// The store of a data folder that no server has open.
    Offline(Box<Erp<Store>>, Box<Settings>),
    /// A running server.
    Online(Box<Remote>),
}

/// Adds the flags for both.
pub(super) fn with_place(command: Command) -> Command {
    with_settings(with_server(command))
}

/// Runs a command and closes the store or session.
pub(super) fn at_place<T>(
    matches: &ArgMatches,
    work: impl AsyncFnOnce(&Place) -> Result<T, Failure>,
) -> Result<T, Failure> {
    run_at(matches, Opening::Existing, work)
}

/// The same for a command that may start with an empty data folder.
pub(super) fn at_new_place<T>(
    matches: &ArgMatches,
    work: impl AsyncFnOnce(&Place) -> Result<T, Failure>,
) -> Result<T, Failure> {
    run_at(matches, Opening::InFolder, work)
}

fn run_at<T>(
    matches: &ArgMatches,
    opening: Opening,
    work: impl AsyncFnOnce(&Place) -> Result<T, Failure>,
) -> Result<T, Failure> {
    runtime()?.block_on(async {
        let place = Place::of(matches, opening).await?;
        let done = work(&place).await;
        let left = place.leave().await;
        done.and_then(|done| left.map(|()| done))
    })
}

/// Rejects reading a line of standard input for a flag when the login reads it too.
pub(super) fn own_line(matches: &ArgMatches) -> Result<(), Failure> {
    own_input(matches, "one password or secret")
}

/// Rejects reading standard input for `what` when the login reads it too.
pub(super) fn own_input(matches: &ArgMatches, what: &str) -> Result<(), Failure> {
    let given = |name: &str| matches.contains_id(name);
    match given("server") && !given("user-password-file") {
        true => Err(Failure::usage(format!(
            "standard input holds {what}: `--server` needs `--user-password-file` here"
        ))),
        false => Ok(()),
    }
}

impl Place {
    async fn of(matches: &ArgMatches, opening: Opening) -> Result<Self, Failure> {
        if let Some(remote) = Remote::of(matches).await? {
            return Ok(Self::Online(Box::new(remote)));
        }
        let settings = settings(matches)?;
        let erp = open_erp(&settings, opening)?;
        Ok(Self::Offline(Box::new(erp), Box::new(settings)))
    }

    async fn leave(self) -> Result<(), Failure> {
        match self {
            Self::Offline(erp, _) => erp.store().close()?,
            Self::Online(remote) => remote.log_out().await,
        }
        Ok(())
    }
}

/// Sends a request and returns the field `data` of the response.
pub(super) async fn data(
    remote: &Remote,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Result<Value, Failure> {
    let mut answer = remote.call(method, path, body).await?;
    let data = answer.get_mut("data").map(Value::take);
    Ok(data.unwrap_or_default())
}

/// The entries of a list.
pub(super) fn entries(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A time from a response: on a terminal rounded to seconds, elsewhere exact.
pub(super) fn shown_time(value: &Value, member: &str) -> String {
    let text = shown(value, member);
    match text.parse::<Timestamp>() {
        Ok(at) if stdout().is_terminal() => at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        _ => text,
    }
}

/// A field of a response for display; an absent or `null` one is a dash.
pub(super) fn shown(value: &Value, member: &str) -> String {
    match value.get(member) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
