//! Reads entries: the statements, and what their rows mean.

use std::collections::BTreeMap;

use erp_core::limits::ENTRIES_PER_PAGE;
use erp_core::storage::{Entry, Key, Page, Scan};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::fault::Fault;
use super::pool::Connections;
use super::statement::{Parameter, Sql};

pub(super) const GET: Sql = Sql::new(
    "SELECT key, revision, value, counter FROM erp_entries WHERE key = ANY($1::bytea[])",
    &[Type::BYTEA_ARRAY],
);

/// The parameters of a key range: its ends and the most entries.
const RANGE: &[Type] = &[Type::BYTEA, Type::BYTEA, Type::INT8];

/// Reads entries of a key range. Rows with neither value nor counter are placeholders.
pub(super) const FORWARDS: Sql = Sql::new(
    "SELECT key, revision, value, counter FROM erp_entries
    WHERE key >= $1 AND key < $2 AND (value IS NOT NULL OR counter IS NOT NULL)
    ORDER BY key LIMIT $3",
    RANGE,
);

/// The same from the end of the range.
const BACKWARDS: Sql = Sql::new(
    "SELECT key, revision, value, counter FROM erp_entries
    WHERE key >= $1 AND key < $2 AND (value IS NOT NULL OR counter IS NOT NULL)
    ORDER BY key DESC LIMIT $3",
    RANGE,
);

/// Decodes a row of key, revision, value and counter; `None` for a placeholder.
pub(super) fn entry(row: &Row) -> Result<Option<(Key, Entry)>, tokio_postgres::Error> {
    let key: Vec<u8> = row.try_get(0)?;
    let revision: i64 = row.try_get(1)?;
    let value: Option<Vec<u8>> = row.try_get(2)?;
    let counter: Option<i64> = row.try_get(3)?;
    let value = value.or_else(|| counter.map(|counter| counter.to_be_bytes().to_vec()));
    Ok(value.map(|value| {
        let revision = revision.unsigned_abs();
        (Key::from_bytes(key), Entry { revision, value })
    }))
}

fn entries(rows: &[Row]) -> Result<Vec<(Key, Entry)>, Fault> {
    let entries = rows.iter().filter_map(|row| entry(row).transpose());
    Ok(entries.collect::<Result<_, _>>()?)
}

pub(super) async fn get(
    connections: &Connections,
    keys: &[&[u8]],
) -> Result<BTreeMap<Key, Entry>, Fault> {
    let rows = connections.query(&GET, &[&keys]).await?;
    Ok(entries(&rows)?.into_iter().collect())
}

pub(super) async fn scan(connections: &Connections, scan: &Scan) -> Result<Page, Fault> {
    let limit = scan.limit.clamp(1, ENTRIES_PER_PAGE);
    let sql = if scan.backwards {
        &BACKWARDS
    } else {
        &FORWARDS
    };
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let range: [Parameter<'_>; 3] = [&scan.from.as_bytes(), &scan.until.as_bytes(), &most];
    let rows = connections.query(sql, &range).await?;
    let entries = entries(&rows)?;
    Ok(Page {
        next: scan.after_page(&entries, limit),
        entries,
    })
}
