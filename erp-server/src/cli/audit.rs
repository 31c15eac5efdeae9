//! `erp-server audit`: who changed what, without a running server.

use std::io::{ErrorKind, Write};

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::erp::{AuditQuery, Audited};
use jiff::Timestamp;

use super::{Failure, open_erp, runtime, settings, with_settings};
use crate::api::entry_json;

/// Entries read at once.
const PAGE: usize = 1_000;

pub(super) fn command() -> Command {
    let text =
        |name: &'static str, value, help| Arg::new(name).long(name).value_name(value).help(help);
    let time = |name, help| text(name, "TIME", help).value_parser(time);
    with_settings(
        Command::new("audit")
            .about("List who changed which records; the server must not run")
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
        true => |audited: &Audited| entry_json(audited).to_string(),
        false => line,
    };
    let erp = open_erp(&settings(matches)?)?;
    let runtime = runtime()?;
    let mut out = std::io::stdout().lock();
    let printed = loop {
        let page = runtime.block_on(erp.audit(&query))?;
        let mut lines = page.entries.iter().map(show);
        let written = lines.try_for_each(|line| writeln!(out, "{line}"));
        match (written, page.next) {
            (Ok(()), Some(next)) => query.after = Some(next),
            (written, _) => break written,
        }
    };
    erp.store().close()?;
    match printed {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => Ok(printed?),
    }
}

/// An entry for people: time, user, operation, request, records.
fn line(audited: &Audited) -> String {
    let (id, entry) = (&audited.id, &audited.entry);
    let removed = entry.removed.iter().map(|record| format!("-{record}"));
    let records: Vec<String> = entry.changed.iter().cloned().chain(removed).collect();
    format!(
        "{}\t{}\t{}\t{}\t{}",
        id.at(),
        entry.user.as_deref().unwrap_or("-"),
        entry.operation,
        id.request,
        records.join(", ")
    )
}
