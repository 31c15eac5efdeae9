//! Normalises typed postal codes.

use smol_str::SmolStr;

use crate::values::codes::Country;

/// The postal code without blanks and the prefix of a country whose codes are checked.
pub(crate) fn without_prefix(typed: &str) -> SmolStr {
    let countries = [Country::CH, Country::DE, Country::AT];
    countries
        .into_iter()
        .fold(typed.into(), |code: SmolStr, country| {
            normalised(country, &code)
        })
}

/// The postal code without blanks and country prefix; if the rest is not a number, the typed text trimmed.
pub(super) fn normalised(country: Country, typed: &str) -> SmolStr {
    let compact: String = typed
        .chars()
        .filter(|character| !character.is_whitespace())
        .collect();
    let number = compact.trim_start_matches(|character: char| !character.is_ascii_digit());
    let prefix = compact.strip_suffix(number).unwrap_or_default();
    let prefix = prefix
        .trim_end_matches(['-', '–', '.'])
        .to_ascii_uppercase();
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && (prefix.is_empty() || is_prefix(country, &prefix)) {
        return SmolStr::from(number);
    }
    SmolStr::from(typed.trim())
}

/// Liechtenstein is part of the Swiss postal system, so its codes may have any of three prefixes.
fn is_prefix(country: Country, prefix: &str) -> bool {
    match country {
        Country::CH | Country::LI => matches!(prefix, "CH" | "FL" | "LI"),
        Country::DE => matches!(prefix, "DE" | "D"),
        Country::AT => matches!(prefix, "AT" | "A"),
        other => prefix == other.as_str(),
    }
}

// rule: R-TWN-05
/// Whether the code belongs to Liechtenstein's part of the Swiss number range.
pub(super) fn is_liechtenstein(code: &str) -> bool {
    code.len() == 4
        && code
            .parse()
            .is_ok_and(|number: u16| (9485..=9498).contains(&number))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-TWN-05
    #[test]
    fn blanks_and_the_country_s_prefix_go() {
        for typed in [
            "8001",
            "8001 ",
            " 80 01",
            "CH-8001",
            "ch 8001",
            "CH8001",
            "CH - 8001",
        ] {
            assert_eq!(normalised(Country::CH, typed), "8001", "{typed}");
        }
        assert_eq!(normalised(Country::CH, "FL-9490"), "9490");
        assert_eq!(normalised(Country::DE, "D-10115"), "10115");
    }

    #[test]
    fn what_is_no_number_of_the_country_stays() {
        for typed in ["D-8001", "8001a", "80-01", "", "CH-"] {
            assert_eq!(normalised(Country::CH, typed), typed);
        }
        assert_eq!(normalised(Country::CH, " 8001a "), "8001a");
    }

    #[test]
    fn the_range_of_liechtenstein_has_both_ends() {
        let inside = |code| is_liechtenstein(code);
        assert!(inside("9485") && inside("9498"));
        assert!(!inside("9484") && !inside("9499") && !inside("09490") && !inside(""));
    }
}
