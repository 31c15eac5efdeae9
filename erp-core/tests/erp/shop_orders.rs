//! The orders that a shop may see, and the setting that they must differ in their reference.

use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::{Conflict, Error, OrderQuery, Retry, Settings};
use erp_core::master::Caller;
use erp_core::storage::{MemoryStore, Storage};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::common::{admin, block_on, import_rows, now, rows, shop};
use super::overtaken::Overtaken;

const STATES: [OrderStatus; 4] = OrderStatus::ALL;

/// Customers and the shops that see them where the company selects.
pub(crate) const CUSTOMERS: [(&str, &str); 3] =
    [("10001", "SHOP1"), ("10002", "*"), ("10003", "SHOP2")];

pub(crate) const REFERENCES: [Option<&str>; 3] = [None, Some("A"), Some("A-1")];

pub(crate) fn company<S: Storage>(store: S, settings: Settings, selects: bool) -> Erp<S> {
    let erp = Erp::new(store, settings);
    let mut all = rows();
    all[0]["Firma"]["Zeitzone"] = json!("Europe/Zurich");
    if selects {
        all[0]["Firma"]["attributes"] = json!([{"PHKey": "RESTWEBSHOP", "Contents": "1"}]);
    }
    all.retain(|row| row.get("Kunde").is_none());
    all.extend(CUSTOMERS.map(|(number, shops)| {
        json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": {"AdrSprache": "ger",
            "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "AdrFirma": "Muster AG", "OrtLand": "CH", "OrtName": "Zürich",
            "OrtPLZ": "8001", "attributes": [{"PHKey": "RESTWEBSHOP", "Contents": shops}]}}})
    }));
    block_on(erp.office(now()).import(&import_rows(&all))).unwrap();
    erp
}

pub(crate) fn in_zurich() -> Settings {
    Settings {
        time_zones: |name| {
            let zone = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").ok();
            (name == "Europe/Zurich").then_some(zone).flatten()
        },
        ..Settings::default()
    }
}

fn body(customer: &str, reference: Option<&str>) -> Value {
    json!({"GrundDaten": {"KundNr": customer, "AuftBestellNr": reference},
        "Positionen": [{"ArtNr": "P-3", "Menge": 1}]})
}

/// An order: how many hours after midnight in Zurich it is made, of which customer, with which reference and state.
type Made = (i64, usize, usize, usize);

/// Places the orders in the order of their times. Returns their numbers.
fn place_all(erp: &Erp<MemoryStore>, made: &[Made]) -> Vec<String> {
    let caller = admin();
    let place = |(hours, customer, reference, status): &Made| {
        let at = midnight() + SignedDuration::from_hours(*hours);
        let body = body(CUSTOMERS[*customer].0, REFERENCES[*reference]);
        let order = block_on(erp.shop(&caller, at).create_order(&body)).unwrap();
        let office = erp.office(at);
        block_on(office.set_order_status(&order.number, STATES[*status])).unwrap();
        order.number.to_string()
    };
    made.iter().map(place).collect()
}

pub(crate) fn midnight() -> Timestamp {
    "2026-05-31T22:00:00Z".parse().unwrap()
}

