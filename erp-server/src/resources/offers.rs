//! `POST`, `GET`, `PATCH /www/offerte`.

use std::sync::Arc;

use erp_core::document::ShownOffer;
use erp_core::internal::json::Rendered;
use erp_core::internal::wire::Envelope;

use super::app::{Operation, Shared, Trader, User};
use super::conditions::{Conditions, made, marked_with_revision};
use crate::openapi::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
use crate::openapi::schema::{counted, filled, named, plain};
use crate::web::{ApiError, ApiRequest, ApiResponse, Query, Result};

async fn create(app: Shared, user: User, mut request: ApiRequest) -> Result<ApiResponse> {
    let (conditions, body) = Conditions::read(&mut request, &user).await?;
    let shop = conditions.shop(&app, &user);
    let outcome = shop.create_offer_with(&body, rendered).await?;
    let place = ("/www/offerte?OffertNr=", "OffertNr");
    let envelope = Envelope::counted(1, &outcome.value);
    let response = made(&request, &outcome, &envelope, place)?;
    Ok(marked_with_revision(response, &outcome))
}

async fn read(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let state = Arc::clone(&app);
    let (caller, read) = (user.customer(), async move {
        let offer = user.shop(&state).offer(number(&request.query()?)?).await?;
        Ok(ApiResponse::json(&Envelope::counted(1, offer.to_wire()))?.etag(offer.revision))
    });
    app.document(caller, read).await
}

// rule: R-END-59
async fn change(app: Shared, user: Trader, mut request: ApiRequest) -> Result<ApiResponse> {
    let (conditions, body) = Conditions::read_optional(&mut request, &user).await?;
    let query = request.query()?;
    let customer = query
        .text("KundNr", 8)?
        .map(|number| number.trim_end_matches(' '));
    let shop = conditions.shop(&app, &user);
    let outcome = shop
        .change_offer_with(number(&query)?, customer, &body, rendered)
        .await?;
    let response = ApiResponse::json(&Envelope::counted(1, &outcome.value))?;
    Ok(marked_with_revision(response, &outcome))
}

fn rendered(offer: &ShownOffer) -> Rendered {
    Rendered::new(&offer.to_wire())
}

// rule: R-END-49
fn number(query: &Query) -> Result<&str> {
    let number = query.text("OffertNr", 16)?.map(str::trim_end);
    number.ok_or_else(|| ApiError::missing_parameter("OffertNr", sentence!("allowed.offer")))
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/www/offerte", "createOffer")
            .by(create)
            .retry_safe()
            .json_body("OfferBody")
            .answers(201, counted(named("Offer")))
            .response_headers(&[201], &[REPLAYED, ADDRESS_CHECK, ETAG])
            .leads_to(201, "readOffer", "OffertNr", "/data/OffertNr")
            .leads_to(201, "changeOffer", "OffertNr", "/data/OffertNr"),
        numbered(Operation::get("/www/offerte", "readOffer"))
            .by(read)
            .answers(200, counted(named("Offer")))
            .with_tag(ETAG),
        numbered(Operation::patch("/www/offerte", "changeOffer"))
            .by(change)
            .query("KundNr", plain(8))
            .retry_safe()
            .if_match()
            .json_body("OfferChangeBody")
            .or_no_body()
            .answers(200, counted(named("Offer")))
            .response_headers(&[200], &[REPLAYED, ADDRESS_CHECK, ETAG]),
    ]
}

fn numbered(operation: Operation) -> Operation {
    let number = filled(16);
    operation.needs("OffertNr", number).fails(&[404])
}
