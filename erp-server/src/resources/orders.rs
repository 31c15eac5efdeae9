//! `POST` and `PUT /www/auftrag`, `GET` and `DELETE /www/auftrag/{AuftNr}`.

use std::sync::Arc;

use erp_core::document::Order;
use erp_core::erp::Outcome;
use erp_core::internal::json::Rendered;
use erp_core::internal::response::OrderNumberAnswer;
use erp_core::internal::wire::Envelope;
use erp_core::master::Role;
use serde_json::{Value, json};

use super::app::{App, Operation, Shared, Trader, User};
use super::conditions::{Conditions, made};
use crate::openapi::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
use crate::openapi::operation::example;
use crate::openapi::schema::{counted, data, named, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, Result};

/// Where an order is read, and the member with its number.
const PLACE: (&str, &str) = ("/www/auftrag/", "AuftNr");

async fn create(app: Shared, user: Trader, mut request: ApiRequest) -> Result<ApiResponse> {
    let (conditions, body) = Conditions::read(&mut request, &user).await?;
    let shop = conditions.shop(&app, &user);
    let number = |order: &Order| Rendered::new(&OrderNumberAnswer::from(&order.number));
    let outcome = shop.create_order_with(&body, number).await?;
    count(&app, &outcome);
    made(&request, &outcome, &Envelope::data(&outcome.value), PLACE)
}

// rule: R-STA-10, R-END-40
async fn convert(app: Shared, user: User, mut request: ApiRequest) -> Result<ApiResponse> {
    let (conditions, body) = Conditions::read(&mut request, &user).await?;
    let shop = conditions.shop(&app, &user);
    let number = |order: &Order| Rendered::new(&OrderNumberAnswer::from(&order.number));
    let outcome = shop.convert_offer_with(&body, number).await?;
    count(&app, &outcome);
    made(
        &request,
        &outcome,
        &Envelope::counted(1, &outcome.value),
        PLACE,
    )
}

/// Counts an order that was made by this request, not one that an earlier request made.
fn count<T>(app: &App, outcome: &Outcome<T>) {
    if outcome.written > 0 {
        app.http_state.metrics.history.order();
    }
}

async fn read(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let state = Arc::clone(&app);
    let (caller, read) = (user.customer(), async move {
        let order = user.shop(&state).order(&request.key("AuftNr")).await?;
        Ok(ApiResponse::json(&Envelope::data(order.to_wire()))?.etag(order.revision))
    });
    app.document(caller, read).await
}

async fn cancel(app: Shared, user: Trader, request: ApiRequest) -> Result<ApiResponse> {
    if user.caller.role == Role::Shop && !app.options.shop_may_cancel {
        return Err(ApiError::forbidden(sentence!("wire.no_cancel")));
    }
    let (actor, if_match) = (user.actor(&request), request.if_match()?);
    let shop = user.shop(&app).actor(&actor).if_match(if_match.as_deref());
    let outcome = shop.cancel_order(&request.key("AuftNr")).await?;
    Ok(ApiResponse::no_content().wrote(outcome.written))
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/www/auftrag", "createOrder", "Place an order")
            .by(create)
            .about("An address that is sent overrides the customer's for this order only. Without `Preis` the price list decides. `KundNr` is required but with a token of one customer.")
            .retry_safe()
            .fails(&[409])
            .json_body("OrderBody", example(include_str!("examples/order_body.json")))
            .answers(201, "The number of the order", data(named("OrderNumberAnswer")), number())
            .response_headers(&[201], &[REPLAYED, ADDRESS_CHECK])
            .leads_to(201, "readOrder", "AuftNr", "/data/AuftNr"),
        Operation::put("/www/auftrag", "convertOffer", "Turn an offer into an order")
            .by(convert)
            .about("Happens once: the same request again returns the same order. A template must fit the customer in price list, cost bearer, tax code and currency. `KundNr` is required but with a token of one customer.")
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
            .response_headers(&[201], &[REPLAYED])
            .leads_to(201, "readOrder", "AuftNr", "/data/AuftNr"),
        Operation::get("/www/auftrag/{AuftNr}", "readOrder", "An order with its totals")
            .by(read)
            .place("AuftNr", "Order number", text_of(10), json!("100001"))
            .answers(
                200,
                "The order",
                data(named("Order")),
                example(include_str!("examples/order.json")),
            )
            .with_tag(ETAG),
        Operation::delete("/www/auftrag/{AuftNr}", "cancelOrder", "Cancel an order")
            .by(cancel)
            .about("Of a new order that the same user has placed; admins cancel any new one. It stays readable, and what it reserved is available again. 403 for shops unless the setting `shop_may_cancel` is on, 409 when the order is another user's or no longer new. The same request again changes nothing.")
            .place("AuftNr", "Order number", text_of(10), json!("100001"))
            .fails(&[403, 409])
            .if_match()
            .answers_nothing(204, "The order is canceled"),
    ]
}

fn number() -> Value {
    json!({"data": {"AuftNr": "100001"}})
}
