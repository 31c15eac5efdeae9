//! Lists and statistics for the back office: `/admin/orders`, `/admin/customers`, `/admin/events`, `/admin/stats`.

use std::collections::BTreeMap;

use erp_server::delivery::Pace;
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::orders::place;
use erp_tests::server::{ADMIN, SHOP1, Server};
use erp_tests::wait::wait_until;
use jiff::ToSpan as _;
use serde_json::{Value, json};

fn get(server: &Server, path: &str) -> Exchange {
    server.get(path).by(ADMIN).send()
}

fn order(server: &Server, customer: &str) -> String {
    let body = bodies::order(customer, json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    place(server, &body).expect(201).number("AuftNr")
}

/// A string member of every entry of a list.
fn listed(server: &Server, path: &str, field: &str) -> Vec<String> {
    field_of(&get(server, path).expect(200).data(), field)
}

fn field_of(list: &Value, field: &str) -> Vec<String> {
    let entries = list.as_array().unwrap().iter();
    entries
        .map(|entry| entry[field].as_str().unwrap().to_owned())
        .collect()
}

fn pages(server: &Server, path: &str) -> Vec<Value> {
    let mut entries = Vec::new();
    let mut after = String::new();
    loop {
        let page = get(server, &format!("{path}&after={after}"))
            .expect(200)
            .json();
        entries.extend(page["data"].as_array().unwrap().clone());
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut after),
            None => return entries,
        }
    }
}

/// Checks that every query is malformed and that the response names its parameter.
fn assert_malformed(server: &Server, path: &str, queries: &[(&str, &str)]) {
    for (name, value) in queries {
        let refused = get(server, &format!("{path}?{name}={value}"));
        let shown = format!("{path} {name}={value}");
        refused.refused(400, "malformed");
        assert_eq!(refused.json()["info"]["parameter"], *name, "{shown}");
    }
}

#[test]
fn lists_of_orders_and_customers_are_always_whole() {
    let server = Server::start();
    for path in ["/admin/orders?seit=", "/admin/customers?limit=1&seit=1.1.1"] {
        let refused = get(&server, path);
        refused.refused(400, "malformed");
        assert_eq!(refused.json()["info"]["parameter"], "seit", "{path}");
    }
}

#[test]
fn orders_of_all_customers_are_listed_newest_first() {
    let server = Server::start();
    let numbers = ["10001", "10006", "10001"].map(|customer| order(&server, customer));
    let [first, second, third] = numbers.each_ref().map(String::as_str);
    let whole = get(&server, "/admin/orders").expect(200).json();
    let made = whole["data"][0]["AuftErf"].clone();
    assert!(made.as_str().unwrap().ends_with('Z'), "{made}");
    let shown = server.read(&format!("/www/auftrag/{third}"));
    let gross = shown.expect(200).data()["GrundDaten"]["AuftBrutto"].clone();
    assert_eq!(
        whole["data"][0],
        json!({"AuftNr": third, "KundNr": "10001", "Name": "Café Sonnenschein GmbH", "AuftStatus": "N",
            "AuftErf": made, "AuftBrutto": gross, "WaehrAbk": "CHF", "Positionen": 1})
    );
    let newest = vec![third, second, first];
    assert_eq!(field_of(&whole["data"], "AuftNr"), newest);
    assert_eq!(whole["next"], Value::Null);
    assert_eq!(
        pages(&server, "/admin/orders?limit=1"),
        *whole["data"].as_array().unwrap()
    );
    let status = format!("/admin/auftrag/{first}/status");
    let opened = server
        .put(&status)
        .by(ADMIN)
        .json(&json!({"AuftStatus": "O"}));
    let _ = opened.send().expect(200);
    let today = jiff::Timestamp::now()
        .to_zoned(jiff::tz::TimeZone::UTC)
        .date();
    // In the company's time zone it may already be the next day.
    let (before, after) = (today.yesterday().unwrap(), today.saturating_add(2.days()));
    for (query, found) in [
        ("status=O".to_owned(), vec![first]),
        ("status=A".to_owned(), vec![]),
        ("status=S".to_owned(), vec![]),
        ("customer=10006".to_owned(), vec![second]),
        ("customer=10001&status=N".to_owned(), vec![third]),
        ("customer=99999".to_owned(), vec![]),
        (format!("number={second}"), vec![second]),
        (
            format!("from={before}&to={after}&limit=200"),
            newest.clone(),
        ),
        (format!("from={after}&to={after}"), vec![]),
        ("to=2020-01-01".to_owned(), vec![]),
        (
            "status=&customer=&from=&to=&number=&after=".to_owned(),
            newest.clone(),
        ),
    ] {
        let path = format!("/admin/orders?{query}");
        assert_eq!(listed(&server, &path, "AuftNr"), found, "{query}");
    }
}

