//! Customers with their addresses.

use erp_derive::{Record, skip_serializing_none};
use serde::{Deserialize, Serialize};

use super::{Attributes, LeitwegId, PriceListType, TaxCodeId};
use crate::domain::address::Address;
use crate::domain::request::CustomerDetails;
use crate::values::codes::Currency;
use crate::values::problem::Problems;
use crate::values::text::{IntoText, Text};

/// A customer number (`KundNr`, the same as `DebiNr`).
pub type CustomerNumber = Text<8>;

/// A customer with addresses (`Kunde`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "CustomerRow", bare(number, designation, details, contact))]
pub struct Customer {
    /// Customer number.
    #[wire("KundNr", digits, char(8), required)]
    pub number: CustomerNumber,
    /// Designation; default: the name in the contact address.
    #[wire("KundBez", name, default)]
    pub designation: Text<24>,
    /// What a shop may set, and the industry.
    #[wire(group)]
    #[serde(flatten)]
    pub details: CustomerDetails,
    /// Price list type, searched first.
    #[wire("PreisListe", key)]
    pub price_list: Option<PriceListType>,
    /// Cost bearer.
    #[wire("KTNr", key, char(6))]
    pub cost_bearer: Option<Text<6>>,
    /// Tax code in place of the articles'.
    #[wire("WUSTCode", key)]
    pub tax_code: Option<TaxCodeId>,
    /// Payment condition.
    #[wire("KundBedTyp")]
    pub payment_condition: Option<u8>,
    /// VAT identifier with the country in front, for example `ATU12345678`.
    #[wire("UStIdNr", name)]
    pub vat_id: Option<Text<24>>,
    /// Routing id of a public buyer in Germany; its invoices follow XRechnung.
    #[wire("LeitwegID")]
    pub leitweg_id: Option<LeitwegId>,
    /// Attributes.
    #[wire("attributes", default)]
    pub attributes: Attributes,
    /// Contact address.
    #[wire("KontaktAdr", object, required)]
    pub contact: CustomerAddress,
    /// Delivery addresses; without one the contact address is used.
    #[wire("LiefAdr", list)]
    pub delivery: Vec<CustomerAddress>,
    /// Billing addresses; without one the contact address is used.
    #[wire("RechAdr", list)]
    pub billing: Vec<CustomerAddress>,
}

/// An address of a customer (`KontaktAdr`, `LiefAdr`, `RechAdr`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "AddressRow")]
pub struct CustomerAddress {
    /// Address number; without one (0) that of the customer's address at the same place, or a new one.
    #[wire("AdrNr", positive, default)]
    pub number: i32,
    /// The address.
    #[wire(group)]
    pub address: Address,
    /// Attributes; `RESTWEBSHOP` names the shops that see it when the company selects addresses.
    #[wire("attributes", default)]
    pub attributes: Attributes,
}

/// What is left of a customer that was forgotten: its number, so that it is never given again (`"Vergessen": true`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "ForgottenCustomerRow")]
pub struct ForgottenCustomer {
    /// Customer number.
    #[wire("KundNr", digits, char(8), required)]
    pub number: CustomerNumber,
    /// Whether the customer was forgotten: true.
    #[wire("Vergessen", required)]
    pub is_forgotten: bool,
    /// Which shops saw the customer (`RESTWEBSHOP`).
    #[wire("attributes", default)]
    pub attributes: Attributes,
}

impl From<Address> for CustomerAddress {
    /// An address that gets its number when it is stored.
    fn from(address: Address) -> Self {
        Self {
            number: 0,
            address,
            attributes: Attributes::default(),
        }
    }
}

impl Customer {
    /// A customer with what every one has, in the language of its contact address; the other members are fields.
    pub fn new(
        number: impl IntoText<8>,
        currency: Currency,
        contact: Address,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let number = problems.text("KundNr", number);
        let designation = Self::designation_of(&contact);
        let details = CustomerDetails::new(currency, contact.language);
        problems.and(Ok(Self::bare(number, designation, details, contact.into())))
    }

    /// Whether the customer may buy on credit (`status` 1).
    pub const fn has_credit(&self) -> bool {
        self.details.credit_limit > 0
    }

    /// The effective delivery address: the first one, otherwise the contact address.
    pub fn delivery_address(&self) -> &CustomerAddress {
        self.delivery.first().unwrap_or(&self.contact)
    }

    /// The effective billing address: the first one, otherwise the contact address.
    pub fn billing_address(&self) -> &CustomerAddress {
        self.billing.first().unwrap_or(&self.contact)
    }

    /// Every address of the customer, each once.
    pub fn addresses(&self) -> impl Iterator<Item = &CustomerAddress> {
        std::iter::once(&self.contact)
            .chain(&self.delivery)
            .chain(&self.billing)
    }

    /// Every address of the customer to change it, in the order of [`Customer::addresses`].
    pub fn addresses_mut(&mut self) -> impl Iterator<Item = &mut CustomerAddress> {
        std::iter::once(&mut self.contact)
            .chain(&mut self.delivery)
            .chain(&mut self.billing)
    }

    // rule: R-END-14
    /// Derives a designation from an address: the company name or first and last name, cut to the field length. (It is
    /// a derived search term; no text sent by a client is cut.)
    pub fn designation_of(address: &Address) -> Text<24> {
        let name = address.addressee();
        let short: String = name.chars().take(24).collect();
        Text::new(short.trim()).unwrap_or_default()
    }
}
