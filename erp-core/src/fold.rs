//! Text without what people spell differently: case, accents, doubled spaces.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The text in lower case, without accents, `ß` as `ss`, spaces single: for sorting and searching.
///
/// ```
/// assert_eq!(erp_core::fold::fold("  Große  Ämter "), "grosse amter");
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        for character in word
            .nfd()
            .filter(|character| !is_combining_mark(*character))
        {
            match character {
                'ß' | 'ẞ' => folded.push_str("ss"),
                'æ' | 'Æ' => folded.push_str("ae"),
                'œ' | 'Œ' => folded.push_str("oe"),
                'ø' | 'Ø' => folded.push('o'),
                'ł' | 'Ł' => folded.push('l'),
                'đ' | 'Đ' => folded.push('d'),
                other => folded.extend(other.to_lowercase()),
            }
        }
    }
    folded
}

/// The text in the form in which addresses are compared: [`fold`]ed, with `ae`, `oe`, `ue` read as
/// umlauts, so that `Müller`, `MUELLER` and `Muller` are one.
///
/// ```
/// use erp_core::fold::search_form;
/// assert_eq!(search_form("Müller"), search_form("MUELLER"));
/// assert_eq!(search_form("Straße"), search_form("strasse"));
/// ```
#[must_use]
pub fn search_form(text: &str) -> String {
    fold(text)
        .replace("ae", "a")
        .replace("oe", "o")
        .replace("ue", "u")
}
