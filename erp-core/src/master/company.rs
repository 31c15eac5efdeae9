//! The company: the settings the back office maintains.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Attributes, PriceListType, TaxCodeId};
use crate::codes::{Country, Currency, Language};
use crate::text::Text;
use crate::totals::PriceKind;

/// Company settings and attributes. There is exactly one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Company {
    /// The name.
    pub name: Text<255>,
    /// The leading currency, the default of every `WaehrAbk`.
    pub currency: Currency,
    /// The language of texts without a translation, the default of `adrsprache`.
    pub language: Language,
    /// The home country.
    pub country: Country,
    /// IANA name of the time zone in which a date without a time begins.
    pub time_zone: SmolStr,
    /// The kind of a document when no price list was hit.
    pub price_kind: PriceKind,
    /// The price list type every customer falls back to (`RESTPreisliste`).
    pub price_list: Option<PriceListType>,
    /// The tax code of articles without one.
    pub tax_code: Option<TaxCodeId>,
    /// The tax code of delivery costs in a document without positions to follow.
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
    /// What holds before any company record is imported: a Swiss company without prices of its own.
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
    /// Whether an event of this name is switched on: an attribute of the name with any content but
    /// `0`, `N` or nothing.
    #[must_use]
    pub fn sends_event(&self, name: &str) -> bool {
        self.attributes
            .get(name)
            .is_some_and(|value| !matches!(value.trim(), "" | "0" | "N" | "n"))
    }

    /// The text in this language, else in the company's, else any.
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
