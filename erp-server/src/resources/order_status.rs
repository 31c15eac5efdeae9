//! `PUT /admin/auftrag/{AuftNr}/status`, `POST /admin/orders/status`.

use erp_core::Code;
use erp_core::document::OrderStatus;
use erp_core::internal::wire::Envelope;
use erp_core::sentence::Locale;
use schemars::JsonSchema;
use serde::Serialize;

use super::app::{Clerk, Operation, Shared};
use super::members::Members;
use super::response::{Data, data};
use crate::openapi::headers::ETAG;
use crate::openapi::object::Object;
use crate::openapi::schema::{self, named, one_of, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, Result};

/// Orders in one request: with a commit for each it ends well before its time is up.
const MOST_ORDERS: usize = 1_000;

const NUMBER_CHARACTERS: usize = 10;

/// Changes the state of an order. The body is `{"AuftStatus": "O"}`.
async fn set_status(app: Shared, user: Clerk, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let status = status_of(&mut members, "AuftStatus");
    let status = members.done(status)?;
    let (actor, if_match) = (user.actor(&request), request.if_match()?);
    let office = user.office(&app).actor(&actor);
    let order = office
        .if_match(if_match.as_deref())
        .set_order_status(&request.key("AuftNr"), status)
        .await?;
    Ok(ApiResponse::json(&Envelope::data(order.to_wire()))?.etag(order.revision))
}

fn status_of(members: &mut Members<'_>, name: &str) -> Option<OrderStatus> {
    let letter = members.required(name, 20).map(str::trim);
    members.read(name, Code::UnknownValue, letter, |letter| {
        let unknown = || sentence!("unknown_value.status");
        OrderStatus::parse(letter).ok_or_else(unknown)
    })
}

/// Changes the state of many orders. The body is `{"status": "O", "orders": ["1000001", ...]}`.
async fn set_statuses(app: Shared, user: Clerk, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let status = status_of(&mut members, "status");
    let orders = orders_of(&mut members);
    let (status, orders) = members.done(status.zip(orders))?;
    let actor = user.actor(&request);
    let office = user.office(&app).actor(&actor);
    let outcomes = office.set_order_statuses(&orders, status).await?;
    let (locale, outcomes) = (request.locale(), orders.into_iter().zip(outcomes));
    let told = outcomes.map(|(order, outcome)| {
        let outcome = outcome.map_err(ApiError::from);
        StatusOutcome::new(order, outcome, locale)
    });
    Ok(data(told.collect::<Vec<_>>())?.said_in(locale))
}

fn orders_of(members: &mut Members<'_>) -> Option<Vec<String>> {
    let orders = members.list("orders", MOST_ORDERS)?;
    let mut numbers = Vec::with_capacity(orders.len());
    for (index, order) in orders.iter().enumerate() {
        let number = order.as_str().map(str::trim);
        match number.filter(|number| number.chars().count() <= NUMBER_CHARACTERS) {
            Some(number) => numbers.push(number.to_owned()),
            None => {
                let message = sentence!("wrong_type.order_number");
                members.refuse(&format!("orders[{index}]"), Code::WrongType, message);
            }
        }
    }
    Some(numbers)
}

/// What became of an order.
#[derive(Serialize, JsonSchema)]
struct StatusOutcome {
    /// Order number, as it was sent.
    #[serde(rename = "AuftNr")]
    order: String,
    /// Whether the order has got the state, had it already, or could not get it.
    #[schemars(extend("enum" = ["changed", "unchanged", "problem"]))]
    outcome: &'static str,
    /// The code of the problem, like `error` of an error response.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The problem in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl StatusOutcome {
    fn new(order: String, outcome: Result<bool>, locale: Locale) -> Self {
        let problem = outcome.as_ref().err();
        Self {
            order,
            outcome: match outcome {
                Ok(true) => "changed",
                Ok(false) => "unchanged",
                Err(_) => "problem",
            },
            code: problem.map(|problem| problem.code().to_owned()),
            message: problem.map(|problem| problem.description().text(locale)),
        }
    }
}

pub(super) fn operations() -> Vec<Operation> {
    let about = "The next status: N to O, A or S, O to A or S";
    let next_status = || one_of(["N", "O", "A", "S"]);
    let numbers = Object::with_type("array")
        .with("items", text_of(10))
        .with("minItems", 1)
        .with("maxItems", MOST_ORDERS);
    let many = Object::new().member("status", about, next_status()).member(
        "orders",
        "Order numbers",
        numbers,
    );
    vec![
        Operation::put("/admin/auftrag/{AuftNr}/status", "setOrderStatus")
            .by(set_status)
            .place("AuftNr", text_of(10))
            .fails(&[409])
            .if_match()
            .json_body_of(Object::new().member("AuftStatus", about, next_status()))
            .answers(200, schema::data(named("Order")))
            .response_headers(&[200], &[ETAG]),
        Operation::post("/admin/orders/status", "setOrderStatuses")
            .by(set_statuses)
            .json_body_of(many)
            .answers_as::<Data<Vec<StatusOutcome>>>(200),
    ]
}
