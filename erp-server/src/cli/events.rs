//! `erp-server events`: webhook targets and deliveries.

use std::io::{BufRead as _, IsTerminal as _};

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::erp::{EventId, EventKind, LogQuery, NewEventTarget};
use hyper::Method;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::place::{Place, at_place, data, entries, own_line, shown, shown_time, with_place};
use super::{Failure, print};
use crate::api::{event_json, target_json};
use crate::audit::this_command;
use crate::events::{Secret, check_kinds, check_url};
use crate::http::Query;

/// Events per request.
const PAGE: usize = 1_000;

pub(super) fn command() -> Command {
    Command::new("events")
        .about("Targets of events, their log, replay")
        .subcommand_required(true)
        .subcommand(with_place(Command::new("targets").about("List targets")))
        .subcommand(with_place(add_command()))
        .subcommand(with_place(
            Command::new("switch")
                .about("Switch a target on or off; what waits for it is kept")
                .arg(target_id())
                .arg(
                    Arg::new("state")
                        .required(true)
                        .value_name("STATE")
                        .value_parser(["on", "off"])
                        .help("What it is to be"),
                ),
        ))
        .subcommand(with_place(
            Command::new("remove")
                .about("Remove a target and end what waits for it")
                .arg(target_id()),
        ))
        .subcommand(with_place(
            Command::new("list")
                .about("List events with their deliveries and attempts")
                .arg(since().help("Only events since this time"))
                .arg(
                    Arg::new("limit")
                        .long("limit")
                        .value_name("N")
                        .default_value("100")
                        .value_parser(clap::value_parser!(u32).range(1..))
                        .help("At most so many"),
                ),
        ))
        .subcommand(with_place(
            Command::new("replay")
                .about("Send one event again, or all since a time, when the server runs")
                .arg(
                    Arg::new("id")
                        .value_name("ID")
                        .value_parser(event_id)
                        .help("The event, like evt_17_0"),
                )
                .arg(
                    since()
                        .help("All events since this time")
                        .conflicts_with("id")
                        .required_unless_present("id"),
                ),
        ))
}

fn target_id() -> Arg {
    Arg::new("id")
        .required(true)
        .value_name("ID")
        .value_parser(clap::value_parser!(u64))
        .help("Number of the target")
}

fn add_command() -> Command {
    Command::new("add")
        .about("Add a target")
        .arg(
            Arg::new("url")
                .required(true)
                .value_name("URL")
                .help("Where events are posted to"),
        )
        .arg(
            Arg::new("kind")
                .long("kind")
                .value_name("KIND")
                .action(ArgAction::Append)
                .value_parser(["REST_Auft", "REST_Kunde"])
                .help("A kind the target gets; without any it gets all"),
        )
        .arg(
            Arg::new("secret-stdin")
                .long("secret-stdin")
                .action(ArgAction::SetTrue)
                .help("Read the secret from the first line of standard input; else a random one is made and printed"),
        )
}

fn since() -> Arg {
    Arg::new("since")
        .long("since")
        .value_name("TIME")
        .value_parser(time)
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| "expected a time like `2026-06-01T10:00:00Z`".to_owned())
}

fn event_id(text: &str) -> Result<EventId, String> {
    text.parse()
        .map_err(|allowed| format!("expected {allowed}"))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((verb, matches)) = matches.subcommand() else {
        return Err(Failure::usage("name what to do with events"));
    };
    match verb {
        "add" => add(matches),
        "switch" => switch(matches),
        "remove" => remove(matches),
        "list" => list(matches),
        "replay" => replay(matches),
        _ => targets(matches),
    }
}

fn targets(matches: &ArgMatches) -> Result<(), Failure> {
    let targets = at_place(matches, Place::targets)?;
    let rows = entries(&targets).iter().map(|target| {
        let kinds = target.get("kinds").map(entries).unwrap_or_default();
        let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
        let kinds = match kinds.as_slice() {
            [] => "all".to_owned(),
            some => some.join(","),
        };
        let enabled = target.get("enabled").and_then(Value::as_bool);
        let state = if enabled == Some(true) { "on" } else { "off" };
        let [id, url] = ["id", "url"].map(|of| shown(target, of));
        vec![id, state.to_owned(), kinds, url]
    });
    print::table(["target", "state", "kinds", "url"], rows);
    Ok(())
}

