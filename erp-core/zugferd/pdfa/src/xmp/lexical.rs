//! The forms that simple values may have.

/// Whether a text is a date of XMP: a year, and as much more of ISO 8601 as wanted.
pub(super) fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    is_day(date, time.is_some()) && time.is_none_or(is_time)
}

fn is_day(date: &str, must_be_full: bool) -> bool {
    let parts: Vec<&str> = date.split('-').collect();
    let bounds = [(4, 0, 9999), (2, 1, 12), (2, 1, 31)];
    let is_part = |(part, (length, least, most)): (&&str, _)| digits(part, length, least, most);
    parts.len() <= 3 && (parts.len() == 3 || !must_be_full) && parts.iter().zip(bounds).all(is_part)
}

fn is_time(time: &str) -> bool {
    let zone = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at_checked(zone).unwrap_or((time, ""));
    is_clock(clock) && is_zone(zone)
}

fn is_clock(clock: &str) -> bool {
    let Some((minute, second)) = clock
        .rsplit_once(':')
        .filter(|(minute, _)| minute.contains(':'))
    else {
        return is_minute(clock);
    };
    let (whole, fraction) = second.split_once('.').unwrap_or((second, "0"));
    is_minute(minute) && digits(whole, 2, 0, 59) && is_digits(fraction)
}

fn is_minute(text: &str) -> bool {
    let parts = text.split_once(':');
    parts.is_some_and(|(hour, minute)| digits(hour, 2, 0, 23) && digits(minute, 2, 0, 59))
}

fn is_zone(zone: &str) -> bool {
    match zone.strip_prefix(['+', '-']) {
        Some(offset) => is_minute(offset),
        None => matches!(zone, "" | "Z"),
    }
}

fn digits(text: &str, length: usize, least: u32, most: u32) -> bool {
    let value = text.parse::<u32>().ok();
    text.len() == length
        && is_digits(text)
        && value.is_some_and(|value| (least..=most).contains(&value))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits with an optional sign.
pub(super) fn is_integer(text: &str) -> bool {
    is_digits(text.strip_prefix(['+', '-']).unwrap_or(text))
}

/// Digits with an optional sign and an optional point.
pub(super) fn is_real(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    !unsigned.is_empty() && is_digits(&[whole, fraction].concat())
}

/// `True` or `False`, in this case.
pub(super) fn is_boolean(text: &str) -> bool {
    matches!(text, "True" | "False")
}

/// Two names with a slash, of letters, digits and `-`, `_`, `+`, `.`.
pub(crate) fn is_mime_type(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_+.".contains(letter);
    let is_name = |name: &str| !name.is_empty() && name.chars().all(is_letter);
    let parts = text.split_once('/');
    parts.is_some_and(|(kind, name)| is_name(kind) && is_name(name))
}

/// A language tag of RFC 3066.
pub(crate) fn is_locale(text: &str) -> bool {
    text.split('-').enumerate().all(|(place, part)| {
        let is_letter = |byte: u8| match place {
            0 => byte.is_ascii_alphabetic(),
            _ => byte.is_ascii_alphanumeric(),
        };
        (1..=8).contains(&part.len()) && part.bytes().all(is_letter)
    })
}

/// A URI or a relative reference of RFC 2396; letters beyond ASCII are allowed.
pub(super) fn is_uri(text: &str) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    has_uri_letters(text) && has_uri_letters(fragment) && has_good_scheme(text)
}

/// A URI with a scheme that names a place.
pub(super) fn is_url(text: &str) -> bool {
    const SCHEMES: [&str; 5] = ["http", "https", "ftp", "file", "mailto"];
    let scheme = text.split_once(':').map_or("", |(scheme, _)| scheme);
    is_uri(text) && SCHEMES.contains(&scheme.to_ascii_lowercase().as_str())
}

