//! Customers with their addresses.

use serde::{Deserialize, Serialize};

use super::{Attributes, PriceListType, TaxCodeId};
use crate::domain::address::Address;
use crate::domain::request::PaymentMethod;
use crate::values::codes::{Currency, Language};
use crate::values::text::Text;

/// A customer number (`KundNr`, the same as `DebiNr`).
pub type CustomerNumber = Text<8>;

/// A customer as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    /// `KundNr` and `DebiNr`.
    pub number: CustomerNumber,
    /// Short designation (`KundBez`).
    pub designation: Text<24>,
    /// `WaehrAbk`.
    pub currency: Currency,
    /// `AdrSprache`.
    pub language: Language,
    /// Payment type (`FAKTZahlArt`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_type: Option<Text<1>>,
    /// Payment methods (`ZahlungsMethode`).
    #[serde(default)]
    pub payment_methods: Vec<PaymentMethod>,
    /// Industry (`BrancheID`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub industry: Option<Text<12>>,
    /// Shipping condition type (`VBTyp`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipping_condition: Option<Text<12>>,
    /// Transport insurance type (`TVTyp`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport_insurance: Option<Text<12>>,
    /// Expense calculation value (`AUFT_SPESEN`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expense_calculation: Option<Text<32>>,
    /// Comment (`Kommentar`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<Text<255>>,
    /// Tax number (`SteuerNummer`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax_number: Option<Text<20>>,
    /// Web site (`FirmenURL`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: Option<Text<20>>,
    /// Credit limit (`KreditLimit`); 0 means blocked.
    pub credit_limit: i32,
    /// The customer's price list type, searched first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_list: Option<PriceListType>,
    /// Cost bearer (`KTNr`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_bearer: Option<Text<6>>,
    /// The customer's tax code; replaces that of the article.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax_code: Option<TaxCodeId>,
    /// Payment condition (`KundBedTyp`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_condition: Option<u8>,
    /// Attributes.
    #[serde(default)]
    pub attributes: Attributes,
    /// The contact address (`KundKontakt`).
    pub contact: CustomerAddress,
    /// Delivery addresses (`KundLief`); if empty, the contact address is used.
    #[serde(default)]
    pub delivery: Vec<CustomerAddress>,
    /// Billing addresses (`KundRech`); if empty, the contact address is used.
    #[serde(default)]
    pub billing: Vec<CustomerAddress>,
}

/// An address of a customer with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomerAddress {
    /// `AdrNr`.
    pub number: i32,
    /// The address.
    pub address: Address,
    /// Attributes, for the selection of addresses by `RESTWEBSHOP`.
    #[serde(default)]
    pub attributes: Attributes,
}

impl Customer {
    /// Whether the customer may buy on credit (`status` 1).
    #[must_use]
    pub const fn has_credit(&self) -> bool {
        self.credit_limit > 0
    }

    /// The effective delivery address: the first one, otherwise the contact address.
    #[must_use]
    pub fn delivery_address(&self) -> &CustomerAddress {
        self.delivery.first().unwrap_or(&self.contact)
    }

    /// The effective billing address: the first one, otherwise the contact address.
    #[must_use]
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
    #[must_use]
    pub fn designation_of(address: &Address) -> Text<24> {
        let name = address.addressee();
        let short: String = name.chars().take(24).collect();
        Text::new(short.trim()).unwrap_or_default()
    }
}
