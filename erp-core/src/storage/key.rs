//! Keys whose byte order equals the order of the values they encode.

use std::fmt;

use super::Revision;

/// The kind of record, stored as the first byte of every key. The numbers are stored and must never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Space {
    /// Company settings and attributes: one record.
    Company = 1,
    /// Users of the interface by name.
    User = 2,
    /// Bearer tokens by their hash.
    Token = 3,
    /// Tokens by expiry time, for cleaning up.
    TokenExpiry = 4,
    /// Tokens by user, for revoking them with the user.
    TokenOfUser = 5,
    /// By user, written with every token: its revision says whether a token was issued meanwhile.
    LastTokenOfUser = 6,
    /// How many users of a name were removed: a counter.
    RemovedUsers = 7,
    /// Customers by number.
    Customer = 10,
    /// The customer that owns an address.
    AddressOwner = 11,
    /// The orders of a customer.
    OrderOfCustomer = 12,
    /// Customers by the folded content of an address field.
    AddressTerm = 13,
    /// Numbers of customers that were forgotten.
    ForgottenCustomer = 14,
    /// Articles by number.
    Article = 20,
    /// Prices by price list type and article.
    Price = 21,
    /// Stored stock by article.
    Stock = 22,
    /// Reserved quantity by article, location and packaging unit: counters in millionths.
    Reserved = 23,
    /// Counters per kind of master data, incremented by every change.
    MasterDataVersion = 24,
    /// Tax codes.
    TaxCode = 25,
    /// Article media by key.
    Media = 26,
    /// Article media by article.
    MediaOfArticle = 27,
    /// Orders by number.
    Order = 30,
    /// Offers by number.
    Offer = 31,
    /// Orders by state, time and number.
    OrderOfStatus = 32,
    /// How many orders a state has: counters, several of each state.
    OrdersOfStatus = 33,
    /// Orders by their reference (`AuftBestellNr`), customer and number.
    OrderOfReference = 35,
    /// By reference and customer, written with every order where references must differ: its revision says whether such an
    /// order was placed meanwhile.
    LastOrderOfReference = 36,
    /// Invoices and credit notes by number.
    Invoice = 37,
    /// The XML of invoices by number.
    InvoiceXml = 38,
    /// The last number of an invoice: one record.
    InvoiceNumbers = 39,
    /// Events waiting for delivery, by revision.
    Outbox = 40,
    /// Stored responses for repeated requests.
    Idempotency = 41,
    /// Stored responses for repeated requests, by expiry time.
    IdempotencyExpiry = 42,
    /// Receivers of events, by number.
    EventTarget = 43,
    /// Deliveries by event and target.
    Delivery = 44,
    /// Events that were handed to delivery, kept for replay.
    EventLog = 45,
    /// Deliveries that wait, by target and the time they are due.
    DeliveryDue = 46,
    /// The last number assigned to an event target: a counter.
    EventTargetNumber = 47,
    /// Audit trail, by time.
    Audit = 48,
    /// Leases of tasks that only one server may run at a time.
    Lease = 49,
    /// What differs of the master data that an entry of the audit trail names: by customer, or of all else, and entry.
    AuditDifferences = 50,
    /// The last verified backup: one record.
    Backup = 51,
    /// The last imports, by time.
    ImportRun = 52,
    /// What changed of articles, for clients that read only that: notes of commits, and the log they are moved to.
    Change = 53,
    /// Where the log of changes begins and ends: one record.
    ChangeLog = 54,
    /// One record that ends with the history of the store.
    History = 55,
    /// Offers by customer and number.
    OfferOfCustomer = 56,
    /// Invoices and credit notes by day and number: of each customer, and once more without a customer.
    InvoiceOfCustomer = 57,
    /// Orders to invoice by number: completed since the first invoice was made, and without one.
    OrderToInvoice = 58,
    /// Reserved for the conformance suite and for experiments of embedding programs.
    Scratch = 250,
}

/// Room for a key of usual length, so that it is allocated once.
const USUAL_BYTES: usize = 32;

/// Terminator of a text part. A zero byte in a text is written as `00 FF`, so a text cannot contain `00 01`.
const END_OF_TEXT: [u8; 2] = [0, 1];

/// A key of the store.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Vec<u8>);

impl Key {
    /// The shortest key of a space, which begins all others. Other methods add parts to it.
    pub fn of(space: Space) -> Self {
        let mut bytes = Vec::with_capacity(USUAL_BYTES);
        bytes.push(space as u8);
        Self(bytes)
    }

    /// A key from stored bytes.
    pub const fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The first byte: which [`Space`] the key belongs to.
    pub fn space(&self) -> u8 {
        self.0.first().copied().unwrap_or(0)
    }

    /// The first key after all keys that begin with this one.
    #[must_use]
    pub fn after_prefix(&self) -> Self {
        let mut bytes = self.0.clone();
        while let Some(last) = bytes.pop() {
            if let Some(next) = last.checked_add(1) {
                bytes.push(next);
                return Self(bytes);
            }
        }
        // All bytes are 255: only longer keys of the same kind sort after it.
        Self(vec![255; self.0.len() + 64])
    }

