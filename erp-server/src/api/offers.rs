//! `POST`, `GET`, `PATCH /www/offerte`.

use erp_core::storage::Storage;
use erp_core::wire::Envelope;

use super::Shared;
use super::conditions::{Conditions, marked_with_revision};
use crate::resources::User;
use crate::web::{Answer, ApiError, Call, Query};

/// Creates an offer.
pub(super) async fn create<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let conditions = Conditions::of(&call, &user, &body)?;
    let outcome = app
        .erp()
        .create_offer(&conditions.context(&user), &body)
        .await?;
    let answer = Answer::created(&Envelope::counted(1, &outcome.answer))?;
    Ok(marked_with_revision(answer, &outcome))
}

/// Reads an offer.
pub(super) async fn read<S: Storage>(
    app: Shared<S>,
    user: User,
    call: Call,
) -> Result<Answer, ApiError> {
    let (query, base) = (call.query()?, call.base()?);
    let context = user.context(base.as_str());
    let offer = app.erp().offer(&context, number(&query)?).await?;
    Ok(Answer::json(&Envelope::counted(1, offer.record))?.etag(offer.revision))
}

/// Changes an offer.
pub(super) async fn change<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let conditions = Conditions::of(&call, &user, &body)?;
    let query = call.query()?;
    let customer = query
        .text("KundNr", 8)?
        .map(|number| number.trim_end_matches(' '));
    let outcome = app
        .erp()
        .change_offer(&conditions.context(&user), number(&query)?, customer, &body)
        .await?;
    let answer = Answer::json(&Envelope::counted(1, &outcome.answer))?;
    Ok(marked_with_revision(answer, &outcome))
}

fn number(query: &Query) -> Result<&str, ApiError> {
    let number = query.text("OffertNr", 16)?.map(str::trim_end);
    number.ok_or_else(|| ApiError::missing_parameter("OffertNr", "the number of an offer"))
}
