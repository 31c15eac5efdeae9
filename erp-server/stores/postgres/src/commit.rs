//! One change set as one statement.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use erp_core::storage::{
    ChangeSet, CommitError, Entry, Expected, Guard, Key, Revision, StorageError, Write,
};
use tokio::time::{Instant, timeout_at};

use super::fault::Fault;
use super::pool::{Connection, Connections, Parameter, lock_limit};

/// Locks, compares, draws the revisions and writes, for one or several sets without a common key.
///
/// - `part` is the number of the set; each stands or falls by itself.
/// - A row that is there is sent with the revision below zero, so that it can only be updated; one that is
///   not there with the revision above, so that it can only be inserted: the update of a row that has
///   appeared meanwhile sets no revision, which the table does not allow.
/// - What a set deletes is locked like everything else and deleted by the same statement. A key without a
///   row that a set deletes, or must not find, gets a row without a value: it holds the place until the
///   commit, and [`TIDY`] removes it afterwards. So every set is one statement, which is its own transaction:
///   no lock ever waits for this process to go on.
/// - The wait for a lock ends after `$13` milliseconds; the setting ends with the statement. It is made before
///   the first lock, because it is part of the condition that selects the rows.
/// - All locks are taken before a revision is drawn: `count` reads the locked rows to their end.
/// - `\x28` is the space of the outbox; its keys are this and two numbers of eight bytes.
const COMMIT: &str = "
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
SELECT j.part, j.failed, d.revision, j.placed FROM judged j LEFT JOIN drawn d ON d.part = j.part";

/// Removes rows that only held a place, unless another set is at them.
const TIDY: &str = "
DELETE FROM erp_entries WHERE key = ANY($1::bytea[]) AND value IS NULL AND counter IS NULL AND key IN (
    SELECT key FROM erp_entries
    WHERE key = ANY($1::bytea[]) AND value IS NULL AND counter IS NULL FOR UPDATE SKIP LOCKED)";

/// What a key is touched for, as the statement knows it.
const LOOK: i32 = 0;
const PUT: i32 = 1;
const ADD: i32 = 2;
const HOLD: i32 = 3;

/// How often a set is tried while other writers are at the same keys.
const TRIES: u32 = 40;

/// The part of the store's patience that is left to the database for its answer when a wait for a lock has
/// met its limit: 1 s of 20 s. So the outcome is known at the deadline, and nothing has to be cancelled.
const MARGIN: u32 = 20;

/// A change set with one row for each key, in key order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    keys: Vec<Vec<u8>>,
    ranks: Vec<i32>,
    expected: Vec<i64>,
    kinds: Vec<i32>,
    values: Vec<Option<Vec<u8>>>,
    deltas: Vec<Option<i64>>,
    events: Vec<Vec<u8>>,
    removed: Vec<Vec<u8>>,
    guarded: Vec<Key>,
}

/// What a set does to a key in the end.
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

/// What became of a plan.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Done(Revision),
    /// The guard of this rank does not hold.
    Failed(usize),
}

