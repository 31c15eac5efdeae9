//! Two servers change the same things at one moment: the result is that of one after the other.

use erp_core::erp::{DeliveryState, EventKind, LeaseAfter};
use erp_core::storage::Space;

use super::common::block_on;
use super::deliveries::{assert_sound, at, due, happen, lease, target};
use super::leases::note;
use super::overtaken::Overtaken;

// rule: R-EVT-08, R-EVT-13
#[test]
fn an_event_that_is_replayed_to_a_new_target_while_it_is_removed_stays() {
    let store = Overtaken::default();
    let erp = store.erp();
    happen(&erp, EventKind::Order, "1", 0);
    block_on(erp.events().fan_out(at(0), 100)).unwrap();
    store.overtaken_by(|rival| {
        let _ = target(rival, &[]);
        let begun = block_on(rival.events().replay_since(at(0), at(60), None));
        assert_eq!(begun.unwrap(), 1);
    });
    assert_eq!(block_on(erp.events().remove_old(at(50))).unwrap(), 0);
    assert!(store.was_overtaken());
    assert_eq!(due(&erp, 1, 60).len(), 1);
    assert_sound(&erp);
}

// rule: R-EVT-07, D-EVT-12
#[test]
fn a_delivery_that_ends_while_it_is_looked_up_is_not_due() {
    let store = Overtaken::default();
    let erp = store.erp();
    let target = target(&erp, &[]).id;
    for number in ["1", "2"] {
        happen(&erp, EventKind::Order, number, 0);
    }
    block_on(erp.events().fan_out(at(0), 100)).unwrap();
    let held = lease(&erp, target, 1, 0).unwrap();
    let first = due(&erp, target, 0).remove(0);
    store.overtaken_after_read(Space::DeliveryDue, move |rival| {
        let noted = note(rival, &first, 204, &held, LeaseAfter::Kept).unwrap();
        assert_eq!(noted.state, DeliveryState::Delivered);
    });
    let numbers = |due: Vec<erp_core::erp::Due>| -> Vec<String> {
        due.into_iter().map(|due| due.event.number).collect()
    };
    assert_eq!(numbers(due(&erp, target, 0)), ["2"]);
    store.overtaken_after_read(Space::DeliveryDue, move |rival| {
        block_on(rival.events().switch_target(target, false, None)).unwrap();
    });
    assert_eq!(due(&erp, target, 0), []);
    assert!(store.was_overtaken());
}
