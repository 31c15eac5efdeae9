//! Exports and imports the whole database.

use std::collections::BTreeMap;
use std::io;
use std::pin::pin;

use erp_core::internal::{Continuation, RecordSink, Records, Snapshot, history_key};
use erp_core::storage::{Key, OpenError};
use futures_util::TryStreamExt as _;
use tokio_postgres::types::Type;

use super::entries::entry;
use super::fault::Fault;
use super::pool::{Connection, Connections};
use super::statement::Sql;
use super::{PostgresOptions, PostgresStore, schema};

/// Maximum of entries per import transaction.
const ENTRIES: usize = 2_000;

/// Approximate maximum of their bytes.
const BYTES: usize = 4 << 20;

const ALL: &str = "SELECT key, revision, value, counter FROM erp_entries ORDER BY key";

/// Id, revision and time of the state. The last drawn revision is at least that of every entry.
const STATE: Sql = Sql::plain(
    "SELECT s.id, r.last_value, (extract(epoch FROM now()) * 1000)::int8
    FROM erp_store s, erp_revision r",
);

const STORE: Sql = Sql::new(
    "INSERT INTO erp_entries AS e (key, revision, value)
    SELECT t.key, t.revision, t.value
    FROM unnest($1::bytea[], $2::int8[], $3::bytea[]) AS t (key, revision, value)
    ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, value = excluded.value, counter = NULL",
    &[Type::BYTEA_ARRAY, Type::INT8_ARRAY, Type::BYTEA_ARRAY],
);

const FORGET: Sql = Sql::new(
    "DELETE FROM erp_entries WHERE key = ANY($1::bytea[])",
    &[Type::BYTEA_ARRAY],
);

const NUMBERS: Sql = Sql::plain("SELECT name, next FROM erp_numbers");

/// How far a load is, and whether there are records.
const LOADED: Sql = Sql::plain(
    "SELECT loading_store, loading_revision, loaded, EXISTS (SELECT FROM erp_entries)
     FROM erp_store FOR UPDATE",
);

const BEGIN: Sql = Sql::new(
    "UPDATE erp_store SET loading_store = $1, loading_revision = $2, loaded = 0",
    &[Type::TEXT, Type::INT8],
);

const CONTINUE_NUMBERS: Sql = Sql::new(
    "INSERT INTO erp_numbers (name, next) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET next = excluded.next",
    &[Type::TEXT, Type::INT8],
);

const CONTINUE_REVISIONS: Sql = Sql::new("SELECT setval('erp_revision', $1)", &[Type::INT8]);

const FINISH: Sql = Sql::new(
    "UPDATE erp_store SET loading_store = NULL, loading_revision = NULL, loaded = NULL
     WHERE loaded = $1",
    &[Type::INT8],
);

const NOTE: Sql = Sql::new(
    "UPDATE erp_store SET loaded = $1 WHERE loaded = $2",
    &[Type::INT8, Type::INT8],
);

const BEGIN_READ: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
    SET LOCAL statement_timeout = 0";

/// Passes one consistent state of the database to a sink: all of it is read in one transaction.
pub(super) async fn read(
    connections: &Connections,
    sink: &mut RecordSink<'_>,
) -> Result<Snapshot, Fault> {
    connections
        .in_transaction(BEGIN_READ, async |connection| {
            let state = connection.ask_once(&STATE, &[]).await?;
            let state = state.first().ok_or_else(schema::empty)?;
            let mut sequences = BTreeMap::new();
            for row in connection.ask_once(&NUMBERS, &[]).await? {
                let next: i64 = row.try_get(1)?;
                sequences.insert(row.try_get(0)?, next.unsigned_abs());
            }
            let parameters: [(i32, Type); 0] = [];
            let client = connection.client()?;
            let mut rows = pin!(client.query_typed_raw(ALL, parameters).await?);
            while let Some(row) = rows.try_next().await? {
                if let Some((key, entry)) = entry(&row)? {
                    let taken = sink(key, entry.revision, Some(entry.value));
                    taken.map_err(|error| Fault::Refused(error.to_string()))?;
                }
            }
            let (revision, time): (i64, i64) = (state.try_get(1)?, state.try_get(2)?);
            Ok(Snapshot {
                store: state.try_get(0)?,
                revision: revision.unsigned_abs(),
                time: time.unsigned_abs(),
                sequences,
            })
        })
        .await
}

