//! Times in JSON: reads RFC 3339, writes `YYYY-MM-DDTHH:MM:SSZ`.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use smol_str::SmolStr;
use thiserror::Error;

/// Why a text is not a valid time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TimeError {
    /// Neither a date nor a date with time and offset.
    #[error(
        "`{0}` is neither a date (`2026-03-31`) nor a time of RFC 3339 (`2026-03-31T12:00:00Z`)"
    )]
    Form(SmolStr),
    /// The syntax is right, but there is no such day, time of day or offset.
    #[error("`{0}` does not exist in the calendar of the years 1 to 9999")]
    Calendar(SmolStr),
}

/// Maximum number of characters of an invalid time that an error message repeats.
const SHOWN_CHARACTERS: usize = 40;

const DAY: &str = "0000-00-00";
const DAY_AND_TIME: &str = "0000-00-00T00:00:00";
const OFFSET: &str = "+00:00";

// rule: D-REQ-09
/// Parses a time: RFC 3339 with `Z` or an offset, or a date alone, which means the start of that day in `zone` (the
/// company's time zone). Fractions of a second are cut off; trailing blanks (padding of `char(20)`) are ignored.
///
/// ```
/// use erp_core::time::{format_instant, parse_instant};
/// use jiff::tz::TimeZone;
/// let time = parse_instant("2026-03-31T12:00:00.5+02:00", &TimeZone::UTC)?;
/// assert_eq!(format_instant(time), "2026-03-31T10:00:00Z");
/// # Ok::<(), erp_core::time::TimeError>(())
/// ```
///
/// # Errors
/// When the text has another syntax, or the time is outside the years 1 to 9999 (UTC; the last 26 hours of 9999 are
/// also excluded, because no time zone offset can be applied to them).
pub fn parse_instant(text: &str, zone: &TimeZone) -> Result<Timestamp, TimeError> {
    let shown = || text.chars().take(SHOWN_CHARACTERS).collect();
    let trimmed = text.trim_end_matches(' ');
    let time = if fits(trimmed, DAY) {
        start_of_day(trimmed, zone)
    } else {
        let whole = whole_seconds(trimmed).ok_or_else(|| TimeError::Form(shown()))?;
        whole.parse().ok()
    };
    time.filter(|time| (1..=9999).contains(&TimeZone::UTC.to_datetime(*time).year()))
        .ok_or_else(|| TimeError::Calendar(shown()))
}

// rule: R-RES-02
/// Formats a time in UTC as `YYYY-MM-DDTHH:MM:SSZ`, exactly the `char(20)` of the interface. Fractions of a second are
/// cut off.
#[must_use]
pub fn format_instant(time: Timestamp) -> SmolStr {
    let time = TimeZone::UTC.to_datetime(time);
    let (date, time) = (time.date(), time.time());
    let [month, day] = [date.month(), date.day()].map(i16::from);
    let [hour, minute, second] = [time.hour(), time.minute(), time.second()].map(i16::from);
    let year = date.year().max(0);
    // Digit by digit, because a list of 100 articles has 400 times and `format!` takes twenty times as long.
    let mut text = *b"0000-00-00T00:00:00Z";
    for (at, value) in [
        (0, year / 100),
        (2, year % 100),
        (5, month),
        (8, day),
        (11, hour),
        (14, minute),
        (17, second),
    ] {
        let digit = |value: i16| b'0'.saturating_add(u8::try_from(value).unwrap_or(0));
        let place = text.get_mut(at..).and_then(<[u8]>::first_chunk_mut);
        if let Some(place) = place {
            *place = [digit(value / 10), digit(value % 10)];
        }
    }
    SmolStr::new(std::str::from_utf8(&text).unwrap_or_default())
}

fn start_of_day(day: &str, zone: &TimeZone) -> Option<Timestamp> {
    let day: Date = day.parse().ok()?;
    Some(day.to_zoned(zone.clone()).ok()?.timestamp())
}