fn has_good_scheme(text: &str) -> bool {
    let end = text.find([':', '/', '?']).unwrap_or(text.len());
    let (scheme, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let Some(rest) = rest.strip_prefix(':') else {
        return text != "//";
    };
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.chars().all(is_letter)
        && !rest.is_empty()
        && rest != "//"
}

fn has_uri_letters(text: &str) -> bool {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_good = match letter {
            '%' => {
                let mut next = || {
                    letters
                        .next()
                        .is_some_and(|digit| digit.is_ascii_hexdigit())
                };
                next() && next()
            }
            _ if letter.is_ascii_alphanumeric() => true,
            _ if letter.is_ascii() => ";/?:@&=+$,-_.!~*'()".contains(letter),
            _ => !letter.is_control() && !letter.is_whitespace(),
        };
        if !is_good {
            return false;
        }
    }
    true
}

/// A path to a property, in the few letters that such paths need.
pub(super) fn is_xpath(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "/:_-.@".contains(letter);
    !text.is_empty() && text.chars().all(is_letter)
}

/// `DDD,MM,SSk` or `DDD,MM.mmk` with the letter of a direction.
pub(super) fn is_gps_coordinate(text: &str) -> bool {
    let Some(numbers) = text.strip_suffix(['N', 'S', 'E', 'W']) else {
        return false;
    };
    let parts: Vec<&str> = numbers.split(',').collect();
    match parts.as_slice() {
        [_, _, _] => parts.iter().all(|part| is_digits(part)),
        [degrees, minutes] => {
            let parts = minutes.split_once('.');
            is_digits(degrees)
                && parts.is_some_and(|(whole, part)| is_digits(whole) && is_digits(part))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(is: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(is(text), "{text}");
        }
        for text in bad {
            assert!(!is(text), "{text}");
        }
    }

    #[test]
    fn dates_follow_iso_8601() {
        check(
            is_date,
            &[
                "2020",
                "2020-02",
                "2020-02-03",
                "2020-02-03T10:11Z",
                "2020-02-03T10:11:12",
                "2020-02-03T10:11:12Z",
                "2020-02-03T10:11:12.5+01:00",
                "2020-02-03T10:11:12-11:30",
            ],
            &[
                "",
                "20",
                "2020-13",
                "2020-02-32",
                "2020-2-3",
                "D:20200203101112",
                "2020-02-03 10:11:12",
                "2020T10:11",
                "2020-02-03T",
                "2020-02-03T10",
                "2020-02-03T24:00",
                "2020-02-03T10:11:12+0100",
                "2020-02-03T10:11:12+01'00'",
                "2020-02-03T10:11:12.Z",
            ],
        );
    }

    #[test]
    fn numbers_and_booleans_have_their_letters() {
        check(
            is_integer,
            &["0", "+1", "-12"],
            &["", "+", "1.0", "a", "1 "],
        );
        check(
            is_real,
            &["0", "1.5", "-.5", "5.", "+1"],
            &["", ".", "-", "1,5", "1.2.3"],
        );
        check(is_boolean, &["True", "False"], &["true", "1", ""]);
    }

    #[test]
    fn names_of_types_and_languages_have_their_letters() {
        check(
            is_mime_type,
            &["application/pdf", "image/svg+xml"],
            &["", "pdf", "a/", "a b/c"],
        );
        check(
            is_locale,
            &["de", "de-CH", "x-default"],
            &["", "de_CH", "1a", "abcdefghi"],
        );
        check(is_xpath, &["dc:title", "/a/b"], &["", "a b", "a["]);
        check(
            is_gps_coordinate,
            &["10,20,30N", "10,20.5W"],
            &["10N", "10,20,30", "10,20N"],
        );
    }

    #[test]
    fn uris_have_no_spaces_and_a_good_scheme() {
        check(
            is_uri,
            &[
                "",
                "uuid:1-2",
                "http://a/b?c#d",
                "Bz+4ll==",
                "a%20b",
                "urn:\u{e4}",
            ],
            &[
                "uuid:", ":a", "1a:b", "a b", "a%2", "{a}", "a#b#c", "a\\b", "http://", "a\u{a0}b",
            ],
        );
        check(
            is_url,
            &["http://a.b", "HTTPS://a/b"],
            &["", "www.a.b", "uuid:1", "http:// a"],
        );
    }
}
