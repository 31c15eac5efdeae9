//! Ids that are part of keys: of events, of audit entries, and hashes of tokens.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use subtle::ConstantTimeEq;

use crate::storage::{Key, Revision, StorageError, StoreResult};
use crate::values::sentence::Sentence;

/// SHA-256 of a token. The core never sees or stores the token itself. Comparison takes constant time.
#[derive(Clone, Copy, Eq)]
pub struct TokenHash([u8; 32]);

impl PartialEq for TokenHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl TokenHash {
    /// Wraps a hash that the caller computed.
    #[must_use]
    pub const fn new(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// The 32 bytes of the hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 32 bits in hexadecimal: enough to distinguish the tokens of one user, too little to recover a token.
    #[must_use]
    pub fn short(&self) -> String {
        let [a, b, c, d, ..] = self.0;
        format!("{a:02x}{b:02x}{c:02x}{d:02x}")
    }

    /// Extracts the hash from a key made by [`token_of_user`](super::token_of_user).
    pub(crate) fn of_user_key(key: &Key) -> Option<Self> {
        let mut parts = key.parts();
        let bytes = parts.text().and_then(|_| parts.bytes())?;
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(..)")
    }
}

/// The id of an event, unique and increasing: its commit and its index in that commit. Written `evt_17_0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EventId {
    /// The commit.
    pub revision: Revision,
    /// The index in the commit, from 0.
    pub index: u64,
}

impl EventId {
    /// Reads the id from a key that starts with one.
    pub(crate) fn of_key(key: &Key) -> StoreResult<Self> {
        let mut parts = key.parts();
        let id = parts.number().zip(parts.number());
        id.map(|(revision, index)| Self { revision, index })
            .ok_or_else(|| StorageError::Damaged(format!("key {key:?} is no event's")))
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "evt_{}_{}", self.revision, self.index)
    }
}

impl FromStr for EventId {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text
            .strip_prefix("evt_")
            .and_then(|rest| rest.split_once('_'));
        let id = parts.and_then(|(revision, index)| {
            Some(Self {
                revision: revision.parse().ok()?,
                index: index.parse().ok()?,
            })
        });
        // Only the canonical spelling of a number is accepted.
        id.filter(|id| id.to_string() == text)
            .ok_or_else(|| sentence!("allowed.event"))
    }
}

/// Position of an entry in the trail, ordered by time. Written `1780300800000000-17-4f0c`: microseconds since 1970,
/// a counter of the process that wrote it, the request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditId {
    /// Time of the change, in microseconds since 1970.
    pub micros: i64,
    /// Counter of entries within one process.
    pub number: u64,
    /// The request.
    pub request: SmolStr,
}

impl AuditId {
    /// Time of the change.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        Timestamp::from_microsecond(self.micros).unwrap_or(Timestamp::MIN)
    }

    /// Reads the id from an entry's key.
    ///
    /// # Errors
    /// When the key is not that of an audit entry.
    pub(crate) fn of_key(key: &Key) -> StoreResult<Self> {
        let mut parts = key.parts();
        let mut read = || {
            Some(Self {
                micros: parts.signed()?,
                number: parts.number()?,
                request: parts.text()?.into(),
            })
        };
        read().ok_or_else(|| StorageError::Damaged(format!("key {key:?} is no audit entry's")))
    }
}

impl fmt::Display for AuditId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.micros, self.number, self.request)
    }
}

impl FromStr for AuditId {
    type Err = Sentence;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.splitn(3, '-');
        let mut read = || {
            Some(Self {
                micros: parts.next()?.parse().ok()?,
                number: parts.next()?.parse().ok()?,
                request: parts.next()?.into(),
            })
        };
        // Only the canonical spelling of a number is accepted.
        read()
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| sentence!("allowed.entry"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::erp::keys;

    #[test]
    fn an_event_id_has_one_spelling() {
        let id = EventId {
            revision: 17,
            index: 3,
        };
        assert_eq!(id.to_string(), "evt_17_3");
        assert_eq!("evt_17_3".parse(), Ok(id));
        for text in [
            "",
            "evt_",
            "evt_17",
            "evt_017_3",
            "evt_17_+3",
            "17_3",
            "evt_17_3 ",
        ] {
            assert!(text.parse::<EventId>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_audit_id_has_one_spelling() {
        let id = AuditId {
            micros: -3,
            number: 17,
            request: "a-b_c.1".into(),
        };
        // A time before 1970 has no valid spelling; no change can have such a time.
        assert!(id.to_string().parse::<AuditId>().is_err());
        let id = AuditId { micros: 3, ..id };
        assert_eq!(id.to_string(), "3-17-a-b_c.1");
        assert_eq!("3-17-a-b_c.1".parse(), Ok(id.clone()));
        assert_eq!(AuditId::of_key(&keys::audit(&id)), Ok(id));
        for text in ["", "3", "3-17", "03-17-a", "3-+17-a", "x-17-a"] {
            assert!(text.parse::<AuditId>().is_err(), "{text}");
        }
    }

    #[test]
    fn keys_of_audit_entries_order_by_time() {
        let key = |micros, number| {
            keys::audit(&AuditId {
                micros,
                number,
                request: "r".into(),
            })
        };
        assert!(key(1, 9) < key(2, 0) && key(2, 0) < key(2, 1));
    }
}
