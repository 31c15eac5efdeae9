//! Double precision numbers, where the official artefacts compute with them.
#![expect(
    clippy::float_arithmetic,
    reason = "the verdict must be that of the artefacts, which compute in doubles here"
)]

use super::abort::Abort;
use super::decimal::{BLANKS, Decimal};

/// Reads the lexical form of `xs:double`.
pub(crate) fn parse(text: &str) -> Result<f64, Abort> {
    let trimmed = text.trim_matches(BLANKS);
    match trimmed {
        "INF" => return Ok(f64::INFINITY),
        "-INF" => return Ok(f64::NEG_INFINITY),
        "NaN" => return Ok(f64::NAN),
        _ => {}
    }
    let is_plain =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    let number = trimmed.bytes().all(is_plain).then(|| trimmed.parse().ok());
    number.flatten().ok_or_else(|| Abort::not_a_number(text))
}

/// The sum in the order of the document.
pub(crate) fn add(sum: f64, value: f64) -> f64 {
    sum + value
}

/// `value - 1 < total` and `value + 1 > total`.
pub(crate) fn is_within_one(value: f64, total: f64) -> bool {
    value - 1.0 < total && value + 1.0 > total
}

/// The number minus 1 and plus 1, computed in double, as exact numbers.
pub(crate) fn bounds(value: f64) -> Result<(Decimal, Decimal), Abort> {
    Ok((to_decimal(value - 1.0)?, to_decimal(value + 1.0)?))
}

/// Rounds to an integer; a half is rounded towards plus infinity.
fn round(value: f64) -> f64 {
    let floor = value.floor();
    if value - floor >= 0.5 {
        floor + 1.0
    } else {
        floor
    }
}

/// `round(value * 10 * 10) div 100`.
pub(crate) fn round_to_cents(value: f64) -> f64 {
    round(value * 10.0 * 10.0) / 100.0
}

/// `round(value * 100) div 100`, which may differ by one bit from the other way.
pub(crate) fn round_hundredfold(value: f64) -> f64 {
    round(value * 100.0) / 100.0
}

/// `round(basis * rate) div 100`.
pub(crate) fn tax(basis: f64, rate: f64) -> f64 {
    round(basis * rate) / 100.0
}

/// The number without sign as mantissa and power of two; an error if it is not a number.
fn parts(value: f64) -> Result<(i128, i32), Abort> {
    if !value.is_finite() {
        return Err(Abort::not_a_number("NaN"));
    }
    let bits = value.to_bits();
    let exponent = i32::try_from((bits >> 52) & 0x7FF).unwrap_or(0);
    let fraction = i128::from(bits & ((1 << 52) - 1));
    // Numbers below the smallest normal one have no hidden bit.
    Ok(match exponent {
        0 => (fraction, -1074),
        exponent => (fraction + (1 << 52), exponent - 1075),
    })
}

fn too_large() -> Abort {
    Abort::too_large("sum")
}

/// `1` or `-1`.
const fn sign(value: f64) -> i128 {
    if value.is_sign_negative() { -1 } else { 1 }
}

/// The number times a power of two, which is not negative.
fn shifted(number: i128, power: i32) -> Result<i128, Abort> {
    let power = u32::try_from(power).ok().filter(|power| *power < 75);
    let factor = 1 << power.ok_or_else(too_large)?;
    number.checked_mul(factor).ok_or_else(too_large)
}

/// The exact value of a double rounded to cents; an error if it is not a number.
pub(crate) fn to_cents(value: f64) -> Result<Decimal, Abort> {
    let (mantissa, exponent) = parts(value)?;
    let cents = mantissa * 100 * sign(value);
    let cents = match u32::try_from(-exponent) {
        Ok(shift @ 1..=120) => (cents + (1 << (shift - 1))) >> shift,
        Ok(0) => cents,
        Ok(_) => 0,
        Err(_) => shifted(cents, exponent)?,
    };
    Ok(Decimal::new(cents, 2))
}

