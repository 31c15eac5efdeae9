//! Keys of orders by state and by reference: lists and counts by them, and how orders of an older version get them.

use erp_core::Erp;
use erp_core::document::{OrderNumber, OrderStatus};
use erp_core::erp::OrderQuery;
use erp_core::storage::{ChangeSet, Entry, Key, Scan, Space, Storage};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::json;

use super::common::{block_on, demo, import_rows, rows, shop};
use super::overtaken::Overtaken;

/// How long servers of the older version may run beside those of this one.
const UPGRADE: SignedDuration = SignedDuration::from_hours(1);

const SPACES: [Space; 4] = [
    Space::OrderOfStatus,
    Space::OrderOfReference,
    Space::OrdersOfStatus,
    Space::OrderKeys,
];

fn begin() -> Timestamp {
    "2026-06-01T00:00:00Z".parse().unwrap()
}

/// All entries that an older version knows nothing of.
fn new_entries<S: Storage>(erp: &Erp<S>) -> Vec<(Key, Entry)> {
    let scan = |space| Scan::prefix(&Key::of(space).build());
    let pages = SPACES.map(|space| block_on(erp.store().scan(scan(space))).unwrap());
    pages.into_iter().flat_map(|page| page.entries).collect()
}

/// Does what a server of the older version would do: it writes no such keys.
fn as_older<S: Storage, T>(erp: &Erp<S>, act: impl FnOnce() -> T) -> T {
    let before = new_entries(erp);
    let done = act();
    let mut changes = ChangeSet::new();
    new_entries(erp)
        .into_iter()
        .for_each(|(key, _)| changes.delete(key));
    for (key, entry) in before {
        changes.put(key, entry.value);
    }
    block_on(erp.store().commit(changes)).unwrap();
    done
}

/// Makes the store one of the older version.
fn forget_keys<S: Storage>(erp: &Erp<S>) {
    let mut changes = ChangeSet::new();
    new_entries(erp)
        .into_iter()
        .for_each(|(key, _)| changes.delete(key));
    block_on(erp.store().commit(changes)).unwrap();
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
    /// An order is made this many minutes after the first day began; by an older server if it may still run.
    Place(i64, bool),
    /// An order moves on; by an older server if it may still run.
    Move(usize, usize, bool),
    /// Some orders get their keys.
    Slice,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..5_000_i64, any::<bool>()).prop_map(|(minute, older)| Step::Place(minute, older)),
        4 => (any::<prop::sample::Index>(), 1..OrderStatus::ALL.len(), any::<bool>())
            .prop_map(|(of, to, older)| Step::Move(of.index(1_000), to, older)),
        1 => Just(Step::Slice),
    ];
    prop::collection::vec(step, 1..40)
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
    let has_keys = block_on(erp.upkeep(begin()).has_document_keys()).unwrap();
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
                    number: None,
                    after: None,
                    offset: 0,
                    limit: 7,
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
                let by_time = has_keys && customer.or(asked).is_none();
                wanted.sort_by_key(|order| (by_time.then_some(order.at), order.number.to_string()));
                let wanted = wanted.iter().rev().map(|order| order.number.to_string());
                assert_eq!(listed(erp, &query), wanted.collect::<Vec<_>>(), "{query:?}");
            }
        }
    }
    let count = |status| known.iter().filter(|order| order.status == status).count();
    let counts = OrderStatus::ALL.map(|status| (status, i64::try_from(count(status)).unwrap()));
    let counted = block_on(erp.office(begin()).count_orders()).unwrap();
    assert_eq!(counted, has_keys.then_some(counts));
}

/// Orders that only the older version has touched.
fn of_older<S: Storage>(erp: &Erp<S>, count: i64) -> Vec<Known> {
    let order = |hour: i64| {
        let customer = if hour % 3 == 0 { "10001" } else { "10002" };
        // The times of some orders go back, as on servers whose clocks differ.
        let at = begin() + SignedDuration::from_mins(hour * 40 - hour % 5 * 90);
        let number = place(erp, customer, at);
        let status = match hour % 7 {
            6 => OrderStatus::Canceled,
            _ => OrderStatus::ALL[usize::try_from(hour % 3).unwrap()],
        };
        block_on(erp.office(begin()).set_order_status(&number, status)).unwrap();
        Known {
            number,
            customer,
            at,
            status,
        }
    };
    let known = (0..count).map(order).collect();
    forget_keys(erp);
    known
}

