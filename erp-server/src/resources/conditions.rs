//! Conditions for safe changes: `Idempotency-Key` and `If-Match`.

use erp_core::erp::{Actor, AddressCheck, Context, Outcome, Retry};
use erp_core::json::Json;
use salvo::http::{HeaderName, HeaderValue};
use sha2::{Digest as _, Sha256};

use super::app::User;
use crate::web::{Answer, ApiError, BaseUrl, Call};

const ADDRESS_CHECK: HeaderName = HeaderName::from_static("x-address-check");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Conditions of one request.
#[derive(Debug)]
pub(super) struct Conditions {
    base: BaseUrl,
    key: Option<String>,
    fingerprint: [u8; 32],
    if_match: Option<Vec<u64>>,
    actor: Actor,
}

impl Conditions {
    /// Reads body and headers. The body is part of the fingerprint that detects reuse of a key for another request.
    pub(super) async fn read(call: &mut Call, user: &User) -> Result<(Self, Json), ApiError> {
        let body = call.json().await?;
        Ok((Self::with(call, user, &body)?, body))
    }

    /// The same for a request whose body is optional.
    pub(super) async fn read_optional(
        call: &mut Call,
        user: &User,
    ) -> Result<(Self, Json), ApiError> {
        let body = call.json_or_none().await?;
        Ok((Self::with(call, user, &body)?, body))
    }

    fn with(call: &Call, user: &User, body: &Json) -> Result<Self, ApiError> {
        let key = call.idempotency_key()?;
        let fingerprint = if key.is_some() {
            fingerprint(call, body)
        } else {
            [0; 32]
        };
        Ok(Self {
            base: call.base()?,
            key,
            fingerprint,
            if_match: call.if_match()?,
            actor: user.actor(call),
        })
    }

    /// Context of the operation.
    pub(super) fn context<'a>(&'a self, user: &'a User) -> Context<'a> {
        let key = self.key.as_deref();
        Context {
            retry: key.map(|key| Retry {
                key,
                fingerprint: self.fingerprint,
            }),
            if_match: self.if_match.as_deref(),
            actor: Some(&self.actor),
            ..user.context(self.base.as_str())
        }
    }
}

// rule: D-RET-06
/// Hash of method, path, query and body. Field order and layout of the body do not matter.
fn fingerprint(call: &Call, body: &Json) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [
        call.method().as_str(),
        call.raw_path(),
        call.raw_query(),
        &body.to_string(),
    ] {
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

/// Adds headers for a replayed response and for the results of address checks.
pub(super) fn marked<T>(answer: Answer, outcome: &Outcome<T>) -> Answer {
    let answer = answer.wrote(outcome.written);
    let answer = match address_checks(&outcome.checks) {
        Some(outcomes) => answer.header(ADDRESS_CHECK, outcomes),
        None => answer,
    };
    if outcome.replayed {
        answer.header(REPLAYED, HeaderValue::from_static("true"))
    } else {
        answer
    }
}

/// Header value like `LiefAdr=corrected, RechAdr=unchanged`; a single address has no name. Towns and postal codes
/// appear neither in the header nor in the log.
fn address_checks(checks: &[AddressCheck]) -> Option<HeaderValue> {
    let outcomes: Vec<String> = checks
        .iter()
        .map(|entry| match entry.member {
            "" => entry.check.outcome.as_str().to_owned(),
            member => format!("{member}={}", entry.check.outcome.as_str()),
        })
        .collect();
    if outcomes.is_empty() {
        return None;
    }
    let outcomes = outcomes.join(", ");
    tracing::info!(addresses = outcomes, "towns checked");
    HeaderValue::try_from(outcomes).ok()
}

/// Like [`marked`], and adds the current revision of the record as `ETag`.
pub(super) fn marked_with_revision<T>(answer: Answer, outcome: &Outcome<T>) -> Answer {
    let answer = marked(answer, outcome);
    match outcome.revision {
        Some(revision) => answer.etag(revision),
        None => answer,
    }
}
