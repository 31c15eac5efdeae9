//! Offers: creating, changing, assigning to a customer, converting into an order.

use std::ops::Deref;

use erp_derive::skip_serializing_none;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::order::new_document;
use super::pricing::{Before, Draft, check_orderable, default_description};
use super::{
    Document, Manual, Order, OrderNumber, Position, PricingState, numbered_payments, price_document,
};
use crate::domain::master::{Company, Customer, CustomerNumber, PriceListType, TaxCodeId};
use crate::domain::request::{
    DocumentRequest, OfferChangeRequest, PaymentRequest, PositionChange, PositionRequest,
};
use crate::values::codes::Currency;
use crate::values::limits::POSITIONS_PER_DOCUMENT;
use crate::values::problem::{Code, Path, Problems};
use crate::values::sentence::AsValue;
use crate::values::text::Text;
use crate::wire::record::Entry;

/// An offer number (`OffertNr`).
pub type OfferNumber = Text<10>;

/// The state of an offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OfferStatus {
    /// `P`: still an offer.
    Offered,
    /// `A`: converted into this order.
    Ordered(OrderNumber),
}

/// An offer as stored. Without a customer it is a template.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// Offer number (`OffertNr`).
    pub number: OfferNumber,
    /// Customer number (`KundNr`); a template has none.
    pub customer: Option<CustomerNumber>,
    /// State (`AuftStatus`).
    pub status: OfferStatus,
    /// The user who created it.
    pub created_by: Text<80>,
    /// The terms its prices are based on.
    pub terms: Terms,
    /// Positions, prices and addresses.
    pub document: Document,
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
    pub fn new(company: &Company, offer: Offer, customer: Option<&Customer>) -> Self {
        let document = &offer.document;
        let contact = document.addresses.contact.as_ref();
        let language = contact
            .map(|contact| contact.address.language)
            .or(customer.map(|customer| customer.details.language))
            .unwrap_or(company.language);
        let text = company.payment_text(document.payment_condition, language);
        Self {
            payment_condition_text: text.cloned(),
            offer,
        }
    }
}

// rule: R-STA-07
/// Terms on which a template and a customer must agree.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The price list type.
    pub price_list: Option<PriceListType>,
    /// The cost bearer.
    pub cost_bearer: Option<Text<6>>,
    /// The tax code that replaces those of the articles.
    pub tax_code: Option<TaxCodeId>,
    /// The currency.
    pub currency: Currency,
}

/// One term on which a template and a customer differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Name of the term.
    pub subject: &'static str,
    /// The template's value.
    pub offer: String,
    /// The customer's value.
    pub customer: String,
}

impl Terms {
    /// The terms of a customer, or the defaults without one.
    pub fn of(company: &Company, customer: Option<&Customer>, currency: Currency) -> Self {
        let price_list = customer.and_then(|customer| customer.price_list.clone());
        Self {
            price_list: price_list.or_else(|| company.price_list.clone()),
            cost_bearer: customer.and_then(|customer| customer.cost_bearer.clone()),
            tax_code: customer.and_then(|customer| customer.tax_code.clone()),
            currency,
        }
    }

    // rule: R-STA-05, R-END-39, R-END-47
    /// The terms that prevent assigning the template to a customer; empty when it fits.
    pub fn mismatches(&self, company: &Company, customer: &Customer) -> Vec<Mismatch> {
        let wanted = Self::of(company, Some(customer), customer.details.currency);
        let shown = |value: Option<&str>| value.unwrap_or("-").to_owned();
        // A cost bearer counts only where both have one.
        let bearers = self
            .cost_bearer
            .as_deref()
            .zip(wanted.cost_bearer.as_deref());
        let bearers = bearers.unzip();
        let currencies = (self.currency.as_str(), wanted.currency.as_str());
        let terms = [
            (
                "price_list",
                self.price_list.as_deref(),
                wanted.price_list.as_deref(),
            ),
            ("cost_bearer", bearers.0, bearers.1),
            (
                "tax_code",
                self.tax_code.as_deref(),
                wanted.tax_code.as_deref(),
            ),
            ("currency", Some(currencies.0), Some(currencies.1)),
        ];
        let different = terms
            .into_iter()
            .filter(|(_, offer, customer)| offer != customer);
        let different = different.map(|(subject, offer, customer)| Mismatch {
            subject,
            offer: shown(offer),
            customer: shown(customer),
        });
        different.collect()
    }
}

