//! Canceled orders, by the back office and by shops, and changes of the state of many orders.

use erp_core::Erp;
use erp_core::document::OrderStatus::{self, Canceled, Completed, New, Open};
use erp_core::erp::{Conflict, Error, Event, OrderQuery, Settings};
use erp_core::internal::{Actor, AuditQuery, CustomerOrders};
use erp_core::master::{Caller, Role};
use erp_core::storage::{MemoryStore, Storage};
use jiff::SignedDuration;
use serde_json::json;

use super::common::{Demo, admin, block_on, import_rows, now, rows, shop};
use super::overtaken::Overtaken;

/// The small company, which wants events of orders.
fn demo_on<S: Storage>(erp: &Erp<S>) {
    let mut rows = rows();
    rows[0]["Firma"]["attributes"] = json!([{"PHKey": "REST_Auft", "Contents": "1"}]);
    block_on(erp.office(now()).import(&import_rows(&rows))).unwrap();
}

fn demo() -> Demo {
    let erp = Erp::new(MemoryStore::new(), Settings::default());
    demo_on(&erp);
    Demo { erp }
}

/// Places an order of four pieces of an article in stock.
fn place<S: Storage>(erp: &Erp<S>) -> String {
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 4}]});
    let caller = shop("SHOP1");
    let placed = block_on(erp.shop(&caller, now()).create_order(&body)).unwrap();
    placed.number.to_string()
}

fn stock<S: Storage>(erp: &Erp<S>) -> i32 {
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, now());
    let article = block_on(door.article("P-1", &Default::default())).unwrap();
    article.stock().next().unwrap().1
}

fn set<S: Storage>(erp: &Erp<S>, number: &str, status: OrderStatus) -> Result<u64, Error> {
    let moved = block_on(erp.office(now()).set_order_status(number, status))?;
    assert_eq!(moved.value.status, status);
    Ok(moved.revision)
}

fn cancel<S: Storage>(erp: &Erp<S>, caller: &Caller, number: &str) -> Result<u64, Error> {
    let canceled = block_on(erp.shop(caller, now()).cancel_order(number))?;
    assert_eq!(canceled.status, Canceled);
    Ok(canceled.revision.unwrap())
}

fn events<S: Storage>(erp: &Erp<S>) -> Vec<Event> {
    let outbox = block_on(erp.upkeep(now()).events().outbox(None, 1_000)).unwrap();
    outbox.into_iter().map(|entry| entry.event).collect()
}

fn counts<S: Storage>(erp: &Erp<S>) -> Vec<(OrderStatus, i64)> {
    let counts = block_on(erp.office(now()).count_orders()).unwrap();
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}

#[track_caller]
fn is_sound<S: Storage>(erp: &Erp<S>) {
    assert_eq!(block_on(erp.upkeep(now()).check()).unwrap().findings, []);
}

// rule: D-DOC-26, D-DOC-17
#[test]
fn what_a_canceled_order_reserves_is_available_again() {
    let erp = demo().erp;
    for before in [New, Open] {
        let number = place(&erp);
        assert_eq!(stock(&erp), 6);
        if before == Open {
            let _ = set(&erp, &number, Open).unwrap();
        }
        let revision = set(&erp, &number, Canceled).unwrap();
        assert_eq!(stock(&erp), 10);
        // Again, as after a lost response.
        let sent = events(&erp).len();
        assert_eq!(set(&erp, &number, Canceled), Ok(revision));
        assert_eq!((stock(&erp), events(&erp).len()), (10, sent));
        for to in [New, Open, Completed] {
            let conflict = Conflict::OrderStatus { from: Canceled, to };
            assert_eq!(set(&erp, &number, to), Err(Error::Conflict(conflict)));
        }
        assert_eq!(stock(&erp), 10);
    }
    assert_eq!(counts(&erp), [(Canceled, 2)]);
    let number = place(&erp);
    let _ = set(&erp, &number, Completed).unwrap();
    let (from, to) = (Completed, Canceled);
    let conflict = Conflict::OrderStatus { from, to };
    assert_eq!(set(&erp, &number, to), Err(Error::Conflict(conflict)));
    is_sound(&erp);
}

