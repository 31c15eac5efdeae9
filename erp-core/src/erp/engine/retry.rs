//! Idempotent retries: the first response to a request is stored in the same commit as its change.

use std::ops::Deref;

use erp_derive::skip_serializing_none;
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{AddressCheck, Conflict, Error, Shop, Upkeep, keys};
use crate::domain::document::{Order, ShownOffer};
use crate::domain::master::{Customer, CustomerNumber};
use crate::storage::record::{Versioned, decode, encode};
use crate::storage::{ChangeSet, Entry, Key, Revision, Space, Storage, StorageError, StoreResult};
use crate::values::json;
use crate::values::problem::{Code, Problems};

/// How long a response is stored.
pub const RESPONSE_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Expired responses removed per commit. They are read before, and one can have a megabyte.
const ANSWERS_PER_COMMIT: usize = 100;

/// Identifies a request that the client may send again (`Idempotency-Key`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry<'a> {
    /// The key, chosen by the client and unique among its requests.
    pub key: &'a str,
    /// Hash of method, path and body, computed by the caller; detects the reuse of a key for another request.
    pub fingerprint: [u8; 32],
}

/// Result of a changing operation. It dereferences to its value, so `order.number` reads a field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// What the operation made: the record as it is now, or what the caller made of it.
    pub value: T,
    /// The revision of the written record, if there is a single one.
    pub revision: Option<Revision>,
    /// Bytes written to the store; 0 for a stored response.
    pub written: usize,
    /// Whether this is the stored response to an earlier request.
    pub replayed: bool,
    /// Results of checking towns against postal codes; not stored with the response.
    pub checks: Vec<AddressCheck>,
}

impl<T> Deref for Outcome<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// What a response tells of: with its customer, the response is forgotten too.
pub(crate) trait OfCustomer {
    fn customer(&self) -> Option<&CustomerNumber>;
}

impl OfCustomer for Customer {
    fn customer(&self) -> Option<&CustomerNumber> {
        Some(&self.number)
    }
}

impl OfCustomer for Order {
    fn customer(&self) -> Option<&CustomerNumber> {
        Some(&self.customer)
    }
}

impl OfCustomer for ShownOffer {
    fn customer(&self) -> Option<&CustomerNumber> {
        self.offer.customer.as_ref()
    }
}

/// A response as stored.
#[skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// Hash of the request.
    pub fingerprint: [u8; 32],
    /// The response as JSON; long ones are compressed. Empty: the customer was forgotten.
    #[serde(with = "packed")]
    pub answer: String,
    /// The customer it tells of.
    pub customer: Option<CustomerNumber>,
    /// Expiry.
    pub expires_at: Timestamp,
    /// The revision of the record that the request left as it was.
    pub unchanged: Option<Revision>,
}

impl<S> Shop<'_, S> {
    /// The stored response, if this request was processed before.
    /// Errors: [`Error::Invalid`] when the key was used for another request.
    pub(crate) fn replayed<T: DeserializeOwned>(
        &self,
        kept: Option<&Versioned<StoredResponse>>,
    ) -> Result<Option<Outcome<T>>, Error> {
        let Some((retry, kept)) = self.retry.zip(kept) else {
            return Ok(None);
        };
        if kept.value.expires_at <= self.now {
            return Ok(None);
        }
        if kept.value.fingerprint != retry.fingerprint {
            let mut problems = Problems::new();
            let message = sentence!("contradiction.key");
            problems.add("Idempotency-Key", Code::Contradiction, message);
            return Err(problems.into());
        }
        if kept.value.answer.is_empty() {
            return Err(Conflict::ForgottenResponse.into());
        }
        let value = serde_json::from_str(&kept.value.answer).map_err(|error| {
            StorageError::Damaged(format!("a kept answer does not read: {error}"))
        })?;
        Ok(Some(Outcome {
            value,
            revision: Some(kept.value.unchanged.unwrap_or(kept.revision)),
            written: 0,
            replayed: true,
            checks: Vec::new(),
        }))
    }

    // rule: D-RET-01, D-RET-05
    /// Stores the response in the commit of the change. `before` is the expired response that the key still holds. Of
    /// two equal concurrent requests, one commits; the other fails at the guard and finds the response when it starts
    /// again.
    pub(crate) fn store_response<T: Serialize>(
        &self,
        before: Option<Versioned<StoredResponse>>,
        changes: &mut ChangeSet,
        (answer, customer): (&T, Option<CustomerNumber>),
        unchanged: Option<Revision>,
    ) -> StoreResult<()> {
        let Some(retry) = self.retry else {
            return Ok(());
        };
        let bytes =
            json::to_ascii(answer).map_err(|error| StorageError::Damaged(error.to_string()))?;
        let expires_at = self
            .now
            .checked_add(RESPONSE_LIFETIME)
            .unwrap_or(Timestamp::MAX);
        let kept = StoredResponse {
            fingerprint: retry.fingerprint,
            answer: String::from_utf8_lossy(&bytes).into_owned(),
            customer,
            expires_at,
            unchanged,
        };
        let key = keys::stored_response(self.caller, retry.key);
        if let Some(before) = &before {
            changes.delete(keys::stored_response_expiry(before.value.expires_at, &key));
        }
        changes.guard(key.clone(), before.map(|before| before.revision));
        changes.mark(keys::stored_response_expiry(expires_at, &key));
        changes.put(key, encode(&kept)?);
        Ok(())
    }
}

