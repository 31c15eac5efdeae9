//! Exact decimal numbers (`xs:decimal`).

use std::cmp::Ordering;
use std::fmt;

use super::abort::Abort;

/// An exact decimal number of up to 38 digits. Packed, so that results with one, which are moved a lot, take 32 bytes
/// instead of 48.
#[derive(Debug, Clone, Copy, Default)]
#[repr(Rust, packed(8))]
pub(crate) struct Decimal {
    /// The number times 10 to the power of `scale`.
    digits: i128,
    scale: u32,
}

/// White space that XML Schema strips around a number.
pub(crate) const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Far more than any amount has; the formatting of numbers has a limit too.
const LARGEST_SCALE: u32 = 300;

fn power(scale: u32) -> Option<i128> {
    10_i128.checked_pow(scale)
}

impl Decimal {
    pub(crate) const ZERO: Self = Self {
        digits: 0,
        scale: 0,
    };

    pub(crate) const fn new(digits: i128, scale: u32) -> Self {
        Self { digits, scale }
    }

    /// Reads the lexical form of `xs:decimal`: no exponent, no thousands separators.
    pub(crate) fn parse(text: &str) -> Result<Self, Abort> {
        let trimmed = text.trim_matches(BLANKS);
        let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if unsigned.trim_matches('.').is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return Err(Abort::not_a_number(text));
        }
        let fraction = fraction.trim_end_matches('0');
        let digits = (whole.bytes().chain(fraction.bytes())).try_fold(0_i128, |sum, byte| {
            sum.checked_mul(10)?.checked_add(i128::from(byte - b'0'))
        });
        let scale = u32::try_from(fraction.len());
        let scale = scale.ok().filter(|scale| *scale <= LARGEST_SCALE);
        let (Some(digits), Some(scale)) = (digits, scale) else {
            return Err(Abort::too_large(text));
        };
        let sign = if trimmed.starts_with('-') { -1 } else { 1 };
        Ok(Self::new(sign * digits, scale))
    }

    fn too_large(self) -> Abort {
        Abort::too_large(&self.to_string())
    }

    /// The digits at another scale, which is not smaller.
    fn at(self, scale: u32) -> Option<i128> {
        self.digits
            .checked_mul(power(scale.checked_sub(self.scale)?)?)
    }

    fn align(self, other: Self) -> Result<(i128, i128, u32), Abort> {
        let scale = self.scale.max(other.scale);
        match (self.at(scale), other.at(scale)) {
            (Some(a), Some(b)) => Ok((a, b, scale)),
            (None, _) => Err(self.too_large()),
            (_, None) => Err(other.too_large()),
        }
    }

    pub(crate) fn plus(self, other: Self) -> Result<Self, Abort> {
        let (a, b, scale) = self.align(other)?;
        let digits = a.checked_add(b).ok_or_else(|| self.too_large())?;
        Ok(Self { digits, scale })
    }

    pub(crate) fn minus(self, other: Self) -> Result<Self, Abort> {
        let digits = other.digits.checked_neg();
        let digits = digits.ok_or_else(|| other.too_large())?;
        self.plus(Self { digits, ..other })
    }

    pub(crate) fn times(self, other: Self) -> Result<Self, Abort> {
        let digits = self.digits.checked_mul(other.digits);
        let digits = digits.ok_or_else(|| self.too_large())?;
        let scale = self.scale + other.scale;
        Ok(Self { digits, scale })
    }

    /// Divides, with at least 18 decimal places; a half is rounded towards zero.
    pub(crate) fn divided_by(self, other: Self) -> Result<Self, Abort> {
        let scale = self.scale.max(other.scale).max(18);
        let quotient = || {
            let factor = power(scale - self.scale + other.scale)?;
            let digits = self.digits.checked_mul(factor)?;
            let quotient = digits.checked_div(other.digits)?;
            let rest = digits.checked_rem(other.digits)?.unsigned_abs();
            let is_more_than_half = rest > other.digits.unsigned_abs() / 2;
            let is_positive = (digits < 0) == (other.digits < 0);
            let away = if is_positive { 1 } else { -1 };
            Some(quotient + if is_more_than_half { away } else { 0 })
        };
        let digits = quotient().ok_or_else(|| self.too_large())?;
        Ok(Self { digits, scale }.shortest())
    }

    /// Without zeros at the end of the fraction.
    pub(crate) fn shortest(mut self) -> Self {
        while self.scale > 0 && self.digits % 10 == 0 {
            self.digits /= 10;
            self.scale -= 1;
        }
        self
    }

    /// A hundredth of it.
    pub(crate) const fn percent(self) -> Self {
        Self {
            scale: self.scale + 2,
            ..self
        }
    }

    pub(crate) const fn abs(self) -> Self {
        Self {
            digits: self.digits.saturating_abs(),
            ..self
        }
    }

    /// Rounds to a number of decimal places; a half is rounded towards plus infinity, as in XPath.
    pub(crate) fn round(self, places: u32) -> Self {
        let Some(drop) = self.scale.checked_sub(places).filter(|drop| *drop > 0) else {
            return self;
        };
        // A number with more places than there are digits rounds to zero.
        let Some(unit) = power(drop) else {
            return Self::ZERO;
        };
        let half = unit / 2;
        let floor = self.digits.div_euclid(unit);
        let up = i128::from(self.digits.rem_euclid(unit) >= half);
        Self {
            digits: floor.saturating_add(up),
            scale: places,
        }
    }

    pub(crate) fn compare(self, other: Self) -> Result<Ordering, Abort> {
        let (a, b, _) = self.align(other)?;
        Ok(a.cmp(&b))
    }

    pub(crate) fn equals(self, other: Self) -> Result<bool, Abort> {
        Ok(self.compare(other)? == Ordering::Equal)
    }

    pub(crate) const fn is_zero(self) -> bool {
        self.digits == 0
    }

    pub(crate) fn to_double(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// As text with two decimal places, or more if it has more.
    pub(crate) fn amount(self) -> String {
        let text = self.to_string();
        match text.split_once('.') {
            None => text + ".00",
            Some((_, fraction)) if fraction.len() == 1 => text + "0",
            Some(_) => text,
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let width = self.scale as usize + 1;
        let digits = format!("{:0width$}", self.digits.unsigned_abs());
        let (whole, fraction) = digits
            .split_at_checked(digits.len() - self.scale as usize)
            .unwrap_or((&digits, ""));
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        write!(formatter, "{sign}{whole}{point}{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn the_forms_of_xs_decimal_are_read() {
        for (text, read) in [
            ("1", "1"),
            (" +5\n", "5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-0.50", "-0.5"),
            ("007.100", "7.1"),
            ("-0.00", "0"),
        ] {
            assert_eq!(decimal(text).to_string(), read, "{text}");
        }
        for text in [
            "", ".", "-", "1e2", "1,000.00", "1 0", "NaN", "INF", "--1", "+-1", "1.2.3",
        ] {
            assert_eq!(
                Decimal::parse(text).unwrap_err(),
                Abort::not_a_number(text),
                "{text}"
            );
        }
        let long = "1".repeat(40);
        assert_eq!(Decimal::parse(&long).unwrap_err(), Abort::too_large(&long));
    }

    #[test]
    fn halves_round_towards_plus_infinity() {
        for (text, places, rounded) in [
            ("2.5", 0, "3"),
            ("-2.5", 0, "-2"),
            ("-2.51", 0, "-3"),
            ("1.005", 2, "1.01"),
            ("-1.005", 2, "-1"),
            ("1.004999", 2, "1"),
            ("3", 2, "3"),
        ] {
            assert_eq!(decimal(text).round(places).to_string(), rounded, "{text}");
        }
        let tiny = format!("0.{}1", "0".repeat(60));
        assert_eq!(decimal(&tiny).round(2).to_string(), "0");
    }

    #[test]
    fn sums_and_products_are_exact_or_too_large() {
        let sum = decimal("0.1").plus(decimal("0.2")).unwrap();
        assert!(sum.equals(decimal("0.3")).unwrap());
        assert_eq!(sum.minus(decimal("1")).unwrap().to_string(), "-0.7");
        assert_eq!(
            decimal("1.5").times(decimal("-1.5")).unwrap().to_string(),
            "-2.25"
        );
        assert_eq!(decimal("19").percent().to_string(), "0.19");
        let tiny = format!("0.{}1", "0".repeat(70_000));
        assert!(Decimal::parse(&tiny).is_err());
        let large = decimal(&"9".repeat(38));
        assert!(large.plus(large).is_err() && large.times(large).is_err());
        assert!(large.compare(decimal("0.1")).is_err());
        assert_eq!(decimal("-1.5").abs().amount(), "1.50");
    }
}
