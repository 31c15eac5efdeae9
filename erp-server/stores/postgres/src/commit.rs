//! Commits change sets: one SQL statement per commit.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use erp_core::storage::{ChangeSet, CommitError, Entry, Guard, Key, Revision, StorageError, Write};
use tokio::time::{Instant, timeout_at};
use tokio_postgres::types::Type;

use super::fault::Fault;
use super::pool::{Connection, Connections, lock_limit};
use super::statement::{Parameter, Sql};

/// Locks the rows, checks the guards, draws the revisions and writes; for one or several sets without a common
/// key. One statement is one transaction, so no row lock ever waits for a further message of this process.
///
/// - `part` is the number of the set; each set succeeds or fails by itself.
/// - `held` locks the existing rows in key order, which prevents deadlocks. `judged` compares the guards and counts
///   the rows of `held`, so that all locks are taken before `nextval` draws a revision.
/// - The sign of the written revision says what the row must be. An existing row is sent with `-revision` and can
///   only be updated. A missing row is sent with `+revision` and can only be inserted: if another transaction has
///   inserted it meanwhile, the update branch sets the revision to NULL, the `NOT NULL` constraint fails the
///   statement, and the commit is tried again. A guard that was checked can thus never be outdated.
/// - Example: a set deletes `k` or requires it to be absent, and `k` has no row, so there is nothing to lock.
///   The statement inserts a placeholder, a row with neither value nor counter. A concurrent insert of `k` waits
///   for it and then fails as above. [`TIDY`] removes the placeholder after the commit.
/// - `lock_timeout` is `$13` milliseconds and applies to this statement only. It is set in the condition that
///   selects the rows, so before the first lock.
/// - `\x28` is the key space of the outbox; its keys are this byte and two 8-byte numbers.
pub(super) const COMMIT: Sql = Sql::new(
    "
WITH touched AS (
    SELECT t.part, t.key, t.rank, t.expected, t.kind, t.value, t.delta
    FROM unnest($2::int4[], $3::bytea[], $4::int4[], $5::int8[], $6::int4[], $7::bytea[], $8::int8[])
        AS t (part, key, rank, expected, kind, value, delta)
), held AS MATERIALIZED (
    SELECT key, revision, value IS NULL AND counter IS NULL AS vacant
    FROM erp_entries WHERE key = ANY($3::bytea[])
        AND (SELECT set_config('lock_timeout', $13::text, true)) IS NOT NULL
    ORDER BY key FOR UPDATE
), seen AS MATERIALIZED (
    SELECT t.part, t.key, t.rank, t.expected, t.kind, t.value, t.delta, h.revision AS held,
        CASE WHEN h.vacant THEN NULL ELSE h.revision END AS found
    FROM touched t LEFT JOIN held h ON h.key = t.key
), judged AS MATERIALIZED (
    SELECT p.part, (SELECT count(*) FROM held) AS held,
        min(s.rank) FILTER (WHERE s.rank >= 0 AND s.expected <> coalesce(s.found, 0)) AS failed,
        coalesce(bool_or(s.kind = 3 AND s.held IS NULL), false) AS placed
    FROM unnest($1::int4[]) AS p (part) LEFT JOIN seen s ON s.part = p.part GROUP BY p.part
), drawn AS MATERIALIZED (
    SELECT part, nextval('erp_revision') AS revision FROM judged WHERE failed IS NULL AND held >= 0
), removed AS (
    DELETE FROM erp_entries e USING seen s, drawn d
    WHERE e.key = ANY($12::bytea[]) AND s.key = e.key AND d.part = s.part
        AND s.kind = 3 AND s.held IS NOT NULL
), written AS (
    INSERT INTO erp_entries AS e (key, revision, value, counter)
    SELECT s.key, CASE WHEN s.held IS NULL THEN d.revision ELSE -d.revision END, s.value, s.delta
    FROM seen s JOIN drawn d ON d.part = s.part
    WHERE s.kind IN (1, 2) OR (s.kind = 3 AND s.held IS NULL)
    UNION ALL
    SELECT decode('28' || lpad(to_hex(d.revision), 16, '0') || lpad(to_hex(v.place), 16, '0'), 'hex'),
        d.revision, v.value, NULL
    FROM unnest($9::int4[], $10::int8[], $11::bytea[]) AS v (part, place, value)
        JOIN drawn d ON d.part = v.part
    ORDER BY 1
    ON CONFLICT (key) DO UPDATE SET
        revision = CASE WHEN excluded.revision < 0 THEN -excluded.revision END,
        value = excluded.value,
        counter = CASE WHEN excluded.counter IS NOT NULL THEN excluded.counter + coalesce(e.counter,
            CASE WHEN length(e.value) = 8 THEN ('x' || encode(e.value, 'hex'))::bit(64)::int8 END, 0) END
)
SELECT j.part, j.failed, d.revision, j.placed FROM judged j LEFT JOIN drawn d ON d.part = j.part",
    &[
        Type::INT4_ARRAY,
        Type::INT4_ARRAY,
        Type::BYTEA_ARRAY,
        Type::INT4_ARRAY,
        Type::INT8_ARRAY,
        Type::INT4_ARRAY,
        Type::BYTEA_ARRAY,
        Type::INT8_ARRAY,
        Type::INT4_ARRAY,
        Type::INT8_ARRAY,
        Type::BYTEA_ARRAY,
        Type::BYTEA_ARRAY,
        Type::TEXT,
    ],
);

