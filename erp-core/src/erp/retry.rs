//! Safe retries: the first answer to a request is kept in the same commit as its change.

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{AddressCheck, Context, Erp, Error, keys};
use crate::problem::{Code, Problem, Problems};
use crate::record::{decode, encode, mark};
use crate::storage::{ChangeSet, Key, Revision, Scan, Space, Storage, StorageError};
use crate::wire::json;

/// How long an answer is kept (decisions, section 12).
pub const ANSWER_KEPT: SignedDuration = SignedDuration::from_hours(24);

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
    /// Whether this is the kept answer to an earlier request.
    pub replayed: bool,
    /// What checking towns against postal codes came to; not kept with the answer.
    pub checks: Vec<AddressCheck>,
}

impl<T> Outcome<T> {
    pub(super) const fn first(answer: T, revision: Option<Revision>) -> Self {
        Self {
            answer,
            revision,
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
    /// The answer as JSON.
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

    /// Removes answers that expired before `now`; answers how many.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn remove_expired_answers(&self, now: Timestamp) -> Result<usize, Error> {
        let prefix = Key::of(Space::IdempotencyExpiry);
        let scan = Scan {
            until: prefix.clone().signed(now.as_second()).build(),
            ..Scan::prefix(&prefix.build())
        };
        let page = self.store.scan(scan).await?;
        let mut removed = 0_usize;
        for (expiry, _) in page.entries {
            let mut parts = expiry.parts();
            let key = parts
                .signed()
                .and_then(|_| parts.bytes())
                .map(Key::from_bytes);
            let Some(key) = key else { continue };
            let mut changes = ChangeSet::new();
            changes.delete(expiry);
            let found = self
                .store
                .get(std::slice::from_ref(&key))
                .await?
                .into_iter()
                .flatten()
                .next();
            if let Some(entry) = found {
                // The key may hold a newer answer by now; only an expired one goes.
                if decode::<KeptAnswer>(&key, &entry)?.expires_at <= now {
                    changes.guard(key.clone(), Some(entry.revision));
                    changes.delete(key);
                }
            }
            removed = removed.saturating_add(usize::from(self.store.commit(changes).await.is_ok()));
        }
        Ok(removed)
    }
}
