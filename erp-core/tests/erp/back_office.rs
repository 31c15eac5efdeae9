//! The lists of the back office: orders and customers of a whole store, in pages and with limits.

use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::{CustomerPage, CustomerQuery, Error, EventKind, OrderPage, OrderQuery};
use erp_core::internal::{
    AttemptOutcome, DeliveryAttempt, LeaseAfter, LeaseTerms, Leased, Schedule,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::common::{block_on, now, shop};
use super::counting::{Counting, company, import};
use super::deliveries;

fn at(time: &str) -> Timestamp {
    time.parse().unwrap()
}

/// Places an order at a time and returns its number.
fn order(erp: &Erp<Counting>, customer: &str, time: Timestamp) -> String {
    let caller = shop("SHOP1");
    let door = erp.shop(&caller, time);
    let body =
        json!({"GrundDaten": {"KundNr": customer}, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
    let placed = block_on(door.create_order(&body)).unwrap();
    placed.number.to_string()
}

/// Orders of customers 10001 and 10002 in turn, one hour apart, the first at midnight on 1 June; returns their numbers.
fn orders(erp: &Erp<Counting>, count: i64) -> Vec<String> {
    let begin = at("2026-06-01T00:00:00Z");
    let place = |hour: i64| {
        let time = begin + SignedDuration::from_hours(hour);
        order(erp, if hour % 2 == 0 { "10001" } else { "10002" }, time)
    };
    let numbers = (0..count).map(place).collect();
    erp.store().take();
    numbers
}

fn list(erp: &Erp<Counting>, query: &OrderQuery) -> Result<OrderPage, Error> {
    block_on(erp.office(now()).orders(query))
}

fn all(limit: usize) -> OrderQuery {
    OrderQuery {
        limit,
        ..OrderQuery::default()
    }
}

fn numbers(page: &OrderPage) -> Vec<String> {
    let orders = page.orders.iter();
    orders.map(|order| order.number.to_string()).collect()
}

/// All pages of a query, one after the other.
fn pages(erp: &Erp<Counting>, mut query: OrderQuery) -> Vec<String> {
    let mut found = Vec::new();
    loop {
        let page = list(erp, &query).unwrap();
        assert!(page.orders.len() <= query.limit);
        found.extend(numbers(&page));
        match page.next {
            Some(next) => query.after = Some(next),
            None => return found,
        }
    }
}

#[test]
fn orders_are_listed_newest_first_without_reading_all_of_them() {
    let erp = company(50_000);
    let placed = orders(&erp, 300);
    let newest: Vec<String> = placed.iter().rev().cloned().collect();
    let first = list(&erp, &all(5)).unwrap();
    assert_eq!(numbers(&first), newest[..5]);
    let entries = erp.store().take().entries;
    assert!(entries < 80, "{entries} entries for five orders");
    let order = &first.orders[0];
    assert_eq!(
        (order.customer.as_str(), order.name.as_str()),
        ("10002", "Acheteur SA")
    );
    assert_eq!(
        (order.sums.gross.to_string(), order.positions),
        ("4.31".to_owned(), 1)
    );
    assert_eq!(pages(&erp, all(7)), newest);
    let of_first = OrderQuery {
        customer: Some("10001".into()),
        ..all(50)
    };
    let every_second: Vec<String> = newest.iter().skip(1).step_by(2).cloned().collect();
    assert_eq!(pages(&erp, of_first.clone()), every_second);
    let unknown = OrderQuery {
        customer: Some("99999".into()),
        ..all(5)
    };
    assert_eq!(list(&erp, &unknown), Ok(OrderPage::default()));
    // The list of a customer is filtered before its orders are read.
    block_on(
        erp.office(now())
            .set_order_status(&placed[0], OrderStatus::Completed),
    )
    .unwrap();
    erp.store().take();
    let completed = OrderQuery {
        status: Some(OrderStatus::Completed),
        ..of_first
    };
    assert_eq!(pages(&erp, completed), placed[..1]);
    let of_day = OrderQuery {
        customer: Some("10002".into()),
        from: "2026-06-03".parse().ok(),
        to: "2026-06-03".parse().ok(),
        ..all(5)
    };
    let of_third_day = placed[48..72].iter().rev().step_by(2).cloned();
    assert_eq!(pages(&erp, of_day), of_third_day.collect::<Vec<_>>());
}

#[test]
fn a_day_long_ago_is_found_without_reading_later_ones() {
    let erp = company(100);
    let placed = orders(&erp, 24 * 30);
    let day = |from: &str, to: &str| OrderQuery {
        from: Some(from.parse().unwrap()),
        to: Some(to.parse().unwrap()),
        ..all(20)
    };
    let third: Vec<String> = placed[48..72].iter().rev().cloned().collect();
    assert_eq!(pages(&erp, day("2026-06-03", "2026-06-03")), third);
    assert_eq!(pages(&erp, day("2026-06-04", "2026-06-03")), [""; 0]);
    assert_eq!(pages(&erp, day("2020-01-01", "2026-05-31")), [""; 0]);
    assert_eq!(pages(&erp, day("2026-07-01", "2099-01-01")), [""; 0]);
    assert_eq!(pages(&erp, day("9999-12-31", "9999-12-31")), [""; 0]);
    assert_eq!(
        pages(&erp, day("0000-01-01", "9999-12-31")).len(),
        placed.len()
    );
    let of_status = |status| OrderQuery {
        status: Some(status),
        ..day("2026-06-03", "2026-06-03")
    };
    assert_eq!(pages(&erp, of_status(OrderStatus::New)), third);
    assert_eq!(pages(&erp, of_status(OrderStatus::Open)), [""; 0]);
    let first = list(&erp, &day("2026-06-03", "2026-06-03")).unwrap();
    assert_eq!(numbers(&first), third[..20]);
    erp.store().take();
    let next = OrderQuery {
        after: first.next,
        ..day("2026-06-03", "2026-06-03")
    };
    assert_eq!(numbers(&list(&erp, &next).unwrap()), third[20..]);
    let entries = erp.store().take().entries;
    assert!(entries <= 2 * 4 + 3, "{entries} entries for four orders");
    // The list is one by time, also where numbers are in another order.
    let late = order(&erp, "10001", at("2026-06-30T23:30:00Z"));
    let early = order(&erp, "10001", at("2026-06-30T23:10:00Z"));
    let last = pages(&erp, day("2026-06-30", "2026-06-30"));
    assert_eq!(last.len(), 26);
    assert_eq!(last[..2], [late, early]);
}

#[test]
fn the_first_digits_of_a_number_find_its_orders() {
    let erp = company(50_000);
    let placed = orders(&erp, 25);
    let begins = |digits: &str| OrderQuery {
        number: Some(digits.parse().unwrap()),
        ..all(4)
    };
    let found = |digits: &str| pages(&erp, begins(digits));
    let newest: Vec<String> = placed.iter().rev().cloned().collect();
    assert_eq!(placed[0], "100001");
    assert_eq!(found("1000"), newest);
    assert_eq!(found("100001"), placed[..1]);
    assert_eq!(found("10001"), newest[6..16], "100010 to 100019");
    assert_eq!(found("2"), [""; 0]);
    assert_eq!(found("1000010"), [""; 0]);
}

// rule: D-WRK-02
#[test]
fn a_list_of_orders_is_bounded() {
    let erp = company(200);
    let placed = orders(&erp, 600);
    let of = |status| OrderQuery {
        status: Some(status),
        number: "1".parse().ok(),
        ..all(10)
    };
    let by_status = OrderQuery {
        number: None,
        ..of(OrderStatus::Completed)
    };
    assert_eq!(list(&erp, &by_status), Ok(OrderPage::default()));
    assert_eq!(erp.store().take().entries, 0);
    let limit = 200;
    assert_eq!(
        list(&erp, &of(OrderStatus::Completed)),
        Err(Error::TooBroad { limit })
    );
    let entries = erp.store().take().entries;
    assert!(entries <= limit + 64 + 1, "{entries} entries were read");
    assert_eq!(list(&erp, &of(OrderStatus::New)).unwrap().orders.len(), 10);
    // The matches so far are a short page that can be continued.
    block_on(
        erp.office(now())
            .set_order_status(&placed[599], OrderStatus::Completed),
    )
    .unwrap();
    let short = list(&erp, &of(OrderStatus::Completed)).unwrap();
    assert_eq!(numbers(&short), placed[599..]);
    let next = OrderQuery {
        after: short.next,
        ..of(OrderStatus::New)
    };
    let following = list(&erp, &next).unwrap();
    assert!(following.orders[0].number.as_str() < placed[599].as_str());
    assert!(
        short
            .next
            .is_some_and(|next| next.to_string() < placed[410])
    );
}

/// This many customers, numbered from 20000.
fn customers(erp: &Erp<Counting>, count: usize, of: impl Fn(usize) -> Value) {
    let customer = |place: usize| {
        let mut address = json!({"AdrSprache": "ger", "AdrAdresse1": "Weg 1", "AdrAnrede": 0, "OrtLand": "CH",
            "OrtName": "Bern", "OrtPLZ": "3000"});
        let Value::Object(members) = of(place) else {
            panic!("members of an address");
        };
        address.as_object_mut().unwrap().extend(members);
        json!({"Kunde": {"KundNr": (20_000 + place).to_string(), "WaehrAbk": "CHF", "KontaktAdr": address}})
    };
    let rows: Vec<Value> = (0..count).map(customer).collect();
    import(erp, &rows);
    erp.store().take();
}

fn find(erp: &Erp<Counting>, search: &str, limit: usize) -> Result<CustomerPage, Error> {
    let query = CustomerQuery {
        search: Some(search.to_owned()),
        after: None,
        limit,
    };
    block_on(erp.office(now()).customers(&query))
}

/// The numbers of all pages of a search with this page size.
fn found(erp: &Erp<Counting>, search: Option<&str>, limit: usize) -> Vec<String> {
    let mut query = CustomerQuery {
        search: search.map(str::to_owned),
        after: None,
        limit,
    };
    let mut numbers = Vec::new();
    loop {
        let page = block_on(erp.office(now()).customers(&query)).unwrap();
        numbers.extend(page.customers.iter().map(|found| found.number.to_string()));
        // A position can be converted to text and back.
        let next = page.next.map(|next| next.to_string().parse().unwrap());
        match next {
            Some(next) => query.after = Some(next),
            None => return numbers,
        }
    }
}

#[test]
fn customers_are_found_by_number_and_by_words_each_once() {
    let erp = company(50_000);
    customers(&erp, 6, |place| match place {
        0 => json!({"AdrName": "Müller", "AdrVorname": "Anna"}),
        1 => json!({"AdrFirma": "Hans Müller AG", "OrtName": "St. Gallen"}),
        2 => json!({"AdrFirma": "Mueller Söhne", "AdrName": "MULLER"}),
        3 => json!({"AdrFirma": "Käserei", "OrtName": "Müllheim"}),
        4 => json!({"AdrFirma": "Am Mülltal 7"}),
        _ => json!({"AdrFirma": "Muster"}),
    });
    // Sorted by the word, then by number. A customer that matches twice is listed once.
    let expected = ["20000", "20001", "20002", "20003", "20004"];
    for limit in 1..=6 {
        assert_eq!(found(&erp, Some("mül"), limit), expected, "{limit}");
    }
    assert_eq!(found(&erp, Some("MUELLER"), 3), ["20000", "20001", "20002"]);
    assert_eq!(found(&erp, Some("ag gallen hans"), 3), ["20001"]);
    assert_eq!(found(&erp, Some("2000"), 4).len(), 6);
    assert_eq!(found(&erp, Some("20005"), 4), ["20005"]);
    assert_eq!(found(&erp, Some("1000"), 1), ["10001", "10002"]);
    assert_eq!(found(&erp, Some("niemand"), 4), [""; 0]);
    assert_eq!(found(&erp, Some("%!-"), 4), [""; 0]);
    let everyone = found(&erp, None, 3);
    assert_eq!((everyone.len(), everyone[0].as_str()), (8, "10001"));
    let page = find(&erp, "20001", 5).unwrap();
    let only = &page.customers[0];
    assert_eq!(
        (only.name.as_str(), only.town.as_str()),
        ("Hans Müller AG", "St. Gallen")
    );
}

#[test]
fn customers_are_listed_with_their_newest_order() {
    let erp = company(50_000);
    orders(&erp, 3);
    let query = CustomerQuery {
        limit: 2,
        ..CustomerQuery::default()
    };
    let listed = || {
        let page = block_on(erp.office(now()).customers(&query)).unwrap();
        let times = page.customers.into_iter().map(|found| found.last_order);
        times.collect::<Vec<_>>()
    };
    let second = Some(at("2026-06-01T01:00:00Z"));
    assert_eq!(listed(), [Some(at("2026-06-01T02:00:00Z")), second]);
    order(&erp, "10001", at("2026-06-09T08:00:00Z"));
    assert_eq!(listed(), [Some(at("2026-06-09T08:00:00Z")), second]);
    customers(&erp, 1, |_| json!({"AdrName": "Neu"}));
    assert_eq!(
        find(&erp, "20000", 1).unwrap().customers[0].last_order,
        None
    );
}

// rule: D-WRK-02
#[test]
fn a_search_for_customers_is_bounded_and_uses_the_index() {
    let erp = company(200);
    customers(&erp, 1_000, |place| match place {
        999 => json!({"AdrName": "Zuletzt"}),
        _ => json!({"AdrFirma": format!("Kunde Nummer{place}")}),
    });
    let last = find(&erp, "zul", 5).unwrap();
    assert_eq!(last.customers[0].number.as_str(), "20999");
    assert_eq!(last.next, None);
    let entries = erp.store().take().entries;
    assert!(entries < 10, "{entries} entries were read");
    assert_eq!(find(&erp, "niemand", 5).unwrap().customers, []);
    // All begin with the longest word, and none with the other one.
    let limit = 200;
    assert_eq!(find(&erp, "numm x", 5), Err(Error::TooBroad { limit }));
    // The page is short.
    let some = find(&erp, "kund numm", 200).unwrap();
    assert!(some.next.is_some() && some.customers.len() < 200);
    assert_eq!(
        find(&erp, "nummer7", 1).unwrap().customers[0]
            .number
            .as_str(),
        "20007"
    );
}

#[test]
fn failed_events_are_listed_newest_first() {
    let erp = deliveries::empty();
    let first = deliveries::target(&erp, &[]).id;
    let second = deliveries::target(&erp, &[]).id;
    let events: Vec<_> = (0..6)
        .map(|number| deliveries::happen(&erp, EventKind::Order, &number.to_string(), 0))
        .collect();
    while block_on(erp.upkeep(deliveries::at(1)).events().fan_out(100)).unwrap() > 0 {}
    // The first target gets every second event; deliveries to the other were not attempted yet.
    let terms = LeaseTerms {
        holder: 1,
        length: SignedDuration::from_secs(60),
    };
    let leased = Leased::Deliveries(first);
    let lease = block_on(erp.upkeep(deliveries::at(1)).leases().take(leased, &terms));
    let lease = lease.unwrap().unwrap();
    for (place, due) in deliveries::due(&erp, first, 1).iter().enumerate() {
        let status = if place % 2 == 0 { 204 } else { 500 };
        let attempt = DeliveryAttempt {
            at: deliveries::at(1),
            outcome: AttemptOutcome::Status(status),
            duration_ms: 0,
        };
        let schedule = Schedule::default();
        let kept = LeaseAfter::Kept;
        let noted =
            erp.upkeep(now())
                .events()
                .record_attempt(due, attempt, &schedule, (&lease, kept));
        assert!(block_on(noted).unwrap().is_some());
    }
    let page = |before, limit| block_on(erp.upkeep(now()).events().failed(before, limit)).unwrap();
    let whole = page(None, 10);
    let ids: Vec<_> = whole.entries.iter().map(|entry| entry.id).collect();
    assert_eq!(ids, [events[5], events[3], events[1]]);
    assert_eq!((whole.next, whole.entries[0].deliveries.len()), (None, 2));
    let one = page(None, 1);
    assert_eq!((one.entries.len(), one.next), (1, Some(events[5])));
    let rest = page(one.next, 2);
    assert_eq!((rest.entries.len(), rest.next), (2, None));
    assert_eq!(
        block_on(erp.upkeep(now()).events().count_failed(1_000)).unwrap(),
        3
    );
    // A removed target has no failures.
    block_on(erp.upkeep(now()).events().remove_target(first)).unwrap();
    assert_eq!(page(None, 10).entries, []);
    assert!(second > first);
}
