//! Net and gross prices.

use erp_derive::Word;
use serde::{Deserialize, Serialize};

use crate::wire::value::parsed;
use crate::wire::{Kind, Spelling};

/// Whether prices exclude or include tax (`Preisart`).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Word,
)]
pub enum PriceKind {
    /// Excluding tax, `N` on the wire.
    #[default]
    #[serde(rename = "N")]
    Net,
    /// Including tax, `B` on the wire.
    #[serde(rename = "B")]
    Gross,
}

impl PriceKind {
    // rule: R-TOT-10
    /// The kind of a document: that of the price lists used, net if both kinds are used, and `default` if no list is
    /// used.
    pub fn of_document(hits: impl IntoIterator<Item = Self>, default: Self) -> Self {
        // Net sorts first, so the minimum is net as soon as one list is net.
        hits.into_iter().min().unwrap_or(default)
    }
}

parsed! {
    PriceKind: Kind::Char(1), Spelling::Words(&Self::WORDS),
        read_word(Self::parse, |word| sentence!("unknown_value.price_kind", word));
}

#[cfg(test)]
mod tests {
    use super::PriceKind::{self, Gross, Net};

    #[test]
    fn the_letters_are_those_of_the_wire() {
        for (kind, letter) in [(Net, "N"), (Gross, "B")] {
            assert_eq!(PriceKind::parse(letter), Some(kind));
            assert_eq!(kind.as_str(), letter);
            assert_eq!(
                serde_json::to_string(&kind).unwrap(),
                format!("\"{letter}\"")
            );
            assert_eq!(
                serde_json::from_str::<PriceKind>(&format!("\"{letter}\"")).unwrap(),
                kind
            );
        }
        assert_eq!(PriceKind::parse("n"), None);
        assert_eq!(PriceKind::parse(""), None);
    }

    // rule: R-TOT-10
    #[test]
    fn a_mixed_document_is_net() {
        assert_eq!(PriceKind::of_document([Gross, Net, Gross], Gross), Net);
        assert_eq!(PriceKind::of_document([Gross, Gross], Net), Gross);
        assert_eq!(PriceKind::of_document([], Gross), Gross);
    }
}
