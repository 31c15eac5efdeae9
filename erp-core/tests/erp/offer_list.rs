//! The list of offers against a filter of all offers.

use erp_core::Erp;
use erp_core::document::OrderNumber;
use erp_core::erp::{Error, OfferQuery};
use erp_core::master::Caller;
use erp_core::storage::{ChangeSet, Key, MemoryStore, Space, Storage};
use jiff::SignedDuration;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::common::{LINKS, admin, block_on, now, shop};
use super::shop_orders::{CUSTOMERS, REFERENCES, company, in_zurich, midnight};

/// An offer: hours after midnight in Zurich, of which customer (of none: a template), with which reference; whether it is made
/// as a template and given to the customer, and whether it becomes an order.
type Made = (i64, Option<usize>, usize, bool, bool);

fn make<S: Storage>(erp: &Erp<S>, (hours, customer, reference, is_given, orders): &Made) -> String {
    let caller = admin();
    let door = erp.shop(&caller, midnight() + SignedDuration::from_hours(*hours));
    let customer = customer.map(|at| CUSTOMERS[at].0);
    let first = customer.filter(|_| !is_given);
    let header = json!({"KundNr": first, "AuftBestellNr": REFERENCES[*reference]});
    let body = json!({"GrundDaten": header, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    let number = block_on(door.create_offer(&body)).unwrap().number.clone();
    if let Some(customer) = customer {
        if *is_given && !orders {
            block_on(door.change_offer(&number, Some(customer), &json!({}))).unwrap();
        }
        if *orders {
            // A template is given to the customer by its conversion.
            let body = json!({"GrundDaten": {"KundNr": customer, "OffertNr": number}});
            block_on(door.convert_offer(&body)).unwrap();
        }
    }
    number.to_string()
}

/// All pages of a list, and the counts that they say.
fn listed<S: Storage>(
    erp: &Erp<S>,
    caller: &Caller,
    query: &OfferQuery,
) -> (Vec<String>, Vec<Option<usize>>) {
    let mut query = query.clone();
    let (mut numbers, mut counts) = (Vec::new(), Vec::new());
    loop {
        let page = block_on(erp.shop(caller, now()).offers(&query)).unwrap();
        numbers.extend(page.offers.iter().map(|offer| offer.number.to_string()));
        query.offset += query.limit;
        counts.push(page.count);
        if !page.has_next {
            return (numbers, counts);
        }
        assert_eq!(page.offers.len(), query.limit);
    }
}

fn findings<S: Storage>(erp: &Erp<S>) -> Vec<String> {
    let found = block_on(erp.upkeep(now()).check()).unwrap().findings;
    found.into_iter().map(|finding| finding.message).collect()
}

fn of_customer(customer: &str) -> OfferQuery {
    OfferQuery {
        customer: Some(customer.into()),
        limit: 7,
        ..OfferQuery::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    // rule: D-DOC-35
    #[test]
    fn a_shop_lists_what_it_may_see_of_all_offers(
        made in prop::collection::vec((0..60_i64, prop::option::of(0..3_usize), 0..3_usize, any::<bool>(), any::<bool>()), 0..25),
        selects in any::<bool>(),
        days in (prop::option::of(0..4_i8), prop::option::of(0..4_i8)),
        is_ordered in prop::option::of(any::<bool>()),
        customer in prop::option::of(0..3_usize),
        reference in prop::option::of(0..3_usize),
        (limit, offset) in (1..9_usize, 0..12_usize),
    ) {
        let erp = company(MemoryStore::new(), in_zurich(), selects);
        let numbers: Vec<String> = made.iter().map(|one| make(&erp, one)).collect();
        prop_assert_eq!(findings(&erp), Vec::<String>::new());
        let day = |day: i8| jiff::civil::date(2026, 6, 1 + day);
        let reference = reference.map(|at| REFERENCES[at].unwrap_or("none"));
        let query = OfferQuery {
            is_ordered,
            customer: customer.map(|at| CUSTOMERS[at].0.into()),
            reference: reference.map(Into::into),
            from: days.0.map(day),
            to: days.1.map(day),
            offset,
            limit,
        };
        let caller = shop("SHOP1");
        let sees = |of: usize| !selects || CUSTOMERS[of].1 != "SHOP2";
        if let Some(hidden) = customer.filter(|of| !sees(*of)) {
            let refused = block_on(erp.shop(&caller, now()).offers(&query)).unwrap_err();
            let number = CUSTOMERS[hidden].0.to_owned();
            prop_assert_eq!(refused, Error::NotFound { what: "customer", number });
            return Ok(());
        }
        let wanted = made.iter().zip(&numbers).rev().filter(|((hours, of, with, _, orders), _)| {
            let made_on = i8::try_from(hours / 24).unwrap();
            of.is_none_or(sees)
                && is_ordered.is_none_or(|wanted| wanted == (*orders && of.is_some()))
                && (customer.is_none() || customer == *of)
                && reference.is_none_or(|wanted| REFERENCES[*with] == Some(wanted))
                && days.0.is_none_or(|from| from <= made_on)
                && days.1.is_none_or(|to| made_on <= to)
        });
        let wanted: Vec<String> = wanted.map(|(_, number)| number.clone()).collect();
        let (found, mut counts) = listed(&erp, &caller, &query);
        prop_assert_eq!(&found[..], wanted.get(offset..).unwrap_or_default());
        prop_assert_eq!(counts.pop(), Some(Some(wanted.len())));
        let is_all = is_ordered.is_none() && reference.is_none() && days == (None, None);
        let is_counted = customer.is_some() && is_all;
        prop_assert!(counts.iter().all(|count| *count == is_counted.then_some(wanted.len())));
    }
}

// rule: D-AUT-11
#[test]
fn a_customer_lists_its_own_offers_and_no_template() {
    let erp = company(MemoryStore::new(), in_zurich(), false);
    let made = [None, Some(0), Some(1), Some(0)].map(|of| make(&erp, &(1, of, 0, false, false)));
    let caller = Caller {
        customer: Some(CUSTOMERS[0].0.parse().unwrap()),
        ..shop("SHOP1")
    };
    let all = OfferQuery {
        limit: 10,
        ..OfferQuery::default()
    };
    let own = [made[3].clone(), made[1].clone()];
    assert_eq!(listed(&erp, &caller, &all).0, own);
    assert_eq!(listed(&erp, &caller, &of_customer(CUSTOMERS[0].0)).0, own);
    let other = erp.shop(&caller, now());
    let refused = block_on(other.offers(&of_customer(CUSTOMERS[1].0))).unwrap_err();
    assert!(matches!(refused, Error::NotFound { .. }), "{refused:?}");
}

#[test]
fn a_list_reads_a_bounded_number_of_offers() {
    let settings = erp_core::erp::Settings {
        scan_entries: 130,
        ..in_zurich()
    };
    let erp = company(MemoryStore::new(), settings, false);
    for at in 0..200 {
        make(
            &erp,
            &(0, Some(usize::from(at % 100 == 0)), 0, false, false),
        );
    }
    let rare = of_customer(CUSTOMERS[1].0);
    assert_eq!(listed(&erp, &admin(), &rare).0.len(), 2);
    // Nothing finds those without a day but reading all.
    let rare = OfferQuery {
        reference: Some("no such".into()),
        limit: 7,
        ..OfferQuery::default()
    };
    let refused = block_on(erp.shop(&admin(), now()).offers(&rare)).unwrap_err();
    assert_eq!(refused, Error::TooBroad { limit: 130 });
}

#[test]
fn the_check_sees_an_offer_without_its_key_and_a_key_of_none() {
    let erp = company(MemoryStore::new(), in_zurich(), false);
    let number = make(&erp, &(0, Some(0), 0, false, false));
    // An offer that lacks its key, and a key of none.
    let key = |customer: &str, number: &str| {
        let key = Key::of(Space::OfferOfCustomer).text(customer);
        key.number(number.parse().unwrap())
    };
    let mut changes = ChangeSet::new();
    changes.delete(key(CUSTOMERS[0].0, &number));
    changes.put(key(CUSTOMERS[2].0, &number), vec![56, 1]);
    block_on(erp.store().commit(changes)).unwrap();
    assert_eq!(
        findings(&erp),
        [
            "no offer has this customer and number",
            "an offer is missing in its customer's list"
        ]
    );
}

#[test]
fn the_list_shows_what_an_offer_became() {
    let erp = company(MemoryStore::new(), in_zurich(), false);
    let number = make(&erp, &(2, Some(0), 1, true, true));
    let page = block_on(
        erp.shop(&admin(), now())
            .offers(&of_customer(CUSTOMERS[0].0)),
    )
    .unwrap();
    let shown: Value = serde_json::to_value(page.offers[0].to_wire(&LINKS)).unwrap();
    let offer = block_on(erp.shop(&admin(), now()).offer(&number)).unwrap();
    let whole = serde_json::to_value(offer.to_wire()).unwrap();
    for name in [
        "KundNr",
        "Template",
        "AuftBestellNr",
        "AuftStatus",
        "AuftNr",
        "WaehrAbk",
        "AuftNetto",
        "AuftWUST",
        "AuftBrutto",
    ] {
        assert_eq!(shown[name], whole["GrundDaten"][name], "{name}");
    }
    let order: OrderNumber = shown["AuftNr"].as_str().unwrap().parse().unwrap();
    assert!(block_on(erp.shop(&admin(), now()).order(&order)).is_ok());
    assert_eq!(shown["AuftErf"], "2026-06-01T00:00:00Z");
}