/// Loads the records of a snapshot into an empty database.
///
/// No server starts on the database until the load is complete. After an interruption, calling this again with the
/// same snapshot resumes the load; another snapshot starts from the beginning. `arrived` is called with the number
/// of entries loaded so far.
/// Errors: [`OpenError::HoldsStore`] when there are records already, and [`OpenError::Database`].
pub fn load(
    options: &PostgresOptions,
    snapshot: &Snapshot,
    continuation: &Continuation,
    records: &mut dyn Records,
    arrived: &mut dyn FnMut(u64),
) -> Result<(), OpenError> {
    let store = PostgresStore::connect(options)?;
    let connections = &store.inner.connections;
    let done = (|| {
        store.wait(schema::prepare(connections))?;
        let mut loader = Loader {
            store: &store,
            there: store.wait(
                connections.in_transaction(schema::BEGIN_LONG, async |connection| {
                    begin(connection, snapshot).await
                }),
            )?,
            read: 0,
            changes: BTreeMap::new(),
            bytes: 0,
            failed: None,
        };
        arrived(loader.there);
        let read =
            records.each(&mut |key, revision, value| loader.take(key, revision, value, arrived));
        if let Some(fault) = loader.failed.take() {
            return Err(fault);
        }
        read.map_err(|error| Fault::Refused(error.to_string()))?;
        loader.flush()?;
        arrived(loader.there);
        store.wait(
            connections.in_transaction(schema::BEGIN_LONG, async |connection| {
                if continuation.revision > snapshot.revision {
                    let ended = vec![history_key().as_bytes().to_vec()];
                    connection.ask_once(&FORGET, &[&ended]).await?;
                }
                finish(connection, continuation, loader.there).await
            }),
        )
    })();
    store.close();
    done.map_err(|fault| match fault {
        Fault::HoldsStore => OpenError::HoldsStore {
            path: store.inner.database.clone(),
        },
        other => other.at(&store.inner.database),
    })
}

/// Stores which snapshot is being loaded, and returns how many of its entries are loaded already.
async fn begin(connection: &Connection<'_>, snapshot: &Snapshot) -> Result<u64, Fault> {
    let state = connection.ask_once(&LOADED, &[]).await?;
    let state = state.first().ok_or_else(schema::empty)?;
    let (store, revision): (Option<String>, Option<i64>) = (state.try_get(0)?, state.try_get(1)?);
    let loaded: Option<i64> = state.try_get(2)?;
    let holds: bool = state.try_get(3)?;
    let own = column(snapshot.revision)?;
    match loaded {
        None if holds => Err(Fault::HoldsStore),
        Some(loaded) if store.as_ref() == Some(&snapshot.store) && revision == Some(own) => {
            Ok(loaded.unsigned_abs())
        }
        _ => {
            connection.run("DELETE FROM erp_entries").await?;
            connection
                .execute_once(&BEGIN, &[&snapshot.store, &own])
                .await?;
            Ok(0)
        }
    }
}

fn column(number: u64) -> Result<i64, Fault> {
    i64::try_from(number).map_err(|_| Fault::OutOfRange)
}

/// Completes the load: from now on servers can start.
async fn finish(
    connection: &Connection<'_>,
    continuation: &Continuation,
    there: u64,
) -> Result<(), Fault> {
    for (name, next) in &continuation.sequences {
        connection
            .execute_once(&CONTINUE_NUMBERS, &[name, &column(*next)?])
            .await?;
    }
    let revision = column(continuation.revision)?.max(1);
    connection
        .ask_once(&CONTINUE_REVISIONS, &[&revision])
        .await?;
    alone(connection.execute_once(&FINISH, &[&column(there)?]).await?)
}

/// Whether the progress was the one that was noted last.
fn alone(changed: u64) -> Result<(), Fault> {
    match changed {
        0 => Err(Fault::Refused(
            "another copy writes to it at the same time".to_owned(),
        )),
        _ => Ok(()),
    }
}

struct Loader<'a> {
    store: &'a PostgresStore,
    /// Entries of the snapshot in the database.
    there: u64,
    read: u64,
    changes: BTreeMap<Key, (u64, Option<Vec<u8>>)>,
    bytes: usize,
    failed: Option<Fault>,
}

impl Loader<'_> {
    fn take(
        &mut self,
        key: Key,
        revision: u64,
        value: Option<Vec<u8>>,
        arrived: &mut dyn FnMut(u64),
    ) -> io::Result<()> {
        self.read += 1;
        if self.read <= self.there {
            return Ok(());
        }
        self.bytes += key.as_bytes().len() + value.as_ref().map_or(0, Vec::len);
        self.changes.insert(key, (revision, value));
        if self.changes.len() < ENTRIES && self.bytes < BYTES {
            return Ok(());
        }
        self.flush().map_err(|fault| {
            let error = io::Error::other(fault.to_string());
            self.failed = Some(fault);
            error
        })?;
        arrived(self.there);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        self.bytes = 0;
        let (mut keys, mut revisions, mut values, mut gone) = (vec![], vec![], vec![], vec![]);
        for (key, (revision, value)) in std::mem::take(&mut self.changes) {
            let key = key.as_bytes().to_vec();
            match value {
                Some(value) => {
                    keys.push(key);
                    revisions.push(column(revision)?);
                    values.push(value);
                }
                None => gone.push(key),
            }
        }
        let before = column(self.there)?;
        let after = column(self.read.max(self.there))?;
        let connections = &self.store.inner.connections;
        self.store.wait(
            connections.in_transaction(schema::BEGIN_LONG, async |connection| {
                connection
                    .ask(&STORE, &[&keys, &revisions, &values])
                    .await?;
                if !gone.is_empty() {
                    connection.ask(&FORGET, &[&gone]).await?;
                }
                alone(connection.execute_once(&NOTE, &[&after, &before]).await?)
            }),
        )?;
        self.there = self.read.max(self.there);
        Ok(())
    }
}
