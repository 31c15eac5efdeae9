//! Orders: states and creation.

use erp_derive::Word;
use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};

use super::pricing::{Draft, Priced};
use super::{
    Document, DocumentAddresses, InvoiceNumber, Manual, OrderNumber, PricingState, Reservations,
    numbered_payments, price_document,
};
use crate::domain::master::{CustomerNumber, Reservation};
use crate::domain::request::DocumentRequest;
use crate::domain::totals::Sums;
use crate::values::codes::Currency;
use crate::values::limits::FRACTION_DIGITS;
use crate::values::number::{fraction_digits, round_half_away};
use crate::values::problem::{Code, Problems};
use crate::values::text::Text;
use crate::values::time::DocumentTime;

// rule: R-STA-01
/// The state of an order (`AuftStatus`, `PlanStatus`), by its letter. An order moves only towards the end of this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Word)]
pub enum OrderStatus {
    /// `N`: placed.
    #[serde(rename = "N")]
    New,
    /// `O`: in processing.
    #[serde(rename = "O")]
    Open,
    /// `A`: completed; its reservations are taken from stock.
    #[serde(rename = "A")]
    Completed,
    /// `S`.
    #[serde(rename = "S")]
    Canceled,
}

impl OrderStatus {
    // rule: R-STA-13
    /// Whether the state may change to another one: N→O, N→A, N→S, O→A, O→S; no other transitions.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::New => !matches!(next, Self::New),
            Self::Open => matches!(next, Self::Completed | Self::Canceled),
            Self::Completed | Self::Canceled => false,
        }
    }

    /// Whether an order in this state reserves stock.
    #[must_use]
    pub const fn reserves(self) -> bool {
        matches!(self, Self::New | Self::Open)
    }
}

/// An order as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Order number (`AuftNr`).
    pub number: OrderNumber,
    /// Customer number (`KundNr`).
    pub customer: CustomerNumber,
    /// State (`AuftStatus`).
    pub status: OrderStatus,
    /// The user who placed the order.
    pub created_by: Text<80>,
    /// Whether it was placed with a token of one customer, who can say anything of payments.
    #[serde(default)]
    pub by_customer: bool,
    /// Positions, prices and addresses.
    pub document: Document,
    /// Stock that it reserves.
    pub reservations: Reservations,
    /// What the office notes; no shop sees it.
    pub note: Option<OrderNote>,
    /// Its invoice.
    pub invoice: Option<InvoiceNumber>,
    /// The credit note that cancels its invoice.
    pub credit_note: Option<InvoiceNumber>,
}

/// A note of the office on an order, of several lines.
pub type OrderNote = Text<1_000>;

impl Order {
    // rule: R-END-03
    /// A new order, still without its number.
    pub(crate) fn new(state: &PricingState<'_>, document: Document) -> Self {
        let customer = state.customer.map(|customer| customer.number.clone());
        Self {
            number: OrderNumber::default(),
            customer: customer.unwrap_or_default(),
            status: OrderStatus::New,
            created_by: state.caller.name.clone(),
            by_customer: state.caller.customer.is_some(),
            reservations: reservations(state, &document),
            document,
            note: None,
            invoice: None,
            credit_note: None,
        }
    }
}

/// What lists show of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedOrder {
    /// Order number (`AuftNr`).
    pub number: OrderNumber,
    /// Customer number (`KundNr`).
    pub customer: CustomerNumber,
    /// The company or person of the contact address.
    pub name: String,
    /// Its number in the foreign system (`AuftBestellNr`).
    pub reference: Option<Text<36>>,
    /// State (`AuftStatus`).
    pub status: OrderStatus,
    /// Its invoice.
    pub invoice: Option<InvoiceNumber>,
    /// When it was made (`AuftErf`).
    pub created_at: Timestamp,
    /// Currency of the sums (`WaehrAbk`).
    pub currency: Currency,
    /// Its sums.
    pub sums: Sums,
    /// How many positions it has.
    pub positions: usize,
}

impl From<&Order> for ListedOrder {
    fn from(order: &Order) -> Self {
        let document = &order.document;
        Self {
            number: order.number.clone(),
            customer: order.customer.clone(),
            name: document.name(),
            reference: document.foreign_number.clone(),
            status: order.status,
            invoice: order.invoice.clone(),
            created_at: document.created_at,
            currency: document.currency,
            sums: document.sums,
            positions: document.positions.len(),
        }
    }
}

/// Decides everything about a new order except its number: prices, totals, copies of the addresses, reservations.
pub(crate) fn decide_create(
    state: &PricingState<'_>,
    request: &DocumentRequest,
    now: Timestamp,
) -> Result<Order, Problems> {
    let document = new_document(state, request, Manual::Allowed, now)?;
    Ok(Order::new(state, document))
}