// rule: R-STA-12, R-END-43
/// Decides everything about a new offer except its number.
pub(crate) fn decide_offer(
    state: &PricingState<'_>,
    request: &DocumentRequest,
    now: Timestamp,
) -> Result<Offer, Problems> {
    Ok(Offer {
        number: OfferNumber::default(),
        customer: state.customer.map(|customer| customer.number.clone()),
        status: OfferStatus::Offered,
        created_by: state.caller.name.clone(),
        terms: Terms::of(state.company, state.customer, state.currency),
        document: new_document(state, request, Manual::Ignored, now)?,
    })
}

// rule: D-DOC-25, R-STA-06
/// Decides a change: customer (already checked for a match), positions and addresses together. Unchanged positions
/// keep their prices; changed and new ones get current prices. `problems` are those of the body so far.
/// Errors: these, and every other reason why the change is not possible, with its wire path.
pub(crate) fn decide_change(
    state: &PricingState<'_>,
    offer: &Offer,
    request: &OfferChangeRequest,
    problems: Problems,
) -> Result<Offer, Problems> {
    let mut changed = offer.clone();
    let assigned = state.customer.filter(|_| offer.customer.is_none());
    if let Some(customer) = assigned {
        take_over(state, &mut changed, customer);
    }
    let document = &mut changed.document;
    let addresses = std::mem::take(&mut document.addresses);
    document.addresses = addresses.overridden(&request.addresses);
    if request.positions.is_empty() && assigned.is_none() {
        return problems.and(Ok(changed));
    }
    let mut broken = Problems::new();
    let (drafts, next_position) = drafts(state, document, &request.positions, &mut broken);
    if problems.is_empty() && drafts.is_empty() && state.customer.is_some() {
        // A template may be empty for a while.
        let message = sentence!("positions_missing.offer");
        broken.add("Positionen", Code::PositionsMissing, message);
    }
    let priced = price_document(state, &drafts, Manual::Ignored);
    let priced = priced.map_err(|more| broken.merge(more)).ok();
    let priced = problems.and(broken.or_else_value(priced))?;
    document.kind = priced.kind;
    document.positions = priced.positions;
    document.next_position = next_position;
    document.recap = priced.recap;
    document.sums = priced.sums;
    Ok(changed)
}

/// Gives a template to a customer: terms, missing addresses, and texts of articles in the customer's language.
pub(crate) fn take_over(state: &PricingState<'_>, offer: &mut Offer, customer: &Customer) {
    offer.customer = Some(customer.number.clone());
    let document = &mut offer.document;
    for bearer in [&mut offer.terms.cost_bearer, &mut document.cost_bearer] {
        if bearer.is_none() {
            bearer.clone_from(&customer.cost_bearer);
        }
    }
    document.payment_condition = document.payment_condition.or(customer.payment_condition);
    let addresses = std::mem::take(&mut document.addresses);
    document.addresses = addresses.completed(customer);
    let translated = document.positions.iter_mut();
    for position in translated.filter(|position| position.article_text) {
        let article = state.articles.get(&position.article);
        let text = article.and_then(|known| default_description(state, &known.article));
        position.description = text.or_else(|| position.description.take());
    }
}