impl Plan {
    /// `None` when a key is added to in a way that only what is stored can tell the outcome of: see
    /// [`settled`].
    pub(super) fn of(changes: ChangeSet) -> Option<Self> {
        let mut touched: BTreeMap<Key, Touched> = BTreeMap::new();
        let mut plan = Self::default();
        for Guard { key, expected } in changes.guards {
            let expected = match expected {
                Expected::Absent => 0,
                // No entry has the revision 0 or one beyond the column.
                Expected::At(0) => -1,
                Expected::At(revision) => i64::try_from(revision).unwrap_or(-1),
            };
            let rank = i32::try_from(plan.guarded.len()).unwrap_or(i32::MAX);
            plan.guarded.push(key.clone());
            let guard = &mut touched.entry(key).or_default().guard;
            *guard = match *guard {
                // Two guards that contradict each other cannot both hold.
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
                    let before = touched
                        .get(&key)
                        .and_then(|touched| touched.change.as_ref());
                    let sum = sum(before, delta)?;
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
            // No other set may write the key before this one is there.
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

    /// The keys of its guards by rank.
    pub(super) fn guarded(&self) -> Vec<Key> {
        self.guarded.clone()
    }

    /// The keys it touches.
    pub(super) fn keys(&self) -> &[Vec<u8>] {
        &self.keys
    }

    /// Its bytes, about.
    pub(super) fn bytes(&self) -> usize {
        let values = self
            .values
            .iter()
            .flatten()
            .chain(&self.events)
            .chain(&self.keys);
        values.fold(0, |sum, bytes| sum.saturating_add(bytes.len()))
    }

    /// Tries until no other writer is at the same keys.
    pub(super) async fn commit(
        &self,
        connections: &Connections,
        deadline: Instant,
        mut again: impl FnMut(),
    ) -> Result<Outcome, Fault> {
        let lock_limit = lock_limit(connections.patience());
        for attempt in 0..TRIES {
            let tried = commit_together(connections, &[self], deadline, lock_limit).await;
            match tried {
                Err(Fault::Again) if Instant::now() < deadline => again(),
                Err(Fault::Again) => return Err(Fault::Busy),
                Err(fault) => return Err(fault),
                Ok(outcomes) => {
                    let outcome = outcomes.first().copied();
                    return outcome
                        .ok_or_else(|| Fault::Damaged("a commit has no answer".to_owned()));
                }
            }
            let most = 1_u64 << attempt.min(6);
            let wait = rand::random_range(0..=most);
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        Err(Fault::Busy)
    }
}

/// Commits sets that have no key in common, once: each succeeds or fails by itself, an error is that of all.
/// None of them waits longer than `lock_limit` for a lock.
///
/// # Errors
/// [`Fault::OutcomeUnknown`] when they may have been committed. After any other fault they have not.
pub(super) async fn commit_together(
    connections: &Connections,
    plans: &[&Plan],
    deadline: Instant,
    lock_limit: Duration,
) -> Result<Vec<Outcome>, Fault> {
    let connection = connections.connection_until(deadline).await?;
    let margin = connections.patience() / MARGIN;
    let written = match write(&connection, plans, deadline, lock_limit, margin).await {
        Ok(written) => written,
        Err(fault) => {
            connection.give_back();
            return Err(fault);
        }
    };
    if written.placed.is_empty() {
        connection.give_back();
    } else {
        // The sets are committed; a row that stays holds no record, and no read finds it.
        let keys: [Parameter<'_>; 1] = [&written.placed];
        let tidied = timeout_at(deadline, connection.ask(TIDY, &keys)).await;
        if tidied.is_ok() {
            connection.give_back();
        }
    }
    Ok(written.outcomes)
}

/// What a statement did.
struct Written {
    outcomes: Vec<Outcome>,
    /// Keys of rows that it made to hold a place.
    placed: Vec<Vec<u8>>,
}

/// The columns of several plans, one behind the other.
fn joined<'a, T>(plans: &'a [&Plan], column: impl Fn(&'a Plan) -> &'a [T]) -> Vec<&'a T> {
    plans.iter().flat_map(|plan| column(plan)).collect()
}

async fn write(
    connection: &Connection<'_>,
    plans: &[&Plan],
    deadline: Instant,
    lock_limit: Duration,
    margin: Duration,
) -> Result<Written, Fault> {
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
    // 0 would mean no limit.
    if lock_limit == 0 {
        return Err(Fault::Busy);
    }
    let lock_limit = lock_limit.to_string();
    let rows = connection
        .change(
            deadline,
            COMMIT,
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
        let (failed, revision): (Option<i32>, Option<i64>) = (row.try_get(1)?, row.try_get(2)?);
        let outcome = match (failed, revision) {
            (Some(rank), _) => Outcome::Failed(usize::try_from(rank).unwrap_or(usize::MAX)),
            (None, Some(revision)) => Outcome::Done(revision.unsigned_abs()),
            (None, None) => return Err(Fault::Damaged("a commit has no revision".to_owned())),
        };
        let part = usize::try_from(row.try_get::<_, i32>(0)?).unwrap_or(usize::MAX);
        if let Some(slot) = outcomes.get_mut(part) {
            *slot = Some(outcome);
        }
        if let (Outcome::Done(_), true, Some(plan)) = (outcome, row.try_get(3)?, plans.get(part)) {
            placed.extend(plan.removed.iter().cloned());
        }
    }
    let outcomes: Option<Vec<Outcome>> = outcomes.into_iter().collect();
    Ok(Written {
        outcomes: outcomes.ok_or_else(|| Fault::Damaged("a commit has no answer".to_owned()))?,
        placed,
    })
}

/// Additions that overflow together if and only if one of them does: all up or all down.
fn sum(before: Option<&Change>, delta: i64) -> Option<i64> {
    match before {
        None => Some(delta),
        Some(Change::Add(before)) if before.signum().saturating_mul(delta.signum()) >= 0 => {
            before.checked_add(delta)
        }
        Some(_) => None,
    }
}

/// The keys whose entries decide what becomes of a set.
pub(super) fn deciding(changes: &ChangeSet) -> Vec<Key> {
    let guarded = changes.guards.iter().map(|guard| guard.key.clone());
    let added = changes.writes.iter().filter_map(|write| match write {
        Write::Add { key, .. } => Some(key.clone()),
        Write::Put { .. } | Write::Delete { .. } => None,
    });
    let keys: BTreeSet<Key> = guarded.chain(added).collect();
    keys.into_iter().collect()
}

/// The same set without additions, for as long as the deciding entries are these.
///
/// # Errors
/// What becomes of the set when it is none: a guard that fails, a counter that overflows.
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
