//! `erp-server events`: where events go and what became of them, without a running server.

use std::io::{BufRead as _, IsTerminal as _};

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::Erp;
use erp_core::erp::{EventId, LogQuery, LoggedEntry, NewEventTarget};
use jiff::Timestamp;

use super::{Failure, open_erp, runtime, settings, with_settings};
use crate::events::{Secret, check_kinds, check_url};
use crate::store::SledStore;

pub(super) fn command() -> Command {
    Command::new("events")
        .about("Targets of events, their log, replay; the server must not run")
        .subcommand_required(true)
        .subcommand(with_settings(Command::new("targets").about("List targets")))
        .subcommand(with_settings(add_command()))
        .subcommand(with_settings(
            Command::new("remove")
                .about("Remove a target and end what waits for it")
                .arg(
                    Arg::new("id")
                        .required(true)
                        .value_name("ID")
                        .value_parser(clap::value_parser!(u64))
                        .help("Number of the target"),
                ),
        ))
        .subcommand(with_settings(
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
        .subcommand(with_settings(
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
    let settings = settings(matches)?;
    let erp = open_erp(&settings)?;
    let done = runtime()?.block_on(async {
        match verb {
            "add" => add(&erp, matches, settings.event_private_targets).await,
            "remove" => remove(&erp, matches).await,
            "list" => list(&erp, matches).await,
            "replay" => replay(&erp, matches).await,
            _ => targets(&erp).await,
        }
    });
    erp.store().close()?;
    done
}

async fn targets(erp: &Erp<SledStore>) -> Result<(), Failure> {
    for target in erp.event_targets().await? {
        let kinds: Vec<&str> = target.kinds.iter().map(|kind| kind.as_str()).collect();
        let kinds = match kinds.as_slice() {
            [] => "all".to_owned(),
            some => some.join(","),
        };
        let state = if target.enabled { "on" } else { "off" };
        println!("{}\t{state}\t{kinds}\t{}", target.id, target.url);
    }
    Ok(())
}

async fn add(
    erp: &Erp<SledStore>,
    matches: &ArgMatches,
    private_allowed: bool,
) -> Result<(), Failure> {
    let url = matches.get_one::<String>("url").cloned();
    let url = url.unwrap_or_default();
    check_url(&url, private_allowed).map_err(|error| Failure::usage(format!("URL: {error}")))?;
    let kinds = matches.get_many::<String>("kind").unwrap_or_default();
    let kinds = check_kinds(kinds.map(String::as_str))
        .map_err(|kind| Failure::usage(format!("there is no kind `{kind}`")))?;
    let made = !matches.get_flag("secret-stdin");
    let secret = if made {
        Secret::random()?
    } else {
        read_secret()?
    };
    let new = NewEventTarget {
        url,
        secret: secret.to_text(),
        kinds,
    };
    let target = erp.add_event_target(&new, Timestamp::now()).await?;
    println!("added target {}", target.id);
    if made {
        println!("secret of target {}: {}", target.id, target.secret);
    }
    Ok(())
}

fn read_secret() -> Result<Secret, Failure> {
    if std::io::stdin().is_terminal() {
        eprintln!("secret:");
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Secret::parse(line.trim()).map_err(|error| Failure::usage(format!("secret: {error}")))
}

async fn remove(erp: &Erp<SledStore>, matches: &ArgMatches) -> Result<(), Failure> {
    let id = matches.get_one::<u64>("id").copied().unwrap_or_default();
    erp.remove_event_target(id).await?;
    println!("removed target {id}");
    Ok(())
}

async fn list(erp: &Erp<SledStore>, matches: &ArgMatches) -> Result<(), Failure> {
    let limit = matches.get_one::<u32>("limit").copied().unwrap_or_default();
    let query = LogQuery {
        since: matches.get_one::<Timestamp>("since").copied(),
        after: None,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    };
    for entry in erp.logged_events(&query).await? {
        print(&entry);
    }
    Ok(())
}

fn print(entry: &LoggedEntry) {
    let event = &entry.event;
    println!(
        "{}\t{}\t{}\t{}\t{}\t{}",
        entry.id,
        event.at,
        event.kind.as_str(),
        event.number,
        event.method.as_str(),
        event.user
    );
    for delivery in &entry.deliveries {
        let next = delivery.next_attempt_at;
        let next = next.map_or_else(|| "-".to_owned(), |at| at.to_string());
        println!(
            "\ttarget {}\t{}\t{next}",
            delivery.target,
            delivery.state.as_str()
        );
        for attempt in &delivery.attempts {
            let status = attempt.outcome.status();
            let status = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
            println!(
                "\t\t{}\t{}\t{status}\t{} ms",
                attempt.at,
                attempt.outcome.as_str(),
                attempt.duration_ms
            );
        }
    }
}

async fn replay(erp: &Erp<SledStore>, matches: &ArgMatches) -> Result<(), Failure> {
    let now = Timestamp::now();
    let since = matches.get_one::<Timestamp>("since").copied();
    let begun = match (matches.get_one::<EventId>("id"), since) {
        (Some(id), _) => erp.replay_event(*id, now).await?,
        (None, Some(since)) => erp.replay_since(since, now).await?,
        (None, None) => return Err(Failure::usage("name an event or `--since`")),
    };
    println!("{begun} deliveries begin anew");
    Ok(())
}
