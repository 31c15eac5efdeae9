//! The order as `GET /www/auftrag/{AuftNr}` returns it (interface: "Order (Auftrag), response shape").

use erp_derive::Record;
use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::OrderAddresses;
use crate::domain::document::Payment;
use crate::domain::master::{TaxClass, TaxCodeId};
use crate::values::codes::Currency;
use crate::values::text::Text;
use crate::values::time::DocumentTime;

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
#[record(first(
    "AuftNr",
    "KundNr",
    "AuftBez",
    "AuftBestellNr",
    "AuftBestellRef",
    "AuftBestellT",
    "AuftBestellTUTC"
))]
#[record(first(
    "AuftLieferT",
    "AuftLieferTUTC",
    "WaehrAbk",
    "AuftKomment",
    "KundBedTyp",
    "AuftLiefKost",
    "StaoNr"
))]
pub struct OrderHeader {
    /// Order number.
    #[wire("AuftNr", required)]
    pub order_number: Text<10>,
    /// Customer number.
    #[wire("KundNr", char(8), required)]
    pub customer_number: Text<8>,
    /// Status: N new, O open, A completed.
    #[wire("AuftStatus", char(1), required)]
    pub status: SmolStr,
    /// What orders and offers have in common.
    #[wire(group)]
    pub document: CommonHeader,
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
    /// Price basis: how many base units the unit price is for.
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
    /// Unit price of the packaging unit.
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
