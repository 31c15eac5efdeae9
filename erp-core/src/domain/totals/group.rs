//! One tax key of a document: rounds its sum once and apportions the result to its lines.

use rust_decimal::Decimal;

use super::apportion::apportion;
use super::exact::{Ratio, exact, from_units};
use super::{LineTotals, PriceKind, TotalsError};

/// The amounts of a line in minor units, net or gross like the document.
#[derive(Clone, Copy)]
pub(super) struct Amount {
    pub(super) before_discount: i128,
    pub(super) discount: i128,
    pub(super) total: i128,
}

impl Amount {
    pub(super) fn shown(&self, part: &AmountPart, digits: u32) -> Option<LineTotals> {
        Some(LineTotals {
            before_discount: from_units(self.before_discount, digits)?,
            discount: from_units(self.discount, digits)?,
            total: from_units(self.total, digits)?,
            net: from_units(part.net, digits)?,
            tax: from_units(part.tax, digits)?,
        })
    }
}

/// Net and tax of a line or delivery share, in minor units.
#[derive(Clone, Copy, Default)]
pub(super) struct AmountPart {
    pub(super) net: i128,
    pub(super) tax: i128,
}

impl AmountPart {
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            net: self.net.checked_add(other.net)?,
            tax: self.tax.checked_add(other.tax)?,
        })
    }
}

/// Lines and delivery share of one tax key, in minor units, net or gross like the document.
pub(super) struct TaxGroup {
    pub(super) rate: Decimal,
    pub(super) members: Vec<usize>,
    pub(super) lines: i128,
    pub(super) delivery: i128,
}

/// A tax key after rounding.
pub(super) struct Taxed {
    pub(super) whole: AmountPart,
    pub(super) lines: Vec<AmountPart>,
    pub(super) delivery: AmountPart,
}

impl TaxGroup {
    pub(super) fn empty(rate: Decimal) -> Result<Self, TotalsError> {
        if rate.is_sign_negative() && !rate.is_zero() {
            return Err(TotalsError::TaxRate);
        }
        Ok(Self {
            rate,
            members: Vec::new(),
            lines: 0,
            delivery: 0,
        })
    }

    pub(super) fn tax(&self, kind: PriceKind, amounts: &[Amount]) -> Result<Taxed, TotalsError> {
        let mut bases: Vec<i128> = self
            .members
            .iter()
            .filter_map(|i| amounts.get(*i))
            .map(|a| a.total)
            .collect();
        bases.push(self.delivery);
        exact(self.split(kind, &bases))
    }

    // rule: D-PRI-10
    /// Rounds the sum once and apportions the result to the lines and, last, to the delivery share.
    fn split(&self, kind: PriceKind, bases: &[i128]) -> Option<Taxed> {
        let sum = self.lines.checked_add(self.delivery)?;
        let rate = Ratio::of(self.rate)?;
        let hundred = rate.denominator.checked_mul(100)?;
        let divisor = match kind {
            PriceKind::Net => hundred,
            PriceKind::Gross => hundred.checked_add(rate.numerator)?,
        };
        let tax = Ratio {
            numerator: sum.checked_mul(rate.numerator)?,
            denominator: divisor,
        };
        let tax = tax.round()?;
        // Net documents apportion the tax, gross documents the net; the other amount of a line is the difference.
        let (rounded, weight) = match kind {
            PriceKind::Net => (tax, rate.numerator),
            PriceKind::Gross => (sum.checked_sub(tax)?, hundred),
        };
        let ideal: Option<Vec<_>> = bases.iter().map(|base| base.checked_mul(weight)).collect();
        let shares = apportion(rounded, &ideal?, divisor)?;
        let parts = bases
            .iter()
            .zip(shares)
            .map(|(base, share)| part(kind, *base, share));
        let mut lines = parts.collect::<Option<Vec<_>>>()?;
        let delivery = lines.pop()?;
        let whole = match kind {
            PriceKind::Net => AmountPart { net: sum, tax },
            PriceKind::Gross => AmountPart { net: rounded, tax },
        };
        Some(Taxed {
            whole,
            lines,
            delivery,
        })
    }
}

fn part(kind: PriceKind, base: i128, share: i128) -> Option<AmountPart> {
    Some(match kind {
        PriceKind::Net => AmountPart {
            net: base,
            tax: share,
        },
        PriceKind::Gross => AmountPart {
            net: share,
            tax: base.checked_sub(share)?,
        },
    })
}
