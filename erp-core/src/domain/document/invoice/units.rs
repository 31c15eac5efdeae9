//! Codes of units (UN/ECE recommendations 20 and 21) for the names that articles have.

/// The code of a package whose kind is not known.
const PACKAGE: &str = "XPK";

/// The code of a unit whose kind is not known: one.
const ONE: &str = "C62";

/// Names of units in German, English, French and Italian, in lower case and without a full stop, with their codes.
const KNOWN: [(&str, &[&str]); 22] = [
    (
        "H87",
        &[
            "stk", "stück", "stueck", "st", "piece", "pieces", "pce", "pcs", "pièce", "pezzo", "pz",
        ],
    ),
    ("KGM", &["kg", "kilogramm", "kilo"]),
    ("GRM", &["g", "gr", "gramm"]),
    ("TNE", &["t", "tonne", "to"]),
    ("MTR", &["m", "meter", "lfm", "mètre", "metro"]),
    ("CMT", &["cm"]),
    ("MMT", &["mm"]),
    ("MTK", &["m2", "m²", "qm"]),
    ("MTQ", &["m3", "m³", "cbm"]),
    ("LTR", &["l", "lt", "ltr", "liter", "litre", "litro"]),
    ("MLT", &["ml"]),
    (
        "HUR",
        &["h", "std", "stunde", "stunden", "hour", "heure", "ora"],
    ),
    ("MIN", &["min", "minute", "minuten"]),
    ("DAY", &["tag", "tage", "day", "jour", "giorno"]),
    ("PR", &["paar", "pair", "paire", "paio"]),
    ("SET", &["set", "satz", "garnitur"]),
    ("XRO", &["rolle", "rollen", "roll", "rouleau"]),
    ("XCT", &["karton", "krt", "carton", "cartone"]),
    ("XBX", &["schachtel", "box", "boîte", "scatola"]),
    ("XPX", &["palette", "pal", "pallet"]),
    ("XBG", &["beutel", "sack", "bag", "sac"]),
    ("XBO", &["flasche", "fl", "bottle", "bouteille"]),
];

pub(super) fn unit_code(name: Option<&str>, is_package: bool) -> &'static str {
    let name = name.map(|name| name.trim().trim_end_matches('.').to_lowercase());
    let known = name.and_then(|name| {
        let mut known = KNOWN.iter();
        known.find(|(_, names)| names.contains(&name.as_str()))
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
