//! `GET /www/auftrag` and `GET /www/offerten`: the orders and the offers that a shop may see.

use std::sync::Arc;

use erp_core::erp::{ListedOffer, ListedOrder, OfferQuery, OrderQuery};
use jiff::civil::Date;
use smol_str::SmolStr;

use super::app::{Operation, Shared, User};
use super::changes::refuse_marks;
use super::customers;
use super::error::unknown_debinr;
use super::order_list::{Day, day};
use super::paging::{self, Listed, PagedList, Window};
use crate::openapi::headers::LINK;
use crate::openapi::object::Object;
use crate::openapi::schema::{count, list_of, one_of, plain, whole, written};
use crate::web::{ApiError, ApiRequest, ApiResponse, MAX_INT, Query, Result};

/// What links of both lists always repeat.
const PARAMETERS: &[&str] = &[
    "AuftBestellNr",
    "debinr",
    "status",
    "von",
    "bis",
    "limit",
    "offset",
];

const ORDERS: PagedList = PagedList {
    path: "/www/auftrag",
    parameters: PARAMETERS,
};

const OFFERS: PagedList = PagedList {
    path: "/www/offerten",
    parameters: PARAMETERS,
};

async fn orders(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let base = request.base()?;
    let criteria = Criteria::of(&query)?;
    let wanted = OrderQuery {
        status: customers::status(&query)?,
        customer: criteria.customer,
        reference: criteria.reference,
        from: criteria.from,
        to: criteria.to,
        offset: criteria.window.offset,
        limit: criteria.window.limit,
        ..OrderQuery::default()
    };
    let state = Arc::clone(&app);
    let orders = app.long_reads.read(user.signature(), async move {
        user.shop(&state).orders(&wanted).await
    });
    let (page, count) = orders.await?.map_err(unknown_debinr)?;
    let shown = |order: &ListedOrder| order.to_wire(&base.links());
    let page = Listed {
        data: page.orders.iter().map(shown).collect(),
        has_next: page.next.is_some(),
        count,
    };
    ORDERS.page(&base, &query, criteria.window, page)
}

async fn offers(app: Shared, user: User, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let base = request.base()?;
    let criteria = Criteria::of(&query)?;
    let wanted = OfferQuery {
        is_ordered: is_ordered(&query)?,
        customer: criteria.customer,
        reference: criteria.reference,
        from: criteria.from,
        to: criteria.to,
        offset: criteria.window.offset,
        limit: criteria.window.limit,
    };
    let state = Arc::clone(&app);
    let offers = app.long_reads.read(user.signature(), async move {
        user.shop(&state).offers(&wanted).await
    });
    let page = offers.await?.map_err(unknown_debinr)?;
    let shown = |offer: &ListedOffer| offer.to_wire(&base.links());
    let page = Listed {
        data: page.offers.iter().map(shown).collect(),
        has_next: page.has_next,
        count: page.count,
    };
    OFFERS.page(&base, &query, criteria.window, page)
}

struct Criteria {
    customer: Option<SmolStr>,
    reference: Option<SmolStr>,
    from: Option<Date>,
    to: Option<Date>,
    window: Window,
}

impl Criteria {
    fn of(query: &Query) -> Result<Self> {
        refuse_marks(query)?;
        let customer = query.text("debinr", 8)?.map(str::trim);
        Ok(Self {
            window: Window {
                limit: paging::limit(query, paging::MOST)?,
                offset: query.number("offset", 0, MAX_INT)?.unwrap_or_default(),
            },
            customer: customer.filter(|text| !text.is_empty()).map(Into::into),
            reference: query.written("AuftBestellNr", 36)?.map(Into::into),
            from: query.parsed::<Day>("von", 10)?.map(|day| day.0),
            to: query.parsed::<Day>("bis", 10)?.map(|day| day.0),
        })
    }
}

fn is_ordered(query: &Query) -> Result<Option<bool>> {
    let Some(letter) = query.text("status", 255)? else {
        return Ok(None);
    };
    match letter.trim() {
        "P" => Ok(Some(false)),
        "A" => Ok(Some(true)),
        _ => Err(ApiError::neither("status", letter, ["P", "A"])),
    }
}

pub(super) fn order_operations() -> Vec<Operation> {
    let list = Operation::get("/www/auftrag", "listOwnOrders").by(orders);
    let states = one_of(["", "O", "N", "A", "S"]);
    vec![described(list, "orders", states, "OrderSummary")]
}

pub(super) fn offer_operations() -> Vec<Operation> {
    let list = Operation::get("/www/offerten", "listOwnOffers").by(offers);
    let states = one_of(["", "P", "A"]);
    vec![described(list, "offers", states, "OfferSummary")]
}

fn described(list: Operation, what: &str, states: Object, entry: &str) -> Operation {
    let page = Object::new()
        .member("data", &format!("The {what} of this page"), list_of(entry))
        .member("links", "`start`, `prev` and `next`", list_of("Link"));
    let number = whole().description(&format!("Number of all {what} of the list"));
    list.query("AuftBestellNr", written(36))
        .query("debinr", plain(8))
        .query("status", states)
        .query("von", day())
        .query("bis", day())
        .query("offset", count(MAX_INT))
        .limited(paging::MOST)
        .fails(&[422])
        .answers(200, page.property("count", number))
        .response_headers(&[200], &[LINK])
}
