//! `erp-server audit`: who changed what.

use clap::Args;
use erp_core::erp::AuditQuery;
use hyper::Method;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::backend::{Backend, BackendArgs};
use super::failure::Failure;
use super::json::{entries, shown, shown_time};
use super::print::{self, ListArgs};
use super::time::time;
use crate::resources::audit_entry_json;
use crate::web::Query;

/// Entries per request.
const PAGE: usize = 1_000;

/// Maximum of record names per output line: one entry of an import may have a thousand.
const NAMED: usize = 10;

/// The heads of the columns.
const HEAD: [&str; 5] = ["time", "user", "operation", "request", "records"];

/// List who changed which records, oldest first
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server audit --since 2026-06-01T00:00:00Z --user anna")]
pub(super) struct AuditCommand {
    /// Only changes at this time or later
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,
    /// Only changes before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<Timestamp>,
    /// Only changes of this user; `cli` is the command line
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Only changes of this record, for example `Auftrag 100123`
    #[arg(long)]
    record: Option<String>,
    /// Maximum number of changes; without it all are listed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

impl AuditCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let limit = self.limit.and_then(|limit| usize::try_from(limit).ok());
        let mut left = limit.unwrap_or(usize::MAX);
        let mut query = AuditQuery {
            since: self.since,
            until: self.until,
            user: self.user,
            record: self.record,
            newest_first: false,
            after: None,
            limit: PAGE,
        };
        self.backend.run(async |backend| {
            loop {
                let is_first = query.after.is_none();
                query.limit = left.min(PAGE);
                let page = backend.audit(&query).await?;
                let listed = page.get("data").map(entries).unwrap_or_default();
                left = left.saturating_sub(listed.len());
                self.list.print_page(listed, HEAD, row, is_first);
                let next = page.get("next").and_then(Value::as_str);
                match next.and_then(|next| next.parse().ok()) {
                    Some(next) if left > 0 && print::is_read() => query.after = Some(next),
                    _ => return Ok(()),
                }
            }
        })
    }
}

fn row(entry: &Value) -> [String; 5] {
    let records = |field| entry.get(field).map(entries).unwrap_or_default();
    let names = |field| records(field).iter().filter_map(Value::as_str);
    let removed = names("removed").map(|record| format!("-{record}"));
    let mut records: Vec<String> = names("changed").map(str::to_owned).chain(removed).collect();
    let more = records.len().saturating_sub(NAMED);
    if more > 0 {
        records.truncate(NAMED);
        records.push(format!("and {more} more (`--json` names all)"));
    }
    let at = shown_time(entry, "at");
    let [user, operation, request] =
        ["user", "operation", "request_id"].map(|field| shown(entry, field));
    [at, user, operation, request, records.join(", ")]
}

impl Backend {
    /// A page in the form of the response to `GET /admin/audit`.
    async fn audit(&self, query: &AuditQuery) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                let page = erp.audit().list(query).await?;
                let listed: Value = page.entries.iter().map(audit_entry_json).collect();
                let next = page.next.map(|id| id.to_string());
                Ok(json!({"data": listed, "next": next}))
            }
            Self::Server(remote) => {
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
