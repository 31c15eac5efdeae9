//! Codes of units (UN/ECE recommendations 20 and 21) for the names that articles have.

/// The code of a package whose kind is not known.
const PACKAGE: &str = "XPK";

/// The code of a unit whose kind is not known: one.
const ONE: &str = "C62";

/// Codes with the names of units in German, English, French and Italian, in lower case and without a full stop.
const KNOWN: &str = include_str!("../../../../data/units.tsv");

pub(super) fn unit_code(name: Option<&str>, is_package: bool) -> &'static str {
    let name = name.map(|name| name.trim().trim_end_matches('.').to_lowercase());
    let known = name.and_then(|name| {
        let mut units = KNOWN.lines().filter_map(|row| row.split_once('\t'));
        units.find(|(_, names)| names.split('\t').any(|known| known == name))
    });
    match known {
        Some((code, _)) => code,
        None if is_package => PACKAGE,
        None => ONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_has_the_code_of_its_name() {
        assert_eq!(unit_code(Some("Stk."), false), "H87");
        assert_eq!(unit_code(Some("KARTON"), true), "XCT");
        assert_eq!(unit_code(Some("Kiste 12"), true), "XPK");
        assert_eq!(unit_code(None, false), "C62");
    }
}
