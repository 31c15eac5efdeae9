//! `GET` and `PUT /www/kunden/{DebiNr}`, `POST /www/kunden`.

use erp_core::document::OrderStatus;
use erp_core::erp::CustomerOrders;
use erp_core::storage::Storage;
use erp_core::wire::Envelope;

use super::Shared;
use super::conditions::{Conditions, marked, marked_with_revision};
use crate::app::User;
use crate::http::{Answer, ApiError, Call, Query};

/// Orders one answer may list.
const MOST_ORDERS: u64 = 1_000;

/// Reads a customer.
pub(super) async fn read<S: Storage>(
    app: Shared<S>,
    user: User,
    call: Call,
) -> Result<Answer, ApiError> {
    let query = call.query()?;
    let orders = CustomerOrders {
        last: last(&query)?,
        status: status(&query)?,
    };
    let base = call.base()?;
    let customer = app
        .erp()
        .customer(&user.context(base.as_str()), &call.path("DebiNr"), orders)
        .await?;
    let answer = Answer::json(&Envelope::data(customer.record))?;
    // With orders in it the answer changes without the customer's record, so it has no tag of its own.
    Ok(if orders.last == 0 {
        answer.etag(customer.revision)
    } else {
        answer
    })
}

fn last(query: &Query) -> Result<usize, ApiError> {
    let last = query.number("order", 0, MOST_ORDERS)?.unwrap_or_default();
    Ok(usize::try_from(last).unwrap_or(usize::MAX))
}

fn status(query: &Query) -> Result<Option<OrderStatus>, ApiError> {
    let Some(letter) = query.text("status", 255)? else {
        return Ok(None);
    };
    match OrderStatus::parse(letter.trim()) {
        Some(status) => Ok(Some(status)),
        None => Err(ApiError::parameter("status", letter, "O, N or A")),
    }
}

/// Stores a new customer.
pub(super) async fn create<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let conditions = Conditions::of(&call, &body)?;
    let outcome = app
        .erp()
        .create_customer(&conditions.context(&user), &body)
        .await?;
    Ok(marked(
        Answer::created(&Envelope::data(&outcome.answer))?,
        &outcome,
    ))
}

/// Replaces what a client may say of a customer.
pub(super) async fn replace<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let conditions = Conditions::of(&call, &body)?;
    let outcome = app
        .erp()
        .replace_customer(&conditions.context(&user), &call.path("DebiNr"), &body)
        .await?;
    let answer = Answer::json(&Envelope::data(&outcome.answer))?;
    Ok(marked_with_revision(answer, &outcome))
}