pub(super) fn new_document(
    state: &PricingState<'_>,
    request: &DocumentRequest,
    manual: Manual,
    now: Timestamp,
) -> Result<Document, Problems> {
    let mut problems = Problems::new();
    check_delivery_costs(state, &mut problems);
    check_payment_condition(state, request.header.payment_condition, &mut problems);
    let drafts = Draft::new_document(&request.positions);
    let priced = price_document(state, &drafts, manual);
    let priced = priced.map_err(|more| problems.append(more)).ok();
    let priced = problems.or_else_value(priced)?;
    Ok(document(state, request, priced, now))
}

pub(crate) fn check_delivery_costs(state: &PricingState<'_>, problems: &mut Problems) {
    let digits = state.currency.minor_digits();
    if fraction_digits(state.delivery_costs) > digits {
        let (currency, place) = (state.currency, "GrundDaten.AuftLiefKost");
        let message = sentence!("too_precise.currency", currency, digits);
        problems.add_limit(place, Code::TooPrecise, digits.into(), message);
    }
}

// rule: R-END-32
/// A sent payment condition is one of the company's, where it lists any.
fn check_payment_condition(state: &PricingState<'_>, sent: Option<u8>, problems: &mut Problems) {
    let known = &state.company.payment_conditions;
    if let Some(number) = sent
        && !known.is_empty()
        && !known.contains_key(&number)
    {
        let known: Vec<String> = known.keys().map(u8::to_string).collect();
        let known = known.join(", ");
        let message = sentence!("unknown_value.payment_condition", number, known);
        problems.add("GrundDaten.KundBedTyp", Code::UnknownValue, message);
    }
}

fn document(
    state: &PricingState<'_>,
    request: &DocumentRequest,
    priced: Priced,
    now: Timestamp,
) -> Document {
    let customer = state.customer;
    let bearer = || customer.and_then(|customer| customer.cost_bearer.clone());
    let condition = || customer.and_then(|customer| customer.payment_condition);
    let addresses = DocumentAddresses::sent(&request.addresses);
    Document {
        description: request.header.description.clone(),
        foreign_number: request.header.foreign_number.clone(),
        reference: request.header.reference.clone(),
        ordered_at: request.header.ordered_at.unwrap_or_else(|| now.into()),
        delivery_at: request.header.delivery_at,
        currency: state.currency,
        comment: request.header.comment.clone(),
        cost_bearer: request.header.cost_bearer.clone().or_else(bearer),
        location: request.header.location.unwrap_or(state.company.location),
        payment_condition: request.header.payment_condition.or_else(condition),
        delivery_costs: state.delivery_costs,
        kind: priced.kind,
        created_at: now,
        addresses: match customer {
            Some(customer) => addresses.completed(customer),
            None => addresses,
        },
        next_position: i32::try_from(priced.positions.len())
            .unwrap_or(i32::MAX)
            .saturating_add(1),
        positions: priced.positions,
        recap: priced.recap,
        sums: priced.sums,
        payments: numbered_payments(&request.payments, 0).collect(),
    }
}

// rule: R-STA-11
/// Reservations of stock-managed articles.
fn reservations(state: &PricingState<'_>, document: &Document) -> Reservations {
    let managed = document.positions.iter().filter_map(|position| {
        let known = state.articles.get(&position.article)?;
        known.article.stock_managed.then_some((position, known))
    });
    managed
        .map(|(position, known)| {
            let package = position.package.as_ref();
            let (here, unit) = (document.location, package.map(|package| &package.unit));
            let stock = known.stock.as_deref();
            let (location, unit) =
                stock.map_or((here, None), |stock| stock.reserved_at(here, unit));
            let quantity = match (unit, package) {
                (Some(_), Some(package)) => package.quantity,
                _ => position.quantity,
            };
            Reservation {
                article: position.article.clone(),
                location,
                unit: unit.cloned(),
                quantity: round_half_away(quantity, FRACTION_DIGITS),
            }
        })
        .collect()
}

// rule: D-PRI-17
/// The day that determines a document's tax rates, in the company's time zone: the day of supply, which is the
/// delivery date if given, otherwise the order date.
pub(crate) fn tax_day(
    delivery_at: Option<DocumentTime>,
    ordered_at: Option<DocumentTime>,
    now: Timestamp,
    zone: &TimeZone,
) -> jiff::civil::Date {
    let at = delivery_at.or(ordered_at);
    zone.to_datetime(at.map_or(now, DocumentTime::timestamp))
        .date()
}