// rule: D-DOC-26, R-STA-01, R-STA-02
#[test]
fn a_canceled_order_stays_readable() {
    let erp = demo().erp;
    let (caller, number, other) = (shop("SHOP1"), place(&erp), place(&erp));
    let _ = set(&erp, &number, Canceled).unwrap();
    let door = erp.shop(&caller, now());
    let shown = block_on(door.order(&number)).unwrap().value;
    assert_eq!(shown.to_wire().header.status, "S");
    assert!(!shown.reservations.is_empty(), "what it had reserved");
    let listed = |status| {
        let orders = CustomerOrders { last: 10, status };
        let shown = block_on(door.customer_with_orders("10001", orders)).unwrap();
        let orders = shown.orders.into_iter();
        let orders = orders.map(|order| (order.number.to_string(), order.status));
        orders.collect::<Vec<_>>()
    };
    assert_eq!(listed(Some(Canceled)), [(number.clone(), Canceled)]);
    let both = [(other, New), (number.clone(), Canceled)];
    assert_eq!(listed(None), both);
    let query = OrderQuery {
        status: Some(Canceled),
        limit: 10,
        ..OrderQuery::default()
    };
    let page = block_on(erp.office(now()).orders(&query)).unwrap();
    assert_eq!(page.orders.len(), 1);
    assert_eq!(page.orders[0].number, number.as_str());
}

// rule: D-EVT-01
#[test]
fn every_change_of_state_is_an_event_with_the_new_state() {
    let erp = demo().erp;
    let caller = admin();
    let actor = Actor {
        at: now(),
        request: "request".into(),
        user: Some(caller.name.as_str().into()),
        operation: "test".into(),
        trace: None,
    };
    let (first, second, third) = (place(&erp), place(&erp), place(&erp));
    let office = erp.office(now()).actor(&actor);
    for (number, status) in [(&first, Open), (&first, Completed), (&second, Canceled)] {
        block_on(office.set_order_status(number, status)).unwrap();
    }
    let _ = cancel(&erp, &shop("SHOP1"), &third).unwrap();
    let found = events(&erp).split_off(3).into_iter();
    let found: Vec<_> = found
        .map(|event| {
            (
                event.number,
                event.method.as_str(),
                event.user,
                event.status,
            )
        })
        .collect();
    let event = |number: &String, user: &str, status| {
        (number.clone(), "PUT", user.to_owned(), Some(status))
    };
    assert_eq!(
        found,
        [
            event(&first, "admin", Open),
            event(&first, "admin", Completed),
            event(&second, "admin", Canceled),
            event(&third, "shop", Canceled),
        ]
    );
    // A company that wants no events gets none.
    let quiet = super::common::demo().erp;
    let _ = set(&quiet, &place(&quiet), Canceled).unwrap();
    assert_eq!(events(&quiet), []);
}

// rule: D-DOC-27
#[test]
fn a_shop_cancels_its_own_new_orders() {
    let erp = demo().erp;
    let caller = shop("SHOP1");
    let number = place(&erp);
    let other = Caller::new("other", Role::Shop, None).unwrap();
    let text = number.parse().unwrap();
    let refused = Err(Error::Conflict(Conflict::OtherUser(text)));
    assert_eq!(cancel(&erp, &other, &number), refused);
    let revision = cancel(&erp, &caller, &number).unwrap();
    assert_eq!(cancel(&erp, &caller, &number), Ok(revision), "again");
    assert_eq!(stock(&erp), 10);
    for status in [Open, Completed] {
        let number = place(&erp);
        let _ = set(&erp, &number, status).unwrap();
        for by in [&caller, &admin()] {
            let order = number.parse().unwrap();
            let conflict = Conflict::NotNew { order, status };
            assert_eq!(cancel(&erp, by, &number), Err(Error::Conflict(conflict)));
        }
    }
    let unknown = cancel(&erp, &caller, "999");
    assert!(matches!(unknown, Err(Error::NotFound { .. })));
    assert!(cancel(&erp, &admin(), &place(&erp)).is_ok());
    assert_eq!(counts(&erp), [(Open, 1), (Completed, 1), (Canceled, 2)]);
    is_sound(&erp);
}

