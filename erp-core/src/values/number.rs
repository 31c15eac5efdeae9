//! Decimal numbers in JSON, and the rounding rule of the interface.
//!
//! Numbers are parsed from and printed to decimal digits; binary floating point is never used.

use std::fmt;

use rust_decimal::{Decimal, RoundingStrategy};
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use smol_str::SmolStr;

use crate::values::json::{Digits, Json, read, write_digits};
use crate::values::limits::FRACTION_DIGITS;

// rule: D-ANS-02
/// A number of the interface (types `float` and `money`), printed as a JSON number with at most six
/// fraction digits, without trailing zeros and never with an exponent.
///
/// ```
/// use erp_core::Number;
/// let price = Number("12.350".parse().unwrap_or_default());
/// assert_eq!(price.to_string(), "12.35");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub Decimal);

impl Number {
    /// The number as it is printed, without the formatter of decimals: responses consist of numbers. `None` for one of
    /// more than 64 bits.
    fn short(self) -> Option<SmolStr> {
        let shown = round_half_away(self.0, FRACTION_DIGITS).normalize();
        let mut digits = u64::try_from(shown.mantissa().unsigned_abs()).ok()?;
        let mut fraction = shown.scale();
        // From the last character: at most 20 digits, a point and a sign.
        let mut text = [b'0'; 22];
        let mut length = 0_usize;
        let mut slots = text.iter_mut().rev();
        let mut put = |character: u8| {
            length += 1;
            slots.next().map(|slot| *slot = character)
        };
        loop {
            put(b'0'.saturating_add(u8::try_from(digits % 10).ok()?))?;
            digits /= 10;
            match fraction {
                0 if digits == 0 => break,
                1 => put(b'.')?,
                _ => (),
            }
            fraction = fraction.saturating_sub(1);
        }
        if shown.mantissa() < 0 {
            put(b'-')?;
        }
        let start = text.len().checked_sub(length)?;
        std::str::from_utf8(text.get(start..)?)
            .ok()
            .map(SmolStr::new)
    }

    /// The exact value of the digits of a JSON number; `None` if it needs more than 28 digits.
    pub fn from_digits(digits: &Digits) -> Option<Self> {
        let digits = digits.as_str();
        let Some((mantissa, exponent)) = digits.split_once(['e', 'E']) else {
            return Decimal::from_str_exact(digits).ok().map(Self);
        };
        let mantissa = Decimal::from_str_exact(mantissa).ok()?;
        let exponent: i64 = exponent.parse().ok()?;
        if mantissa.is_zero() {
            return Some(Self(Decimal::ZERO));
        }
        let scale = i64::from(mantissa.scale()).checked_sub(exponent)?;
        let shifted = if scale >= 0 {
            Decimal::try_from_i128_with_scale(mantissa.mantissa(), u32::try_from(scale).ok()?)
                .ok()?
        } else {
            let factor = 10_i128.checked_pow(u32::try_from(scale.checked_neg()?).ok()?)?;
            let digits = mantissa.mantissa().checked_mul(factor)?;
            Decimal::try_from_i128_with_scale(digits, 0).ok()?
        };
        Some(Self(shifted))
    }
}

impl From<Decimal> for Number {
    fn from(decimal: Decimal) -> Self {
        Self(decimal)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = round_half_away(self.0, FRACTION_DIGITS).normalize();
        if shown.is_zero() {
            f.write_str("0")
        } else {
            shown.fmt(f)
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Shortcut without a text in between, mainly for whole numbers.
        if self.0.scale() == 0
            && let Ok(whole) = i64::try_from(self.0)
        {
            return serializer.serialize_i64(whole);
        }
        let text = self.short();
        let text = text.unwrap_or_else(|| smol_str::format_smolstr!("{self}"));
        write_digits(&text, serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        let Some(digits) = Digits::parse(text.get()) else {
            let found = read(text.get()).map_err(D::Error::custom)?;
            return Err(D::Error::invalid_type(unexpected(&found), &"a JSON number"));
        };
        Self::from_digits(&digits).ok_or_else(|| D::Error::custom("number has more than 28 digits"))
    }
}

fn unexpected(found: &Json) -> Unexpected<'_> {
    match found {
        Json::Null => Unexpected::Unit,
        Json::Bool(value) => Unexpected::Bool(*value),
        Json::Number(_) => Unexpected::Other("number"),
        Json::String(text) => Unexpected::Str(text),
        Json::Array(_) => Unexpected::Seq,
        Json::Object(_) => Unexpected::Map,
    }
}

/// Rounds half away from zero, as required for every amount of the interface.
#[must_use]
pub(crate) fn round_half_away(value: Decimal, fraction_digits: u32) -> Decimal {
    value.round_dp_with_strategy(fraction_digits, RoundingStrategy::MidpointAwayFromZero)
}

/// Number of significant fraction digits, not counting trailing zeros.
pub(crate) fn fraction_digits(value: Decimal) -> u32 {
    value.normalize().scale()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn printed(json: &str) -> String {
        serde_json::to_string(&serde_json::from_str::<Number>(json).unwrap()).unwrap()
    }

    // rule: D-ANS-02, D-REQ-07
    #[test]
    fn numbers_are_read_and_printed_digit_by_digit() {
        for (read, expected) in [
            ("0.1", "0.1"),
            ("1e3", "1000"),
            ("1.5E+2", "150"),
            ("12e-3", "0.012"),
            ("0e99", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0.30000000000000004", "0.3"),
            ("1234567.891234500", "1234567.891235"),
            ("100", "100"),
            ("-2.50", "-2.5"),
        ] {
            assert_eq!(printed(read), expected, "{read}");
        }
    }

    proptest! {
        // rule: D-ANS-02
        #[test]
        fn a_number_in_a_response_is_the_number_as_text(digits: i64, more: i128, scale in 0..12_u32) {
            let more = more >> 33;
            for digits in [i128::from(digits), i128::from(digits >> 40), more] {
                let number = Number(Decimal::from_i128_with_scale(digits, scale));
                prop_assert_eq!(serde_json::to_string(&number).unwrap(), number.to_string());
            }
        }
    }

    // rule: D-REQ-07
    #[test]
    fn a_number_beyond_28_digits_is_refused() {
        for read in [
            "1e29",
            "123456789012345678901234567890",
            "1e-40",
            "1e999999999999",
        ] {
            assert!(serde_json::from_str::<Number>(read).is_err(), "{read}");
        }
    }

    // rule: D-PRI-06
    #[test]
    fn rounding_is_half_away_from_zero() {
        for (value, expected) in [("8.725", "8.73"), ("-1.1125", "-1.11"), ("-0.005", "-0.01")] {
            let rounded = round_half_away(value.parse().unwrap(), 2);
            assert_eq!(rounded, expected.parse().unwrap(), "{value}");
        }
    }
}
