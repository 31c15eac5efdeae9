//! Articles with their packaging units, texts and declarations.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Attributes, TaxCodeId};
use crate::values::codes::{Country, Language};
use crate::values::text::Text;

/// An article number (`ArtNr`).
pub type ArticleNumber = Text<15>;

/// The id code of a packaging unit (`VPEinheit`).
pub type UnitCode = Text<30>;

/// An article as imported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Article {
    /// `ArtNr`.
    pub number: ArticleNumber,
    /// Whether stock is kept (`AnLager` J).
    pub stock_managed: bool,
    /// `ArtikelStatus`; 1 is active.
    pub status: i32,
    /// The base unit (`Einheit`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Text<12>>,
    /// A colour marker `#rrggbb` (`Farbe`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<Text<12>>,
    /// The tax code; without one, the company's standard code applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tax_code: Option<TaxCodeId>,
    /// `ArtGruppe`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<Text<12>>,
    /// `ArtKlasse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Text<8>>,
    /// `BeschaffungsArt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub procurement: Option<Text<1>>,
    /// `VerarbeitungsArt`: C batch-managed, N not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processing: Option<Text<1>>,
    /// `ArtGewicht`, in the company's unit of weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Decimal>,
    /// Number of base units a price is for (`PosPreisBasis`), unless the price has its own basis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_basis: Option<Decimal>,
    /// Descriptions per language (`ArtBez`).
    #[serde(default)]
    pub texts: BTreeMap<Language, Text<255>>,
    /// Attributes.
    #[serde(default)]
    pub attributes: Attributes,
    /// Packaging units in the order of the import.
    #[serde(default)]
    pub units: Vec<PackagingUnit>,
    /// Origin declarations.
    #[serde(default)]
    pub declarations: Vec<Declaration>,
    /// Time of the last change of any part of the article.
    pub changed_at: Timestamp,
}

/// A packaging unit of an article.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackagingUnit {
    /// `VPEinheit`.
    pub code: UnitCode,
    /// `VPEEANNr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ean: Option<Text<30>>,
    /// `VPBezeichnung` per language.
    #[serde(default)]
    pub names: BTreeMap<Language, Text<255>>,
    /// Conversion factor from article to packaging weight (`Gewicht`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_factor: Option<Decimal>,
    /// Weight of the packaging unit (`VPEGewicht`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<Decimal>,
    /// Weight of the content (`GewichtInhalt`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_weight: Option<Decimal>,
    /// Base units per package (`Faktor`), above 0.
    pub factor: Decimal,
}

/// An origin declaration of an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declaration {
    /// `Nr`, unique within the article and language.
    pub number: i32,
    /// `AdrSprache`.
    pub language: Language,
    /// `Bezeichnung1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub designation: Option<Text<255>>,
    /// `Bezeichnung2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub designation_addition: Option<Text<255>>,
    /// `KurzBezeichnung`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_designation: Option<Text<255>>,
    /// `OrtLand`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<Country>,
}

impl Article {
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

    /// Finds a packaging unit that shops may order.
    #[must_use]
    pub fn shop_unit(&self, code: &str) -> Option<&PackagingUnit> {
        self.shop_units()
            .into_iter()
            .find(|unit| unit.code.as_str() == code)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::domain::master::Attribute;

    pub(crate) fn article(number: &str) -> Article {
        Article {
            number: Text::new(number).unwrap(),
            stock_managed: true,
            status: 1,
            unit: Some(Text::new("Stk").unwrap()),
            colour: None,
            tax_code: None,
            group: None,
            class: None,
            procurement: None,
            processing: None,
            weight: None,
            price_basis: None,
            texts: BTreeMap::from([(Language::GERMAN, Text::new("Prüfling").unwrap())]),
            attributes: Attributes::default(),
            units: Vec::new(),
            declarations: Vec::new(),
            changed_at: Timestamp::UNIX_EPOCH,
        }
    }

    pub(crate) fn unit(code: &str, factor: u32) -> PackagingUnit {
        PackagingUnit {
            code: Text::new(code).unwrap(),
            ean: None,
            names: BTreeMap::new(),
            weight_factor: None,
            weight: None,
            content_weight: None,
            factor: Decimal::from(factor),
        }
    }

    // rule: R-ART-03
    #[test]
    fn webshopvpe_names_the_units_and_their_order() {
        let mut article = article("A1");
        article.units = vec![unit("KT12", 12), unit("PAL", 480), unit("BX6", 6)];
        let codes = |article: &Article| -> Vec<String> {
            article
                .shop_units()
                .iter()
                .map(|unit| unit.code.to_string())
                .collect()
        };
        assert_eq!(codes(&article), ["KT12", "PAL", "BX6"]);
        for (contents, expected) in [
            (" BX6 , KT12 ", vec!["BX6", "KT12"]),
            ("KT12,KT12,BX6,kt12", vec!["KT12", "BX6"]),
            ("NONE", vec![]),
            (" , ", vec!["KT12", "PAL", "BX6"]),
        ] {
            article.attributes.set(Attribute {
                key: Text::new("WEBSHOPVPE").unwrap(),
                contents: Text::new(contents).unwrap(),
            });
            assert_eq!(codes(&article), expected, "{contents}");
        }
    }
}
