//! The offer as `GET`, `POST` and `PATCH /www/offerte` return it (interface: "Offer (Offerte), response shape").

use erp_derive::Record;
use smol_str::SmolStr;

use super::{CommonHeader, OrderAddresses, Position, TaxRecapEntry};
use crate::domain::document::Payment;
use crate::values::text::Text;

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
#[record(first(
    "StaoNr",
    "KundNr",
    "AuftKomment",
    "Template",
    "KundBedBez",
    "KundBedTyp",
    "AuftBestellTUTC"
))]
#[record(first(
    "AuftLieferTUTC",
    "AuftLiefKost",
    "AuftStatus",
    "AuftBestellRef",
    "WaehrAbk",
    "AuftWUST",
    "AuftBrutto"
))]
#[record(first("AuftNetto", "AuftNr", "AuftBez", "AuftBestellNr"))]
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
    /// Status: N new, O open, A completed, P offer.
    #[wire("AuftStatus", char(1), required)]
    pub status: SmolStr,
    /// Number of the order the offer became.
    #[wire("AuftNr")]
    pub order_number: Option<Text<10>>,
    /// What orders and offers have in common.
    #[wire(group)]
    pub document: CommonHeader,
}
