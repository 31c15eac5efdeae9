//! Delivery of events: exactly one delivery each, attempts, replay, targets that are removed.

use std::sync::Arc;

use erp_core::Erp;
use erp_core::erp::{Error, EventId, EventKind, Settings};
use erp_core::internal::record::encode;
use erp_core::internal::{
    AttemptOutcome, Backlog, Delivery, DeliveryAttempt, DeliveryState, Due, EventTarget, Lease,
    LeaseAfter, LeaseTerms, Leased, LogQuery, NewEventTarget, Schedule,
};
use erp_core::storage::{ChangeSet, MemoryStore, Storage};
use jiff::{SignedDuration, Timestamp};

use super::common::{block_on, now};

pub(super) const ALL: LogQuery = LogQuery {
    since: None,
    after: None,
    limit: 1_000,
};

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + second).unwrap()
}

pub(super) fn empty() -> Erp<MemoryStore> {
    Erp::new(MemoryStore::new(), Settings::default())
}

/// Records an event like an operation does, in a commit of its own.
pub(super) fn happen(
    erp: &Erp<impl Storage>,
    kind: EventKind,
    number: &str,
    second: i64,
) -> EventId {
    let mut changes = ChangeSet::new();
    let event = erp_core::erp::Event {
        kind,
        at: at(second),
        number: number.to_owned(),
        articles: Vec::new(),
        method: erp_core::erp::Method::Post,
        user: "shop".to_owned(),
        status: None,
    };
    changes.event(encode(&event).unwrap());
    let revision = block_on(erp.store().commit(changes)).unwrap();
    EventId { revision, index: 0 }
}

pub(super) fn target(erp: &Erp<impl Storage>, kinds: &[EventKind]) -> EventTarget {
    let new = NewEventTarget {
        url: "https://receiver.example.com/hook".to_owned(),
        secret: "whsec_c2VjcmV0".to_owned(),
        kinds: kinds.to_vec(),
    };
    block_on(erp.upkeep(at(0)).events().add_target(&new)).unwrap()
}

pub(super) fn due(erp: &Erp<impl Storage>, target: u64, second: i64) -> Vec<Due> {
    block_on(erp.upkeep(at(second)).events().due(target, 100)).unwrap()
}

/// Takes the lease of a target for a minute.
pub(super) fn lease(
    erp: &Erp<impl Storage>,
    target: u64,
    holder: u64,
    second: i64,
) -> Option<Lease> {
    let terms = LeaseTerms {
        holder,
        length: SignedDuration::from_secs(60),
    };
    block_on(
        erp.upkeep(at(second))
            .leases()
            .take(Leased::Deliveries(target), &terms),
    )
    .unwrap()
}

fn record(erp: &Erp<impl Storage>, due: &Due, second: i64, outcome: AttemptOutcome) -> Delivery {
    let attempt = DeliveryAttempt {
        at: at(second),
        outcome,
        duration_ms: 0,
    };
    let lease = lease(erp, due.delivery.target, 1, second).unwrap();
    let noted = block_on(erp.upkeep(now()).events().record_attempt(
        due,
        attempt,
        &Schedule::default(),
        (&lease, LeaseAfter::Kept),
    ));
    noted.unwrap().unwrap()
}

pub(super) fn assert_sound(erp: &Erp<impl Storage>) {
    assert_eq!(block_on(erp.upkeep(now()).check()).unwrap().findings, []);
}

