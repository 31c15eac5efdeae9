//! Prices of an article in one price list, and the search through several lists.

use erp_derive::{Say, skip_serializing_none};
use jiff::Timestamp;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::UnitCode;
use crate::domain::totals::PriceKind;
use crate::values::codes::Currency;
use crate::values::text::Text;

/// The name of a price list type (`PreisListe`).
pub type PriceListType = Text<12>;

/// A price that applies from a quantity on.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceTier {
    /// First quantity (`AbAnzahl`), counted in the unit of the set.
    pub from: Decimal,
    /// Last quantity (`BisAnzahl`); unlimited when absent.
    pub until: Option<Decimal>,
    /// The price (`PreisList`), in the currency and kind of the set.
    pub price: Decimal,
    /// Number of units the price is for; that of the article when absent.
    pub basis: Option<Decimal>,
    /// Price range (`Bereich`).
    pub range: Option<Text<15>>,
    /// Time of the last change of this tier.
    pub changed_at: Timestamp,
}

/// All tiers of one unit in one currency.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceSet {
    /// The packaging unit; the base unit when absent.
    pub unit: Option<UnitCode>,
    /// The currency of every tier.
    pub currency: Currency,
    /// Net or gross, for every tier.
    pub kind: PriceKind,
    /// Tiers by ascending quantity.
    pub tiers: Vec<PriceTier>,
}

impl PriceSet {
    /// The tier for a quantity, or for its whole part, so that 9.5 is in the first of the tiers 1 to 9 and 10 to 99;
    /// `None` below the first tier or in a gap.
    pub fn tier(&self, quantity: Decimal) -> Option<&PriceTier> {
        let of = |quantity: Decimal| {
            let fits = |tier: &&PriceTier| {
                tier.from <= quantity && tier.until.is_none_or(|until| quantity <= until)
            };
            self.tiers.iter().find(fits)
        };
        of(quantity).or_else(|| of(quantity.floor()))
    }
}

/// The prices of one article in one price list type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArticlePrices {
    sets: Vec<PriceSet>,
}

/// Why tiers do not form a valid price list.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ArticlePricesError {
    /// Two tiers contain the same quantity.
    #[say("contradiction.tiers_overlap")]
    Overlap(Decimal, Decimal),
    /// The last quantity of a tier is below its first.
    #[say("contradiction.tier_ends")]
    Backwards(Decimal, Decimal),
    /// Net and gross prices for the same unit and currency.
    #[say("contradiction.mixed_kinds")]
    MixedKinds,
}

impl ArticlePrices {
    /// The sets.
    pub fn sets(&self) -> &[PriceSet] {
        &self.sets
    }

    /// Whether there are no prices.
    pub const fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The tiers of a unit (`None`: base unit) in a currency.
    pub fn set(&self, unit: Option<&str>, currency: Currency) -> Option<&PriceSet> {
        self.sets
            .iter()
            .find(|set| set.currency == currency && set.unit.as_deref() == unit)
    }

    /// Adds a tier, or replaces the one with the same first quantity.
    ///
    /// # Errors
    /// [`ArticlePricesError::MixedKinds`] when the set has the other kind.
    pub fn put(
        &mut self,
        unit: Option<UnitCode>,
        currency: Currency,
        kind: PriceKind,
        tier: PriceTier,
    ) -> Result<(), ArticlePricesError> {
        let known = self
            .sets
            .iter_mut()
            .find(|set| set.currency == currency && set.unit == unit);
        let Some(set) = known else {
            self.sets.push(PriceSet {
                unit,
                currency,
                kind,
                tiers: vec![tier],
            });
            self.sets
                .sort_by(|a, b| (&a.unit, a.currency).cmp(&(&b.unit, b.currency)));
            return Ok(());
        };
        match set
            .tiers
            .binary_search_by_key(&tier.from, |known| known.from)
        {
            Ok(at) if set.tiers.len() == 1 => {
                set.kind = kind;
                set.tiers.splice(at..=at, [tier]);
            }
            _ if set.kind != kind => return Err(ArticlePricesError::MixedKinds),
            Ok(at) => drop(set.tiers.splice(at..=at, [tier])),
            Err(at) => set.tiers.insert(at, tier),
        }
        Ok(())
    }

    /// Removes a tier, if it exists.
    pub fn remove(&mut self, unit: Option<&str>, currency: Currency, from: Decimal) {
        for set in self
            .sets
            .iter_mut()
            .filter(|set| set.currency == currency && set.unit.as_deref() == unit)
        {
            set.tiers.retain(|tier| tier.from != from);
        }
        self.sets.retain(|set| !set.tiers.is_empty());
    }

    /// Checks that no quantity has two prices.
    ///
    /// # Errors
    /// The first pair of overlapping tiers, or a tier whose last quantity is below its first.
    pub fn check(&self) -> Result<(), ArticlePricesError> {
        for set in &self.sets {
            for tier in &set.tiers {
                if let Some(until) = tier.until.filter(|until| *until < tier.from) {
                    return Err(ArticlePricesError::Backwards(tier.from, until));
                }
            }
            for (tier, next) in set.tiers.iter().zip(set.tiers.iter().skip(1)) {
                if tier.until.is_none_or(|until| until >= next.from) {
                    return Err(ArticlePricesError::Overlap(tier.from, next.from));
                }
            }
        }
        Ok(())
    }
}

