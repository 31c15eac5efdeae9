//! Orders and offers of the past weeks: a first look at lists and screens shows something.

use erp_core::Erp;
use erp_core::document::OrderStatus;
use erp_core::erp::OrderQuery;
use erp_core::internal::Actor;
use erp_core::master::{Caller, Role};
use erp_core::request::DocumentRequest;
use jiff::{SignedDuration, Timestamp};

use super::super::failure::Failure;
use crate::store::Store;

/// Customers who order, with articles and quantities that they order in turn.
const CUSTOMERS: [&str; 9] = [
    "10001", "10002", "10003", "10005", "10006", "10007", "10009", "10014", "10018",
];
const ARTICLES: [(&str, u32); 8] = [
    ("BU-1004", 12),
    ("BU-1011", 2),
    ("EL-2002", 5),
    ("EL-2005", 3),
    ("LM-3002", 6),
    ("AB-4005", 10),
    ("HH-5002", 1),
    ("HH-5005", 4),
];
const COMMENTS: [&str; 3] = [
    "Bitte beim Pförtner abgeben",
    "Lieferung nur vormittags",
    "Rechnung bitte per E-Mail",
];

/// How long ago the first order was placed.
const PAST: SignedDuration = SignedDuration::from_hours(6 * 7 * 24);
/// Orders older than this are completed, or open at least.
const COMPLETED: SignedDuration = SignedDuration::from_hours(14 * 24);
const OPEN: SignedDuration = SignedDuration::from_hours(3 * 24);

pub(super) async fn is_new(erp: &Erp<Store>) -> Result<bool, Failure> {
    let first = OrderQuery {
        limit: 1,
        ..OrderQuery::default()
    };
    let page = erp.office(Timestamp::now()).orders(&first).await?;
    Ok(page.orders.is_empty())
}

pub(super) async fn add(erp: &Erp<Store>, orders: u16, actor: &Actor) -> Result<(), Failure> {
    if orders == 0 {
        return Ok(());
    }
    let now = Timestamp::now();
    let office = erp.office(now).actor(actor);
    let caller = Caller::new("shop1", Role::Shop, Some("SHOP1".parse()?))?;
    for index in 0..orders {
        let age = PAST * i32::from(orders - index) / i32::from(orders);
        let placed = now - age;
        let shop = erp.shop(&caller, placed);
        let order = shop.create_order(&order(usize::from(index))?).await?;
        let reached = [
            (OPEN, OrderStatus::Open),
            (COMPLETED, OrderStatus::Completed),
        ];
        for (_, status) in reached.into_iter().filter(|(after, _)| age > *after) {
            office.set_order_status(&order.number, status).await?;
        }
    }
    let shop = erp.shop(&caller, now);
    let template = DocumentRequest::template()
        .position("BU-1011", 10)?
        .position("BU-1004", 100)?;
    shop.create_offer(&template).await?;
    let mut offer = template.position("EL-2002", 25)?;
    offer.header.customer = Some("10002".parse()?);
    shop.create_offer(&offer).await?;
    Ok(())
}

/// The order with an index: customers, articles and quantities in turn.
fn order(index: usize) -> Result<DocumentRequest, Failure> {
    let pick =
        |list: &[&'static str], at: usize| list.get(at % list.len()).copied().unwrap_or_default();
    let mut order = DocumentRequest::order(pick(&CUSTOMERS, index * 4))?;
    for (article, quantity) in ARTICLES.iter().cycle().skip(index * 3).take(1 + index % 4) {
        order = order.position(*article, *quantity)?;
    }
    if index.is_multiple_of(3) {
        order = order.comment(pick(&COMMENTS, index / 3))?;
    }
    if index.is_multiple_of(2) {
        order.header.foreign_number = Some(format!("WEB-{}", 2001 + index).parse()?);
    }
    Ok(order)
}
