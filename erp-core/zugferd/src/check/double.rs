//! Double precision numbers, where the official artefacts compute with them.
#![expect(
    clippy::float_arithmetic,
    reason = "the verdict must be that of the artefacts, which compute in doubles here"
)]

use super::abort::Abort;
use super::decimal::{BLANKS, Decimal};

/// Reads the lexical form of `xs:double`.
pub(super) fn parse(text: &str) -> Result<f64, Abort> {
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
pub(super) fn add(sum: f64, value: f64) -> f64 {
    sum + value
}

/// `value - 1 < total` and `value + 1 > total`.
pub(super) fn is_within_one(value: f64, total: f64) -> bool {
    value - 1.0 < total && value + 1.0 > total
}

/// Rounded to an integer; a half goes towards plus infinity.
fn round(value: f64) -> f64 {
    let floor = value.floor();
    if value - floor >= 0.5 {
        floor + 1.0
    } else {
        floor
    }
}

/// `round(value * 10 * 10) div 100`.
pub(super) fn round_to_cents(value: f64) -> f64 {
    round(value * 10.0 * 10.0) / 100.0
}

/// `round(value * 100) div 100`, which may differ by one bit from the other way.
pub(super) fn round_hundredfold(value: f64) -> f64 {
    round(value * 100.0) / 100.0
}

/// `round(basis * rate) div 100`.
pub(super) fn tax(basis: f64, rate: f64) -> f64 {
    round(basis * rate) / 100.0
}

/// The exact value of a double rounded to cents; nothing for one that is no number.
pub(super) fn to_cents(value: f64) -> Result<Decimal, Abort> {
    if !value.is_finite() {
        return Err(Abort::not_a_number("NaN"));
    }
    let failure = || Abort::too_large("sum");
    let bits = value.to_bits();
    let exponent = i32::try_from((bits >> 52) & 0x7FF).unwrap_or(0);
    let fraction = i128::from(bits & ((1 << 52) - 1));
    // Numbers below the smallest normal one have no hidden bit.
    let (mantissa, exponent) = match exponent {
        0 => (fraction, -1074),
        exponent => (fraction + (1 << 52), exponent - 1075),
    };
    let cents = mantissa * 100 * if value.is_sign_negative() { -1 } else { 1 };
    let cents = match u32::try_from(-exponent) {
        Ok(shift @ 1..=120) => (cents + (1 << (shift - 1))) >> shift,
        Ok(0) => cents,
        Ok(_) => 0,
        Err(_) => {
            let shift = u32::try_from(exponent).ok().filter(|shift| *shift < 60);
            cents
                .checked_mul(1 << shift.ok_or_else(failure)?)
                .ok_or_else(failure)?
        }
    };
    Ok(Decimal::new(cents, 2))
}

/// For a message; nothing for what is no number. (The formatting of doubles is large in browsers.)
pub(super) fn display(value: f64) -> Option<String> {
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
}