    /// The next key in byte order.
    pub fn successor(&self) -> Self {
        let mut bytes = self.0.clone();
        bytes.push(0);
        Self(bytes)
    }

    /// The parts of the key after its space, for records whose content is their key.
    pub fn parts(&self) -> KeyParts<'_> {
        KeyParts(self.0.get(1..).unwrap_or_default())
    }

    /// Adds a text; keys sort as the texts do, byte by byte.
    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    /// Adds bytes of any length.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Self {
        let mut key = self.open(bytes);
        key.0.extend_from_slice(&END_OF_TEXT);
        key
    }

    /// Adds the beginning of a text: the result is a prefix of the keys of all texts that begin with it.
    #[must_use]
    pub fn beginning(self, text: &str) -> Self {
        self.open(text.as_bytes())
    }

    /// Adds bytes without an end.
    fn open(mut self, bytes: &[u8]) -> Self {
        for part in bytes.split_inclusive(|byte| *byte == 0) {
            self.0.extend_from_slice(part);
            if part.ends_with(&[0]) {
                self.0.push(0xFF);
            }
        }
        self
    }

    /// Adds a number of fixed width; keys sort as the numbers do.
    #[must_use]
    pub fn number(mut self, number: u64) -> Self {
        self.0.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// Adds a signed number of fixed width; keys sort as the numbers do.
    #[must_use]
    pub fn signed(self, number: i64) -> Self {
        self.number(number.cast_unsigned() ^ (1 << 63))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.0.escape_ascii())
    }
}

/// Reads the parts of a key; each part is `None` when the key does not contain it.
#[derive(Clone, Debug)]
pub struct KeyParts<'a>(&'a [u8]);

impl KeyParts<'_> {
    /// The next part, written by [`Key::bytes`].
    pub fn bytes(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let (first, rest) = self.0.split_first()?;
            if *first != 0 {
                bytes.push(*first);
                self.0 = rest;
                continue;
            }
            let (second, rest) = rest.split_first()?;
            self.0 = rest;
            match second {
                0xFF => bytes.push(0),
                1 => return Some(bytes),
                _ => return None,
            }
        }
    }

    /// The next part, written by [`Key::text`].
    pub fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    /// The next part, written by [`Key::number`].
    pub fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_be_bytes(*number))
    }

    /// The next part, written by [`Key::signed`].
    pub fn signed(&mut self) -> Option<i64> {
        self.number()
            .map(|number| (number ^ (1 << 63)).cast_signed())
    }
}

/// Key of a record that a store removes when it starts a new history: when it continues from a state before commits that
/// were answered. What refers to lost commits ends with it. A copy of all commits keeps it.
pub fn history_key() -> Key {
    Key::of(Space::History)
}

/// Key of the `index`-th event of a commit; keys sort in the order of the events.
pub fn outbox_key(revision: Revision, index: usize) -> Key {
    Key::of(Space::Outbox).number(revision).number(index as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn key_order_is_value_order(a: (String, u64, i64), b: (String, u64, i64)) {
            let key = |(text, number, signed): &(String, u64, i64)| {
                Key::of(Space::Scratch).text(text).number(*number).signed(*signed)
            };
            let by_value = (a.0.as_bytes(), a.1, a.2).cmp(&(b.0.as_bytes(), b.1, b.2));
            prop_assert_eq!(key(&a).cmp(&key(&b)), by_value);
        }

        #[test]
        fn parts_read_back(bytes: Vec<u8>, number: u64, signed: i64) {
            let key = Key::of(Space::Scratch).bytes(&bytes).number(number).signed(signed);
            let mut parts = key.parts();
            prop_assert_eq!(parts.bytes(), Some(bytes));
            prop_assert_eq!(parts.number(), Some(number));
            prop_assert_eq!(parts.signed(), Some(signed));
            prop_assert_eq!(parts.number(), None);
        }

        #[test]
        fn a_beginning_is_the_prefix_of_the_texts_that_begin_with_it(text: String, other: String) {
            let key = Key::of(Space::Scratch).text(&other).number(1);
            let beginning = Key::of(Space::Scratch).beginning(&text);
            let is_prefix = key.as_bytes().starts_with(beginning.as_bytes());
            prop_assert_eq!(is_prefix, other.starts_with(&text));
        }

        #[test]
        fn a_prefix_range_holds_exactly_its_keys(prefix: Vec<u8>, key: Vec<u8>) {
            let prefix = Key::from_bytes([vec![7], prefix].concat());
            let key = Key::from_bytes([vec![7], key].concat());
            let inside = prefix <= key && key < prefix.after_prefix();
            prop_assert_eq!(inside, key.as_bytes().starts_with(prefix.as_bytes()));
        }
    }
}
