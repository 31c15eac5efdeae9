//! Converts documents to wire records.

use std::ops::Deref;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Document, DocumentAddress, Offer, OfferStatus, Order, Position, TaxRecap};
use crate::domain::master::{Company, Customer};
use crate::values::number::Number;
use crate::values::text::Text;
use crate::values::time::format_instant;
use crate::wire;

/// The fixed section name of every recap entry (`Abschnitt`).
const RECAP_SECTION: &str = "MWSTRekapitulation";

/// Description of the rounding position (`PosBez`).
const CASH_ROUNDING: &str = "Rundungsdifferenz";

impl Order {
    /// The order as the interface shows it.
    #[must_use]
    pub fn to_wire(&self) -> wire::Order {
        let document = &self.document;
        wire::Order {
            header: Some(header(self)),
            addresses: Some(addresses(document)),
            positions: Some(positions(document)),
            tax_recap: Some(tax_recap(document)),
            payments: Some(payments(document)),
        }
    }
}

/// An offer with what the interface shows besides. It dereferences to the offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownOffer {
    /// The offer.
    pub offer: Offer,
    /// The text of its payment condition, in the language of the contact.
    pub payment_condition_text: Option<Text<255>>,
}

impl Deref for ShownOffer {
    type Target = Offer;

    fn deref(&self) -> &Offer {
        &self.offer
    }
}

impl ShownOffer {
    // rule: R-END-50
    /// The offer of this company and customer; a template has no customer.
    #[must_use]
    pub fn new(company: &Company, offer: Offer, customer: Option<&Customer>) -> Self {
        let document = &offer.document;
        let contact = document.addresses.contact.as_ref();
        let language = contact
            .map(|contact| contact.address.language)
            .or(customer.map(|customer| customer.details.language))
            .unwrap_or(company.language);
        let condition = document
            .payment_condition
            .and_then(|number| company.payment_conditions.get(&number));
        let text = condition.and_then(|condition| company.translation(&condition.0, language));
        Self {
            payment_condition_text: text.cloned(),
            offer,
        }
    }

    /// The offer as the interface shows it.
    #[must_use]
    pub fn to_wire(&self) -> wire::Offer {
        let document = &self.document;
        wire::Offer {
            offer_number: Some(self.number.clone().into()),
            header: Some(offer_header(self)),
            addresses: Some(addresses(document)),
            positions: Some(positions(document)),
            tax_recap: Some(tax_recap(document)),
            payments: Some(payments(document)),
        }
    }
}

// rule: R-STA-03, R-END-48
fn offer_header(offer: &ShownOffer) -> wire::OfferHeader {
    let document = &offer.document;
    let (status, order) = match &offer.status {
        OfferStatus::Offered => ("P", None),
        OfferStatus::Ordered(order) => ("A", Some(order)),
    };
    let ordered_at = format_instant(document.ordered_at);
    let delivery_at = document.delivery_at.map(format_instant);
    wire::OfferHeader {
        location: Some(document.location),
        customer_number: optional(offer.customer.as_ref()),
        comment: optional(document.comment.as_ref()),
        template: Some(offer.customer.is_none()),
        payment_condition_text: optional(offer.payment_condition_text.as_ref()),
        payment_condition: document.payment_condition,
        ordered_at_utc: Some(ordered_at.clone()),
        delivery_at_utc: delivery_at.clone(),
        delivery_costs: Some(Number(document.delivery_costs)),
        status: Some(SmolStr::new_static(status)),
        reference: optional(document.reference.as_ref()),
        currency: Some(document.currency.as_str().into()),
        tax: Some(Number(document.tax)),
        gross: Some(Number(document.gross)),
        net: Some(Number(document.net)),
        order_number: optional(order),
        description: optional(document.description.as_ref()),
        foreign_number: optional(document.foreign_number.as_ref()),
        ordered_at: Some(ordered_at),
        delivery_at,
    }
}

// rule: R-RES-01, R-RES-03
fn header(order: &Order) -> wire::OrderHeader {
    let document = &order.document;
    let ordered_at = format_instant(document.ordered_at);
    let delivery_at = document.delivery_at.map(format_instant);
    wire::OrderHeader {
        order_number: Some(order.number.clone().into()),
        customer_number: Some(order.customer.clone().into()),
        description: optional(document.description.as_ref()),
        foreign_number: optional(document.foreign_number.as_ref()),
        reference: optional(document.reference.as_ref()),
        ordered_at: Some(ordered_at.clone()),
        ordered_at_utc: Some(ordered_at),
        delivery_at: delivery_at.clone(),
        delivery_at_utc: delivery_at,
        currency: Some(document.currency.as_str().into()),
        comment: optional(document.comment.as_ref()),
        payment_condition: document.payment_condition,
        delivery_costs: Some(Number(document.delivery_costs)),
        location: Some(document.location),
        status: Some(SmolStr::new_static(order.status.as_str())),
        net: Some(Number(document.net)),
        tax: Some(Number(document.tax)),
        gross: Some(Number(document.gross)),
    }
}