#[test]
fn orders_are_counted_by_their_state() {
    let server = Server::start();
    let counts = || get(&server, "/admin/orders/count").expect(200).data();
    assert_eq!(
        counts(),
        json!({"N": 0, "O": 0, "A": 0, "S": 0, "toInvoice": 0})
    );
    let [first, _, third, last] = [0; 4].map(|_| order(&server, "10001"));
    for (number, states) in [(first, &["O"][..]), (third, &["O", "A"]), (last, &["S"])] {
        for state in states {
            let change = server.put(&format!("/admin/auftrag/{number}/status"));
            let change = change.by(ADMIN).json(&json!({"AuftStatus": state}));
            let _ = change.send().expect(200);
        }
    }
    // What was completed before the first invoice is not to invoice.
    assert_eq!(
        counts(),
        json!({"N": 1, "O": 1, "A": 1, "S": 1, "toInvoice": 0})
    );
    let shop = server.get("/admin/orders/count").by(SHOP1).send();
    shop.refused(403, "insufficient_scope");
}

// rule: D-DOC-40, D-INV-14
#[test]
fn orders_are_found_by_words_and_when_they_are_to_invoice() {
    let server = Server::start();
    let mut body = bodies::order("10006", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    body["GrundDaten"]["AuftBestellNr"] = json!("10001");
    let numbers = [0; 2].map(|_| order(&server, "10001"));
    let [first, second] = numbers.each_ref().map(String::as_str);
    let third = place(&server, &body).expect(201).number("AuftNr");
    let third = third.as_str();
    for (search, found) in [
        ("sonnen", vec![second, first]),
        ("caf%C3%A9+zurich&status=N&limit=200", vec![second, first]),
        ("%2010001%20", vec![third, second, first]),
        (second, vec![second]),
        ("10", vec![third, second, first]),
        ("niemand", vec![]),
        ("sonnen&customer=10006", vec![]),
    ] {
        let path = format!("/admin/orders?search={search}");
        assert_eq!(listed(&server, &path, "AuftNr"), found, "{search}");
    }
    let found = get(&server, "/admin/orders?search=10001")
        .expect(200)
        .data();
    assert_eq!(
        (&found[0]["AuftBestellNr"], found[1].get("AuftBestellNr")),
        (&json!("10001"), None)
    );
    let invoice = |order: &str| {
        server
            .post(&format!("/admin/auftrag/{order}/rechnung"))
            .by(ADMIN)
            .send()
    };
    assert_eq!(invoice(first).expect(201).number("RechNr"), "1");
    let all = json!({"status": "A", "orders": [first, second, third]});
    let completed = server.post("/admin/orders/status").by(ADMIN).json(&all);
    let _ = completed.send().expect(200);
    let to_invoice = || listed(&server, "/admin/orders?toInvoice=true", "AuftNr");
    let count = || get(&server, "/admin/orders/count").expect(200).data()["toInvoice"].clone();
    assert_eq!(
        (to_invoice(), count()),
        (vec![third.to_owned(), second.to_owned()], json!(2))
    );
    let named = listed(&server, "/admin/orders?toInvoice=1&search=sonnen", "AuftNr");
    assert_eq!(named, [second]);
    let _ = invoice(third).expect(201);
    assert_eq!((to_invoice(), count()), (vec![second.to_owned()], json!(1)));
    let invoiced = get(&server, "/admin/orders?limit=1").expect(200).data();
    assert_eq!(invoiced[0]["RechNr"], "2");
    let many = (0..101).map(|at| {
        let mut contact = bodies::address();
        contact["AdrFirma"] = json!(format!("Filiale {at}"));
        json!({"Kunde": {"KundNr": (20_000 + at).to_string(), "WaehrAbk": "CHF", "KontaktAdr": contact}}).to_string()
    });
    server.import(&many.collect::<Vec<_>>().join("\n"));
    let refused = get(&server, "/admin/orders?search=filiale");
    refused.refused(422, "too_broad");
    assert_eq!(refused.json()["info"]["limit"], 100);
}

/// A number of a response in hundredths, to be added without rounding.
fn cents(value: &Value) -> i64 {
    let text = format!("{:.2}", value.as_f64().unwrap());
    text.replace('.', "").parse().unwrap()
}

#[test]
fn sales_are_sums_of_the_orders_that_are_not_canceled() {
    let server = Server::start();
    let order_of = |customer: &str, currency: &str, count: u32| {
        let positions =
            json!([{"ArtNr": "BU-1004", "Menge": count}, {"ArtNr": "BU-1003", "Menge": 1}]);
        let mut body = bodies::order(customer, positions);
        body["GrundDaten"]["WaehrAbk"] = json!(currency);
        place(&server, &body).expect(201).number("AuftNr")
    };
    let canceled = order_of("10001", "CHF", 50);
    let completed = order_of("10001", "CHF", 3);
    order_of("10002", "CHF", 2);
    order_of("10013", "EUR", 4);
    for (number, to) in [(&canceled, "S"), (&completed, "A")] {
        let change = server.put(&format!("/admin/auftrag/{number}/status"));
        let change = change.by(ADMIN).json(&json!({"AuftStatus": to}));
        let _ = change.send().expect(200);
    }
    // The same sums, of the list of orders.
    let mut sums: BTreeMap<String, (u64, i64)> = BTreeMap::new();
    for listed in pages(&server, "/admin/orders?limit=200") {
        if listed["AuftStatus"] != "S" {
            let currency = listed["WaehrAbk"].as_str().unwrap().to_owned();
            let (orders, gross) = sums.entry(currency).or_default();
            *orders += 1;
            *gross += cents(&listed["AuftBrutto"]);
        }
    }
    assert_eq!(sums.len(), 2, "orders in two currencies: {sums:?}");
    let sales = get(&server, "/admin/sales").expect(200).data();
    assert_eq!(
        (&sales["orders"], &sales["since"]),
        (&json!(3), &Value::Null)
    );
    for rows in ["days", "weeks"] {
        let mut found: BTreeMap<String, (u64, i64)> = BTreeMap::new();
        for row in sales[rows].as_array().unwrap() {
            let currency = row["WaehrAbk"].as_str().unwrap().to_owned();
            // Around midnight the orders may be of two days.
            let (orders, gross) = found.entry(currency).or_default();
            *orders += row["orders"].as_u64().unwrap();
            *gross += cents(&row["gross"]);
            assert!(row["net"].as_f64().unwrap() < row["gross"].as_f64().unwrap());
        }
        assert_eq!(found, sums, "{rows}");
    }
    let monday: jiff::civil::Date = sales["weeks"][0]["monday"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(monday.weekday(), jiff::civil::Weekday::Monday);
    let articles = sales["articles"].as_array().unwrap();
    let sold: Vec<(&str, &str, i64)> = articles
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap();
            (text("WaehrAbk"), text("ArtNr"), cents(&row["quantity"]))
        })
        .collect();
    assert!(sold.contains(&("CHF", "BU-1004", 500)), "{sold:?}");
    assert!(sold.contains(&("EUR", "BU-1004", 400)), "{sold:?}");
    for pair in articles.windows(2) {
        if pair[0]["WaehrAbk"] == pair[1]["WaehrAbk"] {
            assert!(
                cents(&pair[0]["net"]) >= cents(&pair[1]["net"]),
                "{articles:?}"
            );
        }
    }
    assert!(articles[0]["ArtBez"].as_str().unwrap().len() > 3);
    let before = get(&server, "/admin/sales?from=2020-01-01&to=2020-01-31");
    let before = before.expect(200).data();
    assert_eq!(
        (&before["orders"], &before["days"]),
        (&json!(0), &json!([]))
    );
}

