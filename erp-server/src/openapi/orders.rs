//! `/www/auftrag`.

use serde_json::{Value, json};

use super::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
use super::operation::{Described, example};
use super::schema::{counted, data, named, text_of};

pub(super) fn operations() -> Vec<Described> {
    vec![
        Described::post("/www/auftrag", "createOrder", "Place an order")
            .about("An address that is sent overrides the customer's for this order only. Without `Preis` the price list decides.")
            .retry_safe()
            .json_body("OrderBody", example(include_str!("examples/order_body.json")))
            .answers(201, "The number of the order", data(named("OrderNumberAnswer")), number())
            .tells(&[201], &[REPLAYED, ADDRESS_CHECK])
            .leads_to(201, "readOrder", "AuftNr", "/data/AuftNr"),
        Described::put("/www/auftrag", "convertOffer", "Turn an offer into an order")
            .about("Happens once: the same request again answers the same order. A template must fit the customer in price list, cost bearer, tax code and currency.")
            .retry_safe()
            .fails(&[404, 409])
            .if_match()
            .json_body(
                "ConversionBody",
                json!({
                    "GrundDaten": {"KundNr": "10007", "OffertNr": "100001"},
                    "Zahlung": [{"Bezeichnung": "TransID", "Wert": "tx-1"}],
                }),
            )
            .answers(
                201,
                "The number of the order",
                counted(named("OrderNumberAnswer")),
                json!({"count": 1, "success": true, "data": {"AuftNr": "100001"}}),
            )
            .tells(&[201], &[REPLAYED])
            .leads_to(201, "readOrder", "AuftNr", "/data/AuftNr"),
        Described::get("/www/auftrag/{AuftNr}", "readOrder", "An order with its totals")
            .place("AuftNr", "Order number", text_of(10), json!("100001"))
            .answers(
                200,
                "The order",
                data(named("Order")),
                example(include_str!("examples/order.json")),
            )
            .tells(&[200], &[ETAG]),
    ]
}

fn number() -> Value {
    json!({"data": {"AuftNr": "100001"}})
}
