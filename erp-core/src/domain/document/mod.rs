//! Orders and offers: documents with prices and with copies of their addresses.

mod invoice;
mod offer;
mod order;
mod pricing;

use std::collections::BTreeSet;

use erp_derive::Record;
use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::domain::address::Address;
use crate::domain::master::{
    ArticleNumber, Customer, CustomerAddress, Reservation, TaxClass, TaxCodeId, UnitCode,
};
use crate::domain::request::{AddressesRequest, PaymentRequest};
use crate::domain::totals::{PriceKind, Sums, amount_of, net_unit_price, packaged_unit_price};
use crate::values::codes::Currency;
use crate::values::limits::FRACTION_DIGITS;
use crate::values::text::Text;
use crate::values::time::DocumentTime;

#[cfg(feature = "invoice-pages")]
pub use invoice::invoice_pages;
#[cfg(feature = "invoice-pages")]
pub(crate) use invoice::page_notices;
pub use invoice::{
    Invoice, InvoiceKind, InvoiceLine, InvoiceNumber, InvoiceTax, Invoicing, Party, cii,
    decide_invoice,
};
pub use offer::{Mismatch, Offer, OfferNumber, OfferStatus, ShownOffer, Terms};
pub(crate) use offer::{convert, decide_change, decide_offer, take_over};
pub use order::{ListedOrder, Order, OrderNote, OrderStatus};
pub(crate) use order::{check_delivery_costs, decide_create, tax_day};
pub(crate) use pricing::{ArticleState, Draft, Manual, Priced, PricingState, price_document};

/// An order number (`AuftNr`).
pub type OrderNumber = Text<10>;

/// The common part of orders and offers. Prices, rates and addresses are fixed when the document is written; later
/// changes of master data do not affect it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Description (`AuftBez`).
    pub description: Option<Text<80>>,
    /// `AuftBestellNr`: the number in the foreign system.
    pub foreign_number: Option<Text<36>>,
    /// The customer's reference (`AuftBestellRef`).
    pub reference: Option<Text<60>>,
    /// When it was ordered (`AuftBestellT`).
    pub ordered_at: DocumentTime,
    /// When it is to be delivered (`AuftLieferT`).
    pub delivery_at: Option<DocumentTime>,
    /// Currency of all amounts (`WaehrAbk`).
    pub currency: Currency,
    /// Comment (`AuftKomment`).
    pub comment: Option<Text<255>>,
    /// Cost bearer (`KTNr`).
    pub cost_bearer: Option<Text<6>>,
    /// Location whose stock it takes (`StaoNr`).
    pub location: i32,
    /// Payment condition of the company (`KundBedTyp`).
    pub payment_condition: Option<u8>,
    /// Delivery costs (`AuftLiefKost`), net or gross like the document.
    pub delivery_costs: Decimal,
    /// Whether unit prices, line totals and delivery costs are net or gross.
    pub kind: PriceKind,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The addresses at that time.
    pub addresses: DocumentAddresses,
    /// At most [`crate::limits::POSITIONS_PER_DOCUMENT`].
    pub positions: Vec<Position>,
    /// Number of the next new position; numbers are never reused within a document.
    pub next_position: i32,
    /// The tax recap, one entry per tax code and rate.
    pub recap: Vec<TaxRecap>,
    /// Its sums.
    pub sums: Sums,
    /// Payment information.
    pub payments: Vec<Payment>,
}

impl Document {
    /// The company or person of its contact address; empty without one.
    pub(crate) fn name(&self) -> String {
        let contact = self.addresses.contact.as_ref();
        contact.map_or_else(String::new, |contact| contact.address.addressee())
    }
}

// rule: R-RES-04, R-END-04
/// The three addresses of a document. A template offer may lack any of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentAddresses {
    /// Contact address (`KontaktAdr`).
    pub contact: Option<DocumentAddress>,
    /// Delivery address (`LiefAdr`).
    pub delivery: Option<DocumentAddress>,
    /// Billing address (`RechAdr`).
    pub billing: Option<DocumentAddress>,
}

