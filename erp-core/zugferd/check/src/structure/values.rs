//! The types of values in the schemas.

use crate::findings::message::says;
use crate::invoice::date::days_of;
use crate::invoice::decimal::BLANKS;

/// What a text must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Any,
    Decimal,
    Boolean,
    Date,
    Time,
    DateTime,
    Base64,
    Language,
    Uri,
}

/// The types by their names in the XML schema. Of codes and numbers of things any text fits.
const TYPES: [(&str, Value); 11] = [
    ("xs:string", Value::Any),
    ("xs:token", Value::Any),
    ("xs:normalizedString", Value::Any),
    ("xs:decimal", Value::Decimal),
    ("xs:boolean", Value::Boolean),
    ("xs:date", Value::Date),
    ("xs:time", Value::Time),
    ("xs:dateTime", Value::DateTime),
    ("xs:base64Binary", Value::Base64),
    ("xs:language", Value::Language),
    ("xs:anyURI", Value::Uri),
];

impl Value {
    pub(super) fn of(name: &str) -> Option<Self> {
        let found = TYPES.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| *value)
    }

    pub(super) fn fits(self, text: &str) -> bool {
        let text = text.trim_matches(BLANKS);
        match self {
            Self::Any => true,
            Self::Decimal => is_decimal(text),
            Self::Boolean => matches!(text, "true" | "false" | "1" | "0"),
            Self::Date => without_zone(text).and_then(is_date).is_some(),
            Self::Time => without_zone(text).and_then(is_time).is_some(),
            Self::DateTime => is_date_time(text).is_some(),
            Self::Base64 => is_base64(text),
            Self::Language => is_language(text),
            Self::Uri => is_uri(text),
        }
    }

    pub(super) fn says(self) -> (String, String) {
        let found = TYPES.iter().find(|(_, value)| *value == self);
        let (en, de) = found.map_or_else(Default::default, |(name, _)| says(name));
        (en.to_owned(), de.to_owned())
    }
}

/// A sign or none, then digits, of which a point may be before, between or after.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
}

/// Blanks may be between the signs; the bits that are not used of the last sign are zero.
fn is_base64(text: &str) -> bool {
    let mut signs = 0_usize;
    let mut last = b'A';
    let mut filled = 0_usize;
    for byte in text.bytes() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'=' => filled += 1,
            _ if filled > 0 => return false,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => {
                signs += 1;
                last = byte;
            }
            _ => return false,
        }
    }
    match (signs % 4, filled) {
        (0, 0) => true,
        (3, 1) => b"AEIMQUYcgkosw048".contains(&last),
        (2, 2) => b"AQgw".contains(&last),
        _ => false,
    }
}

/// `None` unless it is a time as the XML schema writes it, with or without a zone.
fn is_date_time(text: &str) -> Option<()> {
    let (date, time) = without_zone(text)?.split_once('T')?;
    is_date(date)?;
    is_time(time)
}

fn is_time(time: &str) -> Option<()> {
    let (clock, fraction) = match time.split_once('.') {
        Some((clock, fraction)) => (clock, number(fraction, fraction.len().max(1))?),
        None => (time, 0),
    };
    let mut parts = clock.split(':').map(|part| number(part, 2));
    let mut part = || parts.next().flatten();
    let (hour, minute, second) = (part()?, part()?, part()?);
    let is_end_of_day = hour == 24 && minute == 0 && second == 0 && fraction == 0;
    let is_time = (hour < 24 || is_end_of_day) && minute < 60 && second < 60;
    (is_time && parts.next().is_none()).then_some(())
}

/// What is before the zone, such as `Z` or `+01:00`, of a time or a date; `None` for a zone that cannot be.
fn without_zone(text: &str) -> Option<&str> {
    if let Some(before) = text.strip_suffix('Z') {
        return Some(before);
    }
    let (before, zone) = text.split_at_checked(text.len().checked_sub(6)?)?;
    let Some(zone) = zone.strip_prefix(['+', '-']) else {
        return Some(text);
    };
    // The end of a date has no colon.
    let Some((hour, minute)) = zone.split_once(':') else {
        return Some(text);
    };
    let (hour, minute) = (number(hour, 2)?, number(minute, 2)?);
    (minute < 60 && hour * 60 + minute <= 14 * 60).then_some(before)
}

/// Parts of one to eight letters, and behind the first one also of digits.
fn is_language(text: &str) -> bool {
    text.split('-').enumerate().all(|(number, part)| {
        let fits = |byte: u8| byte.is_ascii_alphabetic() || (number > 0 && byte.is_ascii_digit());
        (1..=8).contains(&part.len()) && part.bytes().all(fits)
    })
}

/// As RFC 3986 has it, with characters that a program would escape: blanks, those beyond ASCII, and ``<>"{}|\^` ``.
fn is_uri(text: &str) -> bool {
    let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
    let path = before.split('?').next().unwrap_or_default();
    let scheme = path.split_once(':').map_or("./", |(scheme, _)| scheme);
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let starts_right = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let are_digits = |two: &str| two.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_escape = |after: &str| after.get(..2).is_some_and(are_digits);
    // Only a host may be in brackets.
    let is_start = |start: &str| start.is_empty() || start.ends_with(':');
    let host = before
        .split_once("//[")
        .filter(|(start, _)| is_start(start));
    let host = host.and_then(|(_, host)| host.split_once(']'));
    let rest = host.map_or(before, |(_, rest)| rest);
    (scheme.contains('/') || (starts_right && scheme.bytes().all(is_sign)))
        && !fragment.contains('#')
        && !rest.contains(['[', ']'])
        && text.split('%').skip(1).all(is_escape)
}

