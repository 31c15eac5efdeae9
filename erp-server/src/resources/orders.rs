//! `POST` and `PUT /www/auftrag`, `GET` and `DELETE /www/auftrag/{AuftNr}`.

use std::sync::Arc;

use erp_core::document::Order;
use erp_core::erp::Outcome;
use erp_core::internal::json::Rendered;
use erp_core::internal::response::OrderNumberAnswer;
use erp_core::internal::wire::Envelope;
use erp_core::master::Role;

use super::app::{App, Operation, Shared, Trader, User};
use super::conditions::{Conditions, made};
use crate::openapi::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
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
        Operation::post("/www/auftrag", "createOrder")
            .by(create)
            .retry_safe()
            .fails(&[409])
            .json_body("OrderBody")
            .answers(201, data(named("OrderNumberAnswer")))
            .response_headers(&[201], &[REPLAYED, ADDRESS_CHECK])
            .leads_to(201, "readOrder", "AuftNr", "/data/AuftNr"),
        Operation::put("/www/auftrag", "convertOffer")
            .by(convert)
            .retry_safe()
            .fails(&[404, 409])
            .if_match()
            .json_body("ConversionBody")
            .answers(201, counted(named("OrderNumberAnswer")))
            .response_headers(&[201], &[REPLAYED])
            .leads_to(201, "readOrder", "AuftNr", "/data/AuftNr"),
        Operation::get("/www/auftrag/{AuftNr}", "readOrder")
            .by(read)
            .place("AuftNr", text_of(10))
            .answers(200, data(named("Order")))
            .with_tag(ETAG),
        Operation::delete("/www/auftrag/{AuftNr}", "cancelOrder")
            .by(cancel)
            .place("AuftNr", text_of(10))
            .fails(&[403, 409])
            .if_match()
            .answers_nothing(204),
    ]
}
