//! The search among orders, against a filter of all orders.

use erp_core::document::OrderStatus;
use erp_core::erp::{Error, OrderQuery};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::common::{Demo, block_on, demo, now, shop};

/// Customers, and their names.
const CUSTOMERS: [(&str, &str); 4] = [
    ("20001", "Garage Müller"),
    ("20002", "Muller & Söhne"),
    ("20003", "Hans Meier"),
    ("100", "Nummer 1000"),
];

/// References of orders; one looks like the number of an order, one like a customer's.
const REFERENCES: [&str; 4] = ["", "WEB-1", "100003", "20003"];

struct Known {
    number: String,
    customer: &'static str,
    reference: &'static str,
    at: Timestamp,
    status: OrderStatus,
}

fn customers(all: impl Iterator<Item = (String, String)>) -> Vec<Value> {
    let row = |(number, name): (String, String)| {
        json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": {"AdrSprache": "ger", "AdrAdresse1": "Weg 1",
            "AdrAnrede": 0, "AdrFirma": name, "OrtLand": "CH", "OrtName": "Bern", "OrtPLZ": "3000"}}})
    };
    all.map(row).collect()
}

/// This many orders, several an hour.
fn company(orders: usize) -> (Demo, Vec<Known>) {
    let demo = demo();
    let all = CUSTOMERS.iter();
    let rows = customers(all.map(|(number, name)| ((*number).to_owned(), (*name).to_owned())));
    demo.import(&rows).unwrap();
    let made = (0..orders).map(|at| {
        let customer = CUSTOMERS[at * 7 % 5 % 4].0;
        let reference = REFERENCES[at % 4];
        let header = json!({"KundNr": customer, "AuftBestellNr": (!reference.is_empty()).then_some(reference)});
        let body = json!({"GrundDaten": header, "Positionen": [{"ArtNr": "P-3", "Menge": 1}]});
        let made_at = now() + SignedDuration::from_mins(i64::try_from(at).unwrap() * 17);
        let caller = shop("SHOP1");
        let number = block_on(demo.erp.shop(&caller, made_at).create_order(&body)).unwrap();
        let number = number.number.to_string();
        let status = OrderStatus::ALL[at % 3];
        if status != OrderStatus::New {
            block_on(demo.office().set_order_status(&number, status)).unwrap();
        }
        Known { number, customer, reference, at: made_at, status }
    });
    let made = made.collect();
    (demo, made)
}

/// All numbers of a list, page by page.
fn listed(demo: &Demo, query: &OrderQuery) -> Vec<String> {
    let mut query = query.clone();
    let mut found = Vec::new();
    loop {
        let page = block_on(demo.office().orders(&query)).unwrap();
        assert!(page.orders.len() <= query.limit);
        found.extend(page.orders.iter().map(|order| order.number.to_string()));
        match page.next {
            Some(next) => query.after = Some(next),
            None => return found,
        }
    }
}

// rule: D-DOC-40
#[test]
fn a_search_finds_numbers_references_and_names() {
    let (demo, known) = company(240);
    let searches: [(&str, &[&str]); 14] = [
        ("müller", &["20001", "20002"]),
        ("MUELL gar", &["20001"]),
        ("sohne", &["20002"]),
        ("bern hans", &["20003"]),
        ("bern", &["20001", "20002", "20003", "100"]),
        ("20003", &[]),
        ("100", &[]),
        ("1000", &[]),
        ("10000", &[]),
        ("100003", &[]),
        ("WEB-1", &[]),
        ("web-1", &[]),
        ("niemand", &[]),
        ("&", &[]),
    ];
    let days = [None, Some(now().to_zoned(jiff::tz::TimeZone::UTC).date())];
    for (search, named) in searches {
        for (status, customer, digits, to, limit) in [
            (None, None, None, days[0], 7),
            (None, None, None, days[0], 200),
            (Some(OrderStatus::Open), None, None, days[0], 30),
            (Some(OrderStatus::New), Some("20001"), None, days[1], 3),
            (None, None, Some("10001"), days[1], 5),
        ] {
            let query = OrderQuery {
                search: Some(search.to_owned()),
                status,
                customer: customer.map(Into::into),
                number: digits.map(|digits| digits.parse().unwrap()),
                to,
                limit,
                ..OrderQuery::default()
            };
            let is_number = search.bytes().all(|digit| digit.is_ascii_digit());
            let day = |order: &Known| order.at.to_zoned(jiff::tz::TimeZone::UTC).date();
            let wanted = known.iter().rev().filter(|order| {
                let found = (is_number && order.number.starts_with(search))
                    || order.customer == search
                    || order.reference == search
                    || named.contains(&order.customer);
                found
                    && status.is_none_or(|status| status == order.status)
                    && customer.is_none_or(|customer| customer == order.customer)
                    && digits.is_none_or(|digits| order.number.starts_with(digits))
                    && to.is_none_or(|to| day(order) <= to)
            });
            let wanted: Vec<_> = wanted.map(|order| order.number.clone()).collect();
            assert_eq!(listed(&demo, &query), wanted, "{query:?}");
        }
    }
}

// rule: D-DOC-40
#[test]
fn a_name_of_too_many_customers_is_refused() {
    let (demo, known) = company(4);
    let all = (0..101).map(|at| ((30_000 + at).to_string(), format!("Filiale {at}")));
    demo.import(&customers(all)).unwrap();
    let of = |search: &str| OrderQuery {
        search: Some(search.to_owned()),
        limit: 10,
        ..OrderQuery::default()
    };
    let refused = block_on(demo.office().orders(&of("fili"))).unwrap_err();
    assert_eq!(refused, Error::ManyCustomers { limit: 100 });
    assert_eq!(listed(&demo, &of("filiale 77")), [""; 0]);
    let newest = known.iter().rev().map(|order| order.number.clone());
    assert_eq!(listed(&demo, &of("1")), newest.collect::<Vec<_>>());
}
