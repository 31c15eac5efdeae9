//! Salutations (`AdrAnrede`) and their texts (`AdrAnredeText`).

use serde::{Deserialize, Serialize};

use crate::values::codes::Language;
use crate::values::json::Json;
use crate::values::problem::Code;
use crate::wire::{Field, Kind, Scope, Value};

/// The salutation of an address.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Salutation {
    /// A company, or no specific salutation (0).
    #[default]
    General = 0,
    /// Mister (1).
    Mister = 1,
    /// Miss (2).
    Miss = 2,
}

impl Salutation {
    /// The salutation for a wire number; `None` if unknown.
    pub const fn from_number(number: i32) -> Option<Self> {
        match number {
            0 => Some(Self::General),
            1 => Some(Self::Mister),
            2 => Some(Self::Miss),
            _ => None,
        }
    }

    /// The number on the wire.
    pub const fn number(self) -> i32 {
        self as i32
    }

    // rule: R-RES-19
    /// The salutation text: in German, French or Italian; English for all other languages.
    pub const fn text(self, language: Language) -> &'static str {
        let [company, mister, miss] = match language {
            Language::GERMAN => ["Firma", "Herr", "Frau"],
            Language::FRENCH => ["Société", "Monsieur", "Madame"],
            Language::ITALIAN => ["Ditta", "Signor", "Signora"],
            _ => ["Company", "Mr", "Ms"],
        };
        match self {
            Self::General => company,
            Self::Mister => mister,
            Self::Miss => miss,
        }
    }
}

impl Value for Salutation {
    const KIND: Kind = Kind::Int;

    fn read_value(value: &Json, field: &Field, scope: &mut Scope<'_>) -> Option<Self> {
        let number = i32::read_value(value, field, scope)?;
        Self::from_number(number).or_else(|| {
            let message = sentence!("unknown_value.salutation", number);
            scope.refuse(Code::UnknownValue, message)
        })
    }

    fn to_wire(&self, _: &Field) -> Option<impl Serialize> {
        Some(self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: R-RES-19
    #[test]
    fn numbers_and_texts_belong_together() {
        for (number, german, french, other) in [
            (0, "Firma", "Société", "Company"),
            (1, "Herr", "Monsieur", "Mr"),
            (2, "Frau", "Madame", "Ms"),
        ] {
            let salutation = Salutation::from_number(number).unwrap();
            assert_eq!(salutation.number(), number);
            assert_eq!(salutation.text(Language::GERMAN), german);
            assert_eq!(salutation.text(Language::FRENCH), french);
            assert_eq!(salutation.text(Language::parse("spa").unwrap()), other);
        }
        assert_eq!(Salutation::Miss.text(Language::ITALIAN), "Signora");
        assert_eq!(
            (Salutation::from_number(3), Salutation::from_number(-1)),
            (None, None)
        );
    }
}