// rule: R-END-55, R-END-56
/// The positions of a changed offer, and the number for the next new position.
fn drafts(
    state: &PricingState<'_>,
    document: &Document,
    changes: &[Entry<PositionChange>],
    problems: &mut Problems,
) -> (Vec<Draft>, i32) {
    let list = Path::ROOT.member("Positionen");
    let mut drafts: Vec<Draft> = document
        .positions
        .iter()
        .cloned()
        .map(Draft::Kept)
        .collect();
    let mut next = document.next_position;
    for change in changes {
        let path = list.index(change.at);
        match &change.value {
            PositionChange::Add(request) => {
                drafts.push(Draft::New {
                    number: next,
                    request: change.with(request.clone()),
                    before: Before::default(),
                });
                next += 1;
            }
            PositionChange::Delete { position } => {
                if find(&mut drafts, *position, &path, problems).is_some() {
                    drafts.retain(|draft| number_of(draft) != *position);
                }
            }
            PositionChange::Change { position, .. } => {
                let draft = find(&mut drafts, *position, &path, problems);
                if let Some(draft) = draft
                    && let Draft::Kept(kept) = draft
                    && let Some(request) = requested(state, kept, change, &path, problems)
                {
                    *draft = Draft::New {
                        number: *position,
                        request: change.with(request),
                        before: Before {
                            quantity: kept.quantity,
                            promised: kept.promised.unwrap_or(kept.quantity),
                        },
                    };
                }
            }
        }
    }
    if drafts.len() > POSITIONS_PER_DOCUMENT {
        let message = sentence!("too_many.positions", most = POSITIONS_PER_DOCUMENT);
        problems.add_limit(&list, Code::TooMany, POSITIONS_PER_DOCUMENT as u64, message);
    }
    (drafts, next)
}

const fn number_of(draft: &Draft) -> i32 {
    match draft {
        Draft::New { number, .. } => *number,
        Draft::Kept(position) => position.number,
    }
}

// rule: R-END-58
fn find<'d>(
    drafts: &'d mut [Draft],
    number: i32,
    path: &Path<'_>,
    problems: &mut Problems,
) -> Option<&'d mut Draft> {
    let mut drafts = drafts.iter_mut();
    let found = drafts.find(|draft| number_of(draft) == number);
    if found.is_none() {
        let message = sentence!("unknown_position", number);
        problems.add(&path.member("PosNr"), Code::UnknownPosition, message);
    }
    found
}

// rule: R-END-57
/// A changed position as a new request, so that it is priced again.
fn requested(
    state: &PricingState<'_>,
    position: &Position,
    change: &Entry<PositionChange>,
    path: &Path<'_>,
    problems: &mut Problems,
) -> Option<PositionRequest> {
    let PositionChange::Change {
        quantity,
        article,
        unit,
        description,
        discount_rate,
        ..
    } = &change.value
    else {
        return None;
    };
    let own_unit = position.package.as_ref().map(|package| &package.unit);
    for (name, sent, own) in [
        ("ArtNr", article.as_deref(), Some(&*position.article)),
        ("VPEinheit", unit.as_deref(), own_unit.map(|own| &**own)),
    ] {
        if sent.is_some() && sent != own {
            let base = || sentence!("unit.base");
            let own = own.map_or_else(base, |own| own.as_value());
            let message = sentence!("contradiction.other_unit", number = position.number, own);
            problems.add(&path.member(name), Code::Contradiction, message);
            return None;
        }
    }
    // The shop gave the discount for this quantity.
    let is_other = change.is_complete && *quantity != position.quantity;
    if is_other && !position.discount_rate.is_zero() && state.caller.customer.is_some() {
        let message = sentence!("shop_only.discount");
        problems.add(&path.member("Menge"), Code::ShopOnly, message);
    }
    Some(PositionRequest {
        article: position.article.clone(),
        quantity: *quantity,
        description: description.clone().or_else(|| {
            position
                .description
                .clone()
                .filter(|_| !position.article_text)
        }),
        price: None,
        price_basis: None,
        unit: own_unit.cloned(),
        discount_rate: discount_rate.or(Some(position.discount_rate)),
        visible_number: Some(position.visible_number),
    })
}

// rule: R-STA-08, R-END-41
/// The order made from an offer of a customer. Prices, totals and addresses come from the offer, and the addresses that it
/// lacks from the customer; reservations are decided now.
/// Errors: every position that the caller may not order; an offer without positions.
pub(crate) fn convert(
    state: &PricingState<'_>,
    mut offer: Offer,
    customer: &Customer,
    payments: &[PaymentRequest],
    now: Timestamp,
) -> Result<Order, Problems> {
    check_orderable(state, &offer.document)?;
    let addresses = std::mem::take(&mut offer.document.addresses);
    offer.document.addresses = addresses.completed(customer);
    let mut document = Document {
        created_at: now,
        ..offer.document
    };
    document
        .payments
        .extend(numbered_payments(payments, document.payments.len()));
    Ok(Order::new(state, document))
}
