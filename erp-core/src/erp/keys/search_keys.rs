//! The secondary keys that find customers by their addresses.
//!
//! Each searchable field of every address has an index entry `(field, folded text, customer, address number)`;
//! folding makes the spelling irrelevant. Name and company are also indexed together with the postal code, and each word of
//! name, company and town by itself. A text that is longer than a key is indexed by its beginning ([`LISTED_BYTES`]).

use std::collections::BTreeSet;

use crate::domain::address::Address;
use crate::domain::master::{Customer, CustomerAddress};
use crate::storage::{Key, Space};
use crate::values::fold::search_form;
use crate::values::limits::LISTED_BYTES;

// rule: R-END-72
/// A search criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SearchField {
    /// The query parameter.
    pub name: &'static str,
    /// Maximum length in characters.
    pub length: usize,
    /// Its number in secondary keys. Numbers are stored and must never change.
    pub(crate) number: u64,
}

impl SearchField {
    const fn new(name: &'static str, length: usize, number: u64) -> Self {
        Self {
            name,
            length,
            number,
        }
    }

    /// All criteria, the most selective first.
    pub const ALL: [Self; 15] = [
        Self::new("EmailAdress", 255, 1),
        Self::new("AdrTf1", 28, 2),
        Self::new("AdrTelex", 28, 3),
        Self::new("AdrTf2", 28, 4),
        Self::new("AdrFax", 28, 5),
        Self::new("AdrAdresse1", 60, 6),
        Self::new("AdrFirma", 36, 7),
        Self::new("AdrName", 36, 8),
        Self::new("AdrAdresse2", 60, 9),
        Self::new("AdrFirma2", 36, 10),
        Self::new("AdrVorname", 36, 11),
        Self::new("OrtPLZ", 10, 12),
        Self::new("OrtName", 48, 13),
        Self::new("AdrSprache", 4, 14),
        Self::new("OrtLand", 4, 15),
    ];

    /// The value of an address for this criterion, normalised for comparison.
    pub(crate) fn of(self, address: &Address) -> Option<String> {
        let text = match self.number {
            1 => address.email.as_deref(),
            2 => address.phone.as_deref(),
            3 => address.mobile.as_deref(),
            4 => address.central_phone.as_deref(),
            5 => address.fax.as_deref(),
            6 => Some(address.street.as_str()),
            7 => address.company.as_deref(),
            8 => address.last_name.as_deref(),
            9 => address.street_addition.as_deref(),
            10 => address.company_addition.as_deref(),
            11 => address.first_name.as_deref(),
            12 => Some(address.postal_code.as_str()),
            13 => Some(address.town.as_str()),
            14 => Some(address.language.as_str()),
            _ => Some(address.country.as_str()),
        };
        text.map(|text| self.form(text))
            .filter(|form| !form.is_empty())
    }

    /// Normalises text for comparison: telephone numbers to their digits, everything else folded.
    pub(crate) fn form(self, text: &str) -> String {
        if (2..=5).contains(&self.number) {
            return text.chars().filter(char::is_ascii_digit).collect();
        }
        search_form(text)
    }

    fn key(self, form: &str, customer: &str, address: i32) -> Key {
        self.prefix(form).text(customer).signed(address.into())
    }

    pub(crate) fn prefix(self, form: &str) -> Key {
        Key::of(Space::AddressTerm)
            .number(self.number)
            .text(listed(form))
    }
}

/// The part of a text that fits into a key, in whole characters.
fn listed(form: &str) -> &str {
    form.get(..form.floor_char_boundary(LISTED_BYTES))
        .unwrap_or(form)
}

/// Name or company combined with the postal code, as most searches use them: in a large store each alone matches
/// hundreds of addresses, both together a few.
pub(crate) const TOGETHER: [(u64, u64, u64); 2] =
    [(16, NAME, POSTAL_CODE), (17, COMPANY, POSTAL_CODE)];
const COMPANY: u64 = 7;
const NAME: u64 = 8;
const POSTAL_CODE: u64 = 12;

/// The list of single words.
const WORD: u64 = 18;

