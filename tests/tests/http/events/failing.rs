//! Targets that fail do not delay other targets, and are not called between scheduled attempts.

use erp_core::internal::Schedule;
use erp_server::delivery::Pace;
use erp_tests::event_receiver::{Behaviour, Receiver};
use erp_tests::own_process::in_own_process;
use erp_tests::server::Server;
use jiff::SignedDuration;

use super::{ALLOWED, all, events, is_sound, order, pace, target, wait_until};

// rule: R-EVT-11
#[test]
fn targets_that_hang_do_not_delay_others() {
    let server = Server::with(&[ALLOWED]);
    let hanging: Vec<_> = (0..12)
        .map(|_| Receiver::new(&[], Behaviour::Hang))
        .collect();
    let ids: Vec<u64> = hanging.iter().map(|one| target(&server, one).0).collect();
    let healthy = Receiver::new(&[], Behaviour::Status(200));
    let (good, _) = target(&server, &healthy);
    server.deliver_events(pace(0));
    for _ in 0..20 {
        order(&server);
    }
    wait_until(&server, "delivered", |events| {
        all(events, good, 20, "delivered")
    });
    assert_eq!(healthy.received().len(), 20);
    let events = events(&server);
    for (receiver, id) in hanging.iter().zip(ids) {
        assert_eq!(receiver.wait_for(1).len(), 1);
        assert!(all(&events, id, 20, "waiting"));
    }
}

#[test]
fn a_target_that_is_down_is_not_tried_with_every_event() {
    let server = Server::with(&[ALLOWED]);
    let down = Receiver::new(&[], Behaviour::Status(500));
    let healthy = Receiver::new(&[], Behaviour::Status(200));
    let (first, _) = target(&server, &down);
    let (second, _) = target(&server, &healthy);
    server.deliver_events(Pace {
        schedule: Schedule::new(vec![SignedDuration::from_hours(1)]),
        ..pace(0)
    });
    for _ in 0..30 {
        order(&server);
    }
    wait_until(&server, "delivered", |events| {
        all(events, second, 30, "delivered")
    });
    assert_eq!(down.received().len(), 3);
    assert!(all(&events(&server), first, 30, "waiting"));
}

#[test]
fn the_log_has_a_line_when_a_target_is_down_and_one_when_it_responds_again() {
    let name = "the_log_has_a_line_when_a_target_is_down_and_one_when_it_responds_again";
    in_own_process(module_path!(), name, || {
        let server = Server::with_log(&[ALLOWED]);
        let receiver = Receiver::new(&[Behaviour::Status(503); 12], Behaviour::Status(200));
        let (id, _) = target(&server, &receiver);
        for _ in 0..4 {
            order(&server);
        }
        server.deliver_events(pace(12));
        wait_until(&server, "delivered", |events| {
            all(events, id, 4, "delivered")
        });
        assert_eq!(receiver.received().len(), 16);
        let log = server.log_text();
        let reported: Vec<&str> = log
            .lines()
            .filter(|line| line.contains("event target"))
            .collect();
        assert_eq!(reported.len(), 2, "{log}");
        assert!(reported[0].contains("event target is down") && reported[0].contains("503"));
        assert!(reported[1].contains("event target responds again"));
        is_sound(&server);
    });
}
