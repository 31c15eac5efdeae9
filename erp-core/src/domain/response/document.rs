//! Orders, offers and invoices as `GET /www/auftrag/{AuftNr}`, `/www/offerte` and `/www/rechnung/{RechNr}` return them (interface:
//! "Order (Auftrag), response shape" and "Offer (Offerte), response shape").

use erp_derive::Record;
use jiff::Timestamp;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::{OrderAddress, OrderAddresses};
use crate::domain::document::{
    self, Document, InvoiceNumber, OfferStatus, OrderNumber, Payment, ShownOffer, TaxRecap,
    in_output_order,
};
use crate::domain::master::{TaxClass, TaxCodeId};
use crate::domain::totals::Sums;
use crate::values::codes::Currency;
use crate::values::text::Text;
use crate::values::time::DocumentTime;
use crate::wire::Link;

/// The fixed section name of every recap entry (`Abschnitt`).
const RECAP_SECTION: &str = "MWSTRekapitulation";

/// Description of the rounding position (`PosBez`).
const CASH_ROUNDING: &str = "Rundungsdifferenz";

/// `data` of an order.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct Order {
    /// Header of the order.
    #[wire("GrundDaten", object, required)]
    pub header: OrderHeader,
    /// The three addresses, copied when the order was made.
    #[wire("Adressen", object, required)]
    pub addresses: OrderAddresses,
    /// The positions, by their ordering number.
    #[wire("Positionen", list, required)]
    pub positions: Vec<Position>,
    /// Tax recap, one entry per tax code.
    #[wire("MWSTRekapitulation", list, required)]
    pub tax_recap: Vec<TaxRecapEntry>,
    /// Additional payment information.
    #[wire("Zahlung", list, required)]
    pub payments: Vec<Payment>,
}

// The customer number and the three amounts come from the examples and the decisions.
/// `GrundDaten` of an order. Dates are sent under both spellings with the same value.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
#[record(first("AuftNr KundNr AuftBez AuftBestellNr AuftBestellRef AuftBestellT AuftBestellTUTC"))]
#[record(first("AuftLieferT AuftLieferTUTC WaehrAbk AuftKomment KundBedTyp AuftLiefKost StaoNr"))]
pub struct OrderHeader {
    /// Order number.
    #[wire("AuftNr", required)]
    pub order_number: Text<10>,
    /// Customer number.
    #[wire("KundNr", char(8), required)]
    pub customer_number: Text<8>,
    /// Status: N new, O open, A completed, S canceled.
    #[wire("AuftStatus", char(1), required, words("N O A S P"))]
    pub status: SmolStr,
    /// What orders and offers have in common.
    #[wire(group)]
    pub document: CommonHeader,
    /// Number of its invoice.
    #[wire("RechNr")]
    pub invoice: Option<Text<10>>,
    /// Number of the credit note that cancels its invoice.
    #[wire("GutschriftNr")]
    pub credit_note: Option<Text<10>>,
}

/// What the headers of orders and offers have in common.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct CommonHeader {
    /// Description.
    #[wire("AuftBez")]
    pub description: Option<Text<80>>,
    /// Order number in the foreign system.
    #[wire("AuftBestellNr")]
    pub foreign_number: Option<Text<36>>,
    /// Order reference.
    #[wire("AuftBestellRef")]
    pub reference: Option<Text<60>>,
    /// Order date, RFC 3339 in UTC.
    #[wire("AuftBestellT", required)]
    pub ordered_at: DocumentTime,
    /// Order date, RFC 3339 in UTC; the same value as `AuftBestellT`.
    #[wire("AuftBestellTUTC", required)]
    pub ordered_at_utc: DocumentTime,
    /// Delivery date, RFC 3339 in UTC.
    #[wire("AuftLieferT")]
    pub delivery_at: Option<DocumentTime>,
    /// Delivery date, RFC 3339 in UTC; the same value as `AuftLieferT`.
    #[wire("AuftLieferTUTC")]
    pub delivery_at_utc: Option<DocumentTime>,
    /// Currency, ISO 4217.
    #[wire("WaehrAbk", required)]
    pub currency: Currency,
    /// Comment.
    #[wire("AuftKomment")]
    pub comment: Option<Text<255>>,
    /// Customer payment condition.
    #[wire("KundBedTyp")]
    pub payment_condition: Option<u8>,
    /// Delivery costs.
    #[wire("AuftLiefKost", money, required)]
    pub delivery_costs: Decimal,
    /// Order location.
    #[wire("StaoNr", required)]
    pub location: i32,
    /// Net amount.
    #[wire("AuftNetto", money, required)]
    pub net: Decimal,
    /// Tax amount.
    #[wire("AuftWUST", money, required)]
    pub tax: Decimal,
    /// Gross amount: net amount plus tax amount.
    #[wire("AuftBrutto", money, required)]
    pub gross: Decimal,
}

