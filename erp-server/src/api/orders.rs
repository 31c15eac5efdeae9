//! `POST /www/auftrag`, `GET /www/auftrag/{AuftNr}`.

use erp_core::storage::Storage;
use erp_core::wire::{Envelope, OrderNumberAnswer};

use super::Shared;
use crate::app::User;
use crate::http::{Answer, ApiError, Call};

/// Places an order.
pub(super) async fn create<S: Storage>(app: Shared<S>, user: User, mut call: Call) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let base = call.base()?;
    let number = app.erp().create_order(&user.context(base.as_str()), &body).await?;
    Answer::created(&Envelope::data(OrderNumberAnswer { order_number: Some(number.into()) }))
}

/// Reads an order.
pub(super) async fn read<S: Storage>(app: Shared<S>, _: User, call: Call) -> Result<Answer, ApiError> {
    let order = app.erp().order(&call.path("AuftNr")).await?;
    Ok(Answer::json(&Envelope::data(order.record))?.etag(order.revision))
}