/// The words of a text in the form in which they are compared.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let form = search_form(text);
    let words = form.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// The words by which an address is found.
pub(crate) fn words_of(address: &Address) -> impl Iterator<Item = String> {
    let texts = [
        address.company.as_deref(),
        address.company_addition.as_deref(),
        address.last_name.as_deref(),
        address.first_name.as_deref(),
        Some(address.town.as_str()),
    ];
    texts.into_iter().flatten().flat_map(words)
}

/// Prefix of the keys of all words with this beginning.
pub(crate) fn beginning_of_word(beginning: &str) -> Key {
    let words = Key::of(Space::AddressTerm).number(WORD);
    words.beginning(listed(beginning))
}

pub(crate) fn prefix_of_both(list: u64, first: &str, second: &str) -> Key {
    Key::of(Space::AddressTerm)
        .number(list)
        .text(listed(&format!("{first}\u{1}{second}")))
}

/// The normalised values of two fields of an address, for one of the lists of [`TOGETHER`].
fn forms_of_both(address: &Address, first: u64, second: u64) -> Option<(String, String)> {
    let form = |number: u64| {
        SearchField::ALL
            .into_iter()
            .find(|field| field.number == number)?
            .of(address)
    };
    Some((form(first)?, form(second)?))
}

pub(crate) fn search_keys(customer: &Customer) -> BTreeSet<Key> {
    let keys_of = |address: &CustomerAddress| {
        let fields = SearchField::ALL.into_iter().filter_map(|field| {
            let form = field.of(&address.address)?;
            Some(field.key(&form, &customer.number, address.number))
        });
        let together = TOGETHER.into_iter().filter_map(|(list, first, second)| {
            let (first, second) = forms_of_both(&address.address, first, second)?;
            let prefix = prefix_of_both(list, &first, &second);
            Some(prefix.text(&customer.number).signed(address.number.into()))
        });
        let words = words_of(&address.address).map(|word| {
            let word = Key::of(Space::AddressTerm).number(WORD).text(listed(&word));
            word.text(&customer.number).signed(address.number.into())
        });
        fields.chain(together).chain(words).collect::<Vec<_>>()
    };
    customer.addresses().flat_map(keys_of).collect()
}

/// The customer number in a key of the list of one field or of words.
pub(crate) fn listed_customer(key: &Key) -> Option<String> {
    let mut parts = key.parts();
    parts.number()?;
    parts.text()?;
    parts.text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::limits::KEY_BYTES;

    #[test]
    fn a_text_that_fits_a_key_is_listed_whole_and_a_longer_one_by_its_beginning() {
        let whole = "a".repeat(LISTED_BYTES);
        assert_eq!(listed(&whole), whole);
        assert_eq!(listed(&format!("{whole}b")), whole);
        // Never splits a character.
        let emoji = "\u{1f600}".repeat(255);
        assert_eq!(listed(&emoji), "\u{1f600}".repeat(250));
        assert_eq!(listed(""), "");
        let key = SearchField::ALL[0].key("ab", "1", 2);
        let stored = b"\x0d\0\0\0\0\0\0\0\x01ab\0\x011\0\x01\x80\0\0\0\0\0\0\x02";
        assert_eq!(key.as_bytes(), stored);
    }

    #[test]
    fn words_are_compared_without_case_accents_and_marks() {
        let found: Vec<String> = words(" St.-Gallen MÜLLER&Söhne ").collect();
        assert_eq!(found, ["st", "gallen", "muller", "sohne"]);
    }

    #[test]
    fn the_longest_texts_make_keys_the_store_takes() {
        let customer = "\u{1f600}".repeat(8);
        for letter in ['\u{1f600}', '한', '\u{1fa7}', 'ß'] {
            for field in SearchField::ALL {
                let form = field.form(&letter.to_string().repeat(field.length));
                let key = field.key(&form, &customer, i32::MAX);
                assert!(key.as_bytes().len() <= KEY_BYTES, "{} {letter}", field.name);
                let both = prefix_of_both(16, &form, &form).text(&customer).signed(1);
                assert!(both.as_bytes().len() <= KEY_BYTES);
            }
        }
    }
}
