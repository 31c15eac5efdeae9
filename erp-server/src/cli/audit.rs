//! `erp-server audit`: who changed what.

use clap::Args;
use jiff::Timestamp;
use serde_json::Value;

use super::backend::ListingArgs;
use super::failure::Failure;
use super::json::{entries, shown_fields, shown_time};
use super::time::time;

/// Maximum of record names per output line: one entry of an import may have a thousand.
const NAMED: usize = 10;

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
    listing: ListingArgs,
}

impl AuditCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let [since, until] = [self.since, self.until].map(|at| at.map(|at| at.to_string()));
        let parameters = [
            ("since", since.as_deref()),
            ("until", until.as_deref()),
            ("user", self.user.as_deref()),
            ("record", self.record.as_deref()),
        ];
        let print = |page: &[Value], is_first| {
            self.listing.list.print_page(page, HEAD, row, is_first);
        };
        self.listing
            .pages("/admin/audit", &parameters, self.limit, print)
    }
}

fn row(entry: &Value) -> [String; 5] {
    let names = |field: &str| entries(&entry[field]).iter().filter_map(Value::as_str);
    let removed = names("removed").map(|record| format!("-{record}"));
    let mut records: Vec<String> = names("changed").map(str::to_owned).chain(removed).collect();
    let more = records.len().saturating_sub(NAMED);
    if more > 0 {
        records.truncate(NAMED);
        records.push(format!("and {more} more (`--json` names all)"));
    }
    let at = shown_time(entry, "at");
    let [user, operation, request] = shown_fields(entry, ["user", "operation", "request_id"]);
    [at, user, operation, request, records.join(", ")]
}
