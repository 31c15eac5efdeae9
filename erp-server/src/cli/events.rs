//! `erp-server events`: receivers of webhooks, and deliveries.

use std::io::{IsTerminal as _, Read as _};

use clap::{Args, Subcommand, ValueEnum};
use erp_core::erp::{EventId, EventKind};
use erp_core::sentence::Sentence;
use hyper::Method;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::backend::{ChangeArgs, ListingArgs, query};
use super::failure::Failure;
use super::json::{entries, shown, shown_fields, shown_time, with};
use super::print::{self, ResultArgs};
use super::time::time;
use crate::delivery::{Secret, check_kinds, sign};

const TARGETS: &str = "/admin/events/targets";

/// Manage the receivers of events (webhooks), list and repeat deliveries
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server events add https://shop.example.com/hook")]
pub(super) enum EventsCommand {
    /// List receivers
    #[command(after_help = "Example:\n  erp-server events targets")]
    Targets(ListingArgs),
    Add(Add),
    Switch(Switch),
    Remove(Remove),
    List(EventList),
    Replay(Replay),
    Verify(Verify),
}

impl EventsCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Targets(listing) => list_targets(&listing),
            Self::Add(command) => command.run(),
            Self::Switch(command) => command.run(),
            Self::Remove(command) => command.run(),
            Self::List(command) => command.run(),
            Self::Replay(command) => command.run(),
            Self::Verify(command) => command.run(),
        }
    }
}

#[derive(Debug, Args)]
struct TargetId {
    /// Number of the receiver
    id: u64,
}

impl TargetId {
    fn path(&self) -> String {
        format!("{TARGETS}/{}", self.id)
    }
}

fn list_targets(listing: &ListingArgs) -> Result<(), Failure> {
    let head = ["receiver", "state", "kinds", "url"];
    listing.table(TARGETS, head, |target| {
        let kinds = entries(&target["kinds"]).iter();
        let kinds: Vec<&str> = kinds.filter_map(Value::as_str).collect();
        let kinds = match kinds.as_slice() {
            [] => "orders, customers".to_owned(),
            some => some.join(","),
        };
        let is_on = target["enabled"] == true;
        let state = if is_on { "on" } else { "off" };
        let [id, url] = shown_fields(target, ["id", "url"]);
        [id, state.to_owned(), kinds, url]
    })
}

/// Add a receiver
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  erp-server events add https://shop.example.com/hook --kind REST_Auft"
)]
pub(super) struct Add {
    /// Where events are posted to
    url: String,
    /// A kind of events the receiver gets; without any it gets those of orders and customers
    #[arg(long, value_parser = EventKind::ALL.map(EventKind::as_str))]
    kind: Vec<String>,
    /// Read the secret from the first line of standard input; without it a random one is generated and printed
    #[arg(long)]
    secret_stdin: bool,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Add {
    fn run(self) -> Result<(), Failure> {
        let kinds = check_kinds(self.kind.iter().map(String::as_str))
            .map_err(|kind| Failure::usage(format!("there is no kind `{kind}`")))?;
        let secret = if self.secret_stdin {
            self.change
                .backend
                .require_stdin("one password or secret")?;
            read_secret()?
        } else {
            Secret::random()?
        };
        let kinds: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        let secret = secret.to_text();
        let body = json!({"url": self.url, "secret": secret, "kinds": kinds});
        self.change
            .request(Method::POST, TARGETS, Some(&body), |target| {
                let id = shown(&target, "id");
                let words = format!("added receiver {id}");
                if self.secret_stdin {
                    return (target, words);
                }
                let words = format!("{words}\nsecret of receiver {id}: {secret}");
                (with(target, "secret", secret), words)
            })
    }
}

/// Switch a receiver on or off; off ends its waiting deliveries, `replay` sends what it missed
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server events switch 1 off")]
pub(super) struct Switch {
    #[command(flatten)]
    target: TargetId,
    /// The new state
    state: Switched,
    #[command(flatten)]
    change: ChangeArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switched {
    On,
    Off,
}

impl Switch {
    fn run(self) -> Result<(), Failure> {
        let (id, enabled) = (self.target.id, self.state == Switched::On);
        let (path, body) = (self.target.path(), json!({"enabled": enabled}));
        self.change.request(Method::PUT, &path, Some(&body), |_| {
            let state = if enabled { "on" } else { "off" };
            let result = json!({"id": id, "enabled": enabled});
            (result, format!("receiver {id} is {state}"))
        })
    }
}

/// Remove a receiver and its undelivered events
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server events remove 1")]
pub(super) struct Remove {
    #[command(flatten)]
    target: TargetId,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Remove {
    fn run(self) -> Result<(), Failure> {
        let (id, path) = (self.target.id, self.target.path());
        self.change.request(Method::DELETE, &path, None, |_| {
            let result = json!({"id": id, "removed": true});
            (result, format!("removed receiver {id}"))
        })
    }
}

/// List events with their deliveries and attempts, oldest first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server events list --since 2026-06-01T10:00:00Z")]
pub(super) struct EventList {
    /// Only events since this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,
    /// Maximum number of events
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    listing: ListingArgs,
}

impl EventList {
    fn run(self) -> Result<(), Failure> {
        let since = self.since.map(|since| since.to_string());
        let parameters = [("since", since.as_deref())];
        let print = |page: &[Value], is_first| {
            if self.listing.list.json {
                page.iter().for_each(|event| say!("{event}"))
            } else {
                print_events(page, is_first)
            }
        };
        self.listing
            .pages("/admin/events", &parameters, Some(self.limit), print)
    }
}

/// Deliver one event again, or all since a time, as soon as the server runs
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server events replay evt_17_0\n  \
        erp-server events replay --since 2026-06-01T10:00:00Z")]
pub(super) struct Replay {
    /// The event, for example evt_17_0
    #[arg(value_parser = event_id)]
    id: Option<EventId>,
    /// All events since this time
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "id", required_unless_present = "id")]
    since: Option<Timestamp>,
    #[command(flatten)]
    change: ChangeArgs,
}

fn event_id(text: &str) -> Result<EventId, String> {
    text.parse()
        .map_err(|allowed: Sentence| format!("expected {}", allowed.english()))
}

impl Replay {
    fn run(self) -> Result<(), Failure> {
        let since = self.since.map(|since| since.to_string());
        let which = match self.id {
            Some(id) => format!("/{id}"),
            None => query(&[("since", since.as_deref())]),
        };
        let path = format!("/admin/events/replay{which}");
        self.change.request(Method::POST, &path, None, |begun| {
            let words = match shown(&begun, "deliveries").as_str() {
                "1" => "1 delivery starts again".to_owned(),
                count => format!("{count} deliveries start again"),
            };
            (begun, words)
        })
    }
}

/// Check the signature of an event as a receiver does; the first line of standard input is the secret, the rest the body
#[derive(Debug, Args)]
#[command(
    after_help = "Example, with the secret and the body that a receiver got on standard input:\n  \
        erp-server events verify --id evt_16_0 --timestamp 1780308000 --signature v1,g0hM9SsE+OTPJTGt="
)]
pub(super) struct Verify {
    /// The header `webhook-id`
    #[arg(long)]
    id: String,
    /// The header `webhook-timestamp`
    #[arg(long)]
    timestamp: i64,
    /// The header `webhook-signature`
    #[arg(long)]
    signature: String,
    #[command(flatten)]
    result: ResultArgs,
}

