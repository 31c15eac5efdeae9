//! `GET` and `PUT /www/kunden/{DebiNr}`, `POST /www/kunden`, `DELETE /admin/kunden/{DebiNr}`.

use std::sync::Arc;

use erp_core::document::OrderStatus;
use erp_core::erp::{Error, ShownCustomer};
use erp_core::internal::json;
use erp_core::internal::json::Rendered;
use erp_core::internal::response::{self, CustomerNumberAnswer};
use erp_core::internal::wire::Envelope;
use erp_core::internal::{CustomerOrders, OrderOfCustomer, OrderPages};
use erp_core::master::Customer;

use super::app::{Admin, Operation, Shared, ShopUser, Trader, User};
use super::conditions::{Conditions, made, marked_with_revision};
use crate::openapi::headers::{ADDRESS_CHECK, ETAG, REPLAYED};
use crate::openapi::schema::{count, data, named, one_of, text};
use crate::web::{ApiError, ApiRequest, ApiResponse, BaseUrl, JSON, MAX_INT, Query, Result};

/// End of a response with a list of orders; the list is its last field.
const END: &[u8] = b"]}}";

async fn read(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let orders = CustomerOrders {
        last: query.number("order", 0, MAX_INT)?.unwrap_or_default(),
        status: status(&query)?,
    };
    let base = request.base()?;
    let number = request.key("DebiNr");
    let found = match orders.status {
        // Orders of a rare status are looked for among all.
        Some(_) => {
            let (state, user, number) = (Arc::clone(&app), user.clone(), number.clone());
            let page = app.long_reads.read(user.signature(), async move {
                let shop = user.shop(&state);
                shop.customer_with_orders(&number, orders).await
            });
            page.await?
        }
        None => {
            let shop = user.shop(&app);
            shop.customer_with_orders(&number, orders).await
        }
    };
    let found = match found {
        Err(unknown @ Error::NotFound { .. }) => {
            let forgotten = user.shop(&app).forgotten_customer(&number).await?;
            let forgotten = forgotten.ok_or(unknown)?;
            return ApiResponse::json(&Envelope::data(forgotten.to_wire(&base.links())));
        }
        found => found?,
    };
    let mut customer = found.customer.to_wire(&base.links());
    if orders.last == 0 {
        return Ok(ApiResponse::json(&Envelope::data(customer))?.etag(found.customer.revision));
    }
    // With orders included, the response can change without the customer's revision, so it gets no `ETag`.
    customer.orders = Some(shown(&found.orders, &base));
    let first = Envelope::data(customer);
    if found.rest.is_done() {
        ApiResponse::json(&first)
    } else {
        stream(app, user, base, &first, found.rest)
    }
}

fn shown(orders: &[OrderOfCustomer], base: &BaseUrl) -> Vec<response::CustomerOrder> {
    let links = base.links();
    orders.iter().map(|order| order.to_wire(&links)).collect()
}

fn stream(
    app: Shared,
    user: User,
    base: BaseUrl,
    first: &Envelope<response::Customer>,
    mut rest: OrderPages,
) -> Result<ApiResponse> {
    let mut head = json::to_ascii(first).map_err(ApiError::internal)?;
    if !head.ends_with(END) {
        return Err(ApiError::internal("the orders are not the last member"));
    }
    head.truncate(head.len().saturating_sub(END.len()));
    let mut separator = if head.ends_with(b"[") { "" } else { "," };
    Ok(ApiResponse::stream(JSON, move |mut chunks| async move {
        chunks.buffer().extend_from_slice(&head);
        while !rest.is_done() {
            let page = user.shop(&app).next_orders(&mut rest).await;
            let page = page.map_err(ApiError::from)?;
            for order in &shown(&page, &base) {
                chunks.buffer().extend_from_slice(separator.as_bytes());
                json::write_ascii(&mut *chunks.buffer(), order).map_err(ApiError::internal)?;
                separator = ",";
            }
            chunks.send_full().await?;
        }
        chunks.buffer().extend_from_slice(END);
        Ok(chunks)
    }))
}

pub(super) fn status(query: &Query) -> Result<Option<OrderStatus>> {
    let Some(letter) = query.text("status", 255)? else {
        return Ok(None);
    };
    match OrderStatus::parse(letter.trim()) {
        Some(status) => Ok(Some(status)),
        None => Err(ApiError::neither("status", letter, ["O, N, A", "S"])),
    }
}

async fn create(app: Shared, user: ShopUser, mut request: ApiRequest) -> Result<ApiResponse> {
    let (conditions, body) = Conditions::read(&mut request, &user).await?;
    let shop = conditions.shop(&app, &user);
    let number = |customer: &Customer| Rendered::new(&CustomerNumberAnswer::from(&customer.number));
    let outcome = shop.create_customer_with(&body, number).await?;
    let place = ("/www/kunden/", "DebiNr");
    made(&request, &outcome, &Envelope::data(&outcome.value), place)
}

async fn replace(app: Shared, user: Trader, mut request: ApiRequest) -> Result<ApiResponse> {
    let (conditions, body) = Conditions::read(&mut request, &user).await?;
    let (shop, base) = (conditions.shop(&app, &user), request.base()?);
    let shown = |customer: &ShownCustomer| Rendered::new(&customer.to_wire(&base.links()));
    let outcome = shop
        .replace_customer_with(&request.key("DebiNr"), &body, shown)
        .await?;
    let response = ApiResponse::json(&Envelope::data(&outcome.value))?;
    Ok(marked_with_revision(response, &outcome))
}

async fn forget(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let (actor, if_match) = (user.actor(&request), request.if_match()?);
    let number = request.key("DebiNr");
    let state = Arc::clone(&app);
    let forgotten = app.long_reads.read(user.signature(), async move {
        let office = user.office(&state).actor(&actor);
        let office = office.if_match(if_match.as_deref());
        office.forget_customer(&number).await
    });
    forgotten.await??;
    Ok(ApiResponse::no_content())
}

pub(super) fn office_operations() -> Vec<Operation> {
    let forget = Operation::delete("/admin/kunden/{DebiNr}", "forgetCustomer")
        .by(forget)
        .place("DebiNr", text())
        .if_match()
        .answers_nothing(204)
        .fails(&[409]);
    vec![forget]
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/www/kunden", "createCustomer")
            .by(create)
            .retry_safe()
            .json_body("CustomerBody")
            .answers(201, data(named("CustomerNumberAnswer")))
            .response_headers(&[201], &[REPLAYED, ADDRESS_CHECK])
            .leads_to(201, "readCustomer", "DebiNr", "/data/DebiNr")
            .leads_to(201, "replaceCustomer", "DebiNr", "/data/DebiNr")
            .leads_to(201, "listAddresses", "debinr", "/data/DebiNr"),
        Operation::get("/www/kunden/{DebiNr}", "readCustomer")
            .by(read)
            .place("DebiNr", text())
            .query("order", count(MAX_INT))
            .query("status", one_of(["", "O", "N", "A", "S"]))
            .fails(&[422])
            .answers(200, data(named("Customer")))
            .with_tag(ETAG),
        Operation::put("/www/kunden/{DebiNr}", "replaceCustomer")
            .by(replace)
            .place("DebiNr", text())
            .retry_safe()
            .if_match()
            .json_body("CustomerBody")
            .answers(200, data(named("Customer")))
            .response_headers(&[200], &[REPLAYED, ADDRESS_CHECK, ETAG]),
    ]
}