// rule: D-WRK-02
#[test]
fn sales_say_how_far_they_were_read() {
    let server = Server::with(&[("scan_entries", "4")]);
    for _ in 0..7 {
        order(&server, "10001");
    }
    let sales = get(&server, "/admin/sales").expect(200).data();
    let read = sales["orders"].as_u64().unwrap();
    assert!((1..=4).contains(&read), "{sales}");
    let since: jiff::Timestamp = sales["since"].as_str().unwrap().parse().unwrap();
    assert!(since >= server.started());
    let rows = sales["days"].as_array().unwrap().iter();
    let counted: u64 = rows.map(|row| row["orders"].as_u64().unwrap()).sum();
    assert_eq!(counted, read);
}

#[test]
fn bad_days_of_sales_and_bad_pages_of_stock_are_named() {
    let server = Server::shared();
    assert_malformed(
        &server,
        "/admin/sales",
        &[
            ("from", "2026-02-30"),
            ("to", "gestern"),
            ("from", "9999-12-31"),
        ],
    );
    assert_malformed(
        &server,
        "/admin/stock",
        &[
            ("max", "-1"),
            ("max", "x"),
            ("max", "1000001"),
            ("limit", "0"),
            ("limit", "201"),
            ("after", "1234567890123456"),
        ],
    );
}

