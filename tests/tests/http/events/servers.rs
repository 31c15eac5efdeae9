//! Several servers on one store deliver its events: each event once and in order, even if a server crashes.

use std::collections::BTreeMap;
use std::time::Duration;

use erp_core::internal::{LeaseTerms, Leased};
use erp_server::delivery::Pace;
use erp_tests::server::{Deliverer, Server};
use jiff::{SignedDuration, Timestamp};

use super::{ALLOWED, all, attempts, is_sound, order, pace, target, wait_until};
use erp_tests::event_receiver::{Behaviour, PATIENCE, Received, Receiver};

/// The orders in the received events, in order of arrival.
fn orders(received: &[Received]) -> Vec<String> {
    let number = |request: &Received| request.json()["data"]["AuftNr"].as_str().map(str::to_owned);
    received.iter().map(|r| number(r).unwrap()).collect()
}

fn counts(received: &[Received]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for order in orders(received) {
        *counts.entry(order).or_default() += 1;
    }
    counts
}

/// Whether another server could take the lease of a target now.
fn is_free(server: &Server, target: u64) -> bool {
    let terms = LeaseTerms {
        holder: 1,
        length: SignedDuration::from_secs(600),
    };
    let leased = Leased::Deliveries(target);
    let erp = server.erp();
    let taken = server.wait(erp.upkeep(Timestamp::now()).leases().take(leased, &terms));
    let Some(lease) = taken.unwrap() else {
        return false;
    };
    server
        .wait(erp.upkeep(Timestamp::now()).leases().release(&lease))
        .unwrap();
    true
}

#[test]
fn three_servers_deliver_every_event_once_and_in_order() {
    let server = Server::with(&[ALLOWED]);
    let receivers: Vec<_> = (0..4)
        .map(|_| Receiver::new(&[], Behaviour::Status(200)))
        .collect();
    let targets: Vec<u64> = receivers.iter().map(|r| target(&server, r).0).collect();
    let others = [0; 2].map(|_| server.another_that_delivers(pace(0)));
    server.deliver_events(pace(0));
    let placed: Vec<String> = (0..60).map(|_| order(&server)).collect();
    let events = wait_until(&server, "delivered", |events| {
        targets
            .iter()
            .all(|target| all(events, *target, 60, "delivered"))
    });
    for event in &events {
        for delivery in event["deliveries"].as_array().unwrap() {
            assert_eq!(delivery["attempts"].as_array().unwrap().len(), 1);
        }
    }
    for receiver in &receivers {
        assert_eq!(orders(&receiver.received()), placed);
    }
    others.into_iter().for_each(Deliverer::stop);
    is_sound(&server);
}

#[test]
fn a_backlog_is_shared_and_every_event_comes_once() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Status(200));
    let (id, _) = target(&server, &receiver);
    let placed: Vec<String> = (0..100).map(|_| order(&server)).collect();
    let others = [0; 2].map(|_| server.another_that_delivers(pace(0)));
    wait_until(&server, "delivered", |events| {
        all(events, id, 100, "delivered")
    });
    assert_eq!(orders(&receiver.received()), placed);
    others.into_iter().for_each(Deliverer::stop);
    assert!(is_free(&server, id));
    is_sound(&server);
}

#[test]
fn when_a_server_is_killed_another_continues_after_the_lease() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Hang);
    let (id, _) = target(&server, &receiver);
    let quick = Pace {
        attempt: Duration::from_secs(20),
        ..pace(0)
    };
    // Its attempts take long, so that it is killed in the middle of one.
    let dying = server.another_that_delivers(Pace {
        attempt: PATIENCE,
        margin: Duration::ZERO,
        ..pace(0)
    });
    let placed: Vec<String> = (0..30).map(|_| order(&server)).collect();
    receiver.wait_for(1);
    assert!(!is_free(&server, id), "it has the lease");
    receiver.now(Behaviour::Status(200));
    dying.kill();
    assert!(!is_free(&server, id), "a crash releases no lease");
    end_lease_early(&server, id);
    let second = server.another_that_delivers(quick.clone());
    server.deliver_events(quick);
    let events = wait_until(&server, "delivered", |events| {
        all(events, id, 30, "delivered")
    });
    let received = receiver.received();
    assert_eq!(orders(&received)[1..], placed, "in order again");
    let repeated: Vec<String> = counts(&received)
        .into_iter()
        .filter_map(|(order, count)| (count > 1).then_some(order))
        .collect();
    assert_eq!(repeated, placed[..1], "only the attempt in progress");
    assert_eq!(
        attempts(&events[0]).len(),
        1,
        "the killed server recorded nothing"
    );
    second.stop();
    is_sound(&server);
}

