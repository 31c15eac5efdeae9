//! Requests that change nothing write nothing, and return the current revision.

use crate::common::{Demo, admin, block_on, demo, shop};
use erp_core::document::OrderStatus;
use erp_core::erp::{Error, Outcome, Retry, Shop};
use erp_core::internal::{Actor, AuditQuery};
use erp_core::master::Caller;
use erp_core::storage::MemoryStore;
use erp_core::storage::Revision;
use serde_json::{Value, json};

fn actor(caller: &Caller) -> Actor {
    Actor {
        at: "2026-06-01T10:00:00Z".parse().unwrap(),
        request: "request".into(),
        user: Some(caller.name.as_str().into()),
        operation: "test".into(),
        trace: None,
    }
}

fn audited(demo: &Demo) -> usize {
    let query = AuditQuery {
        limit: 1_000,
        ..AuditQuery::default()
    };
    block_on(demo.office().audit_trail(&query))
        .unwrap()
        .entries
        .len()
}

/// Checks that the request keeps the revision and writes no audit entry, with and without an idempotency key, and when
/// it is repeated.
fn changes_nothing<T>(
    demo: &Demo,
    (caller, key): (&Caller, &str),
    revision: Revision,
    request: impl Fn(Shop<'_, MemoryStore>) -> Result<Outcome<T>, Error>,
) {
    let actor = actor(caller);
    let door = demo.shop(caller).actor(&actor);
    let before = audited(demo);
    let outcome = request(door).unwrap();
    assert_eq!((outcome.revision, outcome.written), (Some(revision), 0));
    let kept = door.retry(Retry {
        key,
        fingerprint: [7; 32],
    });
    for replayed in [false, true] {
        let outcome = request(kept).unwrap();
        assert_eq!(
            (outcome.revision, outcome.replayed),
            (Some(revision), replayed)
        );
    }
    let later = [revision + 1];
    let stale = door.if_match(&later[..]);
    assert_eq!(request(stale).err(), Some(Error::PreconditionFailed));
    assert_eq!(audited(demo), before);
}

// rule: D-RET-02
#[test]
fn an_address_that_stays_as_it_is() {
    let demo = demo();
    let caller = shop("SHOP1");
    let customer = block_on(demo.office().customer("10001")).unwrap();
    let number = customer.value.contact.number.to_string();
    for (body, key) in [(json!({}), "a"), (json!({"AdrFirma": "Käufer AG"}), "b")] {
        changes_nothing(&demo, (&caller, key), customer.revision, |door| {
            block_on(door.change_address(&number, &body))
        });
    }
    let changed = block_on(
        demo.shop(&caller)
            .change_address(&number, &json!({"AdrFirma": "K AG"})),
    );
    assert!(changed.unwrap().revision > Some(customer.revision));
}

// rule: D-RET-02
#[test]
fn a_customer_that_is_replaced_by_itself() {
    let demo = demo();
    demo.import(&[json!({"Firma": {"FirmaBez": "Muster AG", "WaehrAbk": "CHF", "AdrSprache": "ger", "OrtLand": "CH",
        "Zeitzone": "UTC", "Preisart": "N", "RESTPreisliste": "STANDARD", "WUSTCode": "CH81", "StaoNr": 1,
        "attributes": [{"PHKey": "REST_Kunde", "Contents": "J"}]}})])
        .unwrap();
    let caller = shop("SHOP1");
    let address = json!({"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Neu AG",
        "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3011"});
    let body = json!({"GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": address, "LiefAdr": address}});
    let number = demo.customer(&body);
    let revision = block_on(demo.office().customer(&number)).unwrap().revision;
    changes_nothing(&demo, (&caller, "a"), revision, |door| {
        block_on(door.replace_customer(&number, &body))
    });
    let events = block_on(demo.upkeep().events().outbox(None, 10)).unwrap();
    assert_eq!(events.len(), 1, "only the one of the creation: {events:?}");
}

// rule: D-RET-02
#[test]
fn an_offer_that_stays_as_it_is_whatever_the_prices_are_by_now() {
    let demo = demo();
    let caller = shop("SHOP1");
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 3}]});
    let made = block_on(demo.shop(&caller).create_offer(&body)).unwrap();
    let number = made.number.to_string();
    let revision = made.revision.unwrap();
    let position = json!({"Positionen": [{"PosNr": 1, "Menge": 3}]});
    changes_nothing(&demo, (&caller, "a"), revision, |door| {
        block_on(door.change_offer(&number, None, &position))
    });
    demo.import(&[
        json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "P-1", "WaehrAbk": "CHF", "AbAnzahl": 1,
        "PreisList": 99, "Preisart": "N"}}),
    ])
    .unwrap();
    let named = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": []});
    for (body, key) in [(json!({}), "b"), (named, "c")] {
        let sent: &Value = &body;
        changes_nothing(&demo, (&caller, key), revision, |door| {
            block_on(door.change_offer(&number, Some("10001"), sent))
        });
    }
}

// rule: D-DOC-17, D-RET-02
#[test]
fn an_order_that_is_in_the_state_already() {
    let demo = demo();
    let body =
        json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "P-1", "Menge": 1}]});
    let number = demo.order(&body);
    let caller = admin();
    let actor = actor(&caller);
    let set = |status| {
        block_on(
            demo.office()
                .actor(&actor)
                .set_order_status(&number, status),
        )
    };
    let completed = set(OrderStatus::Completed).unwrap();
    let before = audited(&demo);
    assert_eq!(set(OrderStatus::Completed).unwrap(), completed);
    assert_eq!(audited(&demo), before);
    assert!(set(OrderStatus::Open).is_err());
}