/// What the lists of orders and of offers show of both.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(Response)]
pub struct ListedDocument {
    /// Capture date, RFC 3339 in UTC.
    #[wire("AuftErf", required)]
    pub captured_at: DocumentTime,
    /// Capture date; the same value as `AuftErf`.
    #[wire("AuftErfUTC", required)]
    pub captured_at_utc: DocumentTime,
    /// Currency, ISO 4217.
    #[wire("WaehrAbk", required)]
    pub currency: Currency,
    /// Net amount.
    #[wire("AuftNetto", money, required)]
    pub net: Decimal,
    /// Tax amount.
    #[wire("AuftWUST", money, required)]
    pub tax: Decimal,
    /// Gross amount: net amount plus tax amount.
    #[wire("AuftBrutto", money, required)]
    pub gross: Decimal,
}

impl ListedDocument {
    pub(crate) fn new(created_at: Timestamp, currency: Currency, sums: &Sums) -> Self {
        Self {
            captured_at: created_at.into(),
            captured_at_utc: created_at.into(),
            currency,
            net: sums.net,
            tax: sums.tax,
            gross: sums.gross,
        }
    }
}

/// An entry of the order list.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct OrderSummary {
    /// Order number.
    #[wire("AuftNr", required)]
    pub order_number: Text<10>,
    /// Customer number.
    #[wire("KundNr", char(8), required)]
    pub customer_number: Text<8>,
    /// Order number in the foreign system.
    #[wire("AuftBestellNr")]
    pub foreign_number: Option<Text<36>>,
    /// Status: N new, O open, A completed, S canceled.
    #[wire("AuftStatus", char(1), required, words("N O A S P"))]
    pub status: SmolStr,
    /// What orders and offers have in common.
    #[wire(group)]
    pub document: ListedDocument,
    /// Linked resources.
    #[wire("links", required)]
    pub links: Vec<Link>,
}

/// An entry of the offer list.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct OfferSummary {
    /// Offer number.
    #[wire("OffertNr", required)]
    pub offer_number: Text<10>,
    /// Customer number; absent in a template.
    #[wire("KundNr", char(8))]
    pub customer_number: Option<Text<8>>,
    /// Company or person of the contact address.
    #[wire("Name")]
    pub name: Option<Text<80>>,
    /// Whether this is a template: `true` not assigned to a customer, `false` assigned.
    #[wire("Template", required)]
    pub template: bool,
    /// Order number in the foreign system.
    #[wire("AuftBestellNr")]
    pub foreign_number: Option<Text<36>>,
    /// Status: P offer, A became an order.
    #[wire("AuftStatus", char(1), required, words("N O A S P"))]
    pub status: SmolStr,
    /// Number of the order the offer became.
    #[wire("AuftNr")]
    pub order_number: Option<Text<10>>,
    /// What orders and offers have in common.
    #[wire(group)]
    pub document: ListedDocument,
    /// Linked resources.
    #[wire("links", required)]
    pub links: Vec<Link>,
}

/// An entry of `Positionen` in orders and offers.
#[derive(Clone, Debug, Default, PartialEq, Record)]
#[record(Response)]
pub struct Position {
    /// Position number, stable within the document.
    ///
    /// Absent only in a price that is computed without a document.
    #[wire("PosNr", required)]
    pub position_number: Option<i32>,
    /// Ordering number.
    ///
    /// Absent only in a price that is computed without a document.
    #[wire("VisPosNr", required)]
    pub visible_number: Option<i32>,
    /// Article number; absent in a cash rounding position.
    #[wire("ArtNr", char(15))]
    pub article_number: Option<Text<15>>,
    /// Position description.
    #[wire("PosBez")]
    pub description: Option<Text<2048>>,
    /// Ordered quantity in the base unit.
    #[wire("PosAnzBest", required)]
    pub quantity: Decimal,
    /// How many base units `PosPreisEinzel` is for.
    #[wire("PosPreisBasis", required)]
    pub price_basis: Decimal,
    /// Unit price.
    #[wire("PosPreisEinzel", required)]
    pub unit_price: Decimal,
    /// Total price after discount.
    #[wire("PosPreisTotal", required)]
    pub total: Decimal,
    /// Tax value of the position.
    #[wire("PosPreisWUSTBetrag", required)]
    pub tax: Decimal,
    /// Quantity in the packaging unit.
    #[wire("VPEAnzBest")]
    pub packaging_quantity: Option<Decimal>,
    /// Price of one packaging unit.
    #[wire("VPEPreisEinzel")]
    pub packaging_price: Option<Decimal>,
    /// Packaging unit.
    #[wire("VPEinheit")]
    pub packaging_unit: Option<Text<30>>,
    /// Tax rate in percent.
    #[wire("WUSTSatz", required)]
    pub tax_rate: Decimal,
    /// Discount rate in percent; absent in a cash rounding position.
    #[wire("GRabSatz")]
    pub discount_rate: Option<Decimal>,
    /// Discount designation; declared float in the table, a number therefore.
    #[wire("GRabBez")]
    pub discount_designation: Option<Decimal>,
}

