//! Where revisions and sequence numbers continue in a store that starts from the state of another store.
//!
//! After a restore, the commits made since the backup are lost, but clients, event receivers and printed papers
//! still refer to them. So revisions (used in `ETag`s and event ids) and sequence numbers skip every value that
//! the lost commits may have used.

use std::collections::BTreeMap;

use super::Sequence;
use super::snapshot::Snapshot;

/// Revisions reserved per millisecond. No store reaches 4 million commits per second.
const REVISIONS_PER_MILLISECOND: u64 = 1 << 12;

/// Revisions skipped when the clock is behind the last commit.
const REVISIONS_WITHOUT_CLOCK: u64 = 1 << 32;

/// Minimum of numbers skipped per sequence.
const LEAST_NUMBERS: u64 = 100_000;

/// For this long (1,000 s) every sequence is assumed to give out numbers as fast as the document sequences.
const BUSY_MILLISECONDS: u64 = 1_000_000;

/// The values a store continues with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuation {
    /// The store's own commits get revisions above this one.
    pub revision: u64,
    /// Lower bound of the next number, by sequence name.
    pub sequences: BTreeMap<String, u64>,
}

impl Continuation {
    /// Continues exactly at the end of the snapshot: no commit followed it.
    pub fn lossless(snapshot: &Snapshot) -> Self {
        Self {
            revision: snapshot.revision,
            sequences: snapshot.sequences.clone(),
        }
    }

    /// Continues after a gap, because commits that followed the snapshot are lost. `first` is the start number from
    /// the settings, for sequences that have not given out a number yet.
    ///
    /// How many numbers were lost is unknown. The estimate is 100,000 per sequence, plus, for each second since the
    /// last commit of the snapshot, 100 orders, offers and addresses, and one customer and one media record (100 in
    /// the first 1,000 seconds); but never more than half of what the sequence has left. So a second store restored
    /// from the same snapshot continues above the first one. `distance` replaces the estimate. `now` and `random` are those of
    /// [`revision_after`].
    #[must_use]
    pub fn after_loss(
        snapshot: &Snapshot,
        (first, distance): (&BTreeMap<Sequence, u64>, Option<u64>),
        now: u64,
        random: u64,
    ) -> Self {
        let elapsed = match snapshot.time {
            0 => 0,
            time => now.saturating_sub(time),
        };
        let skipped = |sequence: Sequence| {
            let mark = snapshot.sequences.get(sequence.as_str()).copied();
            let first = first.get(&sequence).copied().unwrap_or(1);
            let next = mark.unwrap_or(1).max(first);
            // A sequence that has reached its last number continues with the first one.
            let all = sequence.last_number().saturating_add(1);
            let all = all.saturating_sub(first).max(1);
            let left = all.saturating_sub(next.saturating_sub(first) % all);
            let busy = elapsed.min(BUSY_MILLISECONDS).saturating_mul(100);
            let later = elapsed.saturating_sub(BUSY_MILLISECONDS);
            let later = later.saturating_mul(per_second(sequence));
            let lost = busy.saturating_add(later) / 1_000;
            let lost = lost.saturating_add(LEAST_NUMBERS);
            let skip = distance.unwrap_or(lost).min(left / 2);
            (sequence.as_str().to_owned(), next.saturating_add(skip))
        };
        Self {
            revision: revision_after(snapshot.revision, now, random),
            sequences: Sequence::ALL.into_iter().map(skipped).collect(),
        }
    }
}

/// The revision that a new history starts from, after the last known one of the old history.
///
/// It is derived from the time, so that the revisions of two histories of one store do not overlap: each starts
/// at its own millisecond, far above what the other can have reached by then. It stays below 2^53 until the year
/// 2039, so that JavaScript reads it exactly. `now` is in milliseconds since 1970. Two machines may restore the same backup in
/// the same millisecond: a random number sets them apart.
pub fn revision_after(last: u64, now: u64, random: u64) -> u64 {
    let by_time = now.saturating_mul(REVISIONS_PER_MILLISECOND);
    let without_clock = last.saturating_add(REVISIONS_WITHOUT_CLOCK);
    let next = if last < by_time {
        by_time
    } else {
        without_clock
    };
    next.saturating_add(random % REVISIONS_PER_MILLISECOND)
}

