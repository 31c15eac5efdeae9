//! Helpers for orders: place and read them over the interface as the first shop.

use serde_json::Value;

use crate::exchange::Exchange;
use crate::server::Server;

/// Places an order.
#[must_use]
pub fn place(server: &Server, body: &Value) -> Exchange {
    server.send("POST", "/www/auftrag", body)
}

/// Places an order and reads it back.
#[must_use]
pub fn placed(server: &Server, body: &Value) -> Value {
    let number = place(server, body).expect(201).number("AuftNr");
    server.data(&format!("/www/auftrag/{number}"))
}

/// Some members of every entry of a list, as received.
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
