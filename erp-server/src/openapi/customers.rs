//! `/www/kunden`.

use serde_json::{Value, json};

use super::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
use super::operation::{Described, example};
use super::schema::{count, data, named, one_of, text};

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::post("/www/kunden", "createCustomer", "Store a customer")
            .retry_safe()
            .json_body(
                "CustomerBody",
                example(include_str!("examples/customer_body.json")),
            )
            .answers(
                201,
                "The number of the customer",
                data(named("CustomerNumberAnswer")),
                json!({"data": {"DebiNr": "10021"}}),
            )
            .tells(&[201], &[REPLAYED, ADDRESS_CHECK])
            .leads_to(201, "readCustomer", "DebiNr", "/data/DebiNr")
            .leads_to(201, "replaceCustomer", "DebiNr", "/data/DebiNr")
            .leads_to(201, "listAddresses", "debinr", "/data/DebiNr"),
        numbered(Described::get(
            "/www/kunden/{DebiNr}",
            "readCustomer",
            "A customer, with its last orders",
        ))
        .query_like(
            "order",
            "How many of the last orders are listed; default 0",
            count(1_000),
            json!(1),
        )
        .query(
            "status",
            "Only orders with this status",
            one_of(["", "O", "N", "A"]),
        )
        .fails(&[422])
        .answers(200, "The customer", data(named("Customer")), customer())
        .tells(&[200], &[ETAG]),
        numbered(Described::put(
            "/www/kunden/{DebiNr}",
            "replaceCustomer",
            "Replace what a client may say of a customer",
        ))
        .retry_safe()
        .if_match()
        .json_body(
            "CustomerBody",
            example(include_str!("examples/customer_body.json")),
        )
        .answers(200, "The customer", data(named("Customer")), customer())
        .tells(&[200], &[REPLAYED, ADDRESS_CHECK, ETAG]),
    ]
}

fn numbered(described: Described) -> Described {
    described.place("DebiNr", "Customer number", text(), json!("10007"))
}

fn customer() -> Value {
    example(include_str!("examples/customer.json"))
}
