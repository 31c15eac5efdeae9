//! Safe retries: the first answer to a request is kept in the same commit as its change.

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::work::yield_now;
use super::{AddressCheck, Committed, Context, Erp, Error, keys};
use crate::problem::{Code, Problem, Problems};
use crate::record::{decode, encode, mark};
use crate::storage::{
    ChangeSet, CommitError, Entry, Key, Revision, Scan, Space, Storage, StorageError,
};
use crate::wire::json;

/// How long an answer is kept (decisions, section 12).
pub const ANSWER_KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Expired answers removed with one commit. They are read first, and one can have a megabyte.
const ANSWERS_PER_COMMIT: usize = 100;

/// A request that its client may send again: what `Idempotency-Key` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry<'a> {
    /// The key the client chose, unique among its requests.
    pub key: &'a str,
    /// A hash of method, path and body, made by the caller: the same key must not mean another request.
    pub fingerprint: [u8; 32],
}

/// What a changing operation answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The answer.
    pub answer: T,
    /// The revision of the record that was written, when there is one to name.
    pub revision: Option<Revision>,
    /// Bytes that were written to the store; 0 for a kept answer.
    pub written: usize,
    /// Whether this is the kept answer to an earlier request.
    pub replayed: bool,
    /// What checking towns against postal codes came to; not kept with the answer.
    pub checks: Vec<AddressCheck>,
}

impl<T> Outcome<T> {
    pub(super) fn first(answer: T, committed: Option<Committed>) -> Self {
        Self {
            answer,
            revision: committed.map(|committed| committed.revision),
            written: committed.map_or(0, |committed| committed.bytes),
            replayed: false,
            checks: Vec::new(),
        }
    }

    pub(super) fn checked(self, checks: Vec<AddressCheck>) -> Self {
        Self { checks, ..self }
    }
}

/// A kept answer as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptAnswer {
    /// What the request was.
    pub fingerprint: [u8; 32],
    /// The answer as JSON. A long one is stored compressed.
    #[serde(with = "packed")]
    pub answer: String,
    /// Until when it is kept.
    pub expires_at: Timestamp,
}

impl<S: Storage> Erp<S> {
    /// The kept answer to this request, if it was answered before.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the key was used for another request.
    pub(super) async fn kept<T: DeserializeOwned>(
        &self,
        context: &Context<'_>,
    ) -> Result<Option<Outcome<T>>, Error> {
        let Some(retry) = context.retry else {
            return Ok(None);
        };
        let kept = self
            .load::<KeptAnswer>(&keys::kept_answer(&context.caller.name, retry.key))
            .await?;
        let Some(kept) = kept.filter(|kept| context.now < kept.record.expires_at) else {
            return Ok(None);
        };
        if kept.record.fingerprint != retry.fingerprint {
            let mut problems = Problems::new();
            let message = "this key was used for another request";
            problems.push(Problem::new(
                "Idempotency-Key",
                Code::Contradiction,
                message,
            ));
            return Err(problems.into());
        }
        let answer = serde_json::from_str(&kept.record.answer).map_err(|error| {
            StorageError::Damaged(format!("a kept answer does not read: {error}"))
        })?;
        Ok(Some(Outcome {
            answer,
            revision: Some(kept.revision),
            written: 0,
            replayed: true,
            checks: Vec::new(),
        }))
    }

