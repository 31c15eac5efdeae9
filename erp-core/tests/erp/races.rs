//! Two servers change the same things at one moment: the result is that of one after the other.

use erp_core::erp::EventKind;

use super::common::block_on;
use super::deliveries::{assert_sound, at, due, happen, target};
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