#[test]
fn little_stock_is_what_is_available_in_all_released_places() {
    let server = Server::start();
    let article = |number: &str, more: &str| {
        format!(
            r#"{{"Artikel": {{"ArtNr": "{number}", "ArtBez": "Teil {number}", "Einheit": "Stk"{more}}}}}"#
        )
    };
    let stock = |number: &str, place: &str, count: i32, more: &str| {
        format!(
            r#"{{"Bestand": {{"ArtNr": "{number}", "LagerOrt": "{place}", "StaoNr": 1, "LagerBestand": {count}{more}}}}}"#
        )
    };
    let rows = [
        article("Z-1", r#", "AnLager": "J""#),
        article("Z-2", r#", "AnLager": "J""#),
        article("Z-3", r#", "AnLager": "J", "ArtikelStatus": 0"#),
        article("Z-4", r#", "AnLager": "N""#),
        article("Z-5", r#", "AnLager": "J""#),
        stock("Z-1", "A", 2, ""),
        stock("Z-1", "B", 3, ""),
        stock("Z-2", "A", 1, ""),
        stock("Z-2", "C", 90, r#", "Freigegeben": false"#),
        stock("Z-3", "A", 0, ""),
        stock("Z-4", "A", 0, ""),
        stock("Z-5", "A", -3, ""),
    ];
    server.import(&rows.join("\n"));
    let low = |most: u32| -> Vec<(String, i64)> {
        let all = pages(&server, &format!("/admin/stock?limit=1&max={most}")).into_iter();
        let own = all.filter(|row| row["ArtNr"].as_str().unwrap().starts_with("Z-"));
        own.map(|row| {
            assert_eq!(row["Einheit"], "Stk");
            let number = row["ArtNr"].as_str().unwrap().to_owned();
            assert_eq!(row["ArtBez"], format!("Teil {number}"));
            (number, row["available"].as_i64().unwrap())
        })
        .collect()
    };
    let of = |number: &str, count| (number.to_owned(), count);
    assert_eq!(low(0), [of("Z-5", -3)]);
    assert_eq!(low(1), [of("Z-2", 1), of("Z-5", -3)]);
    assert_eq!(low(5), [of("Z-1", 5), of("Z-2", 1), of("Z-5", -3)]);
    // What an order reserves is not available.
    let available = || {
        let all = pages(&server, "/admin/stock?limit=200&max=1000000");
        let row = all.iter().find(|row| row["ArtNr"] == "BU-1004");
        row.unwrap()["available"].as_i64().unwrap()
    };
    let before = available();
    order(&server, "10001");
    assert_eq!(available(), before - 1);
}

#[test]
fn bad_criteria_of_orders_are_named() {
    let server = Server::shared();
    let long = "x".repeat(81);
    assert_malformed(
        &server,
        "/admin/orders",
        &[
            ("status", "X"),
            ("customer", "123456789"),
            ("from", "2026-02-30"),
            ("to", "gestern"),
            ("to", "2026-6-1"),
            ("number", "12a"),
            ("number", "01"),
            ("search", long.as_str()),
            ("toInvoice", "x"),
            ("after", "x"),
            ("after", "0"),
            ("after", "01"),
            ("limit", "0"),
            ("limit", "201"),
        ],
    );
}

// rule: D-WRK-02
#[test]
fn lists_that_look_for_too_much_are_refused() {
    let server = Server::with(&[("scan_entries", "4")]);
    for _ in 0..6 {
        order(&server, "10001");
    }
    for path in [
        "/admin/orders?status=A&number=1",
        "/admin/orders?status=A&customer=10001",
    ] {
        let refused = get(&server, path);
        refused.refused(422, "too_broad");
        assert_eq!(refused.json()["info"]["limit"], 4);
    }
    assert_eq!(listed(&server, "/admin/orders?limit=2", "AuftNr").len(), 2);
    // A state is found by its keys, without reading the orders of others.
    assert_eq!(listed(&server, "/admin/orders?status=A", "AuftNr"), [""; 0]);
}

#[test]
fn customers_are_found_by_number_and_words() {
    let server = Server::shared();
    let mut first = get(&server, "/admin/customers?limit=1").expect(200).json();
    // Other tests order for this customer, too.
    let first_customer = first["data"][0].as_object_mut().unwrap();
    first_customer.remove("LetzterAuftrag");
    assert_eq!(
        first["data"],
        json!([{"KundNr": "10001", "Name": "Café Sonnenschein GmbH", "OrtName": "Zürich", "OrtLand": "CH", "WaehrAbk": "CHF"}])
    );
    assert!(first["next"].is_string(), "{first}");
    let all = pages(&server, "/admin/customers?limit=7");
    assert!(all.len() >= 20, "{}", all.len());
    for (search, found) in [
        ("10003", vec!["10003"]),
        ("SONNEN", vec!["10001"]),
        ("cafe%20zurich", vec!["10001"]),
        ("blitz", vec!["10003"]),
        ("anna", vec!["10004"]),
        ("prob%20bas", vec!["10004"]),
        ("%25%25", vec![]),
    ] {
        let path = format!("/admin/customers?search={search}");
        assert_eq!(listed(&server, &path, "KundNr"), found, "{search}");
    }
    let long = "x".repeat(81);
    let wrong = [
        ("search", long.as_str()),
        ("after", "1"),
        ("after", "0.xy"),
        ("limit", "-1"),
    ];
    assert_malformed(&server, "/admin/customers", &wrong);
}

#[test]
fn statistics_report_the_state() {
    let server = Server::start();
    let before = get(&server, "/admin/stats").expect(200).data();
    assert_eq!(before["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        (&before["orders"], &before["lastBackup"]),
        (&json!(0), &Value::Null)
    );
    assert_eq!(
        before["events"],
        json!({"waiting": 0, "failed": 0, "oldestWaitingSeconds": 0})
    );
    let number = order(&server, "10001");
    assert!(!number.is_empty());
    let _ = get(&server, "/admin/orders?status=X").expect(400);
    let body = bodies::order("10001", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    let again = || {
        server
            .post("/www/auftrag")
            .by(SHOP1)
            .header("idempotency-key", b"once")
            .json(&body)
    };
    let _ = again().send().expect(201);
    let _ = again().send().expect(201);
    let after = get(&server, "/admin/stats").expect(200).data();
    assert_eq!(after["orders"], 2, "a replay creates no order");
    let grown = |class: &str| {
        after["requests"][class].as_u64().unwrap() - before["requests"][class].as_u64().unwrap()
    };
    // The first request, at most two logins, three orders.
    assert!(grown("2xx") >= 4, "{after}");
    assert_eq!((grown("4xx"), grown("5xx")), (1, 0));
    assert!(after["connections"].as_u64().unwrap() >= 1);
    assert!(after["memoryBytes"].as_u64().unwrap() > 1_000_000);
    assert!(["embedded", "database"].contains(&after["store"]["kind"].as_str().unwrap()));
    let history = &after["history"];
    assert_eq!(history["stepSeconds"], 60);
    let sum = |name: &str| -> u64 {
        let points = history[name].as_array().unwrap();
        assert_eq!(points.len(), 60, "{name}");
        points.iter().map(|point| point.as_u64().unwrap()).sum()
    };
    assert_eq!((sum("orders"), sum("errors")), (2, 0));
    assert!(sum("requests") >= 5 && sum("p50Micros") > 0, "{history}");
    let time = |name: &str| {
        after[name]
            .as_str()
            .unwrap()
            .parse::<jiff::Timestamp>()
            .unwrap()
    };
    assert!(time("started") <= time("now"));
}

#[test]
fn events_are_read_page_by_page() {
    let server = Server::start();
    let target = json!({"url": "https://shop.example.ch/hooks", "kinds": ["REST_Kunde"]});
    let added = server.post("/admin/events/targets").by(ADMIN).json(&target);
    let _ = added.send().expect(201);
    for _ in 0..4 {
        let _ = order(&server, "10001");
    }
    server.deliver_events(Pace::default());
    let whole = || get(&server, "/admin/events").expect(200).json();
    wait_until("all events are in the log", || whole()["count"] == 4);
    let whole = whole();
    assert_eq!(whole["next"], Value::Null);
    for limit in [1, 3, 4] {
        let entries = pages(&server, &format!("/admin/events?limit={limit}"));
        assert_eq!(json!(entries), whole["data"], "{limit}");
    }
}