fn add(matches: &ArgMatches) -> Result<(), Failure> {
    let url = matches.get_one::<String>("url").cloned();
    let url = url.unwrap_or_default();
    let kinds = matches.get_many::<String>("kind").unwrap_or_default();
    let kinds = check_kinds(kinds.map(String::as_str))
        .map_err(|kind| Failure::usage(format!("there is no kind `{kind}`")))?;
    let made = !matches.get_flag("secret-stdin");
    let secret = if made {
        Secret::random()?
    } else {
        own_line(matches)?;
        read_secret()?
    };
    let new = NewEventTarget {
        url,
        secret: secret.to_text(),
        kinds,
    };
    let target = at_place(matches, async |place| place.add_target(&new).await)?;
    let id = shown(&target, "id");
    say!("added target {id}");
    if made {
        say!("secret of target {id}: {}", new.secret);
    }
    Ok(())
}

fn read_secret() -> Result<Secret, Failure> {
    if std::io::stdin().is_terminal() {
        complain!("secret:");
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Secret::parse(line.trim()).map_err(|error| Failure::usage(format!("secret: {error}")))
}

fn switch(matches: &ArgMatches) -> Result<(), Failure> {
    let id = matches.get_one::<u64>("id").copied().unwrap_or_default();
    let state = matches.get_one::<String>("state").map(String::as_str);
    let state = state.unwrap_or_default();
    at_place(matches, async |place| {
        place.switch_target(id, state == "on").await
    })?;
    say!("target {id} is {state}");
    Ok(())
}

fn remove(matches: &ArgMatches) -> Result<(), Failure> {
    let id = matches.get_one::<u64>("id").copied().unwrap_or_default();
    at_place(matches, async |place| place.remove_target(id).await)?;
    say!("removed target {id}");
    Ok(())
}

fn list(matches: &ArgMatches) -> Result<(), Failure> {
    let limit = matches.get_one::<u32>("limit").copied().unwrap_or_default();
    let mut left = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut query = LogQuery {
        since: matches.get_one::<Timestamp>("since").copied(),
        after: None,
        limit: PAGE,
    };
    at_place(matches, async |place| {
        while left > 0 {
            query.limit = left.min(PAGE);
            let page = place.events(&query).await?;
            let listed = entries(&page);
            listed.iter().for_each(print_event);
            left = left.saturating_sub(listed.len());
            let last = listed.last().filter(|_| listed.len() == query.limit);
            match last.and_then(|last| shown(last, "id").parse().ok()) {
                Some(last) => query.after = Some(last),
                None => break,
            }
        }
        Ok(())
    })
}

fn print_event(entry: &Value) {
    let told = entry.get("data").cloned().unwrap_or_default();
    let number = [EventKind::Order, EventKind::Customer]
        .map(EventKind::number_name)
        .into_iter()
        .find(|name| told.get(name).is_some());
    let at = shown_time(entry, "timestamp");
    let [id, kind] = ["id", "type"].map(|of| shown(entry, of));
    let [number, method, user] =
        [number.unwrap_or_default(), "method", "user"].map(|of| shown(&told, of));
    say!("{id}\t{at}\t{kind}\t{number}\t{method}\t{user}");
    for delivery in entry.get("deliveries").map(entries).unwrap_or_default() {
        let next = shown_time(delivery, "next_attempt_at");
        let [target, state] = ["target", "state"].map(|of| shown(delivery, of));
        say!("\ttarget {target}\t{state}\t{next}");
        for attempt in delivery.get("attempts").map(entries).unwrap_or_default() {
            let at = shown_time(attempt, "at");
            let [outcome, status, duration] =
                ["outcome", "status", "duration_ms"].map(|of| shown(attempt, of));
            say!("\t\t{at}\t{outcome}\t{status}\t{duration} ms");
        }
    }
}

fn replay(matches: &ArgMatches) -> Result<(), Failure> {
    let id = matches.get_one::<EventId>("id").copied();
    let since = matches.get_one::<Timestamp>("since").copied();
    let begun = at_place(matches, async |place| match (id, since) {
        (Some(id), _) => place.replay(id).await,
        (None, Some(since)) => place.replay_since(since).await,
        (None, None) => Err(Failure::usage("name an event or `--since`")),
    })?;
    say!("{} deliveries begin anew", shown(&begun, "deliveries"));
    Ok(())
}

impl Place {
    async fn targets(&self) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                let targets = erp.events().targets().await?;
                Ok(targets.iter().map(target_json).collect())
            }
            Self::Online(remote) => data(remote, Method::GET, "/admin/events/targets", None).await,
        }
    }

    async fn add_target(&self, new: &NewEventTarget) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, settings) => {
                check_url(&new.url, settings.event_private_targets)
                    .map_err(|error| Failure::new(format!("URL: {error}")))?;
                let target = erp
                    .events()
                    .add_target(new, Timestamp::now(), this_command().as_ref())
                    .await?;
                Ok(target_json(&target))
            }
            Self::Online(remote) => {
                let kinds: Vec<&str> = new.kinds.iter().map(|kind| kind.as_str()).collect();
                let body = json!({"url": new.url, "secret": new.secret, "kinds": kinds});
                data(remote, Method::POST, "/admin/events/targets", Some(&body)).await
            }
        }
    }

    async fn switch_target(&self, id: u64, enabled: bool) -> Result<(), Failure> {
        match self {
            Self::Offline(erp, _) => drop(
                erp.events()
                    .switch_target(id, enabled, this_command().as_ref())
                    .await?,
            ),
            Self::Online(remote) => {
                let path = format!("/admin/events/targets/{id}");
                let body = json!({"enabled": enabled});
                data(remote, Method::PUT, &path, Some(&body)).await?;
            }
        }
        Ok(())
    }

    async fn remove_target(&self, id: u64) -> Result<(), Failure> {
        match self {
            Self::Offline(erp, _) => {
                erp.events()
                    .remove_target(id, this_command().as_ref())
                    .await?
            }
            Self::Online(remote) => {
                let path = format!("/admin/events/targets/{id}");
                data(remote, Method::DELETE, &path, None).await?;
            }
        }
        Ok(())
    }

    async fn events(&self, query: &LogQuery) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                let listed = erp.events().logged(query).await?;
                Ok(listed.iter().map(event_json).collect())
            }
            Self::Online(remote) => {
                let since = query.since.map(|since| since.to_string());
                let after = query.after.map(|after| after.to_string());
                let limit = query.limit.to_string();
                let given = [
                    ("since", since.as_deref()),
                    ("after", after.as_deref()),
                    ("limit", Some(limit.as_str())),
                ];
                let given: Vec<(&str, &str)> = given
                    .into_iter()
                    .filter_map(|(name, text)| Some((name, text?)))
                    .collect();
                let path = format!("/admin/events{}", Query::default().with(&given));
                data(remote, Method::GET, &path, None).await
            }
        }
    }

    async fn replay(&self, id: EventId) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                let begun = erp
                    .events()
                    .replay(id, Timestamp::now(), this_command().as_ref())
                    .await?;
                Ok(json!({"deliveries": begun}))
            }
            Self::Online(remote) => {
                let path = format!("/admin/events/replay/{id}");
                data(remote, Method::POST, &path, None).await
            }
        }
    }

    async fn replay_since(&self, since: Timestamp) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                let begun = erp
                    .events()
                    .replay_since(since, Timestamp::now(), this_command().as_ref())
                    .await?;
                Ok(json!({"deliveries": begun}))
            }
            Self::Online(remote) => {
                let since = since.to_string();
                let query = Query::default().with(&[("since", &since)]);
                let path = format!("/admin/events/replay{query}");
                data(remote, Method::POST, &path, None).await
            }
        }
    }
}
