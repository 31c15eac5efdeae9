//! Keys of orders by state and by reference: lists and counts by them.

use erp_core::Erp;
use erp_core::document::{OrderNumber, OrderStatus};
use erp_core::erp::OrderQuery;
use erp_core::storage::{ChangeSet, Key, Scan, Space, Storage};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::json;

use super::common::{block_on, demo, import_rows, rows, shop};
use super::overtaken::Overtaken;

fn begin() -> Timestamp {
    "2026-06-01T00:00:00Z".parse().unwrap()
}

/// The reference of an order that is made at a time.
fn reference(at: Timestamp) -> Option<&'static str> {
    [None, Some("A"), Some("WEB-1")][usize::try_from(at.as_second() / 60 % 3).unwrap()]
}

fn place<S: Storage>(erp: &Erp<S>, customer: &str, at: Timestamp) -> OrderNumber {
    let caller = shop("SHOP1");
    let header = json!({"KundNr": customer, "AuftBestellNr": reference(at)});
    let body = json!({"GrundDaten": header, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    block_on(erp.shop(&caller, at).create_order(&body))
        .unwrap()
        .number
        .clone()
}

/// An order as a test knows it.
#[derive(Clone, Debug)]
struct Known {
    number: OrderNumber,
    customer: &'static str,
    at: Timestamp,
    status: OrderStatus,
}

/// What happens to a store. The first of two numbers says where.
#[derive(Clone, Debug)]
enum Step {
    /// An order is made this many minutes after the first day began. The times of some go back, as on servers whose clocks
    /// differ.
    Place(i64),
    /// An order moves on.
    Move(usize, usize),
    /// All lists are read.
    Check,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..5_000_i64).prop_map(Step::Place),
        4 => (any::<prop::sample::Index>(), 1..OrderStatus::ALL.len())
            .prop_map(|(of, to)| Step::Move(of.index(1_000), to)),
        1 => Just(Step::Check),
    ];
    prop::collection::vec(step, 1..60)
}

/// All numbers of a list, page by page.
fn listed<S: Storage>(erp: &Erp<S>, query: &OrderQuery) -> Vec<String> {
    let mut query = query.clone();
    let mut found = Vec::new();
    loop {
        let page = block_on(erp.office(begin()).orders(&query)).unwrap();
        assert!(page.orders.len() <= query.limit);
        found.extend(page.orders.iter().map(|order| order.number.to_string()));
        match page.next {
            Some(next) => query.after = Some(next),
            None => return found,
        }
    }
}

/// Checks every kind of list against a filter of all orders, and the counts.
fn check_lists<S: Storage>(erp: &Erp<S>, known: &[Known]) {
    let statuses = OrderStatus::ALL.map(Some).into_iter().chain([None]);
    let days = [
        (None, None),
        (Some("2026-06-02"), None),
        (None, Some("2026-06-02")),
        (Some("2026-06-02"), Some("2026-06-03")),
    ];
    for status in statuses {
        for (from, to) in days {
            for (customer, asked) in [(None, None), (Some("10001"), None), (None, Some("A"))] {
                let query = OrderQuery {
                    status,
                    customer: customer.map(Into::into),
                    reference: asked.map(Into::into),
                    from: from.map(|day| day.parse().unwrap()),
                    to: to.map(|day| day.parse().unwrap()),
                    limit: 7,
                    ..OrderQuery::default()
                };
                let day = |order: &Known| order.at.strftime("%Y-%m-%d").to_string();
                let mut wanted: Vec<&Known> = known
                    .iter()
                    .filter(|order| status.is_none_or(|status| status == order.status))
                    .filter(|order| customer.is_none_or(|customer| customer == order.customer))
                    .filter(|order| asked.is_none() || asked == reference(order.at))
                    .filter(|order| from.is_none_or(|from| *from <= *day(order)))
                    .filter(|order| to.is_none_or(|to| *day(order) <= *to))
                    .collect();
                let by_time = customer.or(asked).is_none();
                wanted.sort_by_key(|order| (by_time.then_some(order.at), order.number.to_string()));
                let wanted = wanted.iter().rev().map(|order| order.number.to_string());
                assert_eq!(listed(erp, &query), wanted.collect::<Vec<_>>(), "{query:?}");
            }
        }
    }
    let count = |status| known.iter().filter(|order| order.status == status).count();
    let counts = OrderStatus::ALL.map(|status| (status, i64::try_from(count(status)).unwrap()));
    let counted = block_on(erp.office(begin()).count_orders()).unwrap();
    assert_eq!(counted, counts);
}