/// Removes placeholder rows, except those that another transaction has locked.
const TIDY: Sql = Sql::new(
    "
DELETE FROM erp_entries WHERE key = ANY($1::bytea[]) AND value IS NULL AND counter IS NULL AND key IN (
    SELECT key FROM erp_entries
    WHERE key = ANY($1::bytea[]) AND value IS NULL AND counter IS NULL FOR UPDATE SKIP LOCKED)",
    &[Type::BYTEA_ARRAY],
);

/// What the statement does with a key: only check it, store a value, add to a counter, or delete it/require absence.
const LOOK: i32 = 0;
const PUT: i32 = 1;
const ADD: i32 = 2;
const HOLD: i32 = 3;

/// How often a set is tried when it conflicts with other writers on the same keys.
const TRIES: u32 = 40;

/// The part (1/20: 1 s of 20 s) of the store's timeout that is reserved for the response of the database after a
/// lock wait has reached its limit. So the outcome is known at the deadline without cancelling the statement.
const MARGIN: u32 = 20;

/// A change set as columns of the statement: one row per key, in key order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// All keys the set reads or writes.
    pub(super) keys: Vec<Vec<u8>>,
    ranks: Vec<i32>,
    expected: Vec<i64>,
    kinds: Vec<i32>,
    values: Vec<Option<Vec<u8>>>,
    deltas: Vec<Option<i64>>,
    events: Vec<Vec<u8>>,
    removed: Vec<Vec<u8>>,
    /// The keys of the guards, in the order of the guards.
    pub(super) guarded: Vec<Key>,
}

/// The net effect of a set on a key.
enum Change {
    Put(Vec<u8>),
    Delete,
    Add(i64),
}

#[derive(Default)]
struct Touched {
    guard: Option<(i32, i64)>,
    change: Option<Change>,
}

#[derive(Clone, Copy)]
pub(super) enum PlanOutcome {
    Done(Revision),
    /// The guard with this index does not hold.
    Failed(usize),
}

impl Plan {
    /// `None` when the result of an addition depends on the stored value; such a set goes through [`settled`].
    pub(super) fn of(changes: ChangeSet) -> Option<Self> {
        let mut touched: BTreeMap<Key, Touched> = BTreeMap::new();
        let mut plan = Self::default();
        for Guard { key, expected } in changes.guards {
            let expected = match expected {
                None => 0,
                // No entry has revision 0 or one that exceeds the column: such a guard never holds.
                Some(0) => -1,
                Some(revision) => i64::try_from(revision).unwrap_or(-1),
            };
            let rank = i32::try_from(plan.guarded.len()).unwrap_or(i32::MAX);
            plan.guarded.push(key.clone());
            let guard = &mut touched.entry(key).or_default().guard;
            *guard = match *guard {
                // Two contradicting guards cannot both hold.
                Some((rank, other)) if other != expected => Some((rank, -1)),
                Some(same) => Some(same),
                None => Some((rank, expected)),
            };
        }
        for write in changes.writes {
            let (key, change) = match write {
                Write::Put { key, value } => (key, Change::Put(value)),
                Write::Delete { key } => (key, Change::Delete),
                Write::Add { key, delta } => {
                    let before = touched.get(&key);
                    let sum = sum(before.and_then(|before| before.change.as_ref()), delta)?;
                    (key, Change::Add(sum))
                }
            };
            touched.entry(key).or_default().change = Some(change);
        }
        for (key, touched) in touched {
            plan.push(key, touched);
        }
        plan.events = changes.events;
        Some(plan)
    }