/// All pages of a list, and the counts that they say.
fn listed(
    erp: &Erp<MemoryStore>,
    caller: &Caller,
    query: &OrderQuery,
) -> (Vec<String>, Vec<Option<usize>>) {
    let mut query = query.clone();
    let (mut numbers, mut counts) = (Vec::new(), Vec::new());
    loop {
        let (page, count) = block_on(erp.shop(caller, now()).orders(&query)).unwrap();
        numbers.extend(page.orders.iter().map(|order| order.number.to_string()));
        query.offset += query.limit;
        counts.push(count);
        if page.next.is_none() {
            return (numbers, counts);
        }
        assert_eq!(page.orders.len(), query.limit);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    // rule: D-DOC-30, D-DOC-31
    #[test]
    fn a_shop_lists_what_it_may_see_of_all_orders(
        mut made in prop::collection::vec((0..60_i64, 0..3_usize, 0..3_usize, 0..4_usize), 0..40),
        selects in any::<bool>(),
        days in (prop::option::of(0..4_i8), prop::option::of(0..4_i8)),
        status in prop::option::of(0..4_usize),
        customer in prop::option::of(0..3_usize),
        reference in prop::option::of(0..3_usize),
        (limit, offset) in (1..9_usize, 0..12_usize),
    ) {
        made.sort_unstable();
        let erp = company(MemoryStore::new(), in_zurich(), selects);
        let numbers = place_all(&erp, &made);
        let day = |day: i8| jiff::civil::date(2026, 6, 1 + day);
        let reference = reference.map(|at| REFERENCES[at].unwrap_or("none"));
        let query = OrderQuery {
            status: status.map(|at| STATES[at]),
            customer: customer.map(|at| CUSTOMERS[at].0.into()),
            reference: reference.map(Into::into),
            from: days.0.map(day),
            to: days.1.map(day),
            offset,
            limit,
            ..OrderQuery::default()
        };
        let caller = shop("SHOP1");
        let sees = |of: usize| !selects || CUSTOMERS[of].1 != "SHOP2";
        if let Some(hidden) = customer.filter(|of| !sees(*of)) {
            let refused = block_on(erp.shop(&caller, now()).orders(&query)).unwrap_err();
            let number = CUSTOMERS[hidden].0.to_owned();
            prop_assert_eq!(refused, Error::NotFound { what: "customer", number });
            return Ok(());
        }
        let wanted = made.iter().zip(&numbers).rev().filter(|((hours, of, with, state), _)| {
            let made_on = i8::try_from(hours / 24).unwrap();
            sees(*of)
                && status.is_none_or(|wanted| wanted == *state)
                && customer.is_none_or(|wanted| wanted == *of)
                && reference.is_none_or(|wanted| REFERENCES[*with] == Some(wanted))
                && days.0.is_none_or(|from| from <= made_on)
                && days.1.is_none_or(|to| made_on <= to)
        });
        let wanted: Vec<String> = wanted.map(|(_, number)| number.clone()).collect();
        let (found, mut counts) = listed(&erp, &caller, &query);
        prop_assert_eq!(&found[..], wanted.get(offset..).unwrap_or_default());
        // The last page knows how many orders there are; an empty one after the end is not the last.
        if offset < wanted.len().max(1) {
            prop_assert_eq!(counts.pop(), Some(Some(wanted.len())));
        }
        let is_counted = !selects || customer.is_some();
        prop_assert!(counts.iter().all(|count| *count == is_counted.then_some(wanted.len())));
        // The office sees all of them, the shop's as it would without others.
        let office = OrderQuery { offset: 0, limit: 1_000, ..query };
        let all = block_on(erp.office(now()).orders(&office)).unwrap().orders;
        let mut all: Vec<String> = all.iter().map(|order| order.number.to_string()).collect();
        all.retain(|number| wanted.contains(number));
        prop_assert_eq!(all, wanted);
    }
}

// rule: D-DOC-31
#[test]
fn many_orders_are_counted_by_state_and_not_one_by_one() {
    let erp = company(MemoryStore::new(), in_zurich(), false);
    let made: Vec<Made> = (0..1_050).map(|order| (order % 30, 0, 0, 0)).collect();
    place_all(&erp, &made);
    let count = |query: OrderQuery| {
        let query = OrderQuery { limit: 2, ..query };
        block_on(erp.shop(&admin(), now()).orders(&query))
            .unwrap()
            .1
    };
    let new = Some(OrderStatus::New);
    assert_eq!(count(OrderQuery::default()), Some(1_050));
    assert_eq!(
        count(OrderQuery {
            status: new,
            ..OrderQuery::default()
        }),
        Some(1_050)
    );
    let customer = Some("10001".into());
    assert_eq!(
        count(OrderQuery {
            customer,
            ..OrderQuery::default()
        }),
        None
    );
    let from = Some(jiff::civil::date(2026, 6, 2));
    assert_eq!(
        count(OrderQuery {
            from,
            ..OrderQuery::default()
        }),
        Some(210)
    );
}

fn unique() -> Settings {
    Settings {
        unique_order_reference: true,
        ..in_zurich()
    }
}

/// The order that an order with this reference is a duplicate of.
fn duplicate_of<T: std::fmt::Debug>(refused: Result<T, Error>) -> String {
    match refused {
        Err(Error::Conflict(Conflict::DuplicateReference { order, .. })) => order.to_string(),
        other => panic!("{other:?}"),
    }
}

// rule: D-DOC-32
#[test]
fn a_reference_is_used_once_by_each_customer_until_its_order_is_canceled() {
    let erp = company(MemoryStore::new(), unique(), false);
    let caller = admin();
    let place = |customer, reference| {
        let body = body(customer, reference);
        let placed = erp.shop(&caller, now()).create_order(&body);
        block_on(placed).map(|order| order.number.to_string())
    };
    let first = place("10001", Some("A")).unwrap();
    assert_eq!(duplicate_of(place("10001", Some("A"))), first);
    for (customer, reference) in [
        ("10002", Some("A")),
        ("10001", Some("a")),
        ("10001", None),
        ("10001", None),
    ] {
        place(customer, reference).unwrap();
    }
    let set = |number: &str, status| {
        block_on(erp.office(now()).set_order_status(number, status)).unwrap()
    };
    set(&first, OrderStatus::Open);
    assert_eq!(duplicate_of(place("10001", Some("A"))), first);
    set(&first, OrderStatus::Canceled);
    let second = place("10001", Some("A")).unwrap();
    set(&second, OrderStatus::Completed);
    assert_eq!(duplicate_of(place("10001", Some("A"))), second);
    // An offer becomes an order under the same rule, and stays an offer otherwise.
    let offer = block_on(
        erp.shop(&caller, now())
            .create_offer(&body("10001", Some("A"))),
    )
    .unwrap();
    let conversion = json!({"GrundDaten": {"KundNr": "10001", "OffertNr": offer.number}});
    let convert = || block_on(erp.shop(&caller, now()).convert_offer(&conversion));
    assert_eq!(duplicate_of(convert()), second);
    let offer = block_on(
        erp.shop(&caller, now())
            .create_offer(&body("10001", Some("B"))),
    )
    .unwrap();
    let conversion = json!({"GrundDaten": {"KundNr": "10001", "OffertNr": offer.number}});
    let convert = || block_on(erp.shop(&caller, now()).convert_offer(&conversion));
    let converted = convert().unwrap().number.to_string();
    assert_eq!(duplicate_of(place("10001", Some("B"))), converted);
    assert_eq!(
        convert().unwrap().number.as_str(),
        converted,
        "the same request again"
    );
    assert_eq!(block_on(erp.upkeep(now()).check()).unwrap().findings, []);
}

// rule: D-DOC-32
#[test]
fn of_two_orders_at_the_same_time_one_gets_the_reference() {
    for canceled in [false, true] {
        let store = Overtaken::default();
        let erp = company(store.clone(), unique(), false);
        let caller = admin();
        let body = body("10001", Some("A"));
        let place = || erp.shop(&caller, now()).create_order(&body);
        if canceled {
            let order = block_on(place()).unwrap();
            let office = erp.office(now());
            block_on(office.set_order_status(&order.number, OrderStatus::Canceled)).unwrap();
        }
        store.overtaken_by(|rival| {
            let (caller, body) = (admin(), self::body("10001", Some("A")));
            let rival = Erp::new(rival.store().clone(), unique());
            block_on(rival.shop(&caller, now()).create_order(&body)).unwrap();
        });
        let first = duplicate_of(block_on(place()));
        assert!(store.was_overtaken());
        let found = block_on(erp.shop(&caller, now()).order(&first)).unwrap();
        assert_eq!(found.status, OrderStatus::New);
    }
}

// rule: D-DOC-32
#[test]
fn a_repetition_gets_the_first_response_and_no_duplicate() {
    let erp = company(MemoryStore::new(), unique(), false);
    let caller = admin();
    let retry = Retry {
        key: "k",
        fingerprint: [7; 32],
    };
    let place = || {
        block_on(
            erp.shop(&caller, now())
                .retry(retry)
                .create_order(&body("10001", Some("A"))),
        )
    };
    let first = place().unwrap();
    let again = place().unwrap();
    assert_eq!(
        (again.number.clone(), again.replayed),
        (first.number.clone(), true)
    );
    let order = body("10001", Some("A"));
    let without = erp.shop(&caller, now()).create_order(&order);
    assert_eq!(duplicate_of(block_on(without)), first.number.to_string());
}

#[test]
fn a_page_costs_what_it_shows() {
    let erp = super::counting::company(50_000);
    let caller = admin();
    for order in 0..400 {
        let order = body("10001", Some(&format!("WEB-{order}")));
        let placed = block_on(erp.shop(&caller, now()).create_order(&order)).unwrap();
        if placed.number.ends_with("00") {
            let open = erp
                .office(now())
                .set_order_status(&placed.number, OrderStatus::Open);
            block_on(open).unwrap();
        }
    }
    let entries = |query: OrderQuery| {
        erp.store().take();
        let query = OrderQuery { limit: 3, ..query };
        let (page, count) = block_on(erp.shop(&caller, now()).orders(&query)).unwrap();
        (page.orders.len(), count, erp.store().take().entries)
    };
    let status = Some(OrderStatus::Open);
    let (found, count, read) = entries(OrderQuery {
        status,
        ..OrderQuery::default()
    });
    assert!(
        (found, count) == (3, Some(4)) && read < 20,
        "{read} entries"
    );
    let reference = Some("WEB-17".into());
    let (found, count, read) = entries(OrderQuery {
        reference,
        ..OrderQuery::default()
    });
    assert!(
        (found, count) == (1, Some(1)) && read < 10,
        "{read} entries"
    );
}
