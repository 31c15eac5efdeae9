//! Several servers on one store: only the holder of a target's lease delivers, and servers do not block each other.

use std::sync::Arc;

use erp_core::Erp;
use erp_core::erp::{EventKind, Settings};
use erp_core::internal::master::User;
use erp_core::internal::{
    AttemptOutcome, Delivery, DeliveryAttempt, DeliveryState, Due, Lease, LeaseAfter,
    NewEventTarget, Schedule, TokenHash,
};
use erp_core::master::Role;
use erp_core::storage::{ChangeSet, Key, MemoryStore, Space, Storage};
use erp_core::text::Text;
use jiff::Timestamp;

use super::common::{block_on, now};
use super::deliveries::{ALL, assert_sound, at, due, empty, happen, lease, target};
use super::overtaken::Overtaken;

pub(super) fn note(
    erp: &Erp<impl Storage>,
    due: &Due,
    status: u16,
    lease: &Lease,
    after: LeaseAfter,
) -> Option<Delivery> {
    let attempt = DeliveryAttempt {
        at: at(0),
        outcome: AttemptOutcome::Status(status),
        duration_ms: 0,
    };
    block_on(erp.upkeep(now()).events().record_attempt(
        due,
        attempt,
        &Schedule::default(),
        (lease, after),
    ))
    .unwrap()
}

#[test]
fn an_attempt_by_a_server_that_lost_its_lease_is_not_recorded() {
    let erp = empty();
    let target = target(&erp, &[]).id;
    let id = happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let slow = lease(&erp, target, 1, 0).unwrap();
    let under_way = due(&erp, target, 0).remove(0);
    assert_eq!(lease(&erp, target, 2, 59), None);
    let taken = lease(&erp, target, 2, 60).unwrap();
    let again = due(&erp, target, 60).remove(0);
    assert_eq!(again, under_way);
    for status in [200, 410, 500] {
        assert_eq!(
            note(&erp, &under_way, status, &slow, LeaseAfter::Kept),
            None
        );
    }
    assert_eq!(
        due(&erp, target, 60),
        std::slice::from_ref(&again),
        "nothing has changed"
    );
    let noted = note(&erp, &again, 200, &taken, LeaseAfter::Kept).unwrap();
    assert_eq!(
        (noted.state, noted.attempts.len()),
        (DeliveryState::Delivered, 1)
    );
    // Also after the attempt of the other server.
    assert_eq!(
        note(&erp, &under_way, 500, &slow, LeaseAfter::Released),
        None
    );
    assert_eq!(
        block_on(erp.upkeep(now()).events().deliveries(id)).unwrap(),
        [noted]
    );
    assert_eq!(
        lease(&erp, target, 3, 61),
        None,
        "the server that lost the lease releases nothing"
    );
    assert_sound(&erp);
}

#[test]
fn a_late_attempt_counts_if_no_server_took_over() {
    let erp = empty();
    let target = target(&erp, &[]).id;
    happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let held = lease(&erp, target, 1, -1_000).unwrap();
    let under_way = due(&erp, target, 0).remove(0);
    let noted = note(&erp, &under_way, 204, &held, LeaseAfter::Kept).unwrap();
    assert_eq!(noted.state, DeliveryState::Delivered);
}

#[test]
fn the_last_attempt_gives_the_lease_back_in_its_commit() {
    let erp = empty();
    let target = target(&erp, &[]).id;
    happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let held = lease(&erp, target, 1, 0).unwrap();
    let last = due(&erp, target, 0).remove(0);
    assert!(note(&erp, &last, 500, &held, LeaseAfter::Released).is_some());
    assert!(lease(&erp, target, 2, 1).is_some());
    assert_eq!(note(&erp, &last, 500, &held, LeaseAfter::Kept), None);
    assert_sound(&erp);
}