/// A copy of an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentAddress {
    /// The customer's address number; `None` for an address that was sent with the document.
    pub number: Option<i32>,
    /// The address.
    pub address: Address,
}

pub(crate) fn in_output_order(positions: &[Position]) -> Vec<&Position> {
    let mut ordered: Vec<&Position> = positions.iter().collect();
    ordered.sort_by_key(|position| (position.visible_number, position.number));
    ordered
}

impl DocumentAddress {
    fn sent(address: &Address) -> Self {
        Self {
            number: None,
            address: address.clone(),
        }
    }

    fn of(own: &CustomerAddress) -> Self {
        Self {
            number: Some(own.number),
            address: own.address.clone(),
        }
    }
}

impl DocumentAddresses {
    /// Only the sent addresses.
    #[must_use]
    pub fn sent(sent: &AddressesRequest) -> Self {
        Self::default().overridden(sent)
    }

    // rule: R-END-54
    /// Replaces addresses by the sent ones of the same kind.
    #[must_use]
    pub fn overridden(self, sent: &AddressesRequest) -> Self {
        let choose = |sent: &Option<Address>, own| sent.as_ref().map(DocumentAddress::sent).or(own);
        Self {
            contact: choose(&sent.contact, self.contact),
            delivery: choose(&sent.delivery, self.delivery),
            billing: choose(&sent.billing, self.billing),
        }
    }

    /// Leaves out the customer's delivery and billing addresses of these numbers.
    #[must_use]
    pub fn without(self, hidden: &BTreeSet<i32>) -> Self {
        let is_shown = |address: &DocumentAddress| {
            address
                .number
                .is_none_or(|number| !hidden.contains(&number))
        };
        Self {
            contact: self.contact,
            delivery: self.delivery.filter(is_shown),
            billing: self.billing.filter(is_shown),
        }
    }

    /// Fills missing addresses from the customer.
    #[must_use]
    pub fn completed(self, customer: &Customer) -> Self {
        let choose =
            |known: Option<_>, own| Some(known.unwrap_or_else(|| DocumentAddress::of(own)));
        Self {
            contact: choose(self.contact, &customer.contact),
            delivery: choose(self.delivery, customer.delivery_address()),
            billing: choose(self.billing, customer.billing_address()),
        }
    }
}

/// A position of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Number (`PosNr`), stable within the document.
    pub number: i32,
    /// Ordering number (`VisPosNr`): sort key of the output.
    pub visible_number: i32,
    /// Article number (`ArtNr`).
    pub article: ArticleNumber,
    /// Description (`PosBez`).
    pub description: Option<Text<2048>>,
    /// Quantity in base units of the article (`PosAnzBest`).
    pub quantity: Decimal,
    /// The price that the line is computed from.
    pub price: FoundPrice,
    /// How many base units the shown price is for (`PosPreisBasis`).
    pub price_basis: Decimal,
    /// Shown price of these units (`PosPreisEinzel`), net or gross like the document; with a packaging unit only informative.
    pub unit_price: Decimal,
    /// Discount in percent (`GRabSatz`).
    pub discount_rate: Decimal,
    /// Amount after the discount (`PosPreisTotal`), net or gross like the document.
    pub total: Decimal,
    /// The net part of the total.
    pub net: Decimal,
    /// The tax of the total (`PosPreisWUSTBetrag`).
    pub tax: Decimal,
    /// The tax code.
    pub tax_code: TaxCodeId,
    /// Tax rate in percent (`WUSTSatz`).
    pub tax_rate: Decimal,
    /// The packaging unit it is sold in.
    pub package: Option<Package>,
    /// Whether `PosBez` is the article's text, so that a customer of another language gets it in that language.
    pub article_text: bool,
    /// The quantity that the shop has promised, where the token of one customer asked for more.
    pub promised: Option<Decimal>,
}

/// The packaging part of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Packaging unit (`VPEinheit`).
    pub unit: UnitCode,
    /// Number of packages (`VPEAnzBest`).
    pub quantity: Decimal,
    /// Shown price of one package (`VPEPreisEinzel`), net or gross like the document.
    pub price: Decimal,
}

