//! Notes of the office on orders.

use erp_core::document::OrderStatus;
use erp_core::erp::Error;
use erp_core::text::Text;
use serde_json::json;

use super::common::{block_on, demo, shop};
use super::overtaken::Overtaken;

#[test]
fn a_note_stays_with_its_order_whatever_its_state() {
    let demo = demo();
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let number = demo.order(&body);
    let set = |note: Option<&Text<1_000>>| block_on(demo.office().set_order_note(&number, note));
    let note = Text::new("ruft zurück\nam Montag").unwrap();
    let kept = set(Some(&note)).unwrap();
    assert_eq!(kept.value.note.as_ref(), Some(&note));
    assert_eq!(set(Some(&note)).unwrap(), kept, "the same again");
    let since = |revision| {
        block_on(
            demo.office()
                .if_match(&[revision][..])
                .set_order_note(&number, None),
        )
    };
    let stale = since(kept.revision.saturating_sub(1));
    assert!(matches!(stale, Err(Error::PreconditionFailed)), "{stale:?}");
    assert_eq!(since(kept.revision).unwrap().value.note, None);
    let kept = set(Some(&note)).unwrap();
    let canceled = demo
        .office()
        .set_order_status(&number, OrderStatus::Canceled);
    assert_eq!(block_on(canceled).unwrap().value.note, kept.value.note);
    let caller = shop("SHOP1");
    let shown = block_on(demo.shop(&caller).order(&number)).unwrap();
    let shown = serde_json::to_string(&shown.value.to_wire()).unwrap();
    assert!(!shown.contains("Montag"), "{shown}");
    assert_eq!(set(None).unwrap().value.note, None);
    let unknown = block_on(demo.office().set_order_note("999", None));
    assert!(matches!(unknown, Err(Error::NotFound { .. })));
    assert_eq!(block_on(demo.upkeep().check()).unwrap().findings, []);
}

#[test]
fn a_note_does_not_undo_a_change_of_state_at_the_same_moment() {
    let store = Overtaken::default();
    let erp = store.erp();
    let rows = super::common::import_rows(&super::common::rows());
    let now = super::common::now();
    block_on(erp.office(now).import(&rows)).unwrap();
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let caller = shop("SHOP1");
    let placed = block_on(erp.shop(&caller, now).create_order(&body)).unwrap();
    let number = placed.number.to_string();
    let rivals = number.clone();
    store.overtaken_by(move |rival| {
        let open = rival
            .office(now)
            .set_order_status(&rivals, OrderStatus::Open);
        block_on(open).unwrap();
    });
    let note = Text::new("dringend").unwrap();
    let kept = block_on(erp.office(now).set_order_note(&number, Some(&note))).unwrap();
    assert!(store.was_overtaken());
    assert_eq!(kept.value.status, OrderStatus::Open);
}