/// The exact value of a double to 25 decimal places. What is smaller than any amount in cents counts as zero.
pub(crate) fn to_decimal(value: f64) -> Result<Decimal, Abort> {
    const FIRST: i128 = 10_i128.pow(13);
    const SECOND: i128 = 10_i128.pow(12);
    let (mantissa, exponent) = parts(value)?;
    let shift = match u32::try_from(-exponent) {
        Ok(shift @ 0..=80) => shift,
        Ok(_) => return Ok(Decimal::ZERO),
        Err(_) => return Ok(Decimal::new(shifted(mantissa, exponent)? * sign(value), 0)),
    };
    let one = 1_i128 << shift;
    // All places at once have too many digits.
    let first = (mantissa & (one - 1)) * FIRST;
    let second = (first & (one - 1)) * SECOND;
    let mut digits = (first >> shift) * SECOND + (second >> shift);
    let rest = (second & (one - 1)) * 2;
    digits += i128::from(rest > one || (rest == one && digits % 2 == 1));
    let fraction = Decimal::new(digits * sign(value), 25).shortest();
    Decimal::new((mantissa >> shift) * sign(value), 0).plus(fraction)
}

/// Formats a number for a message; `None` if it is not a number. (The formatting of doubles is large in browsers.)
pub(crate) fn display(value: f64) -> Option<String> {
    to_cents(value).ok().map(Decimal::amount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_xs_double_are_read() {
        for (text, value) in [
            ("1e2", 100.0),
            (" -.5 ", -0.5),
            ("+5.", 5.0),
            ("-INF", f64::NEG_INFINITY),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
        assert!(parse("NaN").unwrap().is_nan());
        for text in ["", "1,0", "inf", "nan", "infinity", "0x1", "1 0", "e5", "."] {
            assert_eq!(parse(text), Err(Abort::not_a_number(text)), "{text}");
        }
    }

    #[test]
    fn the_exact_value_is_rounded() {
        for (value, cents) in [
            (2.675, "2.67"),
            (1.005, "1"),
            (0.125, "0.13"),
            (-0.125, "-0.12"),
            (100.0, "100"),
            (1e20, "100000000000000000000"),
            (1e-300, "0"),
            (0.0, "0"),
        ] {
            assert_eq!(to_cents(value).unwrap().to_string(), cents, "{value}");
        }
        assert!(to_cents(1e300).is_err() && to_cents(f64::NAN).is_err());
    }

    #[test]
    fn halves_round_towards_plus_infinity() {
        for (value, rounded) in [(2.5, 3.0), (-2.5, -2.0), (0.499_999_999_999_999_94, 0.0)] {
            assert_eq!(round(value), rounded, "{value}");
        }
    }

    /// Against the formatting of doubles, which is exact and takes a browser 4 kB.
    #[test]
    fn doubles_are_exact_decimals() {
        let cents = (-300..300_i32).map(|cents| f64::from(cents) / 100.0);
        let large = (0..60_i32).map(|power| 12.37 * 2_f64.powi(power));
        let others = [
            0.0,
            -0.0,
            0.1 + 0.2,
            2_f64.powi(-26),
            3.0 * 2_f64.powi(-26),
            1e20,
        ];
        for value in cents.chain(large).chain(others) {
            let text = Decimal::parse(&format!("{value:.25}")).expect("decimal");
            let exact = to_decimal(value).expect("decimal");
            assert_eq!(exact.to_string(), text.to_string(), "{value}");
        }
        assert_eq!(to_decimal(1e-30).expect("decimal").to_string(), "0");
        assert_eq!(
            to_decimal(f64::NAN).unwrap_err(),
            Abort::not_a_number("NaN")
        );
        assert_eq!(to_decimal(1e300).unwrap_err(), Abort::too_large("sum"));
    }
}