// rule: D-PRI-21
/// A price as it was found in a price list, or sent. Line and shown prices follow from it and the kind of the document alone,
/// so that equal documents have equal sums whatever they were before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundPrice {
    /// The price of `basis` packages, or of base units without a packaging unit.
    pub amount: Decimal,
    /// How many of them it is for; above 0.
    pub basis: Decimal,
    /// Net or gross as in the price list that has a price for this quantity, also of a price that the client set; `None` where no
    /// list has one: then it is of the document's kind.
    pub kind: Option<PriceKind>,
}

impl Position {
    /// What the price counts: packages if there is a packaging unit, otherwise base units.
    pub fn count(&self) -> Decimal {
        let package = self.package.as_ref();
        package.map_or(self.quantity, |package| package.quantity)
    }

    /// The price of `price.basis` units in a document of this kind: a gross list price of a net document becomes a net
    /// price with six fraction digits. `None` when it does not fit.
    #[must_use]
    pub fn price_in(&self, kind: PriceKind) -> Option<Decimal> {
        match (self.price.kind, kind) {
            (Some(PriceKind::Gross), PriceKind::Net) => {
                net_unit_price(self.price.amount, self.tax_rate)
            }
            _ => Some(self.price.amount),
        }
    }

    /// The position with the prices that a document of this kind shows; `None` when one does not fit.
    fn shown_in(mut self, kind: PriceKind) -> Option<Self> {
        let (price, basis) = (self.price_in(kind)?, self.price.basis);
        let Some(package) = &mut self.package else {
            (self.unit_price, self.price_basis) = (price, basis);
            return Some(self);
        };
        package.price = amount_of(Decimal::ONE, price, basis, FRACTION_DIGITS)?.normalize();
        let factor = self.quantity.checked_div(package.quantity)?;
        let units = factor.checked_mul(basis);
        let unit_price =
            units.and_then(|units| packaged_unit_price(price, units, self.price_basis));
        self.unit_price = unit_price.unwrap_or_default();
        Some(self)
    }
}

/// One entry of the tax recap (`MWSTRekapitulation`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxRecap {
    /// Tax code (`PosWUSTCode`).
    pub code: TaxCodeId,
    /// Rate in percent (`PosWUSTSatz`).
    pub rate: Decimal,
    /// Layout of the tax return (`PosWUSTKlasse`).
    pub class: TaxClass,
    /// Designation (`PosWUSTBez`).
    pub name: Option<Text<80>>,
    /// Sum without tax (`PosBetragNetto`).
    pub net: Decimal,
    /// Sum of the tax (`PosWUST`).
    pub tax: Decimal,
    /// Form figure of the turnover (`PosUSTUZiffer`).
    pub turnover_figure: Option<Text<12>>,
    /// Form figure of the sales tax (`PosUSTSZiffer`).
    pub sales_tax_figure: Option<Text<12>>,
    /// Form figure of the input tax (`PosVSTSZiffer`).
    pub input_tax_figure: Option<Text<12>>,
}

/// A payment entry (`Zahlung`): additional payment information.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Response = "Payment", stored, first("Bezeichnung Wert"))]
pub struct Payment {
    /// Unique assignment within the order.
    #[wire("Key", required)]
    pub key: Text<12>,
    /// Name, for example of a transaction id; `Dienstleister` and `TransID` are reserved for later assignment.
    #[wire("Bezeichnung")]
    pub name: Option<Text<255>>,
    /// Value, for example the transaction id.
    #[wire("Wert")]
    pub value: Option<Text<200>>,
}

pub(crate) type Reservations = Vec<Reservation>;

// rule: R-RES-09, R-END-36, R-END-38
/// Assigns keys to payment entries, continuing after the document's existing ones.
fn numbered_payments(requests: &[PaymentRequest], known: usize) -> impl Iterator<Item = Payment> {
    let numbered = requests.iter().zip(known.saturating_add(1)..);
    numbered.map(|(request, key)| Payment {
        key: Text::new(&key.to_string()).unwrap_or_default(),
        name: request.name.clone(),
        value: request.value.clone(),
    })
}