impl<S: Storage> Upkeep<'_, S> {
    /// Removes every kept response that has expired, one page per commit. Returns the number.
    pub async fn remove_expired_responses(self) -> Result<usize, Error> {
        let expired = keys::expired(Space::IdempotencyExpiry, self.now);
        let mut pages = self.erp.pages(expired.limit(ANSWERS_PER_COMMIT));
        let mut removed = 0_usize;
        while let Some(entries) = pages.next().await?
            && !entries.is_empty()
        {
            let (changes, answers) = self.without_responses(&entries).await?;
            // Without an outcome another request reuses one of the keys. The next round removes the others.
            let settled = self.erp.settle(None, (changes, answers)).await?;
            removed += settled.map_or(0, |(answers, _)| answers);
        }
        Ok(removed)
    }

    /// A change set that removes the expired responses of these entries, and their number.
    async fn without_responses(self, expired: &[(Key, Entry)]) -> StoreResult<(ChangeSet, usize)> {
        let mut changes = ChangeSet::new();
        let mut answers: Vec<Key> = Vec::new();
        for (expiry, _) in expired {
            changes.delete(expiry.clone());
            let mut parts = expiry.parts();
            let key = parts.signed().and_then(|_| parts.bytes());
            answers.extend(key.map(Key::from_bytes));
        }
        let found = self.erp.store.get(&answers).await?;
        let mut count = 0_usize;
        for (key, entry) in answers.into_iter().zip(found) {
            // The key may hold a newer response by now; only an expired one is removed.
            if let Some(entry) = entry
                && decode::<StoredResponse>(&key, &entry)?.expires_at <= self.now
            {
                changes.guard(key.clone(), Some(entry.revision));
                changes.delete(key);
                count += 1;
            }
        }
        Ok((changes, count))
    }
}

/// Storage format of a response: plain text, or compressed from [`packed::FROM_BYTES`] on.
///
/// The response to a change of a long document contains the whole document. A retry must get it byte for byte, even
/// if the document, the customer or this program have changed since. So it cannot be rebuilt from the record, but
/// it compresses well.
pub(crate) mod packed {
    use std::fmt;

    use miniz_oxide::deflate::compress_to_vec;
    use miniz_oxide::inflate::decompress_to_vec_with_limit;
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    /// Minimum size to compress, in bytes; shorter responses (numbers of records) stay readable.
    const FROM_BYTES: usize = 2_048;

    /// Limit on decompressed bytes in case the stored bytes are damaged; far above any response.
    const MOST_BYTES: usize = 64 * 1024 * 1024;

    /// The default deflate level: nearly as dense as the best one and much faster.
    const LEVEL: u8 = 6;

    pub(crate) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        if text.len() < FROM_BYTES {
            return serializer.serialize_str(text);
        }
        serializer.serialize_bytes(&compress_to_vec(text.as_bytes(), LEVEL))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        from.deserialize_any(PackedText)
    }

    struct PackedText;

    impl Visitor<'_> for PackedText {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text, or its compressed bytes")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<String, E> {
            let text = decompress_to_vec_with_limit(bytes, MOST_BYTES).map_err(E::custom)?;
            String::from_utf8(text).map_err(E::custom)
        }
    }
}
