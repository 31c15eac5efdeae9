//! Dates (`xs:date`), which UBL has.

use super::abort::Abort;
use super::decimal::BLANKS;

/// The minutes from a fixed day to the start of a date, for comparing; a date without zone counts as one of UTC.
pub(crate) fn parse(text: &str) -> Result<i64, Abort> {
    minutes(text.trim_matches(BLANKS)).ok_or_else(|| Abort::not_a_date(text))
}

fn digits(text: &str) -> Option<i64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// A number of exactly two digits within bounds.
fn two(text: &str, least: i64, most: i64) -> Option<i64> {
    let number = digits(text).filter(|number| (least..=most).contains(number));
    number.filter(|_| text.len() == 2)
}

fn minutes(text: &str) -> Option<i64> {
    let (text, zone) = match text.strip_suffix('Z') {
        Some(text) => (text, 0),
        None => split_zone(text)?,
    };
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => (-1, unsigned),
        None => (1, text),
    };
    let mut parts = unsigned.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_year = (year.len() == 4 || (5..10).contains(&year.len()) && !year.starts_with('0'))
        && parts.next().is_none();
    let year = sign * digits(year).filter(|number| is_year && *number > 0)?;
    let month = two(month, 1, 12)?;
    let day = two(day, 1, days_of(year, month))?;
    Some(days(year, month, day) * 1440 - zone)
}

/// The text before a zone such as `+01:00`, and the minutes of the zone.
fn split_zone(text: &str) -> Option<(&str, i64)> {
    let Some((before, minute)) = text.split_once(':') else {
        return Some((text, 0));
    };
    let (before, hour) = before.split_at_checked(before.len().checked_sub(2)?)?;
    let (hour, minute) = (two(hour, 0, 14)?, two(minute, 0, 59)?);
    let zone = Some(hour * 60 + minute).filter(|zone| *zone <= 14 * 60)?;
    match before.strip_suffix('-') {
        Some(before) => Some((before, -zone)),
        None => Some((before.strip_suffix('+')?, zone)),
    }
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month from 1 to 12 has.
pub(crate) const fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the proleptic Gregorian calendar, with March as the first month.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (month * 153 + 2) / 5 + day
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_compared() {
        let earlier = [
            ("2026-02-28", "2026-03-01"),
            ("2024-02-28", "2024-02-29"),
            ("2025-12-31", "2026-01-01"),
            ("-0001-01-01", "0001-01-01"),
            ("9999-12-31", "10000-01-01"),
            ("2026-01-01+02:00", "2026-01-01Z"),
            ("2026-01-01", "2026-01-01-00:30"),
        ];
        for (one, other) in earlier {
            assert!(parse(one).unwrap() < parse(other).unwrap(), "{one} {other}");
        }
        let day = parse("2024-03-01").unwrap() - parse("2024-02-28").unwrap();
        assert_eq!(day, 2 * 1440);
        assert_eq!(parse(" 2026-01-01\n"), parse("2026-01-01Z"));
        for text in [
            "",
            " ",
            "20260101",
            "2026-1-01",
            "2026-13-01",
            "2026-02-29",
            "1900-02-29",
            "0000-01-01",
            "02026-01-01",
            "2026-01-01+15:00",
            "2026-01-01+14:01",
            "2026-01-01 Z",
            "2026-01-01T00:00:00",
            "2026-01-01-",
            "+2026-01-01",
        ] {
            assert_eq!(parse(text), Err(Abort::not_a_date(text)), "{text}");
        }
    }
}