/// The text without its fraction of a second; `None` if it does not have the syntax of RFC 3339.
fn whole_seconds(text: &str) -> Option<String> {
    let (seconds, rest) = text.split_at_checked(DAY_AND_TIME.len())?;
    let offset = match rest.strip_prefix('.') {
        Some(fraction) => {
            let offset = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if offset.len() == fraction.len() {
                return None;
            }
            offset
        }
        None => rest,
    };
    let known_offset = matches!(offset, "Z" | "z")
        || fits(offset, OFFSET) && offset.get(1..3).is_some_and(|hours| hours < "24");
    (fits(seconds, DAY_AND_TIME) && known_offset).then(|| format!("{seconds}{offset}"))
}

/// Whether a text matches a pattern: `0` for any digit, `T` for t, `+` for a sign.
fn fits(text: &str, pattern: &str) -> bool {
    let same = |(found, wanted): (u8, u8)| match wanted {
        b'0' => found.is_ascii_digit(),
        b'T' => matches!(found, b'T' | b't'),
        b'+' => matches!(found, b'+' | b'-'),
        _ => found == wanted,
    };
    text.len() == pattern.len() && text.bytes().zip(pattern.bytes()).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<SmolStr, TimeError> {
        let two_hours_east = TimeZone::fixed(jiff::tz::offset(2));
        parse_instant(text, &two_hours_east).map(format_instant)
    }

    // rule: D-REQ-09
    #[test]
    fn times_are_converted_to_utc() {
        for (text, expected) in [
            ("2026-03-31T12:00:00Z", "2026-03-31T12:00:00Z"),
            ("2026-03-31t12:00:00z", "2026-03-31T12:00:00Z"),
            ("2026-03-31T00:30:00+05:45", "2026-03-30T18:45:00Z"),
            ("2026-03-31T23:30:00-01:00", "2026-04-01T00:30:00Z"),
            ("2026-03-31T12:00:00-00:00", "2026-03-31T12:00:00Z"),
            ("2024-02-29T23:59:59.999999999999Z", "2024-02-29T23:59:59Z"),
            ("1969-12-31T23:59:58.9Z", "1969-12-31T23:59:58Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("9999-12-30T21:59:59Z", "9999-12-30T21:59:59Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
    }

    // rule: D-REQ-09
    #[test]
    fn a_date_alone_is_the_start_of_the_day_in_the_companys_zone() {
        assert_eq!(read("2026-03-31").as_deref(), Ok("2026-03-30T22:00:00Z"));
        assert_eq!(
            read("2026-03-31          ").as_deref(),
            Ok("2026-03-30T22:00:00Z")
        );
    }

    // rule: D-REQ-09
    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "31.03.2026",
            "2026-3-31",
            "20260331",
            "20260331T120000Z",
            "2026-03-31T12:00:00",
            "2026-03-31T12:00Z",
            "2026-03-31 12:00:00Z",
            "2026-03-31T12:00:00.Z",
            "2026-03-31T12:00:00,5Z",
            "2026-03-31T12:00:00+0200",
            "2026-03-31T12:00:00+02",
            "2026-03-31T12:00:00+24:00",
            "2026-03-31T12:00:00Z[UTC]",
            "+002026-03-31T12:00:00Z",
            " 2026-03-31",
            "2026-03-31T12:00:0é",
            "٢٠٢٦-03-31",
        ] {
            assert!(matches!(read(text), Err(TimeError::Form(_))), "{text}");
        }
    }

    // rule: D-REQ-09
    #[test]
    fn what_the_calendar_does_not_have_is_refused() {
        for text in [
            "2026-02-29",
            "2026-13-01T00:00:00Z",
            "2026-03-31T24:00:00Z",
            "2026-03-31T12:60:00Z",
            "2026-03-31T12:00:00+02:60",
            "0000-01-01T00:00:00Z",
            "0001-01-01",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59Z",
        ] {
            assert!(matches!(read(text), Err(TimeError::Calendar(_))), "{text}");
        }
    }

    // rule: R-RES-02
    #[test]
    fn fractions_are_cut_when_printed() {
        let before_1970 = Timestamp::new(-1, -500_000_000).unwrap();
        assert_eq!(format_instant(before_1970), "1969-12-31T23:59:58Z");
    }
}
