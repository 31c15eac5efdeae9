//! `erp-server audit`: who changed what.

use std::io::{ErrorKind, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::erp::AuditQuery;
use hyper::Method;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Failure;
use super::place::{Place, at_place, entries, shown, shown_time, with_place};
use crate::api::audit_entry_json;
use crate::http::Query;

/// Entries per request.
const PAGE: usize = 1_000;

/// Maximum of record names per output line: one entry of an import may have a thousand.
const NAMED: usize = 10;

pub(super) fn command() -> Command {
    let text =
        |name: &'static str, value, help| Arg::new(name).long(name).value_name(value).help(help);
    let time = |name, help| text(name, "TIME", help).value_parser(time);
    with_place(
        Command::new("audit")
            .about("List who changed which records")
            .arg(time("since", "Only changes at this time or later"))
            .arg(time("until", "Only changes before this time"))
            .arg(text(
                "user",
                "NAME",
                "Only changes of this user; `cli` is the command line",
            ))
            .arg(text(
                "record",
                "RECORD",
                "Only changes of this record, like `Auftrag 100123`",
            ))
            .arg(
                Arg::new("json")
                    .long("json")
                    .action(ArgAction::SetTrue)
                    .help("One JSON object a line"),
            ),
    )
}

fn time(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|_| "expected a time like `2026-06-01T10:00:00Z`".to_owned())
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let text = |name| matches.get_one::<String>(name).cloned();
    let time = |name| matches.get_one::<Timestamp>(name).copied();
    let mut query = AuditQuery {
        since: time("since"),
        until: time("until"),
        user: text("user"),
        record: text("record"),
        after: None,
        limit: PAGE,
    };
    let show = match matches.get_flag("json") {
        true => |entry: &Value| entry.to_string(),
        false => line,
    };
    let printed = at_place(matches, async |place| {
        let mut out = std::io::stdout().lock();
        loop {
            let page = place.audit(&query).await?;
            let listed = page.get("data").map(entries).unwrap_or_default();
            let mut lines = listed.iter().map(show);
            let written = lines.try_for_each(|line| writeln!(out, "{line}"));
            let next = page.get("next").and_then(Value::as_str);
            match (written, next.and_then(|next| next.parse().ok())) {
                (Ok(()), Some(next)) => query.after = Some(next),
                (written, _) => return Ok(written),
            }
        }
    })?;
    match printed {
        // The reader of the pipe needs no more output.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}

/// A readable line of an entry: time, user, operation, request, records.
fn line(entry: &Value) -> String {
    let records = |member| entry.get(member).map(entries).unwrap_or_default();
    let names = |member| records(member).iter().filter_map(Value::as_str);
    let removed = names("removed").map(|record| format!("-{record}"));
    let mut records: Vec<String> = names("changed").map(str::to_owned).chain(removed).collect();
    let more = records.len().saturating_sub(NAMED);
    if more > 0 {
        records.truncate(NAMED);
        records.push(format!("and {more} more (`--json` names all)"));
    }
    let at = shown_time(entry, "at");
    let [user, operation, request] = ["user", "operation", "request_id"].map(|of| shown(entry, of));
    let records = records.join(", ");
    format!("{at}\t{user}\t{operation}\t{request}\t{records}")
}

impl Place {
    /// A page in the form of the response to `GET /admin/audit`.
    async fn audit(&self, query: &AuditQuery) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                let page = erp.audit().list(query).await?;
                let listed: Value = page.entries.iter().map(audit_entry_json).collect();
                let next = page.next.map(|id| id.to_string());
                Ok(json!({"data": listed, "next": next}))
            }
            Self::Online(remote) => {
                let path = format!("/admin/audit{}", parameters(query));
                remote.call(Method::GET, &path, None).await
            }
        }
    }
}

/// The query string of a page.
fn parameters(query: &AuditQuery) -> String {
    let given = [
        ("since", query.since.map(|at| at.to_string())),
        ("until", query.until.map(|at| at.to_string())),
        ("user", query.user.clone()),
        ("record", query.record.clone()),
        ("after", query.after.as_ref().map(ToString::to_string)),
        ("limit", Some(query.limit.to_string())),
    ];
    let given: Vec<(&str, &str)> = given
        .iter()
        .filter_map(|(name, text)| Some((*name, text.as_deref()?)))
        .collect();
    Query::default().with(&given)
}
