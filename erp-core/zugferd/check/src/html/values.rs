//! Values as people read them.

use crate::invoice::categories::category;
use crate::language::Language;
use crate::read::model::{Both, Model};
use crate::read::{day, other_currency, path};
use crate::xml::Element;

/// Letters of a value that are shown; the page stays readable, and small.
const LONGEST: usize = 1_000;

/// The language of values, the syntax they are in, and the currency of amounts unless they say otherwise.
#[derive(Clone, Copy)]
pub(super) struct Style<'a> {
    pub(super) language: Language,
    pub(super) is_ubl: bool,
    pub(super) currency: &'a str,
}

impl Style<'_> {
    pub(super) const fn label(self, [english, german]: Both) -> &'static str {
        self.language.choose(english, german)
    }

    pub(super) fn path<T>(self, paths: [T; 2]) -> T {
        path::of_syntax(paths, self.is_ubl)
    }

    /// The value of an element, or of the parts of it that are named after ` > `, each with its separator before it.
    pub(super) fn value(self, element: Element<'_>, parts: Option<&str>, list: &str) -> String {
        let Some(parts) = parts else {
            return self.plain(element, list);
        };
        let mut value = String::new();
        let mut separator = " ";
        for part in parts.split(' ') {
            match part {
                "," => separator = ", ",
                ":" => separator = ": ",
                "&" => break,
                "–" => separator = " – ",
                part => {
                    let found = path::first(element, part);
                    let text = found.map_or_else(String::new, |found| self.plain(found, list));
                    if !text.is_empty() && !value.is_empty() {
                        value.push_str(separator);
                    }
                    value.push_str(&text);
                    separator = " ";
                }
            }
        }
        value
    }

    /// A date, an amount, a quantity with its unit, a percentage, an attached file; else a text, or a code.
    fn plain(self, element: Element<'_>, list: &str) -> String {
        let name = element.local();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if ends(&["BinaryObject"]) {
            let attributes = ["filename", "mimeCode"].map(|name| element.attribute(name));
            let known: Vec<&str> = attributes.into_iter().flatten().collect();
            return cut(&known.join(", "));
        }
        let text = element.text();
        let text = cut(text.trim());
        if text.is_empty() {
            return text;
        }
        if let Some(day) = day(element, &text) {
            return match self.language {
                Language::German => day.rsplit('-').collect::<Vec<_>>().join("."),
                Language::English => day,
            };
        }
        if ends(&["Percent", "Numeric"]) {
            return format!("{} %", number(&text));
        }
        if ends(&["Amount"]) {
            let other = other_currency(element, self.currency);
            let other = other.map(|currency| format!(" {}", cut(currency)));
            return number(&text) + &other.unwrap_or_default();
        }
        if ends(&["Quantity"]) {
            let unit = element.attribute("unitCode").unwrap_or_default();
            let known = Model::get().name("unit", unit);
            let known = known.map(|[en, de]| self.language.choose(en, de).to_owned());
            let unit = known.unwrap_or_else(|| cut(unit));
            return format!("{} {unit}", number(&text)).trim_end().to_owned();
        }
        let meaning = match list {
            "vat" => category(&text).map(|category| [category.en, category.de]),
            list => Model::get().name(list, &text),
        };
        match meaning {
            Some([en, de]) if list == "charge" => self.language.choose(en, de).to_owned(),
            Some([en, de]) => format!("{} ({text})", self.language.choose(en, de)),
            None => text,
        }
    }
}

/// A text shortened to what is shown.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Every digit of a number, in groups of three before the point; any other text as it is.
pub(super) fn number(text: &str) -> String {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !unsigned.splitn(2, '.').all(is_digits) {
        return text.to_owned();
    }
    let whole = unsigned.split('.').next().unwrap_or_default();
    let mut grouped = String::from(if unsigned.len() < text.len() { "-" } else { "" });
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push('\u{202F}');
        }
        grouped.push(digit);
    }
    grouped + unsigned.get(whole.len()..).unwrap_or_default()
}
