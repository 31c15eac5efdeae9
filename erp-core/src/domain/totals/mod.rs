//! Totals of a document: lines, tax recap, delivery costs, cash rounding.
//!
//! Pure functions that implement the decisions D-PRI. The worked examples G01-G14
//! (`erp-core/tests/golden/totals.json`) are binding.
//!
//! # Rules
//!
//! All arithmetic is exact: amounts are whole minor units, and a fraction is rounded once, half away from zero,
//! where a rule says so.
//!
//! Example: 3 × 12.35 CHF net at 8.1 %, rounded to 0.05. Line and net 37.05; tax round(3.00105) = 3.00; gross 40.05;
//! payable 40.05, cash rounding 0.
//!
//! 1. **Line.** `V` = round(quantity × unit price / price basis), `A` = round(`V` × discount / 100),
//!    total = `V` − `A`. The unit price itself is never rounded.
//! 2. **Delivery costs** are net or gross like the document and are spread over the tax keys in proportion to the sum
//!    of the lines of each key. A key whose sum has the opposite sign of the sum of all lines (returns) gets no
//!    share. When the lines sum to zero, or there are none, the delivery tax key gets all.
//! 3. **Tax once per key**, on the sum of its lines plus its share of the delivery costs. Net documents:
//!    tax = round(net × rate / 100). Gross documents: tax = round(gross × rate / (100 + rate)) and
//!    net = gross − tax, so that the customer pays exactly the advertised gross.
//! 4. **Apportionment.** The tax (net documents) or the net (gross documents) of a key is apportioned to its lines
//!    *and* its delivery share, which counts as one more line at the end. Each starts with its exact amount cut
//!    down to the minor unit; the missing units go one by one to the largest cut-off fractions. So the tax of the
//!    lines plus the tax of the delivery share equals the tax in the recap.
//! 5. **Ties.** The unit goes to the earlier of two lines, to the smaller of two tax keys, and to a line before the
//!    delivery share. Delivery costs are spread by key, not by line, so the order of the lines changes neither
//!    totals nor recap.
//! 6. **Returns.** A negative amount is apportioned as the mirror image of the positive one: reversing every sign of
//!    a document reverses every amount.
//! 7. **Cash rounding** is a separate amount: payable = gross rounded to the step, cash rounding = payable − gross.
//!    Gross is always net + tax.

mod apportion;
mod compute;
mod exact;
mod group;
mod kind;
mod price;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use compute::totals;
pub use kind::PriceKind;
pub use price::{amount_of, net_unit_price, packaged_unit_price, whole_packages};

/// The part of a position that determines its amounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<K> {
    /// Quantity in the unit that the price is for: base units, or packages for a package price.
    pub quantity: Decimal,
    /// The price of `price_basis` units, in the document's currency and kind.
    pub unit_price: Decimal,
    /// Number of units that the price is for (`PosPreisBasis`); 0 counts as 1.
    pub price_basis: Decimal,
    /// Discount in percent (`GRabSatz`).
    pub discount_rate: Decimal,
    /// Key by which the tax is summed, for example tax code and rate. Its order decides ties.
    pub tax: K,
}

impl<K> Line<K> {
    /// A line whose price is that of one unit, without a discount.
    pub fn new(quantity: impl Into<Decimal>, unit_price: impl Into<Decimal>, tax: K) -> Self {
        Self {
            quantity: quantity.into(),
            unit_price: unit_price.into(),
            price_basis: Decimal::ONE,
            discount_rate: Decimal::ZERO,
            tax,
        }
    }
}

/// Input of [`totals`].
pub struct TotalsInput<'a, K> {
    /// Whether prices and delivery costs are net or gross.
    pub kind: PriceKind,
    /// Fraction digits of the currency, for example 2 for CHF.
    pub minor_digits: u32,
    /// The positions.
    pub lines: &'a [Line<K>],
    /// The rate of a tax key in percent.
    pub rates: &'a dyn Fn(&K) -> Decimal,
    /// Delivery costs (`AuftLiefKost`), net or gross as `kind`; rounded to the minor unit first.
    pub delivery_costs: Decimal,
    /// The tax key for delivery costs that the lines cannot carry.
    pub delivery_tax: Option<K>,
    /// The coin that the payable amount is rounded to, for example 0.05; `None`: no rounding.
    pub cash_rounding_step: Option<Decimal>,
}

impl<'a, K> TotalsInput<'a, K> {
    /// A document without delivery costs and cash rounding.
    pub const fn new(
        kind: PriceKind,
        minor_digits: u32,
        lines: &'a [Line<K>],
        rates: &'a dyn Fn(&K) -> Decimal,
    ) -> Self {
        Self {
            kind,
            minor_digits,
            lines,
            rates,
            delivery_costs: Decimal::ZERO,
            delivery_tax: None,
            cash_rounding_step: None,
        }
    }
}

/// The amounts of a document, all with the fraction digits of the currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals<K> {
    /// One entry per line, in the order of the input.
    pub lines: Vec<LineTotals>,
    /// One entry per tax key, in the order of the keys (`MWSTRekapitulation`).
    pub recap: Vec<RecapEntry<K>>,
    /// The sums of all lines and the delivery costs.
    pub sums: Sums,
    /// The amount the customer pays.
    pub payable: Decimal,
}

/// The sums of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Without tax (`AuftNetto`).
    pub net: Decimal,
    /// The tax (`AuftWUST`).
    pub tax: Decimal,
    /// With tax (`AuftBrutto`), always net plus tax.
    pub gross: Decimal,
    /// What rounding to the smallest coin adds; shown as a separate position.
    pub cash_rounding: Decimal,
}

/// The amounts of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineTotals {
    /// Quantity times price before the discount, net or gross like the document.
    pub before_discount: Decimal,
    /// The discount, subtracted from `before_discount`.
    pub discount: Decimal,
    /// The line's price (`PosPreisTotal`), net or gross like the document.
    pub total: Decimal,
    /// The line's amount without tax.
    pub net: Decimal,
    /// The line's apportioned tax (`PosPreisWUSTBetrag`).
    pub tax: Decimal,
}

/// The sums of one tax key, including its share of the delivery costs.
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

/// Why totals cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TotalsError {
    /// An amount or a product exceeds the range of exact arithmetic (38 digits, 28 in a result).
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
    /// Delivery costs that no line can carry, and no tax key is given for them.
    #[error("delivery costs without lines need a tax code of their own")]
    NoDeliveryTax,
}