/// Result of the price search: a set and the index of its list in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceHit<'a> {
    /// 0 is the first list of the chain.
    pub list: usize,
    /// All tiers that apply. Lists are never merged.
    pub set: &'a PriceSet,
}

// rule: R-ART-04
/// Price search: all tiers of the first list that has a price for this unit and currency.
pub fn first_hit<'a>(
    chain: impl IntoIterator<Item = Option<&'a ArticlePrices>>,
    unit: Option<&str>,
    currency: Currency,
) -> Option<PriceHit<'a>> {
    let mut lists = chain.into_iter().enumerate();
    lists.find_map(|(list, prices)| {
        prices?
            .set(unit, currency)
            .map(|set| PriceHit { list, set })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tier(from: u32, until: Option<u32>, price: u32) -> PriceTier {
        PriceTier {
            from: from.into(),
            until: until.map(Into::into),
            price: price.into(),
            basis: None,
            range: None,
            changed_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn prices(tiers: &[PriceTier]) -> ArticlePrices {
        let mut prices = ArticlePrices::default();
        for tier in tiers {
            prices
                .put(None, Currency::CHF, PriceKind::Net, tier.clone())
                .unwrap();
        }
        prices
    }

    // rule: R-TOT-01
    #[test]
    fn a_tier_holds_from_its_first_to_its_last_quantity() {
        let prices = prices(&[
            tier(10, Some(49), 9),
            tier(60, None, 8),
            tier(2, Some(9), 10),
        ]);
        let set = prices.set(None, Currency::CHF).unwrap();
        let price = |quantity: &str| {
            set.tier(quantity.parse().unwrap())
                .map(|tier| tier.price.to_string())
        };
        for (quantity, expected) in [
            ("1.999999", None),
            ("2", Some("10")),
            ("9", Some("10")),
            ("9.999999", Some("10")),
            ("10", Some("9")),
            ("49.5", Some("9")),
            ("50", None),
            ("59.5", None),
            ("60.5", Some("8")),
            ("999", Some("8")),
        ] {
            assert_eq!(price(quantity).as_deref(), expected, "{quantity}");
        }
    }

    // rule: R-TOT-01
    #[test]
    fn overlapping_tiers_are_found() {
        assert!(
            prices(&[tier(1, Some(9), 1), tier(10, None, 1)])
                .check()
                .is_ok()
        );
        assert!(
            prices(&[tier(1, Some(10), 1), tier(10, None, 1)])
                .check()
                .is_err()
        );
        assert!(
            prices(&[tier(1, None, 1), tier(10, None, 1)])
                .check()
                .is_err()
        );
        assert!(prices(&[tier(5, Some(4), 1)]).check().is_err());
    }

    #[test]
    fn one_set_has_one_kind() {
        let mut prices = prices(&[tier(1, Some(9), 1), tier(10, None, 1)]);
        let gross = prices.put(None, Currency::CHF, PriceKind::Gross, tier(10, None, 2));
        assert_eq!(gross, Err(ArticlePricesError::MixedKinds));
        assert!(
            prices
                .put(None, Currency::EUR, PriceKind::Gross, tier(1, None, 2))
                .is_ok()
        );
        prices.remove(None, Currency::EUR, 1.into());
        assert_eq!(prices.sets().len(), 1);
    }

    proptest! {
        // rule: R-ART-04
        /// For any lists: the result is the complete set of one list, and no earlier list has one.
        #[test]
        fn the_first_list_with_a_price_gives_all_its_tiers(
            lists in proptest::collection::vec(
                proptest::option::of(proptest::collection::vec((0_u8..3, 0_u8..2, 1_u32..20), 0..8)), 0..4),
            unit in 0_u8..3,
            currency in 0_u8..2,
        ) {
            let unit_of = |unit: u8| (unit > 0).then(|| UnitCode::new(&format!("U{unit}")).unwrap());
            let currency_of = |currency: u8| if currency == 0 { Currency::CHF } else { Currency::EUR };
            let lists: Vec<Option<ArticlePrices>> = lists.iter().map(|list| list.as_ref().map(|rows| {
                let mut prices = ArticlePrices::default();
                for (unit, currency, from) in rows {
                    prices.put(unit_of(*unit), currency_of(*currency), PriceKind::Net, tier(*from, None, 1)).unwrap();
                }
                prices
            })).collect();
            let (unit, currency) = (unit_of(unit), currency_of(currency));
            let hit = first_hit(lists.iter().map(Option::as_ref), unit.as_deref(), currency);
            let holds = |list: &Option<ArticlePrices>| list.as_ref().and_then(|prices| prices.set(unit.as_deref(), currency)).cloned();
            let expected = lists.iter().position(|list| holds(list).is_some());
            prop_assert_eq!(hit.map(|hit| hit.list), expected);
            if let (Some(hit), Some(at)) = (hit, expected) {
                prop_assert_eq!(Some(hit.set.clone()), holds(&lists[at]));
            }
        }
    }
}