fn is_date(text: &str) -> Option<()> {
    let text = text.strip_prefix('-').unwrap_or(text);
    let mut parts = text.split('-');
    let year = parts.next()?;
    let has_digits = year.len() == 4 || (year.len() > 4 && !year.starts_with('0'));
    let digits = number(year, year.len())?;
    // Leap years repeat every 400 years, so the last four digits are enough.
    let in_cycle = number(year.get(year.len().checked_sub(4)?..)?, 4)?;
    let (month, day) = (number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let is_day = (1..=12).contains(&month) && (1..=days_of(in_cycle, month)).contains(&day);
    let is_date = has_digits && digits > 0 && is_day;
    (is_date && parts.next().is_none()).then_some(())
}

/// The number that exactly so many digits are; the largest one for too many.
fn number(text: &str, digits: usize) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(value: Value, right: &[&str], wrong: &[&str]) {
        for text in right {
            assert!(value.fits(text), "{value:?} {text:?}");
        }
        for text in wrong {
            assert!(!value.fits(text), "{value:?} {text:?}");
        }
    }

    #[test]
    fn values_are_those_of_the_xml_schema() {
        let long = "9".repeat(400);
        each(
            Value::Decimal,
            &["1", "+1", "-0", ".5", "1.", " 1.00 ", "\t1\r\n", &long],
            &[
                "", " ", ".", "-", "1e3", "1,00", "NaN", "INF", "- 1", "1.0.0", "--1", "\u{a0}1",
                "\u{661}", "1 0",
            ],
        );
        each(
            Value::Boolean,
            &["true", "false", "1", "0", " true\n"],
            &["", "TRUE", "yes", "01", "\u{a0}true"],
        );
        each(
            Value::Base64,
            &["", "QUJD", "QQ==", "QUI=", "Q U\nI =", "+/+/"],
            &[
                "Q", "QQ", "QQ=", "QR==", "QUJ=", "Q===", "=", "QQ==QQ==", "Q!JD", "Q-_D",
            ],
        );
        each(Value::Any, &["", "\u{a0}", "x"], &[]);
        each(
            Value::Language,
            &["de", " DE\n", "abcdefgh-12345678", "i-a-1"],
            &["", "de_DE", "abcdefghi", "1a", "d e", "de-", "-", "d\u{e9}"],
        );
        each(
            Value::Uri,
            &[
                "",
                " a b ",
                "\u{e4}",
                "http://[::1]/a",
                "a#b[c]",
                "%41",
                "a+b:c",
                "./1:a",
                "?1:b",
                "{a}^<b>",
                "mailto:a@b",
                "//[x]",
                "http://u@h:1/?a:b#c?d",
                "a:",
            ],
            &[
                "a#b#c",
                "%",
                "%4",
                "a?%zz",
                "1:a",
                ":a",
                "a_b:c",
                "[a]",
                "a?b[c]",
                "http://x/]",
                "http://[a",
                "a//[b]",
                "\u{e4}:b",
                "a b:c",
            ],
        );
    }

    #[test]
    fn times_are_those_of_the_xml_schema() {
        each(
            Value::Date,
            &[
                "2026-01-31",
                "2026-01-31Z",
                "2026-01-31-14:00",
                "-12026-01-31+01:00",
            ],
            &[
                "",
                "20260131",
                "2026-01-32",
                "2026-1-31",
                "2026-01-31+14:01",
                "2026-01-31T00:00:00",
            ],
        );
        each(
            Value::Time,
            &[
                "12:00:00",
                "24:00:00",
                "00:00:00.0000000001Z",
                "23:59:59+14:00",
            ],
            &[
                "",
                "12:00",
                "12.00.00",
                "24:00:01",
                "23:59:60",
                "12:00:00.",
                "12:00:00+14:01",
            ],
        );
        each(
            Value::DateTime,
            &[
                "2026-02-28T12:00:00",
                "2024-02-29T23:59:59.123Z",
                "2000-02-29T24:00:00+14:00",
                "12026-12-31T00:00:00-01:30",
                "-0001-01-01T00:00:00",
                " 2026-01-01T00:00:00 ",
            ],
            &[
                "",
                "20260228",
                "2026-02-28",
                "2026-02-29T00:00:00",
                "1900-02-29T00:00:00",
                "0000-01-01T00:00:00",
                "026-01-01T00:00:00",
                "02026-01-01T00:00:00",
                "2026-13-01T00:00:00",
                "2026-00-01T00:00:00",
                "2026-01-01T24:00:01",
                "2026-01-01T24:00:00.1",
                "2026-01-01T12:60:00",
                "2026-01-01T12:00",
                "2026-01-01T12:00:00.",
                "2026-01-01T12:00:00+15:00",
                "2026-01-01T12:00:00+1:00",
                "2026-01-01T12:00:00Z ü",
                "2026-01-01t12:00:00",
            ],
        );
    }
}
