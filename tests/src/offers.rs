//! Helpers for offers: create, read, change and convert them over the interface.

use serde_json::{Value, json};

use crate::exchange::Exchange;
use crate::server::Server;

/// A body of a template with two positions at the prices of the company's list: 3 × 6.20 with the
/// normal rate and 2 × 18.90 with the reduced one, net 56.40.
#[must_use]
pub fn template() -> Value {
    json!({
        "GrundDaten": {"AuftBestellT": "2026-03-02T10:00:00Z"},
        "Positionen": [{"ArtNr": "BU-1001", "Menge": 3}, {"ArtNr": "LM-3001", "Menge": 2}],
    })
}

/// The same for a customer.
#[must_use]
pub fn of_customer(customer: &str) -> Value {
    let mut body = template();
    body["GrundDaten"]["KundNr"] = json!(customer);
    body
}

/// Creates an offer as the first shop.
#[must_use]
pub fn make(server: &Server, body: &Value) -> Exchange {
    server.send("POST", "/www/offerte", body)
}

/// Creates an offer and returns its number.
#[must_use]
pub fn made(server: &Server, body: &Value) -> String {
    make(server, body).expect(201).number("OffertNr")
}

/// Reads an offer as the first shop.
#[must_use]
pub fn read(server: &Server, number: &str) -> Exchange {
    let path = format!("/www/offerte?OffertNr={number}");
    server.read(&path)
}

/// Changes an offer as the first shop; `query` is the part after the `?`.
#[must_use]
pub fn change(server: &Server, query: &str, body: &Value) -> Exchange {
    let path = format!("/www/offerte?{query}");
    server.send("PATCH", &path, body)
}

/// Converts an offer to an order as the first shop.
#[must_use]
pub fn convert(server: &Server, number: &str, customer: &str) -> Exchange {
    let body = json!({"GrundDaten": {"KundNr": customer, "OffertNr": number}});
    server.send("PUT", "/www/auftrag", &body)
}