// rule: R-EVT-11, R-EVT-12
#[test]
fn parallel_workers_hand_every_event_over_once() {
    let erp = Arc::new(empty());
    target(&erp, &[]);
    target(&erp, &[]);
    for number in 0..200 {
        happen(&erp, EventKind::Order, &number.to_string(), 0);
    }
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let erp = Arc::clone(&erp);
            #[expect(
                clippy::disallowed_methods,
                reason = "the test needs workers at the same time"
            )]
            std::thread::spawn(move || {
                let mut moved = 0;
                loop {
                    match block_on(erp.upkeep(at(1)).events().fan_out(7)).unwrap() {
                        0 => return moved,
                        some => moved += some,
                    }
                }
            })
        })
        .collect();
    let moved: usize = workers
        .into_iter()
        .map(|worker| worker.join().unwrap())
        .sum();
    assert_eq!(moved, 200);
    assert_eq!(
        block_on(erp.upkeep(now()).events().outbox(None, 10)).unwrap(),
        []
    );
    let logged = block_on(erp.upkeep(now()).events().logged(&ALL)).unwrap();
    assert_eq!(logged.len(), 200);
    assert!(logged.iter().all(|entry| entry.deliveries.len() == 2));
    for target in [1, 2] {
        let mut numbers: Vec<u32> = block_on(erp.upkeep(at(1)).events().due(target, 1_000))
            .unwrap()
            .iter()
            .map(|due| due.event.number.parse().unwrap())
            .collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..200).collect::<Vec<_>>());
    }
    assert_sound(&erp);
}

// rule: D-EVT-05
#[test]
fn a_target_gets_the_kinds_it_wants() {
    let erp = empty();
    let orders = target(&erp, &[EventKind::Order]);
    let articles = target(&erp, &[EventKind::Article]);
    let usual = target(&erp, &[]);
    happen(&erp, EventKind::Order, "1", 0);
    happen(&erp, EventKind::Customer, "2", 0);
    happen(&erp, EventKind::Article, "3", 0);
    assert_eq!(
        block_on(erp.upkeep(at(1)).events().fan_out(100)).unwrap(),
        3
    );
    let numbers = |target: &EventTarget| -> Vec<String> {
        let due = due(&erp, target.id, 1);
        due.into_iter().map(|due| due.event.number).collect()
    };
    assert_eq!(numbers(&orders), ["1"]);
    assert_eq!(numbers(&articles), ["3"]);
    assert_eq!(numbers(&usual), ["1", "2"]);
}

// rule: R-EVT-06
#[test]
fn a_failure_is_tried_again_when_it_is_due_and_not_before() {
    let erp = empty();
    let target = target(&erp, &[]);
    let id = happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(10)).events().fan_out(100)).unwrap();
    assert_eq!(due(&erp, target.id, 9), [], "not before it was handed over");
    let first = due(&erp, target.id, 10).remove(0);
    record(&erp, &first, 10, AttemptOutcome::Status(500));
    assert_sound(&erp);
    assert_eq!(due(&erp, target.id, 14), []);
    let second = due(&erp, target.id, 15).remove(0);
    record(&erp, &second, 15, AttemptOutcome::TimedOut);
    let third = due(&erp, target.id, 315).remove(0);
    let taken = record(&erp, &third, 315, AttemptOutcome::Status(200));
    assert_eq!(taken.state, DeliveryState::Delivered);
    assert_eq!(due(&erp, target.id, 1_000_000), []);
    let outcomes: Vec<_> = block_on(erp.upkeep(now()).events().deliveries(id)).unwrap()[0]
        .attempts
        .iter()
        .map(|attempt| attempt.outcome)
        .collect();
    let expected = [
        AttemptOutcome::Status(500),
        AttemptOutcome::TimedOut,
        AttemptOutcome::Status(200),
    ];
    assert_eq!(outcomes, expected);
    assert_sound(&erp);
}

