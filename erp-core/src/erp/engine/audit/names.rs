//! Record names in the audit trail: the kind as in import rows and paths, and the number.

use crate::erp::keys::EventId;
use crate::storage::{ChangeSet, Key, Space, Write};

/// How a key identifies its record.
#[derive(Clone, Copy)]
enum NameForm {
    /// The kind has exactly one record.
    Single,
    Text,
    /// Price list type and article.
    TwoTexts,
    Number,
    Signed,
    /// Event and target.
    Delivery,
}

/// The kinds that are named. Secondary keys, counters, stored responses and the outbox follow from these. A token is
/// named by its user, since its own key is a hash that means nothing to a reader.
const KINDS: [(Space, &str, NameForm); 15] = [
    (Space::Order, "Auftrag", NameForm::Number),
    (Space::Invoice, "Rechnung", NameForm::Number),
    (Space::Customer, "Kunde", NameForm::Text),
    (Space::AddressOwner, "Adresse", NameForm::Signed),
    (Space::Offer, "Offerte", NameForm::Number),
    (Space::TokenOfUser, "Token", NameForm::Text),
    (Space::Article, "Artikel", NameForm::Text),
    (Space::Price, "Preis", NameForm::TwoTexts),
    (Space::Stock, "Bestand", NameForm::Text),
    (Space::Media, "ArtikelMedia", NameForm::Signed),
    (Space::Company, "Firma", NameForm::Single),
    (Space::TaxCode, "Steuer", NameForm::Text),
    (Space::User, "Benutzer", NameForm::Text),
    (Space::EventTarget, "Empfänger", NameForm::Number),
    (Space::Delivery, "Zustellung", NameForm::Delivery),
];

/// The name of a key's record; `None` for kinds that are not named.
pub(super) fn name(key: &Key) -> Option<String> {
    let space = key.space();
    let (_, kind, form) = KINDS.iter().find(|(known, ..)| *known as u8 == space)?;
    let mut parts = key.parts();
    let number = match form {
        NameForm::Single => return Some((*kind).to_owned()),
        NameForm::Text => parts.text()?,
        NameForm::TwoTexts => format!("{} {}", parts.text()?, parts.text()?),
        NameForm::Number => parts.number()?.to_string(),
        NameForm::Signed => parts.signed()?.to_string(),
        NameForm::Delivery => {
            let (revision, index) = (parts.number()?, parts.number()?);
            format!("{} {}", EventId { revision, index }, parts.number()?)
        }
    };
    Some(format!("{kind} {number}"))
}

/// The records that a change set writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) changed: Vec<String>,
    pub(super) removed: Vec<String>,
}

impl Named {
    pub(super) fn of(changes: &ChangeSet) -> Self {
        let mut named = Self::default();
        for write in &changes.writes {
            match write {
                Write::Put { key, .. } => named.changed.extend(name(key)),
                Write::Delete { key } => named.removed.extend(name(key)),
                Write::Add { .. } => {}
            }
        }
        // Several tokens of one user have the same name.
        named.changed.dedup();
        named.removed.dedup();
        named
    }

    /// Splits the names into parts of at most `most`, so that no entry exceeds the size limit of a record. Empty when
    /// there are no names.
    pub(super) fn parts(self, most: usize) -> Vec<Self> {
        if self.changed.len() + self.removed.len() <= most {
            let is_empty = self.changed.is_empty() && self.removed.is_empty();
            return if is_empty { Vec::new() } else { vec![self] };
        }
        let changed = self.changed.chunks(most).map(|part| Self {
            changed: part.to_vec(),
            removed: Vec::new(),
        });
        let removed = self.removed.chunks(most).map(|part| Self {
            changed: Vec::new(),
            removed: part.to_vec(),
        });
        changed.chain(removed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erp::keys;

    #[test]
    fn records_are_named_by_kind_and_number_and_secondary_keys_are_not() {
        let mut changes = ChangeSet::new();
        changes.put(keys::order(100_123), vec![]);
        changes.put(keys::customer("10007"), vec![]);
        changes.put(keys::price("1", "BU-1001"), vec![]);
        changes.put(keys::media(7), vec![]);
        changes.put(keys::company(), vec![]);
        changes.put(keys::order_of_customer("10007", 100_123), vec![]);
        changes.put(Key::of(Space::AddressTerm).text("geheimgasse"), vec![]);
        changes.add(Key::of(Space::Reserved).text("BU-1001"), 5);
        changes.delete(keys::user("shop1"));
        let hash = |byte| crate::erp::keys::TokenHash::new([byte; 32]);
        changes.delete(keys::token(&hash(1)));
        changes.delete(keys::token_of_user("shop1", &hash(1)));
        changes.delete(keys::token_of_user("shop1", &hash(2)));
        let named = Named::of(&changes);
        assert_eq!(
            named.changed,
            [
                "Auftrag 100123",
                "Kunde 10007",
                "Preis 1 BU-1001",
                "ArtikelMedia 7",
                "Firma"
            ]
        );
        assert_eq!(named.removed, ["Benutzer shop1", "Token shop1"]);
    }

    #[test]
    fn many_names_go_into_several_parts() {
        let named = Named {
            changed: (0..5).map(|number| number.to_string()).collect(),
            removed: vec!["x".to_owned()],
        };
        assert_eq!(named.clone().parts(6), std::slice::from_ref(&named));
        let parts = named.clone().parts(2);
        assert_eq!(parts.len(), 4);
        let all: Vec<String> = parts.iter().flat_map(|part| part.changed.clone()).collect();
        assert_eq!((all, &parts[3].removed), (named.changed, &named.removed));
        assert!(Named::default().parts(2).is_empty());
    }
}
