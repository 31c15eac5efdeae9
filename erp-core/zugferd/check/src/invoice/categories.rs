//! The VAT categories.

/// A VAT category with rules of its own.
pub(crate) struct Category {
    /// The code of UNTDID 5305.
    pub(crate) code: &'static str,
    /// The letters that replace `*` in the ids of its rules.
    pub(crate) letters: &'static str,
    pub(crate) en: &'static str,
    pub(crate) de: &'static str,
}

const fn of(code: &'static str, letters: &'static str, [en, de]: [&'static str; 2]) -> Category {
    Category {
        code,
        letters,
        en,
        de,
    }
}

/// Those that have rules of their own, in the order in which they are judged.
pub(crate) static CATEGORIES: [Category; 9] = [
    of("AE", "AE", ["reverse charge", "Umkehr der Steuerschuld"]),
    of("E", "E", ["exempt from VAT", "steuerbefreit"]),
    of("G", "G", ["export outside the EU", "Ausfuhr aus der EU"]),
    of(
        "K",
        "IC",
        ["intra-community supply", "innergemeinschaftliche Lieferung"],
    ),
    of(
        "L",
        "AF",
        ["Canary Islands tax", "Steuer der Kanarischen Inseln"],
    ),
    of(
        "M",
        "AG",
        ["tax of Ceuta and Melilla", "Steuer von Ceuta und Melilla"],
    ),
    of("O", "O", ["outside the scope of VAT", "nicht steuerbar"]),
    of("S", "S", ["standard rate", "Normalsatz"]),
    of("Z", "Z", ["zero rated", "Nullsatz"]),
];

pub(crate) fn category(code: &str) -> Option<&'static Category> {
    CATEGORIES.iter().find(|category| category.code == code)
}
