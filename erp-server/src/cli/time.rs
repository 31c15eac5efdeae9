use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

const EXPECTED: &str =
    "expected a time like `2026-06-01T10:00:00Z` or `2026-06-01`, or an age like `2h` or `3d`";

/// Parses the time of an option: a time, a date, or an age. Without a zone it is UTC, as everywhere in the interface.
pub(super) fn time(text: &str) -> Result<Timestamp, String> {
    parse(text, Timestamp::now()).ok_or_else(|| EXPECTED.to_owned())
}

fn parse(text: &str, now: Timestamp) -> Option<Timestamp> {
    if let Ok(at) = text.parse() {
        return Some(at);
    }
    if let Ok(at) = text.parse::<DateTime>() {
        let at = at.to_zoned(TimeZone::UTC).ok()?;
        return Some(at.timestamp());
    }
    let age: Span = text.parse().ok()?;
    let at = now.to_zoned(TimeZone::UTC).checked_sub(age.abs()).ok()?;
    Some(at.timestamp())
}

/// A time in words, to the second. Options accept it.
pub(super) fn readable(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%SZ").to_string()
}

/// The time of a commit, given in milliseconds since 1970.
pub(super) fn commit_time(milliseconds: u64) -> Timestamp {
    let milliseconds = i64::try_from(milliseconds).unwrap_or(0);
    Timestamp::from_millisecond(milliseconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_dates_and_ages_are_understood() {
        let now = "2026-06-02T10:00:00Z".parse().unwrap();
        for (text, wanted) in [
            ("2026-06-01T10:00:00Z", "2026-06-01T10:00:00Z"),
            ("2026-06-01T10:00:00", "2026-06-01T10:00:00Z"),
            ("2026-06-01", "2026-06-01T00:00:00Z"),
            ("2h", "2026-06-02T08:00:00Z"),
            ("3d", "2026-05-30T10:00:00Z"),
            ("1 week", "2026-05-26T10:00:00Z"),
        ] {
            assert_eq!(parse(text, now).unwrap().to_string(), wanted, "{text}");
        }
        for text in ["", "today", "12", "2026-13-01", "9999999999999999999d"] {
            assert_eq!(parse(text, now), None, "{text}");
        }
    }

    #[test]
    fn a_printed_time_can_be_given_again() {
        let at: Timestamp = "2026-06-01T10:00:00.123456789Z".parse().unwrap();
        let printed = readable(at);
        assert_eq!(printed, "2026-06-01 10:00:00Z");
        assert_eq!(time(&printed).unwrap().as_second(), at.as_second());
    }
}