// rule: D-DOC-26, D-DOC-27
#[test]
fn of_two_at_once_only_one_releases() {
    let store = Overtaken::default();
    let erp = store.erp();
    demo_on(&erp);
    // Both cancel it.
    let number = place(&erp);
    let rivals = number.clone();
    store.overtaken_by(move |rival| {
        let _ = set(rival, &rivals, Canceled).unwrap();
    });
    let _ = cancel(&erp, &shop("SHOP1"), &number).unwrap();
    assert!(store.was_overtaken());
    assert_eq!((stock(&erp), counts(&erp)), (10, vec![(Canceled, 1)]));
    assert_eq!(events(&erp).len(), 2, "placed once, canceled once");
    // The office completes what the shop cancels.
    let number = place(&erp);
    let rivals = number.clone();
    store.overtaken_by(move |rival| {
        let _ = set(rival, &rivals, Completed).unwrap();
    });
    let refused = cancel(&erp, &shop("SHOP1"), &number);
    assert!(matches!(
        refused,
        Err(Error::Conflict(Conflict::NotNew { .. }))
    ));
    assert!(store.was_overtaken());
    assert_eq!(stock(&erp), 6, "the goods are gone");
    is_sound(&erp);
}

// rule: D-DOC-28
#[test]
fn the_states_of_many_orders_change_each_for_itself() {
    let erp = demo().erp;
    let mut numbers: Vec<String> = (0..4).map(|_| place(&erp)).collect();
    let _ = set(&erp, &numbers[1], Completed).unwrap();
    let _ = set(&erp, &numbers[2], Open).unwrap();
    numbers.extend(["999".to_owned(), "x".to_owned(), numbers[0].clone()]);
    let actor = Actor {
        at: now() + SignedDuration::from_secs(1),
        request: "many".into(),
        user: Some("admin".into()),
        operation: "test".into(),
        trace: None,
    };
    let office = erp.office(now()).actor(&actor);
    let sent = events(&erp).len();
    let outcomes = block_on(office.set_order_statuses(&numbers, Open)).unwrap();
    let (from, to) = (Completed, Open);
    assert_eq!(outcomes[0], Ok(true));
    let conflict = Conflict::OrderStatus { from, to };
    assert_eq!(outcomes[1], Err(Error::Conflict(conflict)));
    assert_eq!(outcomes[2..4], [Ok(false), Ok(true)]);
    for unknown in &outcomes[4..6] {
        assert!(matches!(unknown, Err(Error::NotFound { .. })));
    }
    assert_eq!(outcomes[6], Ok(false), "the second of the same number");
    assert_eq!(events(&erp).len(), sent + 2);
    let query = AuditQuery {
        limit: 100,
        ..AuditQuery::default()
    };
    let trail = block_on(erp.office(now()).audit_trail(&query)).unwrap();
    let changed: Vec<String> = trail
        .entries
        .into_iter()
        .flat_map(|listed| listed.entry.changed)
        .collect();
    let order = |number: &String| format!("Auftrag {number}");
    assert_eq!(changed, [order(&numbers[0]), order(&numbers[3])]);
    // The same request again shows what was done.
    let again = block_on(office.set_order_statuses(&numbers, Open)).unwrap();
    assert_eq!([&again[0], &again[3]], [&Ok(false), &Ok(false)]);
    assert_eq!(
        [&again[1..3], &again[4..]],
        [&outcomes[1..3], &outcomes[4..]]
    );
    assert_eq!(counts(&erp), [(Open, 3), (Completed, 1)]);
    is_sound(&erp);
}
