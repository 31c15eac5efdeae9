//! Exact arithmetic: decimals as fractions of integers, rounded once at the end.
//!
//! `Decimal` silently rounds a product of more than 28 digits. The 38 digits of `i128` hold the product of any
//! quantity and price within the limits, so no amount is rounded twice.

use rust_decimal::Decimal;

use super::TotalsError;

/// Converts `None` of a checked operation into this module's only error.
pub(super) fn exact<T>(value: Option<T>) -> Result<T, TotalsError> {
    value.ok_or(TotalsError::TooLarge)
}

/// A fraction of integers; the denominator is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ratio {
    pub(super) numerator: i128,
    pub(super) denominator: i128,
}

impl Ratio {
    pub(super) fn of(value: Decimal) -> Option<Self> {
        let value = value.normalize();
        Some(Self {
            numerator: value.mantissa(),
            denominator: power_of_ten(value.scale())?,
        })
    }

    pub(super) const fn whole(number: i128) -> Self {
        Self {
            numerator: number,
            denominator: 1,
        }
    }

    /// `self` × `other`, with common powers of ten cancelled to keep the numbers short.
    pub(super) fn times(self, other: Self) -> Option<Self> {
        let one = Self::shortened(self.numerator, self.denominator);
        let other = Self::shortened(other.numerator, other.denominator);
        let left = Self::shortened(one.numerator, other.denominator);
        let right = Self::shortened(other.numerator, one.denominator);
        Some(Self {
            numerator: left.numerator.checked_mul(right.numerator)?,
            denominator: left.denominator.checked_mul(right.denominator)?,
        })
    }

    /// `self` / `other`; `None` when `other` is not positive.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        if other.numerator <= 0 {
            return None;
        }
        self.times(Self {
            numerator: other.denominator,
            denominator: other.numerator,
        })
    }

    /// The nearest integer, halves away from zero.
    pub(super) fn round(self) -> Option<i128> {
        let quotient = self.numerator.checked_div(self.denominator)?;
        let rest = self.numerator.checked_rem(self.denominator)?.unsigned_abs();
        let up = rest >= self.denominator.unsigned_abs().checked_sub(rest)?;
        if up {
            quotient.checked_add(self.numerator.signum())
        } else {
            Some(quotient)
        }
    }

    fn shortened(numerator: i128, denominator: i128) -> Self {
        let divisor = i128::try_from(gcd(numerator.unsigned_abs(), denominator.unsigned_abs()));
        let divisor = divisor.unwrap_or(1).max(1);
        Self {
            numerator: numerator.checked_div(divisor).unwrap_or(numerator),
            denominator: denominator.checked_div(divisor).unwrap_or(denominator),
        }
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

pub(super) fn power_of_ten(exponent: u32) -> Option<i128> {
    10_i128.checked_pow(exponent)
}

/// The decimal in units of 10^-`digits`, rounded half away from zero.
pub(super) fn to_units(value: Decimal, digits: u32) -> Option<i128> {
    Ratio::whole(power_of_ten(digits)?)
        .times(Ratio::of(value)?)?
        .round()
}

/// Units of 10^-`digits` as a decimal with exactly `digits` fraction digits.
pub(super) fn from_units(units: i128, digits: u32) -> Option<Decimal> {
    Decimal::try_from_i128_with_scale(units, digits).ok()
}

/// round(`a` × `b` / `divisor`) in units of 10^-`digits`; `None` when the divisor is not positive.
pub(super) fn product_over(a: Decimal, b: Decimal, divisor: Decimal, digits: u32) -> Option<i128> {
    let product = Ratio::of(a)?.times(Ratio::of(b)?)?;
    product
        .over(Ratio::of(divisor)?)?
        .times(Ratio::whole(power_of_ten(digits)?))?
        .round()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn a_product_beyond_28_digits_is_rounded_once() {
        let below_half = product_over(
            decimal("999999999.999999"),
            decimal("999999999.999999"),
            Decimal::ONE,
            2,
        );
        assert_eq!(below_half, Some(99_999_999_999_999_800_000));
        // 0.005 − 5e-29: a product cut to 28 digits would be 0.005 and be rounded up.
        let (a, b) = (decimal("0.50000000000005"), decimal("0.009999999999999"));
        assert_eq!(a.checked_mul(b), Some(decimal("0.005")));
        assert_eq!(product_over(a, b, Decimal::ONE, 2), Some(0));
    }

    #[test]
    fn halves_go_away_from_zero() {
        for (value, expected) in [
            ("0.005", 1),
            ("-0.005", -1),
            ("0.0049999999", 0),
            ("-8.725", -873),
        ] {
            assert_eq!(to_units(decimal(value), 2), Some(expected), "{value}");
        }
    }

    #[test]
    fn what_does_not_fit_is_none() {
        assert_eq!(
            product_over(Decimal::MAX, Decimal::MAX, Decimal::ONE, 2),
            None
        );
        assert_eq!(
            product_over(Decimal::ONE, Decimal::ONE, Decimal::ZERO, 2),
            None
        );
        assert_eq!(from_units(i128::MAX, 2), None);
        assert_eq!(power_of_ten(39), None);
    }
}