fn optional<const MAX: usize>(value: Option<&Text<MAX>>) -> Option<SmolStr> {
    value.map(|value| value.clone().into())
}

fn addresses(document: &Document) -> wire::OrderAddresses {
    let copies = &document.addresses;
    wire::OrderAddresses {
        contact: copies.contact.as_ref().map(address),
        delivery: copies.delivery.as_ref().map(address),
        billing: copies.billing.as_ref().map(address),
    }
}

// rule: R-RES-05
fn address(copy: &DocumentAddress) -> wire::OrderAddress {
    wire::OrderAddress {
        address_number: copy.number,
        ..wire::OrderAddress::from(&copy.address)
    }
}

// rule: R-RES-06
/// Positions by visible number, then the cash rounding position.
pub(crate) fn positions(document: &Document) -> Vec<wire::Position> {
    let ordered = document.ordered_positions();
    let rounding = (!document.cash_rounding.is_zero()).then(|| rounding_position(document));
    ordered.into_iter().map(position).chain(rounding).collect()
}

// rule: R-RES-07
fn position(position: &Position) -> wire::Position {
    let package = position.package.as_ref();
    wire::Position {
        position_number: Some(position.number),
        visible_number: Some(position.visible_number),
        article_number: Some(position.article.clone().into()),
        description: optional(position.description.as_ref()),
        quantity: Some(Number(position.quantity)),
        price_basis: Some(Number(position.price_basis)),
        unit_price: Some(Number(position.unit_price)),
        total: Some(Number(position.total)),
        tax: Some(Number(position.tax)),
        packaging_quantity: package.map(|package| Number(package.quantity)),
        packaging_price: package.map(|package| Number(package.price)),
        packaging_unit: package.map(|package| package.unit.clone().into()),
        tax_rate: Some(Number(position.tax_rate)),
        discount_rate: Some(Number(position.discount_rate)),
        discount_designation: None,
    }
}

// rule: D-PRI-19
/// The cash rounding position: no article, no tax, not part of net, tax and gross.
fn rounding_position(document: &Document) -> wire::Position {
    let amount = Some(Number(document.cash_rounding));
    let last = document
        .positions
        .iter()
        .map(|position| position.visible_number)
        .max()
        .unwrap_or(0);
    wire::Position {
        position_number: Some(0),
        visible_number: Some(last.saturating_add(10)),
        description: Some(SmolStr::new_static(CASH_ROUNDING)),
        quantity: Some(Number(Decimal::ONE)),
        price_basis: Some(Number(Decimal::ONE)),
        unit_price: amount,
        total: amount,
        tax: Some(Number(Decimal::ZERO)),
        tax_rate: Some(Number(Decimal::ZERO)),
        ..wire::Position::default()
    }
}

/// The tax recap, one entry for each rate and tax code.
fn tax_recap(document: &Document) -> Vec<wire::TaxRecapEntry> {
    let entries = document.recap.iter();
    entries.map(|entry| recap_entry(document, entry)).collect()
}

// rule: R-RES-08
pub(crate) fn recap_entry(document: &Document, entry: &TaxRecap) -> wire::TaxRecapEntry {
    wire::TaxRecapEntry {
        section: Some(SmolStr::new_static(RECAP_SECTION)),
        currency: Some(document.currency.as_str().into()),
        tax: Some(Number(entry.tax)),
        input_tax_figure: optional(entry.input_tax_figure.as_ref()),
        rate: Some(Number(entry.rate)),
        designation: optional(entry.name.as_ref()),
        net: Some(Number(entry.net)),
        sales_tax_figure: optional(entry.sales_tax_figure.as_ref()),
        tax_code: Some(entry.code.clone().into()),
        tax_class: Some(SmolStr::new_static(entry.class.as_str())),
        turnover_figure: optional(entry.turnover_figure.as_ref()),
    }
}

fn payments(document: &Document) -> Vec<wire::Payment> {
    let entries = document.payments.iter();
    entries
        .map(|entry| wire::Payment {
            name: optional(entry.name.as_ref()),
            value: optional(entry.value.as_ref()),
            key: Some(entry.key.clone().into()),
        })
        .collect()
}
