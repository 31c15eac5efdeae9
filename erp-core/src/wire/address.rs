//! Addresses in the forms of orders and offers, and of the address endpoints (interface: "Address
//! record").

use erp_derive::Record;
use smol_str::SmolStr;

use super::Link;
use crate::domain::address::Address;
use crate::values::codes::Country;
use crate::values::text::Text;

/// `Adressen` of an order or offer: always all three, also when they are identical.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(Response)]
pub struct OrderAddresses {
    /// Contact address.
    #[wire("KontaktAdr", object)]
    pub contact: Option<OrderAddress>,
    /// Delivery address.
    #[wire("LiefAdr", object)]
    pub delivery: Option<OrderAddress>,
    /// Billing address.
    #[wire("RechAdr", object)]
    pub billing: Option<OrderAddress>,
}

/// An address in orders and offers (table "response, in orders and offers"). Its address lines are longer than declared
/// when they were sent so (up to 60 characters).
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(Response)]
#[record(first(
    "AdrNr",
    "AdrFirma",
    "AdrFirma2",
    "AdrVorname",
    "AdrName",
    "AdrAdresse1",
    "AdrAdresse2"
))]
#[record(first(
    "AdrTelex",
    "AdrTf1",
    "AdrTf2",
    "AdrFax",
    "OrtName",
    "OrtPLZ",
    "OrtLand",
    "ISOLandA2"
))]
pub struct OrderAddress {
    /// Address number.
    #[wire("AdrNr")]
    pub number: Option<i32>,
    /// The address.
    #[wire(group(Copied))]
    pub address: Address,
    /// Country, ISO 3166-1 alpha-2; the same value as `OrtLand`.
    #[wire("ISOLandA2", required)]
    pub country_iso: Country,
}

/// An address of the address endpoints (table "response of the address endpoints").
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
#[record(first(
    "AdrNr",
    "AdrSprache",
    "EmailAdress",
    "AdrAdresse1",
    "AdrAdresse2",
    "AdrAnrede",
    "AdrAnredeText"
))]
pub struct AddressRecord {
    /// Address number; in lists.
    #[wire("AdrNr")]
    pub number: Option<i32>,
    /// The address.
    #[wire(group)]
    pub address: Address,
    /// Salutation text in the language of the address.
    #[wire("AdrAnredeText")]
    pub salutation_text: Option<SmolStr>,
    /// Linked resources; in lists.
    #[wire("links")]
    pub links: Option<Vec<Link>>,
}

/// `data` of `GET /www/adressen?debinr=`: the addresses of a customer by their use.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct AddressesOfCustomer {
    /// Contact addresses.
    #[wire("KundKontakt", list, required)]
    pub contact: Vec<AddressRecord>,
    /// Delivery addresses.
    #[wire("KundLief", list, required)]
    pub delivery: Vec<AddressRecord>,
    /// Billing addresses.
    #[wire("KundRech", list, required)]
    pub billing: Vec<AddressRecord>,
}

/// `data` of `GET /www/adressensuche`: the one customer that was found.
#[derive(Clone, Debug, PartialEq, Record)]
#[record(Response)]
pub struct AddressSearchResult {
    /// Delivery address key.
    #[wire("KundLief")]
    pub delivery_address: Option<i32>,
    /// Billing address key.
    #[wire("KundRech")]
    pub billing_address: Option<i32>,
    /// Contact address key.
    #[wire("KundKontakt")]
    pub contact_address: Option<i32>,
    /// Customer number.
    #[wire("DebiNr", string)]
    pub customer_number: Option<Text<8>>,
    /// Links to the addresses and the customer.
    #[wire("links")]
    pub links: Option<Vec<Link>>,
}
