//! `GET` and `PATCH /www/adressen/{AdrNr}`, `GET /www/adressen?debinr=`, `GET /www/adressensuche`.

use erp_core::erp::{FoundCustomer, SearchField, SearchTerms};
use erp_core::storage::Storage;
use erp_core::wire::Envelope;
use serde_json::json;

use super::conditions::{Conditions, marked_with_revision};
use super::{Shared, unknown_debinr};
use crate::app::User;
use crate::http::{Answer, ApiError, Call};

/// Reads an address.
pub(super) async fn read<S: Storage>(
    app: Shared<S>,
    user: User,
    call: Call,
) -> Result<Answer, ApiError> {
    let base = call.base()?;
    let address = app
        .erp()
        .address(&user.context(base.as_str()), &call.key("AdrNr"))
        .await?;
    Ok(Answer::json(&Envelope::data(address.record))?.etag(address.revision))
}

/// Changes an address.
pub(super) async fn change<S: Storage>(
    app: Shared<S>,
    user: User,
    mut call: Call,
) -> Result<Answer, ApiError> {
    let body = call.json().await?;
    let conditions = Conditions::of(&call, &user, &body)?;
    let outcome = app
        .erp()
        .change_address(&conditions.context(&user), &call.key("AdrNr"), &body)
        .await?;
    Ok(marked_with_revision(Answer::no_content(), &outcome))
}

/// Lists the addresses of a customer.
pub(super) async fn list<S: Storage>(
    app: Shared<S>,
    user: User,
    call: Call,
) -> Result<Answer, ApiError> {
    let query = call.query()?;
    let Some(customer) = query.text("debinr", 8)?.map(str::trim_end) else {
        return Err(ApiError::missing_parameter(
            "debinr",
            "the number of a customer",
        ));
    };
    let base = call.base()?;
    let addresses = app
        .erp()
        .addresses(&user.context(base.as_str()), customer)
        .await
        .map_err(unknown_debinr)?;
    let lists = [&addresses.contact, &addresses.delivery, &addresses.billing];
    let count: usize = lists.into_iter().flatten().map(Vec::len).sum();
    Answer::json(&Envelope::counted(
        u64::try_from(count).unwrap_or(u64::MAX),
        addresses,
    ))
}

/// Finds the single customer with an address that matches all criteria.
pub(super) async fn search<S: Storage>(
    app: Shared<S>,
    user: User,
    call: Call,
) -> Result<Answer, ApiError> {
    let query = call.query()?;
    let mut terms = SearchTerms::default();
    for field in SearchField::ALL {
        if let Some(text) = query.text(field.name, field.length)? {
            terms.add(field, text);
        }
    }
    let base = call.base()?;
    match app
        .erp()
        .find_customer(&user.context(base.as_str()), &terms)
        .await?
    {
        FoundCustomer::One(found) => Answer::json(&Envelope::counted(1, found)),
        FoundCustomer::None => no_customer(0),
        FoundCustomer::Several => no_customer(2),
    }
}

/// Without exactly one customer; 2 stands for several.
fn no_customer(count: u64) -> Result<Answer, ApiError> {
    Answer::json(&json!({"count": count, "success": false, "data": {}}))
}
