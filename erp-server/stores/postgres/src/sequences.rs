//! Sequence numbers, reserved in blocks.

use std::collections::BTreeMap;

use erp_core::storage::Sequence;
use tokio::sync::Mutex;
use tokio_postgres::types::Type;

use super::fault::Fault;
use super::pool::Connections;
use super::statement::Sql;

/// Numbers a server reserves at a time.
pub const BLOCK: u64 = 16;

/// Reserves a block: the row contains the first number of the next block.
pub(super) const TAKE: Sql = Sql::new(
    "INSERT INTO erp_numbers AS n (name, next) VALUES ($1, $2::int8 + $3::int8)
    ON CONFLICT (name) DO UPDATE SET next = greatest(n.next, $2::int8) + $3::int8 RETURNING next",
    &[Type::TEXT, Type::INT8, Type::INT8],
);

/// The reserved numbers this process has not given out yet, by sequence.
#[derive(Debug, Default)]
pub(super) struct Blocks(Mutex<BTreeMap<Sequence, Block>>);

/// Numbers from `next` (included) to `end` (excluded).
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    next: u64,
    end: u64,
}

impl Blocks {
    /// The next number, at least `first`.
    pub(super) async fn next(
        &self,
        connections: &Connections,
        sequence: Sequence,
        first: u64,
    ) -> Result<u64, Fault> {
        // The holder of this lock may wait for a database lock, so this wait needs a limit too.
        let locked = connections.in_time(async { Ok(self.0.lock().await) });
        let mut blocks = locked.await.map_err(|_| Fault::Busy)?;
        let block = blocks.entry(sequence).or_default();
        let mut number = block.next.max(first);
        if number >= block.end {
            *block = take(connections, sequence, first.max(1)).await?;
            number = block.next;
        }
        block.next = number.saturating_add(1);
        Ok(number)
    }
}

async fn take(connections: &Connections, sequence: Sequence, first: u64) -> Result<Block, Fault> {
    let least = i64::try_from(first).map_err(|_| Fault::OutOfRange)?;
    let length = i64::try_from(BLOCK).map_err(|_| Fault::OutOfRange)?;
    connections
        .in_time(async {
            // A block whose response is lost stays unused; nothing else is affected.
            let connection = connections.connection().await?;
            let taken = connection
                .ask_once(&TAKE, &[&sequence.as_str(), &least, &length])
                .await;
            connection.give_back();
            let rows = taken?;
            let end: i64 = match rows.first() {
                Some(row) => row.try_get(0)?,
                None => return Err(Fault::Damaged("a number block has no row".to_owned())),
            };
            let end = end.unsigned_abs();
            Ok(Block {
                next: end.saturating_sub(BLOCK),
                end,
            })
        })
        .await
}