// rule: R-EVT-06
#[test]
fn the_eighth_failure_gives_up_and_a_replay_starts_again() {
    let erp = empty();
    let target = target(&erp, &[]);
    let id = happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let mut second = 0;
    for _ in 0..8 {
        let due = due(&erp, target.id, second).remove(0);
        let after = record(&erp, &due, second, AttemptOutcome::NoConnection);
        second = after
            .next_attempt_at
            .map_or(second, |next| next.as_second() - at(0).as_second());
    }
    assert_eq!(
        block_on(erp.upkeep(now()).events().deliveries(id)).unwrap()[0].state,
        DeliveryState::GivenUp
    );
    assert_eq!(due(&erp, target.id, 10_000_000), []);
    assert_eq!(
        block_on(erp.upkeep(at(second)).events().replay(id)).unwrap(),
        1
    );
    let again = due(&erp, target.id, second).remove(0);
    assert_eq!(
        (again.delivery.failures, again.delivery.attempts.len()),
        (0, 8)
    );
    assert_sound(&erp);
}

// rule: R-EVT-07
#[test]
fn status_410_switches_the_target_off_and_ends_its_deliveries() {
    let erp = empty();
    let (gone, other) = (target(&erp, &[]), target(&erp, &[]));
    let first = happen(&erp, EventKind::Order, "1", 0);
    let second = happen(&erp, EventKind::Order, "2", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let due_now = due(&erp, gone.id, 0).remove(0);
    record(&erp, &due_now, 0, AttemptOutcome::Status(410));
    let states = |id| -> Vec<DeliveryState> {
        let deliveries = block_on(erp.upkeep(now()).events().deliveries(id)).unwrap();
        deliveries.iter().map(|delivery| delivery.state).collect()
    };
    for id in [first, second] {
        assert_eq!(
            states(id),
            [DeliveryState::TargetGone, DeliveryState::Waiting]
        );
    }
    let enabled: Vec<_> = block_on(erp.upkeep(now()).events().targets()).unwrap();
    assert_eq!(
        enabled
            .iter()
            .map(|target| target.enabled)
            .collect::<Vec<_>>(),
        [false, true]
    );
    let third = happen(&erp, EventKind::Order, "3", 1);
    block_on(erp.upkeep(at(1)).events().fan_out(100)).unwrap();
    assert_eq!(due(&erp, gone.id, 1), []);
    assert_eq!(due(&erp, other.id, 1).len(), 3);
    assert_eq!(states(third), [DeliveryState::Waiting]);
    assert_sound(&erp);
    // After it is switched on again it gets new events, and old ones by a replay.
    block_on(erp.upkeep(now()).events().switch_target(gone.id, true)).unwrap();
    assert_eq!(
        block_on(erp.upkeep(at(2)).events().replay_since(at(1))).unwrap(),
        2
    );
    assert_eq!(due(&erp, gone.id, 2).len(), 1);
    assert_sound(&erp);
}

// rule: R-EVT-07
#[test]
fn removing_a_target_ends_its_deliveries_and_its_number_is_not_reused() {
    let erp = empty();
    let removed = target(&erp, &[]);
    // More deliveries than one commit can end.
    let ids: Vec<_> = (0..1_100)
        .map(|number| happen(&erp, EventKind::Order, &number.to_string(), 0))
        .collect();
    while block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap() > 0 {}
    let tried = due(&erp, removed.id, 0).remove(0);
    block_on(erp.upkeep(now()).events().remove_target(removed.id)).unwrap();
    assert_eq!(due(&erp, removed.id, 1_000), []);
    for id in ids {
        assert_eq!(
            block_on(erp.upkeep(now()).events().deliveries(id)).unwrap()[0].state,
            DeliveryState::TargetGone
        );
    }
    // The result of an attempt in progress restores nothing.
    let after = record(&erp, &tried, 1, AttemptOutcome::Status(500));
    assert_eq!(
        (after.state, after.attempts.len()),
        (DeliveryState::TargetGone, 1)
    );
    assert!(matches!(
        block_on(erp.upkeep(now()).events().remove_target(removed.id)),
        Err(Error::NotFound { .. })
    ));
    assert_eq!(target(&erp, &[]).id, removed.id + 1);
    assert_sound(&erp);
}

// rule: R-EVT-08
#[test]
fn a_replay_is_not_ended_by_an_attempt_that_began_before_it() {
    let erp = empty();
    let target = target(&erp, &[]);
    let id = happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let under_way = due(&erp, target.id, 0).remove(0);
    assert_eq!(block_on(erp.upkeep(at(1)).events().replay(id)).unwrap(), 1);
    let after = record(&erp, &under_way, 0, AttemptOutcome::Status(200));
    assert_eq!(
        (after.state, after.attempts.len()),
        (DeliveryState::Waiting, 1)
    );
    let again = due(&erp, target.id, 1).remove(0);
    let after = record(&erp, &again, 1, AttemptOutcome::Status(200));
    assert_eq!(
        (after.state, after.attempts.len()),
        (DeliveryState::Delivered, 2)
    );
    assert_sound(&erp);
}

// rule: R-EVT-08
#[test]
fn replay_since_a_time_reaches_targets_added_later() {
    let erp = empty();
    for second in 0..250 {
        happen(&erp, EventKind::Order, &second.to_string(), second);
    }
    while block_on(erp.upkeep(at(300)).events().fan_out(100)).unwrap() > 0 {}
    let late = target(&erp, &[]);
    assert_eq!(due(&erp, late.id, 1_000), []);
    assert_eq!(
        block_on(erp.upkeep(at(301)).events().replay_since(at(40))).unwrap(),
        210
    );
    let due = block_on(erp.upkeep(at(301)).events().due(late.id, 1_000)).unwrap();
    assert_eq!(due.len(), 210);
    assert_eq!(due[0].event.number, "40");
    let unknown = EventId {
        revision: 1_000_000,
        index: 0,
    };
    assert!(matches!(
        block_on(erp.upkeep(at(0)).events().replay(unknown)),
        Err(Error::NotFound { .. })
    ));
    assert_sound(&erp);
}

// rule: R-EVT-08
#[test]
fn the_log_is_listed_in_pages_and_since_a_time() {
    let erp = empty();
    for second in 0..250 {
        happen(&erp, EventKind::Order, &second.to_string(), second);
    }
    while block_on(erp.upkeep(at(300)).events().fan_out(1_000)).unwrap() > 0 {}
    let numbers = |query: &LogQuery| -> Vec<String> {
        let entries = block_on(erp.upkeep(now()).events().logged(query)).unwrap();
        entries
            .into_iter()
            .map(|entry| entry.event.number)
            .collect()
    };
    let first = block_on(
        erp.upkeep(now())
            .events()
            .logged(&LogQuery { limit: 3, ..ALL }),
    )
    .unwrap();
    let later = LogQuery {
        limit: 2,
        after: Some(first[2].id),
        since: None,
    };
    assert_eq!(numbers(&later), ["3", "4"]);
    let since = LogQuery {
        limit: 2,
        after: None,
        since: Some(at(248)),
    };
    assert_eq!(numbers(&since), ["248", "249"]);
    assert_eq!(numbers(&LogQuery { limit: 0, ..ALL }), [""; 0]);
}

// rule: R-EVT-13
#[test]
fn old_events_are_removed_when_no_delivery_needs_them() {
    let erp = empty();
    let target = target(&erp, &[]);
    let waiting = happen(&erp, EventKind::Order, "1", 0);
    let taken = happen(&erp, EventKind::Order, "2", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let young = happen(&erp, EventKind::Order, "3", 50);
    block_on(erp.upkeep(at(50)).events().fan_out(100)).unwrap();
    let second = due(&erp, target.id, 0).remove(1);
    record(&erp, &second, 0, AttemptOutcome::Status(200));
    assert_eq!(
        block_on(erp.upkeep(now()).events().remove_old(at(50))).unwrap(),
        1
    );
    let ids: Vec<_> = block_on(erp.upkeep(now()).events().logged(&ALL))
        .unwrap()
        .iter()
        .map(|entry| entry.id)
        .collect();
    assert_eq!(ids, [waiting, young]);
    assert_eq!(
        block_on(erp.upkeep(now()).events().deliveries(taken)).unwrap(),
        []
    );
    assert_sound(&erp);
    assert_eq!(
        block_on(erp.upkeep(now()).events().remove_old(at(50))).unwrap(),
        0
    );
}

#[test]
fn deliveries_left_by_a_crash_to_a_removed_target_are_ended() {
    let erp = empty();
    let (removed, kept) = (target(&erp, &[]), target(&erp, &[]));
    happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    // The first commit of a removal, without the others.
    let mut changes = ChangeSet::new();
    let key = erp_core::storage::Key::of(erp_core::storage::Space::EventTarget).number(removed.id);
    changes.delete(key);
    block_on(erp.store().commit(changes)).unwrap();
    assert_eq!(
        block_on(erp.upkeep(now()).events().end_orphaned()).unwrap(),
        1
    );
    assert_eq!(due(&erp, removed.id, 0), []);
    assert_eq!(due(&erp, kept.id, 0).len(), 1);
    assert_eq!(
        block_on(erp.upkeep(now()).events().end_orphaned()).unwrap(),
        0
    );
    assert_sound(&erp);
}

#[test]
fn the_check_finds_inconsistent_records() {
    let erp = empty();
    let target = target(&erp, &[]);
    let id = happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let mut changes = ChangeSet::new();
    let key = |space| {
        erp_core::storage::Key::of(space)
            .number(id.revision)
            .number(id.index)
    };
    changes.delete(key(erp_core::storage::Space::EventLog));
    let other = Delivery::new(id, target.id, at(7));
    let delivery = key(erp_core::storage::Space::Delivery).number(target.id);
    changes.put(delivery, encode(&other).unwrap());
    block_on(erp.store().commit(changes)).unwrap();
    let findings = block_on(erp.upkeep(now()).check()).unwrap().findings;
    let messages: Vec<_> = findings
        .iter()
        .map(|finding| finding.message.as_str())
        .collect();
    let expected = [
        "the event of the delivery is not in the log",
        "nothing waits for delivery here",
        "a delivery waits that is not found when it is due",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn retries_follow_the_schedule_of_the_caller() {
    let schedule = Schedule::new(vec![SignedDuration::from_millis(3)]);
    assert_eq!(schedule.wait_after(0), None);
    assert_eq!(schedule.wait_after(1), Some(SignedDuration::from_millis(3)));
    assert_eq!(schedule.wait_after(2), None);
}

// rule: R-EVT-10
#[test]
fn a_secret_is_not_printed() {
    let erp = empty();
    let target = target(&erp, &[]);
    assert!(!format!("{target:?}").contains("whsec_"));
}

#[test]
fn the_backlog_reports_count_and_age() {
    let erp = empty();
    let backlog = || block_on(erp.upkeep(now()).events().backlog(1_000)).unwrap();
    assert_eq!(backlog(), Backlog::default());
    let target = target(&erp, &[]).id;
    happen(&erp, EventKind::Order, "1", 3);
    happen(&erp, EventKind::Order, "2", 4);
    let waits = |deliveries, second| Backlog {
        deliveries,
        oldest: Some(at(second)),
    };
    // Events in the outbox count, although they have no delivery yet.
    assert_eq!(backlog(), waits(0, 3));
    block_on(erp.upkeep(at(5)).events().fan_out(100)).unwrap();
    assert_eq!(backlog(), waits(2, 3));
    let first = due(&erp, target, 6).remove(0);
    // An event whose attempt failed still waits, and is still the oldest.
    record(&erp, &first, 6, AttemptOutcome::Status(500));
    assert_eq!(backlog(), waits(2, 3));
    let first = due(&erp, target, 100_000)
        .into_iter()
        .find(|due| due.event.number == "1")
        .unwrap();
    record(&erp, &first, 100_000, AttemptOutcome::Status(200));
    assert_eq!(backlog(), waits(1, 4));
}
