//! `PUT /admin/auftrag/{AuftNr}/status`. Admins only.

use erp_core::document::OrderStatus;
use erp_core::problem::Code;
use erp_core::wire::Envelope;
use serde_json::json;

use super::app::{Admin, Operation, Shared};
use super::members::Members;
use crate::openapi::headers::ETAG;
use crate::openapi::operation::example;
use crate::openapi::schema::{data, named, object, one_of, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse};

/// Changes the state of an order. The body is `{"AuftStatus": "O"}`.
async fn set_status(
    app: Shared,
    user: Admin,
    mut request: ApiRequest,
) -> Result<ApiResponse, ApiError> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let letter = members.required("AuftStatus", 20).map(str::trim);
    let status = members.read("AuftStatus", Code::UnknownValue, letter, order_status);
    let status = members.done(status)?;
    let actor = user.actor(&request);
    let office = user.office(&app).actor(&actor);
    let order = office
        .set_order_status(&request.key("AuftNr"), status)
        .await?;
    Ok(ApiResponse::json(&Envelope::data(order.to_wire()))?.etag(order.revision))
}

fn order_status(letter: &str) -> Result<OrderStatus, &'static str> {
    OrderStatus::parse(letter).ok_or("expected O (open) or A (completed)")
}

/// The operations of this resource.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::put(
            "/admin/auftrag/{AuftNr}/status",
            "setOrderStatus",
            "Move an order on",
        )
        .by(set_status)
        .place("AuftNr", "Order number", text_of(10), json!("100001"))
        .fails(&[409])
        .json_body_of(
            object([(
                "AuftStatus",
                one_of(["N", "O", "A"])
                    .description("The next status: N to O, O to A, N to A")
                    .into(),
            )])
            .into(),
            json!({"AuftStatus": "O"}),
        )
        .answers(
            200,
            "The order",
            data(named("Order")),
            example(include_str!("examples/order.json")),
        )
        .response_headers(&[200], &[ETAG]),
    ]
}
