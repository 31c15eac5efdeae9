//! Times in JSON: reads RFC 3339, writes `YYYY-MM-DDTHH:MM:SSZ`.

use std::fmt;
use std::str::FromStr;

use erp_derive::Say;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smol_str::SmolStr;

/// Why a text is not a valid time.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[non_exhaustive]
pub enum TimeError {
    /// Neither a date nor a date with time and offset.
    #[say("malformed.time")]
    Form(SmolStr),
    /// The syntax is right, but there is no such day, time of day or offset.
    #[say("malformed.calendar")]
    Calendar(SmolStr),
}

/// A time of a document, in UTC. A [`Timestamp`] ends on 9999-12-30 at 22:00; this reaches to the end of that year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentTime(DateTime);

impl DocumentTime {
    /// The same time, or the last one that a timestamp can be.
    pub fn timestamp(self) -> Timestamp {
        let zoned = self.0.to_zoned(TimeZone::UTC);
        zoned.map_or(Timestamp::MAX, |zoned| zoned.timestamp())
    }
}

impl From<Timestamp> for DocumentTime {
    fn from(time: Timestamp) -> Self {
        Self(TimeZone::UTC.to_datetime(time))
    }
}

impl fmt::Display for DocumentTime {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}Z", self.0)
    }
}

impl FromStr for DocumentTime {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        Ok(Self(text.trim_end_matches('Z').parse()?))
    }
}

/// Stored as a [`Timestamp`] is.
impl Serialize for DocumentTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for DocumentTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = SmolStr::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
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
/// let time = parse_instant("2026-03-31T12:00:00.5+02:00", &TimeZone::UTC);
/// assert!(time.is_ok_and(|time| format_instant(time) == "2026-03-31T10:00:00Z"));
/// ```
///
/// # Errors
/// When the text has another syntax, or the time in UTC is outside the years 1 to 9999. The date `0001-01-01` alone is
/// never outside: it is the first second of these years where the day begins earlier.
pub fn parse_instant(text: &str, zone: &TimeZone) -> Result<DocumentTime, TimeError> {
    let shown = || text.chars().take(SHOWN_CHARACTERS).collect();
    let trimmed = text.trim_end_matches(' ');
    let time = if fits(trimmed, DAY) {
        start_of_day(trimmed, zone)
    } else {
        let (time, offset) = time_and_offset(trimmed).ok_or_else(|| TimeError::Form(shown()))?;
        in_utc(time, offset)
    };
    time.filter(|time| (1..=9999).contains(&time.year()))
        .map(DocumentTime)
        .ok_or_else(|| TimeError::Calendar(shown()))
}

// rule: R-RES-02
/// Formats a time in UTC as `YYYY-MM-DDTHH:MM:SSZ`, exactly the `char(20)` of the interface. Fractions of a second are
/// cut off.
pub fn format_instant(time: impl Into<DocumentTime>) -> SmolStr {
    let DocumentTime(time) = time.into();
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

fn start_of_day(day: &str, zone: &TimeZone) -> Option<DateTime> {
    let day: Date = day.parse().ok()?;
    let start = match day.to_zoned(zone.clone()) {
        Ok(start) => DocumentTime::from(start.timestamp()).0,
        // A start that is too late for a timestamp.
        Err(_) => {
            let seconds = zone.to_offset(Timestamp::MAX).seconds();
            let start = day.to_datetime(jiff::civil::Time::midnight());
            start
                .checked_sub(SignedDuration::from_secs(seconds.into()))
                .ok()?
        }
    };
    let first = DateTime::constant(1, 1, 1, 0, 0, 0, 0);
    Some(if day == first.date() {
        start.max(first)
    } else {
        start
    })
}

/// A time with `Z` or an offset like `+05:45` as the time in UTC.
fn in_utc(time: &str, offset: &str) -> Option<DateTime> {
    let time: DateTime = time.parse().ok()?;
    let (sign, offset) = offset.split_at_checked(1)?;
    let (hours, minutes) = offset.split_once(':').unwrap_or(("0", "0"));
    let [hours, minutes] = [hours, minutes].map(|digits| digits.parse::<i64>().ok());
    let minutes = minutes.filter(|minutes| *minutes < 60)?;
    let seconds = hours?
        .saturating_mul(60)
        .saturating_add(minutes)
        .saturating_mul(60);
    let offset = SignedDuration::from_secs(seconds);
    match sign {
        "-" => time.checked_add(offset).ok(),
        _ => time.checked_sub(offset).ok(),
    }
}

/// The text up to its whole seconds, and its offset; `None` if it does not have the syntax of RFC 3339.
fn time_and_offset(text: &str) -> Option<(&str, &str)> {
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
    (fits(seconds, DAY_AND_TIME) && known_offset).then_some((seconds, offset))
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
            ("0001-01-01T00:00:00-23:59", "0001-01-01T23:59:00Z"),
            ("9999-12-31T23:59:59.9Z", "9999-12-31T23:59:59Z"),
            ("9999-12-31T23:59:59+23:59", "9999-12-31T00:00:59Z"),
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
            "0000-12-31",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-00:01",
        ] {
            assert!(matches!(read(text), Err(TimeError::Calendar(_))), "{text}");
        }
    }

    // rule: D-REQ-09
    #[test]
    fn the_first_and_the_last_day_exist_in_every_zone() {
        for hours in -25..=25 {
            let zone = TimeZone::fixed(jiff::tz::offset(hours));
            let first = parse_instant("0001-01-01", &zone)
                .map(format_instant)
                .unwrap();
            assert!(first.starts_with("0001-01-0"), "{first}");
            let last = parse_instant("9999-12-31", &zone);
            let last = last.map(format_instant);
            // No zone of the world is as far west as 24 hours.
            assert_eq!(last.is_ok(), hours > -24, "{last:?}");
        }
        let utc = |text| parse_instant(text, &TimeZone::UTC).unwrap();
        assert_eq!(utc("9999-12-31").to_string(), "9999-12-31T00:00:00Z");
        assert_eq!(utc("9999-12-31").timestamp(), Timestamp::MAX);
        assert_eq!(
            utc("9999-12-30").timestamp().to_string(),
            "9999-12-30T00:00:00Z"
        );
    }

    #[test]
    fn a_time_is_stored_as_a_timestamp_is() {
        for text in [
            "2026-06-01T08:00:00.123456789Z",
            "0001-01-01T00:00:00Z",
            "1969-12-31T23:59:58.9Z",
        ] {
            let time: Timestamp = text.parse().unwrap();
            let stored = serde_json::to_string(&DocumentTime::from(time)).unwrap();
            assert_eq!(stored, serde_json::to_string(&time).unwrap());
            let read: DocumentTime = serde_json::from_str(&stored).unwrap();
            assert_eq!(read.timestamp(), time);
        }
    }

    // rule: R-RES-02
    #[test]
    fn fractions_are_cut_when_printed() {
        let before_1970 = Timestamp::new(-1, -500_000_000).unwrap();
        assert_eq!(format_instant(before_1970), "1969-12-31T23:59:58Z");
    }
}