#[test]
fn a_server_with_a_slow_clock_does_not_send_its_events_first() {
    let erp = empty();
    let target = target(&erp, &[]).id;
    for (number, clock) in [("1", 30), ("2", 10), ("3", 20), ("4", 31)] {
        happen(&erp, EventKind::Order, number, 0);
        assert_eq!(
            block_on(erp.upkeep(at(clock)).events().fan_out(100)).unwrap(),
            1
        );
    }
    let numbers = |second| -> Vec<String> {
        let due = due(&erp, target, second);
        due.into_iter().map(|due| due.event.number).collect()
    };
    assert_eq!(numbers(31), ["1", "2", "3", "4"]);
    // A clock that was an hour ahead delays nothing once it is correct.
    happen(&erp, EventKind::Order, "5", 0);
    block_on(erp.upkeep(at(3_600)).events().fan_out(100)).unwrap();
    happen(&erp, EventKind::Order, "6", 0);
    block_on(erp.upkeep(at(32)).events().fan_out(100)).unwrap();
    assert_eq!(numbers(32), ["1", "2", "3", "4", "6"]);
}

#[test]
fn a_server_that_loses_the_race_to_hand_over_continues() {
    let store = Overtaken::default();
    let erp = Erp::new(store.clone(), Settings::default());
    let target = target(&erp, &[]).id;
    happen(&erp, EventKind::Order, "1", 0);
    store.overtaken_by(|rival| {
        assert_eq!(
            block_on(rival.upkeep(at(0)).events().fan_out(100)).unwrap(),
            1
        );
        happen(rival, EventKind::Order, "2", 0);
    });
    assert_eq!(
        block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap(),
        0
    );
    assert_eq!(
        block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap(),
        1
    );
    assert_eq!(due(&erp, target, 0).len(), 2);
    assert_sound(&erp);
}

#[test]
fn a_result_is_not_recorded_if_the_lease_is_lost_at_the_last_moment() {
    let store = Overtaken::default();
    let erp = Erp::new(store.clone(), Settings::default());
    let target = target(&erp, &[]).id;
    let id = happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let slow = lease(&erp, target, 1, 0).unwrap();
    let under_way = due(&erp, target, 0).remove(0);
    store.overtaken_by(move |rival| {
        let taken = lease(rival, target, 2, 60).unwrap();
        let again = due(rival, target, 60).remove(0);
        let noted = note(rival, &again, 500, &taken, LeaseAfter::Kept).unwrap();
        assert_eq!(noted.failures, 1);
    });
    assert_eq!(note(&erp, &under_way, 200, &slow, LeaseAfter::Kept), None);
    let delivery = block_on(erp.upkeep(now()).events().deliveries(id))
        .unwrap()
        .remove(0);
    assert_eq!(
        (delivery.state, delivery.attempts.len()),
        (DeliveryState::Waiting, 1)
    );
    assert_sound(&erp);
}

#[test]
fn a_lease_taken_at_the_same_moment_belongs_to_the_other_server() {
    let store = Overtaken::default();
    let erp = Erp::new(store.clone(), Settings::default());
    store.overtaken_by(|rival| assert!(lease(rival, 7, 2, 0).is_some()));
    assert_eq!(lease(&erp, 7, 1, 0), None);
}

/// Runs the same work in four threads on one store and returns the four results.
fn at_once<T: Send + 'static>(
    erp: &Arc<Erp<MemoryStore>>,
    work: impl Fn(&Erp<MemoryStore>) -> T + Copy + Send + 'static,
) -> Vec<T> {
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let erp = Arc::clone(erp);
            #[expect(
                clippy::disallowed_methods,
                reason = "the test needs servers at the same time"
            )]
            std::thread::spawn(move || work(&erp))
        })
        .collect();
    threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect()
}

#[test]
fn one_of_many_gets_a_lease() {
    for _ in 0..50 {
        let erp = Arc::new(empty());
        let holders = std::sync::atomic::AtomicU64::new(0);
        let holders: &'static std::sync::atomic::AtomicU64 = Box::leak(Box::new(holders));
        let taken = at_once(&erp, move |erp| {
            let holder = holders.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            lease(erp, 1, holder, 0)
        });
        assert_eq!(taken.iter().flatten().count(), 1);
    }
}

