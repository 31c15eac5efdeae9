//! `GET` and `PATCH /www/adressen/{AdrNr}`, `GET /www/adressen?debinr=`, `GET /www/adressensuche`.

use std::sync::Arc;

use erp_core::codes::{Country, Language};
use erp_core::erp::{FoundCustomer, SearchField, SearchTerms};
use erp_core::internal::response::AddressRecord;
use erp_core::internal::wire::Envelope;
use serde_json::json;

use super::app::{Operation, Shared, Trader, User};
use super::conditions::{Conditions, marked_with_revision};
use super::error::unknown_debinr;
use crate::openapi::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
use crate::openapi::schema::{count, counted, data, filled, named, plain};
use crate::web::{ApiError, ApiRequest, ApiResponse, MAX_INT, Result};

async fn read(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let found = user.shop(&app).address(&request.key("AdrNr")).await?;
    let address = AddressRecord::from(&found.address);
    Ok(ApiResponse::json(&Envelope::data(address))?.etag(found.revision))
}

// rule: R-END-71
async fn change(app: Shared, user: Trader, mut request: ApiRequest) -> Result<ApiResponse> {
    let (conditions, body) = Conditions::read(&mut request, &user).await?;
    let shop = conditions.shop(&app, &user);
    let key = request.key("AdrNr");
    let outcome = shop.change_address_with(&key, &body, |_| ()).await?;
    Ok(marked_with_revision(ApiResponse::no_content(), &outcome))
}

// rule: R-END-67
async fn list(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let shop = user.shop(&app);
    let named = query.text("debinr", 8)?.map(str::trim_end);
    let Some(customer) = shop.named_or_own(named) else {
        let what = sentence!("allowed.customer");
        return Err(ApiError::missing_parameter("debinr", what));
    };
    let base = request.base()?;
    let customer = shop.customer(customer).await;
    let addresses = customer
        .map_err(unknown_debinr)?
        .addresses_to_wire(&base.links());
    let lists = [&addresses.contact, &addresses.delivery, &addresses.billing];
    let count: usize = lists.into_iter().map(Vec::len).sum();
    ApiResponse::json(&Envelope::counted(
        u64::try_from(count).unwrap_or(u64::MAX),
        addresses,
    ))
}

/// Finds the single customer with an address that matches all criteria.
async fn search(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    query.code::<Language>("AdrSprache", 4)?;
    query.code::<Country>("OrtLand", 4)?;
    let mut terms = SearchTerms::default();
    for field in SearchField::ALL {
        if let Some(text) = query.text(field.name, field.length)? {
            terms.add(field, text);
        }
    }
    let base = request.base()?;
    let state = Arc::clone(&app);
    let found = app.long_reads.read(user.signature(), async move {
        user.shop(&state).find_customer(&terms).await
    });
    match found.await?? {
        FoundCustomer::One(found) => {
            let found = found.search_result_to_wire(&base.links());
            ApiResponse::json(&Envelope::counted(1, found))
        }
        FoundCustomer::None => no_customer(0),
        FoundCustomer::Several => no_customer(2),
    }
}

/// Without exactly one customer; 2 means several.
fn no_customer(count: u64) -> Result<ApiResponse> {
    ApiResponse::json(&json!({"count": count, "success": false, "data": {}}))
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/www/adressen", "listAddresses")
            .by(list)
            .needs("debinr", filled(8))
            .answers(200, counted(named("AddressesOfCustomer")))
            .leads_to(200, "readAddress", "AdrNr", "/data/KundKontakt/0/AdrNr")
            .leads_to(200, "changeAddress", "AdrNr", "/data/KundKontakt/0/AdrNr"),
        Operation::get("/www/adressen/{AdrNr}", "readAddress")
            .by(read)
            .place("AdrNr", count(MAX_INT))
            .answers(200, data(named("AddressRecord")))
            .with_tag(ETAG),
        Operation::patch("/www/adressen/{AdrNr}", "changeAddress")
            .by(change)
            .place("AdrNr", count(MAX_INT))
            .retry_safe()
            .if_match()
            .json_body("AddressPatchBody")
            .answers_nothing(204)
            .response_headers(&[204], &[REPLAYED, ADDRESS_CHECK, ETAG]),
        search_operation(),
    ]
}

/// The search criteria come from the core.
fn search_operation() -> Operation {
    let operation = Operation::get("/www/adressensuche", "findCustomer").by(search);
    let fields = SearchField::ALL.into_iter();
    fields
        .fold(operation, |operation, field| {
            operation.query(field.name, plain(field.length))
        })
        .fails(&[422])
        .answers(200, counted(named("AddressSearchResult")))
}