/// An entry of `MWSTRekapitulation`: what the positions of one tax code sum up to.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct TaxRecapEntry {
    /// Fixed section name for the tax recap.
    #[wire("Abschnitt", required)]
    pub section: SmolStr,
    /// Currency, ISO 4217.
    #[wire("WaehrAbk", required)]
    pub currency: Currency,
    /// Tax value of the positions, summed per rate.
    #[wire("PosWUST", required)]
    pub tax: Decimal,
    /// Tax form figure for the input tax amount.
    #[wire("PosVSTSZiffer", string)]
    pub input_tax_figure: Option<Text<12>>,
    /// Tax rate in percent.
    #[wire("PosWUSTSatz", required)]
    pub rate: Decimal,
    /// Designation of the tax rate.
    #[wire("PosWUSTBez", string)]
    pub designation: Option<Text<80>>,
    /// Net amount of the positions, summed per rate.
    #[wire("PosBetragNetto", required)]
    pub net: Decimal,
    /// Tax form figure for the sales tax amount.
    #[wire("PosUSTSZiffer", string)]
    pub sales_tax_figure: Option<Text<12>>,
    /// Internal tax code of the business system.
    ///
    /// Absent only in totals that are computed without it.
    #[wire("PosWUSTCode", string, required)]
    pub tax_code: Option<TaxCodeId>,
    /// Layout of the tax return: D German, C Swiss, X other.
    ///
    /// Absent only in totals that are computed without it.
    #[wire("PosWUSTKlasse", string, required)]
    pub tax_class: Option<TaxClass>,
    /// Tax form figure for the turnover amount.
    #[wire("PosUSTUZiffer", string)]
    pub turnover_figure: Option<Text<12>>,
}

/// `data` of the response to a created order or a converted offer.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct OrderNumberAnswer {
    /// Number of the order.
    #[wire("AuftNr", required)]
    pub order_number: Text<10>,
}

impl From<&Text<10>> for OrderNumberAnswer {
    fn from(number: &Text<10>) -> Self {
        Self {
            order_number: number.clone(),
        }
    }
}

/// `data` of an offer.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct Offer {
    /// Offer number.
    #[wire("OffertNr", required)]
    pub offer_number: Text<10>,
    /// Header of the offer.
    #[wire("GrundDaten", object, required)]
    pub header: OfferHeader,
    /// The three addresses, copied when the offer was made.
    #[wire("Adressen", object, required)]
    pub addresses: OrderAddresses,
    /// The positions, by their ordering number.
    #[wire("Positionen", list, required)]
    pub positions: Vec<Position>,
    /// Tax recap, one entry per tax code.
    #[wire("MWSTRekapitulation", list, required)]
    pub tax_recap: Vec<TaxRecapEntry>,
    /// Additional payment information; only in the response to GET.
    #[wire("Zahlung", list)]
    pub payments: Option<Vec<Payment>>,
}

/// `GrundDaten` of an offer. Dates are sent under both spellings with the same value.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
#[record(first("StaoNr KundNr AuftKomment Template KundBedBez KundBedTyp AuftBestellTUTC"))]
#[record(first(
    "AuftLieferTUTC AuftLiefKost AuftStatus AuftBestellRef WaehrAbk AuftWUST AuftBrutto"
))]
#[record(first("AuftNetto AuftNr AuftBez AuftBestellNr"))]
pub struct OfferHeader {
    /// Customer number.
    #[wire("KundNr", char(8))]
    pub customer_number: Option<Text<8>>,
    /// Whether this is a template: `true` not assigned to a customer, `false` assigned.
    #[wire("Template", required)]
    pub template: bool,
    /// Payment condition text in the language of the contact.
    #[wire("KundBedBez")]
    pub payment_condition_text: Option<Text<255>>,
    /// Status: N new, O open, A completed, S canceled, P offer.
    #[wire("AuftStatus", char(1), required, words("N O A S P"))]
    pub status: SmolStr,
    /// Number of the order the offer became.
    #[wire("AuftNr")]
    pub order_number: Option<Text<10>>,
    /// What orders and offers have in common.
    #[wire(group)]
    pub document: CommonHeader,
}

