//! Totals of a document: lines, tax recap, delivery costs, cash rounding.
//!
//! Section 7 of the decisions, as plain functions without any I/O. The worked examples G01-G14
//! (`tests/golden/totals.json`) bind.
//!
//! # Rules
//!
//! All arithmetic is exact: amounts are whole minor units, and a fraction is rounded once, half away
//! from zero, at the place where the rule names the rounding.
//!
//! 1. **Line.** `V` = round(quantity × unit price / price basis), `A` = round(`V` × discount / 100),
//!    total = `V` − `A`. The unit price is never rounded first.
//! 2. **Delivery costs** are of the document's kind and are spread over the tax keys of the lines in
//!    proportion to the sum of the lines of each key. A key whose sum has another sign than the sum
//!    of all lines (returns) takes no part. When the lines sum to zero, or there are none, the
//!    delivery tax key takes all.
//! 3. **Tax once per key**, on the sum of its lines plus its share of the delivery costs. Net lists:
//!    tax = round(net × rate / 100). Gross lists: tax = round(gross × rate / (100 + rate)) and
//!    net = gross − tax, so that the customer pays exactly the advertised gross.
//! 4. **Lines.** The tax (net lists) or the net (gross lists) of a key is apportioned to its lines
//!    *and* its delivery share, which counts as one more line after the last: every one starts with
//!    its exact, unrounded amount cut down to the minor unit, and the missing units go one by one to
//!    the largest cut-off fractions. So the tax of the lines plus the tax of the delivery share is
//!    the recap's tax.
//! 5. **Ties.** Between lines the earlier one takes the unit, between tax keys the smaller key, and
//!    a line before the delivery share. Keys, not lines, decide the spread of delivery costs, so the
//!    order of the lines changes neither totals nor recap.
//! 6. **Returns.** A negative amount is apportioned as the mirror image of the positive one: a
//!    document with every sign turned has every amount turned.
//! 7. **Cash rounding** is an amount of its own: payable = gross rounded to the step, cash rounding
//!    = payable − gross. Gross = net + tax always.

mod apportion;
mod compute;
mod exact;
mod group;
mod kind;
mod price;

use rust_decimal::Decimal;
use thiserror::Error;

pub use compute::totals;
pub use kind::PriceKind;
pub use price::{net_unit_price, packaged_unit_price, whole_packages};

/// One position as far as money is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<K> {
    /// How much, in the unit the price is for: base units, or packages with a package price.
    pub quantity: Decimal,
    /// The price of `price_basis` units, in the document's currency and kind.
    pub unit_price: Decimal,
    /// How many units the price is for (`PosPreisBasis`); 0 counts as 1.
    pub price_basis: Decimal,
    /// Discount in percent (`GRabSatz`).
    pub discount_rate: Decimal,
    /// What the tax is summed by, for example tax code and rate. Its order decides ties.
    pub tax: K,
}

/// Everything [`totals`] needs.
pub struct TotalsInput<'a, K> {
    /// Whether prices and delivery costs are without (net) or with tax (gross).
    pub kind: PriceKind,
    /// Fraction digits of the currency, for example 2 for CHF.
    pub minor_digits: u32,
    /// The positions.
    pub lines: &'a [Line<K>],
    /// The rate of a tax key in percent.
    pub rates: &'a dyn Fn(&K) -> Decimal,
    /// Delivery costs (`AuftLiefKost`), of the document's kind; rounded to the minor unit first.
    pub delivery_costs: Decimal,
    /// The key that takes the delivery costs when the lines cannot.
    pub delivery_tax: Option<K>,
    /// The coin the payable amount is rounded to, for example 0.05; without one nothing is rounded.
    pub cash_rounding_step: Option<Decimal>,
}

/// The amounts of a document, all with the fraction digits of the currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals<K> {
    /// One entry per line, in the order of the input.
    pub lines: Vec<LineTotals>,
    /// One entry per tax key, in the order of the keys (`MWSTRekapitulation`).
    pub recap: Vec<RecapEntry<K>>,
    /// Sum without tax (`AuftNetto`).
    pub net: Decimal,
    /// Sum of the tax (`AuftWUST`).
    pub tax: Decimal,
    /// `net` + `tax` (`AuftBrutto`).
    pub gross: Decimal,
    /// `payable` − `gross`; zero without a step.
    pub cash_rounding: Decimal,
    /// What the customer pays.
    pub payable: Decimal,
}

/// The amounts of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineTotals {
    /// Quantity times price, before the discount, in the document's kind.
    pub before_discount: Decimal,
    /// The discount, subtracted from `before_discount`.
    pub discount: Decimal,
    /// The line's price (`PosPreisTotal`), in the document's kind.
    pub total: Decimal,
    /// The line's price without tax.
    pub net: Decimal,
    /// The line's apportioned tax (`PosPreisWUSTBetrag`).
    pub tax: Decimal,
}

/// The sums of one tax key, its share of the delivery costs included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecapEntry<K> {
    /// The tax key.
    pub key: K,
    /// Its rate in percent (`PosWUSTSatz`).
    pub rate: Decimal,
    /// Sum without tax (`PosBetragNetto`).
    pub net: Decimal,
    /// The tax (`PosWUST`).
    pub tax: Decimal,
    /// `net` + `tax`.
    pub gross: Decimal,
    /// The part of `net` that is delivery costs.
    pub delivery_net_share: Decimal,
    /// The part of `tax` that belongs to the delivery costs; the lines' tax is the rest.
    pub delivery_tax_share: Decimal,
}

/// Why there are no totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TotalsError {
    /// An amount or a product leaves the range of exact arithmetic (38 digits, 28 in a result).
    #[error("an amount is too large to be computed exactly")]
    TooLarge,
    /// A price basis below zero.
    #[error("a price basis is negative")]
    PriceBasis,
    /// A tax rate below zero.
    #[error("a tax rate is negative")]
    TaxRate,
    /// A cash rounding step that is not a positive whole number of minor units.
    #[error("the cash rounding step is no positive multiple of the currency's minor unit")]
    CashRoundingStep,
    /// Delivery costs that no line can carry, and no tax key for them.
    #[error("delivery costs without lines need a tax code of their own")]
    NoDeliveryTax,
}