    fn push(&mut self, key: Key, touched: Touched) {
        let (rank, expected) = touched.guard.unwrap_or((-1, 0));
        let (kind, value, delta) = match touched.change {
            Some(Change::Put(value)) => (PUT, Some(value), None),
            Some(Change::Add(delta)) => (ADD, None, Some(delta)),
            // Placeholder: no other set may write the key before this commit ends.
            Some(Change::Delete) => (HOLD, None, None),
            None if expected == 0 => (HOLD, None, None),
            None => (LOOK, None, None),
        };
        let key = key.as_bytes().to_vec();
        if kind == HOLD {
            self.removed.push(key.clone());
        }
        self.keys.push(key);
        self.ranks.push(rank);
        self.expected.push(expected);
        self.kinds.push(kind);
        self.values.push(value);
        self.deltas.push(delta);
    }

    pub(super) fn bytes(&self) -> usize {
        let values = self.values.iter().flatten();
        let parts = values.chain(&self.events).chain(&self.keys);
        parts.map(Vec::len).sum()
    }

    /// Commits one set; repeats the statement while it conflicts with other writers on the same keys.
    pub(super) async fn commit(
        &self,
        connections: &Connections,
        deadline: Instant,
        mut again: impl FnMut(),
    ) -> Result<PlanOutcome, Fault> {
        let lock_limit = lock_limit(connections.timeout);
        for attempt in 0..TRIES {
            match commit_together(connections, &[self], deadline, lock_limit).await {
                Err(Fault::Again) if Instant::now() < deadline => again(),
                Err(Fault::Again) => return Err(Fault::Busy),
                Err(fault) => return Err(fault),
                Ok(outcomes) => return outcomes.first().copied().ok_or_else(without_result),
            }
            let most = 1_u64 << attempt.min(6);
            let wait = rand::random_range(0..=most);
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        Err(Fault::Busy)
    }
}

/// Commits sets without common keys, in one attempt. Each set succeeds or fails by itself; an error applies to all
/// of them. No lock wait is longer than `lock_limit`.
/// Errors: [`Fault::OutcomeUnknown`] when the sets may have been committed. After any other fault they were not.
pub(super) async fn commit_together(
    connections: &Connections,
    plans: &[&Plan],
    deadline: Instant,
    lock_limit: Duration,
) -> Result<Vec<PlanOutcome>, Fault> {
    let connection = timeout_at(deadline, connections.connection()).await;
    let connection = connection.unwrap_or(Err(Fault::Busy))?;
    let margin = connections.timeout / MARGIN;
    let written = write(&connection, plans, deadline, lock_limit, margin).await;
    if let Ok((_, placed)) = &written
        && !placed.is_empty()
    {
        // The sets are committed. A placeholder that remains contains no record, and reads ignore it.
        let keys: [Parameter<'_>; 1] = [placed];
        let tidied = timeout_at(deadline, connection.ask(&TIDY, &keys)).await;
        if tidied.is_ok() {
            connection.give_back();
        }
    } else {
        connection.give_back();
    }
    written.map(|(outcomes, _)| outcomes)
}

fn without_result() -> Fault {
    Fault::Damaged("a commit has no result".to_owned())
}

fn joined<'a, T>(plans: &'a [&Plan], column: impl Fn(&'a Plan) -> &'a [T]) -> Vec<&'a T> {
    plans.iter().flat_map(|plan| column(plan)).collect()
}

/// Sends the statement; returns the outcomes, and the keys of the placeholder rows it inserted.
async fn write(
    connection: &Connection<'_>,
    plans: &[&Plan],
    deadline: Instant,
    lock_limit: Duration,
    margin: Duration,
) -> Result<(Vec<PlanOutcome>, Vec<Vec<u8>>), Fault> {
    let parts = |length: fn(&Plan) -> usize| -> Vec<i32> {
        let numbered = (0_i32..).zip(plans);
        let parts = numbered.flat_map(|(part, plan)| std::iter::repeat_n(part, length(plan)));
        parts.collect()
    };
    let places: Vec<i64> = plans
        .iter()
        .flat_map(|plan| (0_i64..).zip(&plan.events).map(|(place, _)| place))
        .collect();
    let left = deadline.saturating_duration_since(Instant::now() + margin);
    let lock_limit = left.min(lock_limit).as_millis();
    // PostgreSQL treats 0 as no limit.
    if lock_limit == 0 {
        return Err(Fault::Busy);
    }
    let lock_limit = lock_limit.to_string();
    let rows = connection
        .change(
            deadline,
            &COMMIT,
            &[
                &parts(|_| 1),
                &parts(|plan| plan.keys.len()),
                &joined(plans, |plan| &plan.keys),
                &joined(plans, |plan| &plan.ranks),
                &joined(plans, |plan| &plan.expected),
                &joined(plans, |plan| &plan.kinds),
                &joined(plans, |plan| &plan.values),
                &joined(plans, |plan| &plan.deltas),
                &parts(|plan| plan.events.len()),
                &places,
                &joined(plans, |plan| &plan.events),
                &joined(plans, |plan| &plan.removed),
                &lock_limit,
            ],
        )
        .await?;
    let mut outcomes = vec![None; plans.len()];
    let mut placed = Vec::new();
    for row in rows {
        let failed: Option<i32> = row.try_get("failed")?;
        let revision: Option<i64> = row.try_get("revision")?;
        let outcome = match (failed, revision) {
            (Some(rank), _) => PlanOutcome::Failed(usize::try_from(rank).unwrap_or(usize::MAX)),
            (None, Some(revision)) => PlanOutcome::Done(revision.unsigned_abs()),
            (None, None) => return Err(Fault::Damaged("a commit has no revision".to_owned())),
        };
        let part = usize::try_from(row.try_get::<_, i32>("part")?).unwrap_or(usize::MAX);
        if let Some(slot) = outcomes.get_mut(part) {
            *slot = Some(outcome);
        }
        let has_placed = row.try_get("placed")?;
        if let (PlanOutcome::Done(_), true, Some(plan)) = (outcome, has_placed, plans.get(part)) {
            placed.extend(plan.removed.iter().cloned());
        }
    }
    let outcomes: Option<Vec<PlanOutcome>> = outcomes.into_iter().collect();
    Ok((outcomes.ok_or_else(without_result)?, placed))
}

/// Combines additions where the sum overflows if and only if one of them does: all have the same sign.
fn sum(before: Option<&Change>, delta: i64) -> Option<i64> {
    match before {
        None => Some(delta),
        Some(Change::Add(before)) if before.signum().saturating_mul(delta.signum()) >= 0 => {
            before.checked_add(delta)
        }
        Some(_) => None,
    }
}

/// The keys whose stored entries decide the result of a set.
pub(super) fn deciding(changes: &ChangeSet) -> Vec<Key> {
    let guarded = changes.guards.iter().map(|guard| guard.key.clone());
    let added = changes.writes.iter().filter_map(|write| match write {
        Write::Add { key, .. } => Some(key.clone()),
        Write::Put { .. } | Write::Delete { .. } => None,
    });
    let keys: BTreeSet<Key> = guarded.chain(added).collect();
    keys.into_iter().collect()
}

/// Replaces the additions of a set by their results, valid while the deciding entries have these revisions.
/// Errors: the final result when the set cannot be committed: a guard fails or a counter overflows.
pub(super) fn settled(
    changes: &ChangeSet,
    stored: &BTreeMap<Key, Entry>,
) -> Result<ChangeSet, CommitError> {
    let mut settled = ChangeSet {
        guards: changes.guards.clone(),
        writes: Vec::new(),
        events: changes.events.clone(),
    };
    for key in deciding(changes) {
        let revision = stored.get(&key).map(|entry| entry.revision);
        settled.guard(key, revision);
    }
    let without_events = ChangeSet {
        events: Vec::new(),
        ..changes.clone()
    };
    for (key, value) in without_events.resolve(0, |key| Ok(stored.get(key).cloned()))? {
        match value {
            Some(value) => settled.put(key, value),
            None => settled.delete(key),
        }
    }
    Ok(settled)
}

impl From<Fault> for CommitError {
    fn from(fault: Fault) -> Self {
        Self::Storage(StorageError::from(fault))
    }
}
