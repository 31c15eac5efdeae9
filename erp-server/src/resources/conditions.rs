//! Conditions for safe changes: `Idempotency-Key` and `If-Match`.

use erp_core::erp::{AddressCheck, Outcome, Retry, Shop};
use erp_core::internal::Actor;
use erp_core::internal::json::Rendered;
use erp_core::json::{Json, Object};
use salvo::http::{HeaderName, HeaderValue};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::app::{App, User};
use crate::store::Store;
use crate::web::{ApiRequest, ApiResponse, Result};

const ADDRESS_CHECK: HeaderName = HeaderName::from_static("x-address-check");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

#[derive(Debug)]
pub(super) struct Conditions {
    key: Option<String>,
    fingerprint: [u8; 32],
    if_match: Option<Vec<u64>>,
    actor: Actor,
}

impl Conditions {
    /// Reads body and headers. The body is part of the fingerprint that detects reuse of a key for another request.
    pub(super) async fn read(request: &mut ApiRequest, user: &User) -> Result<(Self, Json)> {
        let body = request.json().await?;
        Ok((Self::with(request, user, &body)?, body))
    }

    /// The same for a request whose body is optional.
    pub(super) async fn read_optional(
        request: &mut ApiRequest,
        user: &User,
    ) -> Result<(Self, Json)> {
        let body = request.json_or_none().await?;
        let body = body.unwrap_or_else(|| Json::Object(Object::new()));
        Ok((Self::with(request, user, &body)?, body))
    }

    fn with(request: &ApiRequest, user: &User, body: &Json) -> Result<Self> {
        let key = request.idempotency_key()?;
        let fingerprint = if key.is_some() {
            fingerprint(request, body)
        } else {
            [0; 32]
        };
        Ok(Self {
            key,
            fingerprint,
            if_match: request.if_match()?,
            actor: user.actor(request),
        })
    }

    /// What the user may do as a shop, under these conditions.
    pub(super) fn shop<'a>(&'a self, app: &'a App, user: &'a User) -> Shop<'a, Store> {
        let retry = self.key.as_deref().map(|key| Retry {
            key,
            fingerprint: self.fingerprint,
        });
        let shop = user.shop(app).actor(&self.actor).retry(retry);
        shop.if_match(self.if_match.as_deref())
    }
}

// rule: D-RET-06
/// Hash of method, path, query and body. Field order and layout of the body do not matter.
fn fingerprint(request: &ApiRequest, body: &Json) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [
        request.method().as_str(),
        request.uri().path(),
        request.uri().query().unwrap_or_default(),
        &body.to_string(),
    ] {
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

/// 201 with a record that was made, and its address. A replayed response has both, too.
pub(super) fn made(
    request: &ApiRequest,
    outcome: &Outcome<Rendered>,
    envelope: &impl Serialize,
    (path, member): (&str, &str),
) -> Result<ApiResponse> {
    let response = ApiResponse::created(envelope)?;
    let number = outcome.value.text(member).unwrap_or_default();
    let response = response.located(request, &format!("{path}{number}"));
    Ok(marked(response, outcome))
}

/// Adds headers for a replayed response and for the results of address checks.
pub(super) fn marked<T>(response: ApiResponse, outcome: &Outcome<T>) -> ApiResponse {
    let checks = address_checks(&outcome.checks).map(|checks| (ADDRESS_CHECK, checks));
    let is_replayed = HeaderValue::from_static("true");
    let replayed = outcome.replayed.then_some((REPLAYED, is_replayed));
    response
        .wrote(outcome.written)
        .headers(checks.into_iter().chain(replayed))
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
pub(super) fn marked_with_revision<T>(response: ApiResponse, outcome: &Outcome<T>) -> ApiResponse {
    let response = marked(response, outcome);
    match outcome.revision {
        Some(revision) => response.etag(revision),
        None => response,
    }
}
