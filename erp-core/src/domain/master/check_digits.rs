//! Codes with check digits: the accounts of a company, the routing id of a public buyer.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::values::problem::Code;
use crate::values::sentence::Sentence;
use crate::values::text::Text;
use crate::wire::value::parsed;
use crate::wire::{Kind, Spelling};

/// An account (IBAN, ISO 13616), in capital letters without blanks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Iban(Text<34>);

/// A QR-IBAN: an account of a bank in Switzerland or Liechtenstein that takes only payments with a QR reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QrIban(Iban);

/// The routing id of a public buyer in Germany (Leitweg-ID): `04011000-1234512345-06`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LeitwegId(Text<46>);

// rule: D-INV-12
impl Iban {
    /// The account with this IBAN, with or without blanks.
    ///
    /// # Errors
    /// Wrong check digits, or no IBAN at all.
    pub fn parse(text: &str) -> Result<Self, Sentence> {
        let plain: String = text.split_whitespace().collect();
        let plain = plain.to_ascii_uppercase();
        let (head, body) = plain.split_at_checked(4).unwrap_or_default();
        let is_iban = (15..=34).contains(&plain.len())
            && matches!(
                head.as_bytes(),
                [b'A'..=b'Z', b'A'..=b'Z', b'0'..=b'9', b'0'..=b'9']
            )
            && modulo_97(&[body, head]) == Some(1);
        let iban = Text::new(&plain).ok().filter(|_| is_iban);
        iban.map(Self)
            .ok_or_else(|| sentence!("malformed.iban", iban = text))
    }

    /// Whether it is an account of a bank in Switzerland or Liechtenstein, to which a QR-bill is paid.
    pub fn is_swiss(&self) -> bool {
        self.starts_with("CH") || self.starts_with("LI")
    }

    /// Whether it is a [`QrIban`]: the number of the bank is 30000 to 31999.
    pub fn is_qr(&self) -> bool {
        let bank = self.get(4..9).and_then(|bank| bank.parse().ok());
        self.is_swiss() && matches!(bank, Some(30_000..=31_999_u32))
    }
}

impl QrIban {
    /// The account with this QR-IBAN.
    ///
    /// # Errors
    /// As [`Iban::parse`]; another account.
    pub fn parse(text: &str) -> Result<Self, Sentence> {
        let iban = Iban::parse(text)?;
        let is_qr = iban.is_qr();
        is_qr
            .then_some(Self(iban))
            .ok_or_else(|| sentence!("malformed.qr_iban", iban = text))
    }
}

impl LeitwegId {
    /// The routing id that this text is: 2 to 12 digits, up to 30 letters and digits where there are any, 2 check digits,
    /// with hyphens between.
    ///
    /// # Errors
    /// Wrong check digits, or no such id.
    pub fn parse(text: &str) -> Result<Self, Sentence> {
        let id = text.trim().to_ascii_uppercase();
        let parts: Vec<&str> = id.split('-').collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        let area = parts.first().copied().unwrap_or_default();
        let is_id = matches!(lengths[..], [2..=12, 2] | [2..=12, 1..=30, 2])
            && area.bytes().all(|digit| digit.is_ascii_digit())
            && modulo_97(&parts) == Some(1);
        let id = Text::new(&id).ok().filter(|_| is_id);
        id.map(Self)
            .ok_or_else(|| sentence!("malformed.leitweg_id", id = text))
    }
}

/// The remainder by 97 of a number in parts, with letters as 10 to 35 (ISO 7064); `None` for other characters.
pub(crate) fn modulo_97(parts: &[&str]) -> Option<u32> {
    let mut letters = parts.iter().flat_map(|part| part.chars());
    letters.try_fold(0_u32, |rest, letter| {
        let digit = letter.to_digit(36)?;
        let shift = if digit < 10 { 10 } else { 100 };
        Some(rest.wrapping_mul(shift).wrapping_add(digit) % 97)
    })
}

macro_rules! checked {
    ($($name:ident: $inner:ty, $characters:expr;)*) => {$(
        impl Deref for $name {
            type Target = $inner;

            fn deref(&self) -> &$inner {
                &self.0
            }
        }

        parsed! {
            $name: Kind::Varchar($characters), Spelling::Free, read_parsed(Code::Malformed, Self::parse);
        }
    )*};
}

checked! {
    Iban: Text<34>, 42;
    QrIban: Iban, 42;
    LeitwegId: Text<46>, 46;
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: D-INV-12
    #[test]
    fn check_digits_are_checked() {
        let iban = |text| Iban::parse(text).map(|iban| iban.to_string());
        assert_eq!(
            iban("ch93 0076 2011 6238 5295 7").unwrap(),
            "CH9300762011623852957"
        );
        assert!(iban("DE89370400440532013000").is_ok());
        for wrong in [
            "",
            "CH93",
            "CH9300762011623852958",
            "9300762011623852957",
            "Ä9300762011623852957",
            "CH93-0076-2011-6238-5295-7",
        ] {
            let told = iban(wrong).unwrap_err().english();
            assert_eq!(told, format!("`{wrong}` is no IBAN"));
        }
        assert!(QrIban::parse("CH44 3199 9123 0008 8901 2").is_ok());
        let told = QrIban::parse("CH9300762011623852957").unwrap_err();
        assert!(told.english().contains("QR-IBAN"), "{told:?}");
        for right in [
            "04011000-1234512345-06",
            "991-01484-64",
            "04011000-1234512345-06 ",
        ] {
            assert!(LeitwegId::parse(right).is_ok(), "{right}");
        }
        for wrong in [
            "04011000-1234512345-07",
            "nonsense öä",
            "04011000123451234506",
            "0-1-2-3",
            "-",
        ] {
            assert!(LeitwegId::parse(wrong).is_err(), "{wrong}");
        }
    }
}
