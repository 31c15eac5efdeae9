//! Helpers for addresses: read, change and list them over the interface, and create customers that own them.

use serde_json::Value;

use crate::bodies;
use crate::exchange::Exchange;
use crate::server::Server;

/// Reads an address as the first shop.
#[must_use]
pub fn read(server: &Server, number: &str) -> Exchange {
    server.read(&format!("/www/adressen/{number}"))
}

/// Changes an address as the first shop.
#[must_use]
pub fn change(server: &Server, number: &str, body: &Value) -> Exchange {
    server.send("PATCH", &format!("/www/adressen/{number}"), body)
}

/// Lists the addresses of a customer as the first shop.
#[must_use]
pub fn list(server: &Server, customer: &str) -> Exchange {
    server.read(&format!("/www/adressen?debinr={customer}"))
}

/// Creates a customer whose contact address has these members and the required ones; returns its number.
#[must_use]
pub fn customer(server: &Server, members: &Value) -> String {
    let mut body = bodies::customer();
    for (name, value) in members.as_object().into_iter().flatten() {
        body["Adressen"]["KontaktAdr"][name] = value.clone();
    }
    let response = server.send("POST", "/www/kunden", &body);
    response.expect(201).number("DebiNr")
}

/// The number of the contact address of a customer.
#[must_use]
pub fn contact(server: &Server, customer: &str) -> String {
    list(server, customer).expect(200).data()["KundKontakt"][0]["AdrNr"].to_string()
}

/// Creates a customer with this address and returns the number of the address.
#[must_use]
pub fn address(server: &Server, members: &Value) -> String {
    contact(server, &customer(server, members))
}
