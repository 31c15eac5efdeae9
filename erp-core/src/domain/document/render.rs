//! Converts documents to wire records.

use std::ops::Deref;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Document, DocumentAddress, Offer, OfferStatus, Order, Position, TaxRecap};
use crate::domain::master::{Company, Customer};
use crate::values::text::Text;
use crate::wire;

/// The fixed section name of every recap entry (`Abschnitt`).
const RECAP_SECTION: &str = "MWSTRekapitulation";

/// Description of the rounding position (`PosBez`).
const CASH_ROUNDING: &str = "Rundungsdifferenz";

impl Order {
    // rule: R-RES-01, R-RES-03
    /// The order as the interface shows it.
    #[must_use]
    pub fn to_wire(&self) -> wire::Order {
        let document = &self.document;
        wire::Order {
            header: wire::OrderHeader {
                order_number: self.number.clone(),
                customer_number: self.customer.clone(),
                status: SmolStr::new_static(self.status.as_str()),
                document: header(document),
            },
            addresses: addresses(document),
            positions: positions(document),
            tax_recap: tax_recap(document),
            payments: document.payments.clone(),
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

    // rule: R-STA-03, R-END-48
    /// The offer as the interface shows it.
    #[must_use]
    pub fn to_wire(&self) -> wire::Offer {
        let document = &self.document;
        let (status, order_number) = match &self.status {
            OfferStatus::Offered => ("P", None),
            OfferStatus::Ordered(order) => ("A", Some(order.clone())),
        };
        wire::Offer {
            offer_number: self.number.clone(),
            header: wire::OfferHeader {
                customer_number: self.customer.clone(),
                template: self.customer.is_none(),
                payment_condition_text: self.payment_condition_text.clone(),
                status: SmolStr::new_static(status),
                order_number,
                document: header(document),
            },
            addresses: addresses(document),
            positions: positions(document),
            tax_recap: tax_recap(document),
            payments: Some(document.payments.clone()),
        }
    }
}

fn header(document: &Document) -> wire::CommonHeader {
    wire::CommonHeader {
        description: document.description.clone(),
        foreign_number: document.foreign_number.clone(),
        reference: document.reference.clone(),
        ordered_at: document.ordered_at,
        ordered_at_utc: document.ordered_at,
        delivery_at: document.delivery_at,
        delivery_at_utc: document.delivery_at,
        currency: document.currency,
        comment: document.comment.clone(),
        payment_condition: document.payment_condition,
        delivery_costs: document.delivery_costs,
        location: document.location,
        net: document.net,
        tax: document.tax,
        gross: document.gross,
    }
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
        number: copy.number,
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
        article_number: Some(position.article.clone()),
        description: position.description.clone(),
        quantity: position.quantity,
        price_basis: position.price_basis,
        unit_price: position.unit_price,
        total: position.total,
        tax: position.tax,
        packaging_quantity: package.map(|package| package.quantity),
        packaging_price: package.map(|package| package.price),
        packaging_unit: package.map(|package| package.unit.clone()),
        tax_rate: position.tax_rate,
        discount_rate: Some(position.discount_rate),
        discount_designation: None,
    }
}

// rule: D-PRI-19
/// The cash rounding position: no article, no tax, not part of net, tax and gross.
fn rounding_position(document: &Document) -> wire::Position {
    let amount = document.cash_rounding;
    let last = document
        .positions
        .iter()
        .map(|position| position.visible_number)
        .max()
        .unwrap_or(0);
    wire::Position {
        position_number: Some(0),
        visible_number: Some(last.saturating_add(10)),
        description: Text::new(CASH_ROUNDING).ok(),
        quantity: Decimal::ONE,
        price_basis: Decimal::ONE,
        unit_price: amount,
        total: amount,
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
        section: SmolStr::new_static(RECAP_SECTION),
        currency: document.currency,
        tax: entry.tax,
        input_tax_figure: entry.input_tax_figure.clone(),
        rate: entry.rate,
        designation: entry.name.clone(),
        net: entry.net,
        sales_tax_figure: entry.sales_tax_figure.clone(),
        tax_code: Some(entry.code.clone()),
        tax_class: Some(entry.class),
        turnover_figure: entry.turnover_figure.clone(),
    }
}
