//! Articles with their packaging units, texts and declarations.

use std::collections::BTreeMap;

use erp_derive::{Record, skip_serializing_none};
use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Attributes, PriceTier, TaxCodeId};
use crate::values::codes::{Country, Language};
use crate::values::problem::Problems;
use crate::values::text::{IntoText, Text};

/// An article number (`ArtNr`).
pub type ArticleNumber = Text<15>;

/// The id code of a packaging unit (`VPEinheit`).
pub type UnitCode = Text<30>;

/// An article (`Artikel`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "ArticleRow", removable)]
pub struct Article {
    /// Article number.
    #[wire("ArtNr", linked, char(15), required)]
    pub number: ArticleNumber,
    /// J yes, N no: stock-managed.
    #[wire("AnLager", yes_no, char(1), default)]
    pub stock_managed: bool,
    /// 1 = active.
    #[wire("ArtikelStatus", default = 1)]
    pub status: i32,
    /// Article unit.
    #[wire("Einheit")]
    pub unit: Option<Text<12>>,
    /// Colour marker #rrggbb.
    #[wire("Farbe", colour)]
    pub colour: Option<Text<12>>,
    /// Tax code; without one, the company's standard code applies.
    #[wire("WUSTCode", key)]
    pub tax_code: Option<TaxCodeId>,
    /// Article group.
    #[wire("ArtGruppe", char(12))]
    pub group: Option<Text<12>>,
    /// Article class.
    #[wire("ArtKlasse", char(8))]
    pub class: Option<Text<8>>,
    /// Procurement type.
    #[wire("BeschaffungsArt", char(1))]
    pub procurement: Option<Text<1>>,
    /// Processing type: C batch-managed, N not.
    #[wire("VerarbeitungsArt", processing, char(1))]
    pub processing: Option<Text<1>>,
    /// Weight, in the company's unit of weight.
    #[wire("ArtGewicht", amount)]
    pub weight: Option<Decimal>,
    /// How many base units a price is for, unless the price has its own basis.
    #[wire("PosPreisBasis", amount)]
    pub price_basis: Option<Decimal>,
    /// Description per language.
    #[wire("ArtBez", texts)]
    pub texts: BTreeMap<Language, Text<255>>,
    /// Attributes.
    #[wire("attributes", default)]
    pub attributes: Attributes,
    /// Packaging units in the order of the import.
    #[wire("Verpackungen", list)]
    pub units: Vec<PackagingUnit>,
    /// Origin declarations.
    #[wire("Deklaration", list)]
    pub declarations: Vec<Declaration>,
    /// Time of the last change of any part of the article.
    pub changed_at: Timestamp,
}

/// A packaging unit of an article (`Verpackungen`).
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "PackagingUnitPart")]
pub struct PackagingUnit {
    /// Packaging unit id code.
    #[wire("VPEinheit", key, required)]
    pub code: UnitCode,
    /// EAN of the packaging.
    #[wire("VPEEANNr")]
    pub ean: Option<Text<30>>,
    /// Designation per language.
    #[wire("VPBezeichnung", texts)]
    pub names: BTreeMap<Language, Text<255>>,
    /// Conversion factor from article to packaging weight.
    #[wire("Gewicht", amount)]
    pub weight_factor: Option<Decimal>,
    /// Weight of the packaging unit.
    #[wire("VPEGewicht", amount)]
    pub weight: Option<Decimal>,
    /// Weight of the content.
    #[wire("GewichtInhalt", amount)]
    pub content_weight: Option<Decimal>,
    /// How many base units a package holds.
    #[wire("Faktor", quantity, required)]
    pub factor: Decimal,
}

/// An origin declaration of an article (`Deklaration`).
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Record)]
#[record(Row = "DeclarationPart")]
pub struct Declaration {
    /// Number, unique within the article and language.
    #[wire("Nr", required)]
    pub number: i32,
    /// Language, ISO 639-2/B.
    #[wire("AdrSprache", default = reader.language())]
    pub language: Language,
    /// Designation.
    #[wire("Bezeichnung1")]
    pub designation: Option<Text<255>>,
    /// Addition to the designation.
    #[wire("Bezeichnung2")]
    pub designation_addition: Option<Text<255>>,
    /// Short designation.
    #[wire("KurzBezeichnung")]
    pub short_designation: Option<Text<255>>,
    /// Country of origin, ISO 3166-1 alpha-2.
    #[wire("OrtLand")]
    pub country: Option<Country>,
}

impl Article {
    /// An active article with its description in one language. No shop sees it yet.
    pub fn new(
        number: impl IntoText<15>,
        language: Language,
        text: impl IntoText<255>,
    ) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        let article = Self {
            number: problems.text("ArtNr", number),
            status: 1,
            texts: BTreeMap::from([(language, problems.text("ArtBez", text))]),
            ..Self::default()
        };
        problems.and(Ok(article))
    }

    /// Shows the article to all shops.
    #[must_use]
    pub fn visible_to_all(mut self) -> Self {
        self.attributes.select("*");
        self
    }

    // rule: D-DOC-37
    /// Whether it is sold: `ArtikelStatus` 0 is inactive, every other value is not.
    pub const fn is_sold(&self) -> bool {
        self.status != 0
    }

    // rule: R-TOT-04
    /// How many packages of a unit, or base units without one, the price of a tier is for: the tier's basis, else for base
    /// units the article's, which counts these, else one.
    #[must_use]
    pub fn price_basis_of(&self, unit: Option<&str>, tier: Option<&PriceTier>) -> Decimal {
        let own = self.price_basis.filter(|_| unit.is_none());
        let both = [tier.and_then(|tier| tier.basis), own];
        let mut named = both.into_iter().flatten();
        // Other systems write 0 where there is none.
        named.find(|basis| !basis.is_zero()).unwrap_or(Decimal::ONE)
    }

    // rule: R-ART-03
    /// The packaging units shown in shops: those listed in `WEBSHOPVPE`, each once and in that
    /// order; all if it is empty or absent.
    #[must_use]
    pub fn shop_units(&self) -> Vec<&PackagingUnit> {
        let mut named = self.attributes.list(Attributes::PACKAGING_UNITS).peekable();
        if named.peek().is_none() {
            return self.units.iter().collect();
        }
        let mut units = Vec::new();
        for code in named {
            let mut known = self.units.iter();
            let unit = known.find(|unit| unit.code.eq_ignore_ascii_case(code));
            units.extend(unit.filter(|unit| !units.contains(unit)));
        }
        units
    }

    /// The codes in `WEBSHOPVPE` that are none of its packaging units.
    pub(crate) fn unknown_shop_units(&self) -> impl Iterator<Item = &str> {
        let named = self.attributes.list(Attributes::PACKAGING_UNITS);
        let is_known = |code: &str| {
            let mut units = self.units.iter();
            units.any(|unit| unit.code.eq_ignore_ascii_case(code))
        };
        named.filter(move |code| !is_known(code))
    }

    /// Finds a packaging unit that shops may order.
    #[must_use]
    pub fn shop_unit(&self, code: &str) -> Option<&PackagingUnit> {
        let mut units = self.shop_units().into_iter();
        units.find(|unit| unit.code.as_str() == code)
    }

    /// Whether the article is counted in such a unit; without one, in its base unit.
    pub(crate) fn has_unit(&self, unit: Option<&str>) -> bool {
        let mut units = self.units.iter();
        unit.is_none_or(|code| units.any(|unit| unit.code.as_str() == code))
    }
}

#[cfg(test)]
pub(crate) mod tests;