const fn per_second(sequence: Sequence) -> u64 {
    match sequence {
        Sequence::Order | Sequence::Offer | Sequence::Address => 100,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;
    const NOW: u64 = 1_800_000_000_000;

    fn snapshot(revision: u64, time: u64, orders: u64) -> Snapshot {
        Snapshot {
            store: "0".repeat(32),
            revision,
            time,
            sequences: BTreeMap::from([("order".to_owned(), orders)]),
        }
    }

    fn orders(snapshot: &Snapshot, first: u64) -> u64 {
        let first = BTreeMap::from([(Sequence::Order, first)]);
        let continuation = Continuation::after_loss(snapshot, (&first, None), NOW, 0);
        continuation.sequences["order"]
    }

    #[test]
    fn numbers_skip_more_the_older_the_backup_is_and_never_all_there_are() {
        assert_eq!(orders(&snapshot(5, NOW, 200_000), 100_001), 300_000);
        // A sequence without numbers starts where the settings say.
        assert_eq!(orders(&snapshot(5, NOW, 1), 100_001), 200_001);
        let day = snapshot(5, NOW - 24 * HOUR, 200_000);
        assert_eq!(orders(&day, 1), 300_000 + 8_640_000);
        let first = BTreeMap::from([(Sequence::Customer, 10_001)]);
        let customers =
            Continuation::after_loss(&day, (&first, None), NOW, 0).sequences["customer"];
        assert_eq!(customers, 110_001 + 100_000 + 85_400);
        // Past its last number a sequence has what is left of its next round.
        let round = Snapshot {
            sequences: BTreeMap::from([("customer".to_owned(), 2 * 989_999)]),
            ..snapshot(5, NOW, 1)
        };
        let customers =
            Continuation::after_loss(&round, (&first, None), NOW, 0).sequences["customer"];
        assert_eq!(customers, 2 * 989_999 + 5_000);
        // Two restores of one backup, a second apart.
        let at = |now| Continuation::after_loss(&snapshot(5, NOW, 1), (&first, None), now, 0);
        for sequence in Sequence::ALL {
            let of = |now| at(now).sequences[sequence.as_str()];
            assert_eq!(of(NOW + 2_000), of(NOW + 1_000) + 100);
        }
        let old = snapshot(5, NOW - 100_000 * HOUR, 200_000);
        let next = orders(&old, 1);
        assert!(
            next > 4_000_000_000 && next < Sequence::Order.last_number(),
            "{next}"
        );
        assert_eq!(orders(&snapshot(0, 0, 1), 1), 100_001);
    }

    #[test]
    fn a_given_distance_replaces_the_estimate() {
        let first = BTreeMap::from([(Sequence::Order, 100_001)]);
        let orders = |distance| {
            let snapshot = snapshot(5, NOW - HOUR, 200_000);
            let continuation = Continuation::after_loss(&snapshot, (&first, distance), NOW, 0);
            continuation.sequences["order"]
        };
        assert_eq!(orders(Some(500)), 200_500);
        assert_eq!(orders(Some(0)), 200_000);
        // It is never more than half of what is left.
        assert!(orders(Some(u64::MAX)) < Sequence::Order.last_number());
        assert_eq!(orders(None), 660_000);
    }

    #[test]
    fn a_history_goes_on_above_all_that_the_others_can_have_reached() {
        let first = revision_after(1_000, NOW, 7);
        // 20,000 commits per second, more than any disk has reached.
        let reached = first + 20_000 * 3_600;
        let second = revision_after(1_000, NOW + HOUR, 7);
        assert!(second > reached);
        assert!(revision_after(reached, NOW + HOUR, 7) > reached);
        assert!(second < 1 << 53);
        // The clock was set back.
        let back = revision_after(reached, NOW - 24 * HOUR, 7);
        assert!(back > reached + (1 << 31));
    }
}
