//! `POST` and `PUT /www/auftrag`, `GET /www/auftrag/{AuftNr}`.

use erp_core::storage::Storage;
use erp_core::wire::{Envelope, OrderNumberAnswer};

use super::Shared;
use super::conditions::{Conditions, marked};
use crate::app::User;
use crate::http::{Answer, ApiError, Call};

/// Places an order.
pub(super) async fn create<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let conditions = Conditions::of(&call, &user, &body)?;
    let outcome = app
        .erp()
        .create_order(&conditions.context(&user), &body)
        .await?;
    Ok(marked(
        Answer::created(&Envelope::data(OrderNumberAnswer::from(&outcome.answer)))?,
        &outcome,
    ))
}

/// Converts an offer to an order.
pub(super) async fn convert<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let conditions = Conditions::of(&call, &user, &body)?;
    let outcome = app
        .erp()
        .convert_offer(&conditions.context(&user), &body)
        .await?;
    Ok(marked(
        Answer::created(&Envelope::counted(
            1,
            OrderNumberAnswer::from(&outcome.answer),
        ))?,
        &outcome,
    ))
}

/// Reads an order.
pub(super) async fn read<S: Storage>(
    app: Shared<S>,
    user: User,
    call: Call,
) -> Result<Answer, ApiError> {
    let base = call.base()?;
    let context = user.context(base.as_str());
    let order = app.erp().order(&context, &call.key("AuftNr")).await?;
    Ok(Answer::json(&Envelope::data(order.record))?.etag(order.revision))
}
