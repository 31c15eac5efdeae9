//! Addresses of customers over the interface: reading, changing, and customers to own them.

use serde_json::Value;

use crate::bodies;
use crate::exchange::Exchange;
use crate::server::{SHOP1, Server};

/// Reads an address as the first shop.
#[must_use]
pub fn read(server: &Server, number: &str) -> Exchange {
    server
        .get(&format!("/www/adressen/{number}"))
        .by(SHOP1)
        .send()
}

/// Changes an address as the first shop.
#[must_use]
pub fn change(server: &Server, number: &str, body: &Value) -> Exchange {
    server
        .patch(&format!("/www/adressen/{number}"))
        .by(SHOP1)
        .json(body)
        .send()
}

/// Lists the addresses of a customer as the first shop.
#[must_use]
pub fn list(server: &Server, customer: &str) -> Exchange {
    server
        .get(&format!("/www/adressen?debinr={customer}"))
        .by(SHOP1)
        .send()
}

/// A new customer whose contact address has these members over the least ones.
#[must_use]
pub fn customer(server: &Server, members: &Value) -> String {
    let mut body = bodies::customer();
    for (name, value) in members.as_object().into_iter().flatten() {
        body["Adressen"]["KontaktAdr"][name] = value.clone();
    }
    let answer = server.post("/www/kunden").by(SHOP1).json(&body).send();
    answer.expect(201).number("DebiNr")
}

/// The number of the contact address of a customer.
#[must_use]
pub fn contact(server: &Server, customer: &str) -> String {
    list(server, customer).expect(200).data()["KundKontakt"][0]["AdrNr"].to_string()
}

/// A new address of a new customer.
#[must_use]
pub fn address(server: &Server, members: &Value) -> String {
    contact(server, &customer(server, members))
}