fn run<S: Storage>(erp: &Erp<S>, known: &mut Vec<Known>, steps: Vec<Step>, upgrade_ends: usize) {
    for (index, step) in steps.into_iter().enumerate() {
        let upgraded = index >= upgrade_ends;
        match step {
            Step::Place(minute, older) => {
                let at = begin() + SignedDuration::from_mins(minute);
                let customer = if minute % 2 == 0 { "10001" } else { "10002" };
                let act = || place(erp, customer, at);
                let number = if older && !upgraded {
                    as_older(erp, act)
                } else {
                    act()
                };
                known.push(Known {
                    number,
                    customer,
                    at,
                    status: OrderStatus::New,
                });
            }
            Step::Move(of, to, older) if !known.is_empty() => {
                let of = of % known.len();
                let (order, status) = (&mut known[of], OrderStatus::ALL[to]);
                if order.status.may_become(status) {
                    let act =
                        || block_on(erp.office(begin()).set_order_status(&order.number, status));
                    let moved = if older && !upgraded {
                        as_older(erp, act)
                    } else {
                        act()
                    };
                    moved.unwrap();
                    order.status = status;
                }
            }
            Step::Move(..) => {}
            Step::Slice => {
                let now = begin()
                    + if upgraded {
                        UPGRADE
                    } else {
                        SignedDuration::ZERO
                    };
                let state = block_on(erp.upkeep(now).write_document_keys(UPGRADE)).unwrap();
                assert!(upgraded || state.next.is_some());
                check_lists(erp, known);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn lists_and_counts_are_those_of_all_orders_at_any_time(
        steps in steps(),
        older in 0..150_i64,
        upgrade_ends in 0..30_usize,
    ) {
        let erp = demo().erp;
        let mut known = of_older(&erp, older);
        run(&erp, &mut known, steps, upgrade_ends);
        check_lists(&erp, &known);
        // The older servers are gone now, and it goes on until nothing is left.
        let mut now = begin();
        while block_on(erp.upkeep(now).write_document_keys(UPGRADE)).unwrap().next.is_some() {
            now += UPGRADE;
        }
        check_lists(&erp, &known);
        prop_assert_eq!(block_on(erp.upkeep(begin()).check()).unwrap().findings, vec![]);
    }
}

#[test]
fn a_new_store_has_all_keys_from_its_first_company_on() {
    let erp = demo().erp;
    assert!(block_on(erp.upkeep(begin()).has_document_keys()).unwrap());
    let mut known = Vec::new();
    let steps = (0..30).map(|order| Step::Place(order * 77 % 3_000, false));
    run(&erp, &mut known, steps.collect(), 0);
    check_lists(&erp, &known);
    // An order of an older version is noticed; so is one that has moved.
    let at = begin() + SignedDuration::from_mins(1);
    assert!(reference(at).is_some());
    as_older(&erp, || place(&erp, "10001", at));
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
fn two_servers_and_changes_of_state_meanwhile_make_no_difference() {
    let store = Overtaken::default();
    let erp = store.erp();
    block_on(erp.office(begin()).import(&import_rows(&rows()))).unwrap();
    let mut known = of_older(&erp, 130);
    let write = |erp: &Erp<Overtaken>| {
        block_on(
            erp.upkeep(begin())
                .write_document_keys(SignedDuration::ZERO),
        )
    };
    // Another server writes the first slice, and an order of it moves on, before this one commits its own.
    let number = known[0].number.clone();
    store.overtaken_by(move |rival| {
        assert!(write(rival).unwrap().next.is_some());
        block_on(
            rival
                .office(begin())
                .set_order_status(&number, OrderStatus::Open),
        )
        .unwrap();
    });
    known[0].status = OrderStatus::Open;
    assert_eq!(write(&erp).unwrap().next, None, "the second slice");
    // An order moves on between reading a slice and writing it, and gets its keys while it moves on.
    forget_keys(&erp);
    let number = known[3].number.clone();
    store.overtaken_by(move |rival| {
        block_on(
            rival
                .office(begin())
                .set_order_status(&number, OrderStatus::Open),
        )
        .unwrap();
    });
    known[3].status = OrderStatus::Open;
    assert!(write(&erp).unwrap().next.is_some());
    store.overtaken_by(move |rival| assert_eq!(write(rival).unwrap().next, None));
    let last = known.len() - 1;
    assert_eq!(known[last].status, OrderStatus::New);
    block_on(
        erp.office(begin())
            .set_order_status(&known[last].number, OrderStatus::Completed),
    )
    .unwrap();
    known[last].status = OrderStatus::Completed;
    assert!(store.was_overtaken());
    check_lists(&erp, &known);
    assert_eq!(block_on(erp.upkeep(begin()).check()).unwrap().findings, []);
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

#[test]
fn a_store_with_keys_by_state_alone_keeps_them_while_it_gets_those_by_reference() {
    let erp = demo().erp;
    let mut known = Vec::new();
    let steps = (0..130).map(|order| Step::Place(order * 77 % 3_000, false));
    run(&erp, &mut known, steps.collect(), 0);
    let mut changes = ChangeSet::new();
    for (key, _) in new_entries(&erp) {
        let is_progress = key.space() == Space::OrderKeys as u8 && key.parts().text().is_some();
        if is_progress || key.space() == Space::OrderOfReference as u8 {
            changes.delete(key);
        }
    }
    block_on(erp.store().commit(changes)).unwrap();
    let with_reference = OrderQuery {
        reference: Some("A".into()),
        limit: 7,
        ..OrderQuery::default()
    };
    let count = || block_on(erp.office(begin()).count_orders()).unwrap();
    let before = (count(), listed(&erp, &with_reference));
    assert_eq!((before.0.unwrap()[0].1, before.1.len() > 7), (130, true));
    let write = |wait| block_on(erp.upkeep(begin()).write_document_keys(wait)).unwrap();
    assert_eq!(write(UPGRADE).next, Some(0), "older servers may still run");
    assert!(write(SignedDuration::ZERO).next.is_some());
    assert_eq!((count(), listed(&erp, &with_reference)), before);
    assert_eq!(write(SignedDuration::ZERO).next, None);
    check_lists(&erp, &known);
    assert_eq!(block_on(erp.upkeep(begin()).check()).unwrap().findings, []);
}