    /// Keeps the answer with the change that it answers. Two equal requests at once: one commits, the
    /// other finds its answer.
    pub(super) async fn keep<T: Serialize>(
        &self,
        context: &Context<'_>,
        changes: &mut ChangeSet,
        answer: &T,
    ) -> Result<(), StorageError> {
        let Some(retry) = context.retry else {
            return Ok(());
        };
        let bytes =
            json::to_ascii(answer).map_err(|error| StorageError::Damaged(error.to_string()))?;
        let expires_at = context
            .now
            .checked_add(ANSWER_KEPT)
            .unwrap_or(Timestamp::MAX);
        let kept = KeptAnswer {
            fingerprint: retry.fingerprint,
            answer: String::from_utf8_lossy(&bytes).into_owned(),
            expires_at,
        };
        let key = keys::kept_answer(&context.caller.name, retry.key);
        // An expired answer may still lie there; nobody else may have written one since it was looked for.
        let before = self.load::<KeptAnswer>(&key).await?;
        if let Some(before) = &before {
            if context.now < before.record.expires_at {
                // Somebody was faster; the guard below fails and the next try finds the answer.
                changes.guard(key, None);
                return Ok(());
            }
            changes.delete(keys::kept_answer_expiry(before.record.expires_at, &key));
        }
        changes.guard(key.clone(), before.map(|before| before.revision));
        changes.put(
            keys::kept_answer_expiry(expires_at, &key),
            mark(Space::IdempotencyExpiry),
        );
        changes.put(key, encode(&kept)?);
        Ok(())
    }

    /// Removes every answer that expired before `now`, a page with each commit. Returns how many.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn remove_expired_answers(&self, now: Timestamp) -> Result<usize, Error> {
        let prefix = Key::of(Space::IdempotencyExpiry);
        let mut next = Some(
            Scan {
                until: prefix.clone().signed(now.as_second()).build(),
                ..Scan::prefix(&prefix.build())
            }
            .limit(ANSWERS_PER_COMMIT),
        );
        let mut removed = 0_usize;
        while let Some(scan) = next {
            let page = self.store.scan(scan).await?;
            if page.entries.is_empty() {
                break;
            }
            let (changes, answers) = self.without_answers(&page.entries, now).await?;
            match self.store.commit(changes).await {
                Ok(_) => removed = removed.saturating_add(answers),
                Err(CommitError::Storage(error)) => return Err(error.into()),
                // Another writer uses one of the keys again. The next round removes the others.
                Err(_) => (),
            }
            yield_now().await;
            next = page.next;
        }
        Ok(removed)
    }

    /// A change set that removes the expired answers of these entries, and how many they are.
    async fn without_answers(
        &self,
        expired: &[(Key, Entry)],
        now: Timestamp,
    ) -> Result<(ChangeSet, usize), StorageError> {
        let mut changes = ChangeSet::new();
        let mut answers: Vec<Key> = Vec::new();
        for (expiry, _) in expired {
            changes.delete(expiry.clone());
            let mut parts = expiry.parts();
            let key = parts.signed().and_then(|_| parts.bytes());
            answers.extend(key.map(Key::from_bytes));
        }
        let found = self.store.get(&answers).await?;
        let mut count = 0_usize;
        for (key, entry) in answers.into_iter().zip(found) {
            // The key may hold a newer answer by now. Only an expired one is removed.
            if let Some(entry) = entry
                && decode::<KeptAnswer>(&key, &entry)?.expires_at <= now
            {
                changes.guard(key.clone(), Some(entry.revision));
                changes.delete(key);
                count = count.saturating_add(1);
            }
        }
        Ok((changes, count))
    }
}

/// How the text of an answer is stored: as text, or from [`packed::FROM_BYTES`] on compressed.
///
/// The answer to a change of a long document shows the whole document. It must come back byte for byte
/// on a retry, also when the document, the customer or this program have changed since. So it cannot be
/// made again from the record, but it compresses to a small part of it.
mod packed {
    use std::fmt;

    use miniz_oxide::deflate::compress_to_vec;
    use miniz_oxide::inflate::decompress_to_vec_with_limit;
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    /// Shorter answers (numbers of records) stay readable text.
    const FROM_BYTES: usize = 2_048;

    /// What compressed bytes may grow to when they are damaged. No answer is near it.
    const MOST_BYTES: usize = 64 * 1024 * 1024;

    /// Little less dense than the best level and several times as fast.
    const LEVEL: u8 = 2;

    pub(super) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        if text.len() < FROM_BYTES {
            return serializer.serialize_str(text);
        }
        serializer.serialize_bytes(&compress_to_vec(text.as_bytes(), LEVEL))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        from.deserialize_any(Text)
    }

    struct Text;

    impl Visitor<'_> for Text {
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
