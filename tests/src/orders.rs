//! Helpers for orders: place and read them over the interface, and pick out amounts.

use serde_json::Value;

use crate::exchange::Exchange;
use crate::server::{Login, SHOP1, Server};

/// Places an order as the first shop.
#[must_use]
pub fn place(server: &Server, body: &Value) -> Exchange {
    server.post("/www/auftrag").by(SHOP1).json(body).send()
}

/// Reads an order.
#[must_use]
pub fn read(server: &Server, number: &str) -> Value {
    server
        .get(&format!("/www/auftrag/{number}"))
        .by(SHOP1)
        .send()
        .expect(200)
        .data()
}

/// Places an order and reads it back.
#[must_use]
pub fn placed_by(server: &Server, login: Login, body: &Value) -> Value {
    let number = server
        .post("/www/auftrag")
        .by(login)
        .json(body)
        .send()
        .expect(201)
        .number("AuftNr");
    read(server, &number)
}

/// Places an order as the first shop and reads it back.
#[must_use]
pub fn placed(server: &Server, body: &Value) -> Value {
    placed_by(server, SHOP1, body)
}

/// Net, tax and gross.
#[must_use]
pub fn totals(order: &Value) -> [String; 3] {
    ["AuftNetto", "AuftWUST", "AuftBrutto"].map(|name| order["GrundDaten"][name].to_string())
}

/// Some members of every entry of a list, as received.
///
/// # Panics When it is not a list.
#[must_use]
pub fn column(list: &Value, names: &[&str]) -> Vec<String> {
    let entries = list.as_array().expect("a list").iter();
    entries
        .map(|entry| {
            names
                .iter()
                .map(|name| entry[*name].to_string())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}