fn run<S: Storage>(erp: &Erp<S>, known: &mut Vec<Known>, steps: Vec<Step>) {
    for step in steps {
        match step {
            Step::Place(minute) => {
                let at = begin() + SignedDuration::from_mins(minute);
                let customer = if minute % 2 == 0 { "10001" } else { "10002" };
                known.push(Known {
                    number: place(erp, customer, at),
                    customer,
                    at,
                    status: OrderStatus::New,
                });
            }
            Step::Move(of, to) if !known.is_empty() => {
                let of = of % known.len();
                let (order, status) = (&mut known[of], OrderStatus::ALL[to]);
                if order.status.may_become(status) {
                    block_on(erp.office(begin()).set_order_status(&order.number, status)).unwrap();
                    order.status = status;
                }
            }
            Step::Move(..) => {}
            Step::Check => check_lists(erp, known),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn lists_and_counts_are_those_of_all_orders_at_any_time(steps in steps()) {
        let erp = demo().erp;
        let mut known = Vec::new();
        run(&erp, &mut known, steps);
        check_lists(&erp, &known);
        prop_assert_eq!(block_on(erp.upkeep(begin()).check()).unwrap().findings, vec![]);
    }
}

#[test]
fn an_order_without_its_keys_is_noticed() {
    let erp = demo().erp;
    let at = begin() + SignedDuration::from_mins(1);
    assert!(reference(at).is_some());
    place(&erp, "10001", at);
    let mut changes = ChangeSet::new();
    for space in [
        Space::OrderOfStatus,
        Space::OrdersOfStatus,
        Space::OrderOfReference,
    ] {
        let scan = Scan::prefix(&Key::of(space));
        for (key, _) in block_on(erp.store().scan(scan)).unwrap().entries {
            changes.delete(key);
        }
    }
    block_on(erp.store().commit(changes)).unwrap();
    let findings = block_on(erp.upkeep(begin()).check()).unwrap().findings;
    let messages: Vec<&str> = findings
        .iter()
        .map(|finding| finding.message.as_str())
        .collect();
    assert_eq!(messages[0], "an order is missing in the list of its state");
    assert!(
        messages[1].starts_with("orders of a state: "),
        "{messages:?}"
    );
    assert_eq!(messages[2..], ["an order is not found by its reference"]);
}

#[test]
fn a_list_that_shows_another_order_than_there_is_is_noticed() {
    let erp = demo().erp;
    let number = place(&erp, "10001", begin());
    let order = Key::of(Space::Order).number(number.parse().unwrap());
    let scan = Scan::prefix(&Key::of(Space::OrderOfStatus));
    let rows = block_on(erp.store().scan(scan)).unwrap().entries;
    let row = |key: &Key| key.as_bytes().ends_with(&order.as_bytes()[1..]);
    let (key, own) = rows.iter().find(|(key, _)| row(key)).unwrap();
    let mut value = own.value.clone();
    // The last byte is how many positions the order has.
    *value.last_mut().unwrap() += 1;
    let mut changes = ChangeSet::new();
    changes.put(key.clone(), value);
    block_on(erp.store().commit(changes)).unwrap();
    let findings = block_on(erp.upkeep(begin()).check()).unwrap().findings;
    let messages = findings.iter().map(|finding| finding.message.as_str());
    assert_eq!(
        messages.collect::<Vec<_>>(),
        ["the list of a state's orders does not agree with the order"]
    );
}

#[test]
fn an_order_that_moves_while_it_is_listed_is_listed_once() {
    let store = Overtaken::default();
    let erp = store.erp();
    block_on(erp.office(begin()).import(&import_rows(&rows()))).unwrap();
    let number = place(&erp, "10001", begin());
    let moved = number.clone();
    store.overtaken_after_read(Space::OrderOfStatus, move |rival| {
        block_on(
            rival
                .office(begin())
                .set_order_status(&moved, OrderStatus::Open),
        )
        .unwrap();
    });
    let all = OrderQuery {
        limit: 5,
        ..OrderQuery::default()
    };
    assert_eq!(listed(&erp, &all), [number.to_string()]);
    assert!(store.was_overtaken());
}
