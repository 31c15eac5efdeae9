//! Orders and offers.

use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::Error;
use pollster::block_on;
use serde_json::json;

use super::{
    OFFER, RETRY, address, happens_once, holds, never, now, order, prepared, shop, template,
};

// rule: D-RET-01
#[test]
fn creating_an_order_with_a_key() {
    happens_once("creating an order with a key", |erp| {
        let placed = block_on(erp.shop(&shop(), now()).retry(RETRY).create_order(&order()))?;
        Ok(placed.number.to_string())
    });
}

#[test]
fn creating_an_offer() {
    let mut body = template();
    body["GrundDaten"]["KundNr"] = json!("10001");
    let create = |erp: &Erp<_>| block_on(erp.shop(&shop(), now()).create_offer(&body)).map(drop);
    holds("creating an offer", create, never);
    happens_once("creating an offer with a key", |erp| {
        let made = block_on(
            erp.shop(&shop(), now())
                .retry(RETRY)
                .create_offer(&template()),
        )?;
        Ok(made.number.to_string())
    });
}

// rule: R-STA-06
#[test]
fn changing_an_offer() {
    let body = json!({"GrundDaten": {"KundNr": "10001"}, "Adressen": {"LiefAdr": address("Lager")}, "Positionen": [
        {"PosNr": 1, "Menge": 5}, {"PosNr": 2, "Menge": 0}, {"ArtNr": "P-1", "Menge": 2}]});
    let change = |erp: &Erp<_>| {
        block_on(erp.shop(&shop(), now()).change_offer(OFFER, None, &body)).map(drop)
    };
    // The deleted position no longer exists if the change was executed.
    holds("changing an offer", change, |error| {
        matches!(error, Error::Invalid(_))
    });
    happens_once("changing an offer with a key", |erp| {
        let changed = block_on(
            erp.shop(&shop(), now())
                .retry(RETRY)
                .change_offer(OFFER, None, &body),
        )?;
        Ok(serde_json::to_string(&changed.value).unwrap())
    });
}

#[test]
fn changing_an_offer_of_a_known_revision() {
    let store = prepared();
    let revision = block_on(store.erp().office(now()).offer(OFFER))
        .unwrap()
        .revision;
    let body = json!({"Positionen": [{"PosNr": 1, "Menge": 5}]});
    let change = |erp: &Erp<_>| {
        let (caller, known) = (shop(), [revision]);
        let door = erp.shop(&caller, now()).if_match(&known[..]);
        block_on(door.change_offer(OFFER, None, &body)).map(drop)
    };
    // Once changed, the offer has another revision.
    holds("changing a known offer", change, |error| {
        matches!(error, Error::PreconditionFailed)
    });
}

// rule: R-STA-08
#[test]
fn converting_an_offer() {
    // Can be repeated without a key.
    let body = json!({"GrundDaten": {"KundNr": "10001", "OffertNr": OFFER}, "Zahlung": [{"Bezeichnung": "payment_method", "Wert": "R"}]});
    happens_once("converting an offer", |erp| {
        let placed = block_on(erp.shop(&shop(), now()).convert_offer(&body))?;
        Ok(placed.number.to_string())
    });
    happens_once("converting an offer with a key", |erp| {
        let placed = block_on(erp.shop(&shop(), now()).retry(RETRY).convert_offer(&body))?;
        Ok(placed.number.to_string())
    });
}

// rule: R-STA-14
#[test]
fn completing_an_order() {
    for status in [
        OrderStatus::Open,
        OrderStatus::Completed,
        OrderStatus::Canceled,
    ] {
        let set =
            |erp: &Erp<_>| block_on(erp.office(now()).set_order_status("100001", status)).map(drop);
        holds("setting the state of an order", set, |error| {
            matches!(error, Error::Conflict(_))
        });
        let orders = ["100001".to_owned(), "100002".to_owned()];
        let many = |erp: &Erp<_>| {
            block_on(erp.office(now()).set_order_statuses(&orders, status)).map(drop)
        };
        holds("setting the state of many orders", many, never);
    }
}

// rule: R-END-02
#[test]
fn creating_an_order() {
    holds(
        "creating an order",
        |erp| block_on(erp.shop(&shop(), now()).create_order(&order())).map(drop),
        never,
    );
}