impl Verify {
    fn run(self) -> Result<(), Failure> {
        let secret = read_secret()?;
        let mut body = Vec::new();
        std::io::stdin().lock().read_to_end(&mut body)?;
        let right = sign(&secret, &self.id, self.timestamp, &body);
        if !self.signature.split(' ').any(|given| given == right) {
            let bytes = body.len();
            return Err(Failure::new(format!(
                "the signature is wrong; for this secret, id and time and these {bytes} bytes it is `{right}`"
            )));
        }
        self.result
            .print(&json!({"is_right": true}), "the signature is right");
        Ok(())
    }
}

fn read_secret() -> Result<Secret, Failure> {
    let line = print::ask("secret")?;
    Secret::parse(line.trim()).map_err(|error| Failure::usage(format!("secret: {error}")))
}

/// Prints events, each with its deliveries and their attempts below it.
fn print_events(events: &[Value], is_first: bool) {
    let head = ["event", "time", "kind", "number", "method", "user"];
    let lines = print::lines(head, events.iter().map(row));
    // People see spaces, programs read tabs.
    let gap = if std::io::stdout().is_terminal() {
        "  "
    } else {
        "\t"
    };
    let (head, lines) = lines.split_at(1);
    if is_first {
        head.iter().for_each(|head| say!("{head}"));
    }
    for (line, event) in lines.iter().zip(events) {
        say!("{line}");
        for delivery in entries(&event["deliveries"]) {
            print_delivery(delivery, gap);
        }
    }
}

fn row(event: &Value) -> [String; 6] {
    let content = &event["data"];
    let mut names = EventKind::ALL.map(EventKind::number_name).into_iter();
    let number = match names.find_map(|name| content.get(name)) {
        Some(Value::Array(numbers)) => several(numbers),
        Some(number) => number.as_str().unwrap_or_default().to_owned(),
        None => String::new(),
    };
    let at = shown_time(event, "timestamp");
    let [id, kind] = shown_fields(event, ["id", "type"]);
    let [method, user] = shown_fields(content, ["method", "user"]);
    [id, at, kind, number, method, user]
}

/// The first of several numbers, and how many there are.
fn several(numbers: &[Value]) -> String {
    let first = numbers.first().and_then(Value::as_str).unwrap_or_default();
    match numbers.len() {
        0 | 1 => first.to_owned(),
        all => format!("{first}, ... ({all})"),
    }
}

fn print_delivery(delivery: &Value, gap: &str) {
    let next = shown_time(delivery, "next_attempt_at");
    let [target, state] = shown_fields(delivery, ["target", "state"]);
    say!("{gap}receiver {target}{gap}{state}{gap}{next}");
    for attempt in entries(&delivery["attempts"]) {
        let at = shown_time(attempt, "at");
        let [outcome, status, duration] =
            shown_fields(attempt, ["outcome", "status", "duration_ms"]);
        say!("{gap}{gap}{at}{gap}{outcome}{gap}{status}{gap}{duration} ms");
    }
}