/// Ends the lease early, so that the test does not wait two minutes.
fn end_lease_early(server: &Server, target: u64) {
    let terms = LeaseTerms {
        holder: 1,
        length: SignedDuration::from_secs(600),
    };
    let later = Timestamp::now() + SignedDuration::from_secs(240);
    let leased = Leased::Deliveries(target);
    let erp = server.erp();
    let lease = server
        .wait(erp.upkeep(later).leases().take(leased, &terms))
        .unwrap();
    server
        .wait(
            erp.upkeep(Timestamp::now())
                .leases()
                .release(&lease.unwrap()),
        )
        .unwrap();
}

#[test]
fn a_short_lease_ends_by_itself_and_another_server_takes_over() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Hang);
    let (id, _) = target(&server, &receiver);
    let quick = Pace {
        attempt: Duration::from_millis(500),
        margin: Duration::from_millis(250),
        ..pace(20)
    };
    let dying = server.another_that_delivers(quick.clone());
    let living = server.another_that_delivers(quick);
    let placed: Vec<String> = (0..10).map(|_| order(&server)).collect();
    receiver.wait_for(1);
    dying.kill();
    receiver.now(Behaviour::Status(200));
    wait_until(&server, "delivered", |events| {
        all(events, id, 10, "delivered")
    });
    let arrived: Vec<String> = counts(&receiver.received()).into_keys().collect();
    assert_eq!(arrived, placed);
    living.stop();
    is_sound(&server);
}

#[test]
fn a_server_that_stops_properly_records_running_attempts_and_releases_its_leases() {
    let server = Server::with(&[ALLOWED]);
    let slow = Receiver::new(&[], Behaviour::Hang);
    let (id, _) = target(&server, &slow);
    order(&server);
    order(&server);
    let stopping = server.another_that_delivers(Pace {
        attempt: Duration::from_secs(5),
        ..pace(0)
    });
    slow.wait_for(1);
    assert!(!is_free(&server, id));
    stopping.stop();
    assert!(is_free(&server, id));
    let events = super::events(&server);
    assert_eq!(attempts(&events[0]), [("timed_out".to_owned(), None)]);
    assert_eq!(attempts(&events[1]), [], "no further attempt was started");
    assert_eq!(slow.received().len(), 1);
    is_sound(&server);
}

#[test]
fn an_attempt_that_is_too_slow_at_shutdown_is_aborted_and_repeated_by_another_server() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Hang);
    let (id, _) = target(&server, &receiver);
    let stopping = server.another_that_delivers(Pace {
        ending: Duration::from_millis(50),
        ..pace(0)
    });
    let placed = order(&server);
    receiver.wait_for(1);
    receiver.now(Behaviour::Status(200));
    stopping.stop();
    assert!(is_free(&server, id));
    server.deliver_events(pace(0));
    wait_until(&server, "delivered", |events| {
        all(events, id, 1, "delivered")
    });
    assert_eq!(orders(&receiver.received()), [placed.clone(), placed]);
    is_sound(&server);
}

#[test]
fn an_idle_server_takes_no_lease_and_writes_nothing() {
    let server = Server::with(&[ALLOWED]);
    let receiver = Receiver::new(&[], Behaviour::Status(200));
    let (id, _) = target(&server, &receiver);
    server.deliver_events(pace(0));
    order(&server);
    let delivered = |events: &[serde_json::Value]| all(events, id, 1, "delivered");
    let events = wait_until(&server, "delivered", delivered);
    let revision = |event: &serde_json::Value| -> u64 {
        let id = event["id"].as_str().unwrap();
        id.split('_').nth(1).unwrap().parse().unwrap()
    };
    let first = revision(&events[0]);
    // The dispatcher checks many times in this period.
    std::thread::sleep(Duration::from_millis(300));
    order(&server);
    let events = wait_until(&server, "delivered", |events| {
        all(events, id, 2, "delivered")
    });
    // Between the two orders: handed over, leased, result recorded; and the order's own commit.
    assert_eq!(revision(&events[1]) - first, 4);
}
