//! Creates and migrates the tables.

use tokio_postgres::types::Type;

use super::fault::Fault;
use super::pool::{Connection, Connections};
use super::statement::Sql;

/// The table format of this version. Older formats are migrated when a server starts.
const FORMAT: u32 = 1;

/// Table with one row that contains the format. Creating one table twice at a time fails even with `IF NOT EXISTS`, so
/// servers that start together take turns; the lock ends with the transaction, also behind a pooler.
const STATE: &str = "SELECT pg_advisory_xact_lock(6510221736004331109);
CREATE TABLE IF NOT EXISTS erp_store (
    one int2 PRIMARY KEY CHECK (one = 1),
    format int4 NOT NULL,
    id text NOT NULL,
    loading_store text,
    loading_revision int8,
    loaded int8
)";

const STEPS: [&str; FORMAT as usize] = ["CREATE TABLE erp_entries (
    key bytea PRIMARY KEY,
    revision int8 NOT NULL,
    value bytea,
    counter int8
);
CREATE TABLE erp_numbers (
    name text PRIMARY KEY,
    next int8 NOT NULL
);
CREATE SEQUENCE erp_revision"];

/// Creates or migrates the tables. Servers that start together wait for each other. Returns how many entries an
/// unfinished copy has loaded.
pub(super) async fn prepare(connections: &Connections) -> Result<Option<i64>, Fault> {
    // Migrating a large table takes long, and so does waiting for it.
    connections.in_transaction(BEGIN_LONG, migrate).await
}

/// Whether there are tables: a later server needs no privilege to create them.
const THERE: Sql = Sql::plain("SELECT to_regclass('erp_store') IS NOT NULL");

const NAME: Sql = Sql::new(
    "INSERT INTO erp_store (one, format, id) VALUES (1, 0, $1) ON CONFLICT DO NOTHING",
    &[Type::TEXT],
);

const HOLD: Sql = Sql::plain("SELECT format, loaded FROM erp_store FOR UPDATE");

async fn migrate(connection: &Connection<'_>) -> Result<Option<i64>, Fault> {
    let there = connection.ask_once(&THERE, &[]).await?;
    let there = there.first().map(|row| row.try_get(0)).transpose()?;
    if !there.unwrap_or(false) {
        connection.run(STATE).await?;
    }
    let id = format!("{:032x}", rand::random::<u128>());
    connection.execute_once(&NAME, &[&id]).await?;
    let rows = connection.ask_once(&HOLD, &[]).await?;
    let row = rows.first().ok_or_else(empty)?;
    let format = u32::try_from(row.try_get::<_, i32>(0)?).unwrap_or(0);
    if format > FORMAT {
        return Err(Fault::NewerFormat {
            found: format,
            known: FORMAT,
        });
    }
    for step in STEPS.iter().skip(format as usize) {
        connection.run(step).await?;
    }
    if format < FORMAT {
        let set = format!("UPDATE erp_store SET format = {FORMAT}");
        connection.run(&set).await?;
    }
    Ok(row.try_get(1)?)
}

/// The table with the format has no row.
pub(super) fn empty() -> Fault {
    Fault::Damaged("the table `erp_store` is empty".to_owned())
}

/// Begins a transaction without a statement timeout, which sees what was committed while it waited.
pub(super) const BEGIN_LONG: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0";

/// Reads both tables that every request needs; blocked by a table lock that also blocks readers.
const LOOK: Sql =
    Sql::plain("SELECT format, EXISTS (SELECT FROM erp_entries WHERE key = '') FROM erp_store");

pub(super) async fn is_there(connections: &Connections) -> Result<(), Fault> {
    connections.query(&LOOK, &[]).await.map(drop)
}

/// Finds settings with which a crash of the database or its machine loses committed data.
const RISKS: Sql = Sql::plain(
    "SELECT name FROM
    unnest(ARRAY['synchronous_commit', 'fsync', 'full_page_writes']) AS name
    WHERE current_setting(name, true) = 'off'",
);

/// The settings that make commits less durable than they are acknowledged to be.
pub(super) async fn risks(connections: &Connections) -> Result<Vec<String>, Fault> {
    let rows = connections.query(&RISKS, &[]).await?;
    let names = rows.iter().map(|row| row.try_get(0));
    Ok(names.collect::<Result<_, _>>()?)
}

/// The id of the store, as in [`Snapshot::store`](erp_core::internal::Snapshot::store).
pub(super) async fn id(connections: &Connections) -> Result<String, Fault> {
    let id = Sql::plain("SELECT id FROM erp_store");
    let rows = connections.query(&id, &[]).await?;
    Ok(rows.first().ok_or_else(empty)?.try_get(0)?)
}
