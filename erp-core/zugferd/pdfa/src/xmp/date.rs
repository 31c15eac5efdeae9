//! Dates of PDF and other notations as dates of XMP.

use super::lexical::is_date;

/// `2026-11-21 06:30:00 +0100` and `D:20261121063000+01'00'` as `2026-11-21T06:30:00+01:00` (ISO 32000-1,
/// 7.9.4; XMP 2005, 3.2).
///
/// A missing zone is replaced by `without_zone`. `None` if the text is not a date.
pub fn xmp_date(text: &str, without_zone: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("D:").unwrap_or(text);
    let is_zone = |(place, letter): &(usize, char)| match letter {
        'Z' | 'z' | '+' => true,
        // Before that it is between the parts of the day.
        '-' => *place >= "2026-11-21".len(),
        _ => false,
    };
    let zone = text.char_indices().find(is_zone);
    let (clock, zone) = text.split_at_checked(zone.map_or(text.len(), |(place, _)| place))?;
    let clock = digits(clock)?;
    let part = |from: usize, missing: &'static str| clock.get(from..from + 2).unwrap_or(missing);
    let year = clock.get(..4)?;
    let day = format!("{year}-{}-{}", part(4, "01"), part(6, "01"));
    let time = format!("{}:{}:{}", part(8, "00"), part(10, "00"), part(12, "00"));
    let zone = match zone.chars().next() {
        Some(sign @ ('+' | '-')) => {
            let offset = digits(zone.get(1..)?)?;
            let (hour, minute) = (offset.get(..2)?, offset.get(2..4).unwrap_or("00"));
            format!("{sign}{hour}:{minute}")
        }
        Some(_) => "Z".to_owned(),
        None => without_zone.to_owned(),
    };
    Some(format!("{day}T{time}{zone}")).filter(|text| is_date(text))
}

/// The digits of a text that has only signs between them besides.
fn digits(text: &str) -> Option<String> {
    let is_known = |letter: char| letter.is_ascii_digit() || "-:T. '".contains(letter);
    let digits = text.chars().filter(char::is_ascii_digit);
    text.chars().all(is_known).then(|| digits.collect())
}

#[cfg(test)]
mod tests {
    use super::xmp_date;

    #[test]
    fn dates_of_a_pdf_become_dates_of_xmp() {
        let cases = [
            ("D:20261121063000+01'00'", Some("2026-11-21T06:30:00+01:00")),
            ("D:20261121063000-05'30", Some("2026-11-21T06:30:00-05:30")),
            ("D:20261121063000Z", Some("2026-11-21T06:30:00Z")),
            ("D:20261121063000z", Some("2026-11-21T06:30:00Z")),
            (" D:20261121063000 ", Some("2026-11-21T06:30:00Z")),
            ("D:202611", Some("2026-11-01T00:00:00Z")),
            ("20261121", Some("2026-11-21T00:00:00Z")),
            (
                "2026-11-21 06:30:00 -0530",
                Some("2026-11-21T06:30:00-05:30"),
            ),
            ("yesterday", None),
            ("D:20261121063000x", None),
            ("D:20261321", None),
        ];
        for (pdf, xmp) in cases {
            assert_eq!(xmp_date(pdf, "Z").as_deref(), xmp, "{pdf}");
        }
        assert_eq!(
            xmp_date("2026-11-21 06:30", "").as_deref(),
            Some("2026-11-21T06:30:00")
        );
    }
}