/// `data` of an invoice.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct Invoice {
    /// The invoice as it was made.
    #[wire(group)]
    pub invoice: document::Invoice,
    /// The credit note that cancels it.
    #[wire("GutschriftNr")]
    pub credit_note: Option<InvoiceNumber>,
}

/// `data` of the response to a new invoice or credit note.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct InvoiceNumberAnswer {
    /// Number of the invoice or the credit note.
    #[wire("RechNr", required)]
    pub number: InvoiceNumber,
    /// What the office should know: it is of an earlier day than the one before it; why it has no Swiss QR-bill; what its
    /// pages show otherwise than its XML. The same each time, in the language of the response.
    #[wire("Hinweis")]
    pub notice: Option<Text<4000>>,
}

impl document::Order {
    // rule: R-RES-01, R-RES-03
    /// The order as the interface shows it.
    pub fn to_wire(&self) -> Order {
        let document = &self.document;
        Order {
            header: OrderHeader {
                order_number: self.number.clone(),
                customer_number: self.customer.clone(),
                status: SmolStr::new_static(self.status.as_str()),
                document: header(document),
                invoice: self.invoice.clone(),
                credit_note: self.credit_note.clone(),
            },
            addresses: addresses(document),
            positions: positions(&document.positions, document.sums.cash_rounding),
            tax_recap: tax_recap(document),
            payments: document.payments.clone(),
        }
    }
}

impl ShownOffer {
    // rule: R-STA-03, R-END-48
    /// The offer as the interface shows it.
    pub fn to_wire(&self) -> Offer {
        let document = &self.document;
        let (status, order_number) = self.status.shown();
        Offer {
            offer_number: self.number.clone(),
            header: OfferHeader {
                customer_number: self.customer.clone(),
                template: self.customer.is_none(),
                payment_condition_text: self.payment_condition_text.clone(),
                status,
                order_number,
                document: header(document),
            },
            addresses: addresses(document),
            positions: positions(&document.positions, document.sums.cash_rounding),
            tax_recap: tax_recap(document),
            payments: Some(document.payments.clone()),
        }
    }
}

impl OfferStatus {
    /// `AuftStatus`, and the number of the order that the offer became.
    pub(crate) fn shown(&self) -> (SmolStr, Option<OrderNumber>) {
        match self {
            Self::Offered => (SmolStr::new_static("P"), None),
            Self::Ordered(order) => (SmolStr::new_static("A"), Some(order.clone())),
        }
    }
}

fn header(document: &Document) -> CommonHeader {
    CommonHeader {
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
        net: document.sums.net,
        tax: document.sums.tax,
        gross: document.sums.gross,
    }
}

fn addresses(document: &Document) -> OrderAddresses {
    let copies = &document.addresses;
    OrderAddresses {
        contact: copies.contact.as_ref().map(OrderAddress::from),
        delivery: copies.delivery.as_ref().map(OrderAddress::from),
        billing: copies.billing.as_ref().map(OrderAddress::from),
    }
}

// rule: R-RES-06
/// Positions by visible number, then the cash rounding position.
pub(crate) fn positions(all: &[document::Position], cash_rounding: Decimal) -> Vec<Position> {
    let rounding = (!cash_rounding.is_zero()).then(|| rounding_position(all, cash_rounding));
    let ordered = in_output_order(all).into_iter();
    ordered.map(position).chain(rounding).collect()
}

// rule: R-RES-07
fn position(position: &document::Position) -> Position {
    let package = position.package.as_ref();
    Position {
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
fn rounding_position(others: &[document::Position], amount: Decimal) -> Position {
    let last = others.iter().map(|other| other.visible_number).max();
    Position {
        position_number: Some(0),
        visible_number: Some(last.unwrap_or(0).saturating_add(10)),
        description: Text::new(CASH_ROUNDING).ok(),
        quantity: Decimal::ONE,
        price_basis: Decimal::ONE,
        unit_price: amount,
        total: amount,
        ..Position::default()
    }
}

fn tax_recap(document: &Document) -> Vec<TaxRecapEntry> {
    let entries = document.recap.iter();
    let currency = document.currency;
    entries.map(|entry| recap_entry(currency, entry)).collect()
}

// rule: R-RES-08
pub(crate) fn recap_entry(currency: Currency, entry: &TaxRecap) -> TaxRecapEntry {
    TaxRecapEntry {
        section: SmolStr::new_static(RECAP_SECTION),
        currency,
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