#[test]
fn servers_tidy_at_the_same_time_without_harm() {
    let erp = Arc::new(empty());
    let shop = User::new(
        Text::new("shop").unwrap(),
        "$argon2id$".to_owned(),
        Role::Shop,
        None,
    );
    block_on(erp.office(now()).users().add(&shop)).unwrap();
    for number in 0..200_u8 {
        let hash = TokenHash::new([number; 32]);
        block_on(erp.office(at(0)).users().issue_token(&hash, &shop, at(10))).unwrap();
    }
    for number in 0..300 {
        happen(&erp, EventKind::Order, &number.to_string(), 0);
    }
    while block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap() > 0 {}
    let tidied = at_once(&erp, |erp| {
        block_on(erp.upkeep(at(100)).remove_expired_tokens())?;
        block_on(erp.upkeep(at(100)).remove_expired_responses())?;
        block_on(erp.upkeep(now()).remove_old_audit_entries(at(100)))?;
        block_on(erp.upkeep(now()).events().end_orphaned())?;
        block_on(erp.upkeep(now()).events().remove_old(at(100)))
    });
    assert!(tidied.iter().all(Result::is_ok), "{tidied:?}");
    // Events of calls that lost against another one are removed the next time.
    block_on(erp.upkeep(now()).events().remove_old(at(100))).unwrap();
    assert_eq!(
        block_on(erp.upkeep(now()).events().logged(&ALL)).unwrap(),
        []
    );
    assert_sound(&erp);
    assert_eq!(
        block_on(erp.upkeep(now()).check()).unwrap().records["tokens"],
        0
    );
}

#[test]
fn servers_end_orphaned_deliveries_at_the_same_time() {
    let erp = Arc::new(empty());
    let gone = target(&erp, &[]).id;
    for number in 0..1_200 {
        happen(&erp, EventKind::Order, &number.to_string(), 0);
    }
    while block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap() > 0 {}
    // The state after a crash: the target is removed, and its deliveries still wait.
    let mut crash = ChangeSet::new();
    crash.delete(Key::of(Space::EventTarget).number(gone));
    block_on(erp.store().commit(crash)).unwrap();
    let ended = at_once(&erp, |erp| {
        block_on(erp.upkeep(now()).events().end_orphaned())
    });
    let ended: usize = ended.into_iter().map(Result::unwrap).sum();
    assert_eq!(ended, 1_200, "each is ended once");
    assert_eq!(due(&erp, gone, 1_000), []);
    assert_sound(&erp);
}

#[test]
fn a_delivery_that_another_server_finished_meanwhile_keeps_its_state() {
    let store = Overtaken::default();
    let erp = Erp::new(store.clone(), Settings::default());
    let target = target(&erp, &[]).id;
    let id = happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.upkeep(at(0)).events().fan_out(100)).unwrap();
    let held = lease(&erp, target, 1, 0).unwrap();
    let under_way = due(&erp, target, 0).remove(0);
    store.overtaken_after_read(Space::DeliveryDue, move |rival| {
        let noted = note(rival, &under_way, 204, &held, LeaseAfter::Kept).unwrap();
        assert_eq!(noted.state, DeliveryState::Delivered);
    });
    block_on(erp.upkeep(now()).events().switch_target(target, false)).unwrap();
    let delivery = block_on(erp.upkeep(now()).events().deliveries(id))
        .unwrap()
        .remove(0);
    assert_eq!(
        (delivery.state, delivery.attempts.len()),
        (DeliveryState::Delivered, 1)
    );
    assert_sound(&erp);
}

#[test]
fn old_audit_entries_are_removed_once_and_without_an_error() {
    use erp_core::internal::{Actor, AuditQuery};

    let actor = Actor {
        at: Timestamp::UNIX_EPOCH,
        user: None,
        request: "r".into(),
        trace: None,
        operation: "test".into(),
    };
    let erp = Arc::new(Erp::new(MemoryStore::new(), Settings::default()));
    let new = NewEventTarget {
        url: "https://shop.example/hook".to_owned(),
        secret: "secret".to_owned(),
        kinds: Vec::new(),
    };
    for _ in 0..1_500 {
        block_on(erp.upkeep(at(0)).actor(&actor).events().add_target(&new)).unwrap();
    }
    let query = AuditQuery {
        limit: 10,
        ..AuditQuery::default()
    };
    assert_eq!(
        block_on(erp.office(now()).audit_trail(&query))
            .unwrap()
            .entries
            .len(),
        10
    );
    let removed = at_once(&erp, |erp| {
        block_on(erp.upkeep(now()).remove_old_audit_entries(at(0)))
    });
    assert!(removed.iter().all(Result::is_ok), "{removed:?}");
    assert_eq!(
        block_on(erp.office(now()).audit_trail(&query))
            .unwrap()
            .entries,
        []
    );
}
