//! The company: settings maintained in the back office.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Attributes, PriceListType, TaxCodeId};
use crate::domain::totals::PriceKind;
use crate::values::codes::{Country, Currency, Language};
use crate::values::text::Text;

/// Company settings and attributes. There is exactly one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Company {
    /// The name.
    pub name: Text<255>,
    /// The leading currency, default for every `WaehrAbk`.
    pub currency: Currency,
    /// Language for texts without a translation, default for `adrsprache`.
    pub language: Language,
    /// The home country.
    pub country: Country,
    /// IANA name of the time zone in which dates without a time are interpreted.
    pub time_zone: SmolStr,
    /// Net or gross of a document if no price list has a price.
    pub price_kind: PriceKind,
    /// Price list type that is searched after the customer's (`RESTPreisliste`).
    pub price_list: Option<PriceListType>,
    /// Tax code of articles without their own.
    pub tax_code: Option<TaxCodeId>,
    /// Tax code of delivery costs in a document that has no positions to take it from.
    pub delivery_tax_code: Option<TaxCodeId>,
    /// The default location (`StaoNr`).
    pub location: i32,
    /// Payment conditions by `KundBedTyp`.
    #[serde(default)]
    pub payment_conditions: BTreeMap<u8, PaymentCondition>,
    /// Attributes, for example the switches of the events.
    #[serde(default)]
    pub attributes: Attributes,
}

/// The text of a payment condition per language.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PaymentCondition(pub BTreeMap<Language, Text<255>>);

impl Default for Company {
    /// Used before any company record is imported: a Swiss company without price list and tax codes.
    fn default() -> Self {
        Self {
            name: Text::default(),
            currency: Currency::CHF,
            language: Language::GERMAN,
            country: Country::CH,
            time_zone: SmolStr::new_static("UTC"),
            price_kind: PriceKind::Net,
            price_list: None,
            tax_code: None,
            delivery_tax_code: None,
            location: 1,
            payment_conditions: BTreeMap::new(),
            attributes: Attributes::default(),
        }
    }
}

impl Company {
    /// Whether an event is enabled: an attribute with its name exists, and its content is not empty, `0` or `N`.
    #[must_use]
    pub fn sends_event(&self, name: &str) -> bool {
        self.attributes
            .get(name)
            .is_some_and(|value| !matches!(value.trim(), "" | "0" | "N" | "n"))
    }

    /// The text in this language, otherwise in the company's, otherwise any.
    #[must_use]
    pub fn translation<'a, T>(
        &self,
        texts: &'a BTreeMap<Language, T>,
        language: Language,
    ) -> Option<&'a T> {
        texts
            .get(&language)
            .or_else(|| texts.get(&self.language))
            .or_else(|| texts.values().next())
    }
}
