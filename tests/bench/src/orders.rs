//! The requests of a shop.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::Outcome;
use crate::client::{Connection, MakeRequest, Target, TestRequest};
use crate::company::{CARTON_EVERY, CUSTOMERS, FIRST_CUSTOMER, Random, article_number};

/// Number of articles that orders choose from.
const ORDERED: u64 = 1_000;

fn any_customer(random: &mut Random, customers: u64) -> u64 {
    FIRST_CUSTOMER + random.below(customers)
}

pub(crate) fn article(articles: usize) -> MakeRequest {
    Arc::new(move |random| {
        let article = article_number(random.below(articles as u64));
        TestRequest::get(format!("/www/artikel/{article}"))
    })
}

/// 100 articles with the prices of a customer.
pub(crate) fn list(articles: usize) -> MakeRequest {
    list_among(articles as u64, CUSTOMERS)
}

/// The same with a given number of articles and customers.
pub(crate) fn list_among(articles: u64, customers: u64) -> MakeRequest {
    Arc::new(move |random| {
        let offset = random.below(articles / 100) * 100;
        let customer = any_customer(random, customers);
        TestRequest::get(format!(
            "/www/artikel?debinr={customer}&limit=100&offset={offset}"
        ))
    })
}

pub(crate) fn customer() -> MakeRequest {
    Arc::new(|random| TestRequest::get(format!("/www/kunden/{}", any_customer(random, CUSTOMERS))))
}

/// Three positions, one of them in cartons.
fn lines(random: &mut Random, articles: u64) -> String {
    let mut line = |carton: bool| {
        let group = random.below(articles / CARTON_EVERY) * CARTON_EVERY;
        let number = article_number(if carton {
            group
        } else {
            group + 1 + random.below(CARTON_EVERY - 1)
        });
        if carton {
            format!(r#"{{"ArtNr": "{number}", "Menge": 24, "VPEinheit": "KARTON"}}"#)
        } else {
            format!(
                r#"{{"ArtNr": "{number}", "Menge": {}, "GRabSatz": 5}}"#,
                1 + random.below(20)
            )
        }
    };
    [line(false), line(true), line(false)].join(", ")
}

pub(crate) fn body(random: &mut Random) -> String {
    body_among(random, ORDERED, CUSTOMERS)
}

pub(crate) fn body_among(random: &mut Random, articles: u64, customers: u64) -> String {
    let lines = lines(random, articles);
    let customer = any_customer(random, customers);
    format!(
        r#"{{"GrundDaten": {{"KundNr": "{customer}", "AuftBez": "Bestellung für das Büro", "AuftBestellNr": "WEB-{}", "AuftLiefKost": 9.9}}, "Positionen": [{lines}], "Zahlung": [{{"Bezeichnung": "payment_method", "Wert": "R"}}]}}"#,
        random.below(1_000_000)
    )
}

pub(crate) fn create() -> MakeRequest {
    Arc::new(|random| TestRequest::post("/www/auftrag", body(random)))
}

/// A new order with a given number of articles and customers to choose from.
pub(crate) fn create_among(articles: u64, customers: u64) -> MakeRequest {
    Arc::new(move |random| {
        TestRequest::post("/www/auftrag", body_among(random, articles, customers))
    })
}

/// One of the orders with these numbers.
pub(crate) fn read_of(numbers: Range<u64>) -> MakeRequest {
    let count = numbers.end.saturating_sub(numbers.start);
    Arc::new(move |random| {
        let number = numbers.start.saturating_add(random.below(count));
        TestRequest::get(format!("/www/auftrag/{number}"))
    })
}

/// A page of orders.
pub(crate) fn page(query: &'static str) -> MakeRequest {
    Arc::new(move |_| TestRequest::get(format!("/www/auftrag{query}")))
}

/// Searches the customer with an e-mail address.
pub(crate) fn search(customers: u64) -> MakeRequest {
    Arc::new(move |random| {
        let customer = any_customer(random, customers);
        TestRequest::get(format!(
            "/www/adressensuche?EmailAdress=einkauf{customer}@example.ch"
        ))
    })
}

/// A new order of one position. The number of articles is the number of reserved-stock counters that are written.
pub(crate) fn one_of(articles: u64) -> MakeRequest {
    Arc::new(move |random| {
        let customer = any_customer(random, CUSTOMERS);
        let number = article_number(1 + random.below(articles) * CARTON_EVERY);
        let body = format!(
            r#"{{"GrundDaten": {{"KundNr": "{customer}"}}, "Positionen": [{{"ArtNr": "{number}", "Menge": 1}}]}}"#
        );
        TestRequest::post("/www/auftrag", body)
    })
}

/// Creates a template and converts it to an order.
pub(crate) fn offer_to_order() -> MakeRequest {
    Arc::new(|random| {
        // A template is for the customers on the company's own list: every second one, starting with the first.
        let customer = FIRST_CUSTOMER + 2 * random.below(CUSTOMERS / 2);
        let body = format!(
            r#"{{"GrundDaten": {{"AuftBez": "Angebot für das Büro", "AuftBestellNr": "WEB-{}"}}, "Positionen": [{}]}}"#,
            random.below(1_000_000),
            lines(random, ORDERED),
        );
        TestRequest {
            follow_up: Some(Box::new(move |response| conversion(customer, response))),
            ..TestRequest::post("/www/offerte", body)
        }
    })
}

fn conversion(customer: u64, response: &[u8]) -> Outcome<TestRequest> {
    let response: Value = serde_json::from_slice(response)?;
    let offer = response.pointer("/data/OffertNr").and_then(Value::as_str);
    let offer = offer.ok_or("an offer without a number")?;
    let body = format!(
        r#"{{"GrundDaten": {{"KundNr": "{customer}", "OffertNr": "{offer}"}}, "Zahlung": [{{"Bezeichnung": "payment_method", "Wert": "R"}}]}}"#
    );
    Ok(TestRequest::put("/www/auftrag", body))
}

/// Reads one of these orders.
pub(crate) fn read(orders: Vec<String>) -> MakeRequest {
    Arc::new(move |random| {
        let at = usize::try_from(random.below(orders.len() as u64)).unwrap_or(0);
        let number = orders.get(at).map(String::as_str).unwrap_or_default();
        TestRequest::get(format!("/www/auftrag/{number}"))
    })
}

/// Places orders and returns their numbers.
pub(crate) async fn place(target: &Target, count: usize) -> Outcome<Vec<String>> {
    let mut connection = Connection::open(target).await?;
    let mut random = Random(7);
    let mut numbers = Vec::new();
    for _ in 0..count {
        let response = connection
            .send(TestRequest::post("/www/auftrag", body(&mut random)))
            .await?;
        let response: Value = serde_json::from_slice(&response)?;
        let number = response.pointer("/data/AuftNr").and_then(Value::as_str);
        numbers.push(number.ok_or("an order without a number")?.to_owned());
    }
    Ok(numbers)
}
