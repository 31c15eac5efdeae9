//! `POST /www/token`, `POST /www/token/revoke`.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use erp_core::storage::Storage;
use erp_core::wire::{Lifetime, TokenAnswer};
use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;
use smol_str::SmolStr;

use super::Shared;
use crate::app::User;
use crate::audit;
use crate::http::{Answer, ApiError, Application as _, Basic, Call};
use crate::tokens;

/// Issues a token for user name and password.
pub(super) async fn create<S: Storage + 'static>(
    app: Shared<S>,
    call: Call,
) -> Result<Answer, ApiError> {
    let basic = call.basic()?;
    let throttle = app.http_state().throttle();
    let address = call.client();
    let told = throttle.login(&basic.user, address, Instant::now())?;
    let created = create_for(&app, &call, basic, address).await;
    match told {
        None => created,
        Some(told) => match created {
            Ok(answer) => Ok(told
                .headers()
                .into_iter()
                .fold(answer, |answer, field| answer.header(field.0, field.1))),
            Err(error) => Err(told.on(error)),
        },
    }
}

async fn create_for<S: Storage + 'static>(
    app: &Shared<S>,
    call: &Call,
    basic: Basic,
    address: Option<IpAddr>,
) -> Result<Answer, ApiError> {
    let user = app.erp().users().find(&basic.user).await?;
    let stored = user.as_ref().map(|user| user.password_hash.clone());
    let right = app.passwords().verify(basic.password, stored).await?;
    let user = user
        .filter(|_| right)
        .ok_or_else(ApiError::invalid_client)?;
    app.http_state()
        .throttle()
        .login_succeeded(&basic.user, address);
    let (token, hash) = tokens::create().map_err(|error| ApiError::internal(error.to_string()))?;
    let lifetime = app.settings().token_lifetime_seconds;
    let now = Timestamp::now();
    let expires_at = expiry(now, lifetime)?;
    let actor = audit::requested(call, &user.name);
    let issued = app
        .erp()
        .users()
        .issue_token(&hash, &user, now, expires_at, Some(&actor));
    issued.await.map_err(|error| match error {
        // The user was removed, or its password changed, during the check.
        erp_core::erp::Error::NotFound { .. } => ApiError::invalid_client(),
        other => other.into(),
    })?;
    let seconds = i32::try_from(lifetime).unwrap_or(i32::MAX);
    let as_string = app.settings().expires_in_as_string;
    Answer::json(&TokenAnswer {
        access_token: Some(SmolStr::new(token.expose_secret())),
        token_type: Some(SmolStr::new_static("Bearer")),
        expires_in: Some(if as_string {
            Lifetime::Text(seconds)
        } else {
            Lifetime::Number(seconds)
        }),
    })
}

fn expiry(now: Timestamp, lifetime_seconds: u64) -> Result<Timestamp, ApiError> {
    let lifetime = SignedDuration::try_from(Duration::from_secs(lifetime_seconds));
    let expires_at = lifetime
        .ok()
        .and_then(|lifetime| now.checked_add(lifetime).ok());
    expires_at.ok_or_else(|| ApiError::internal("the token lifetime is out of range"))
}

/// Revokes the token used for this request.
pub(super) async fn revoke<S: Storage>(
    app: Shared<S>,
    user: User,
    call: Call,
) -> Result<Answer, ApiError> {
    app.erp()
        .users()
        .revoke_token(&user.token, Some(&user.actor(&call)))
        .await?;
    Ok(Answer::no_content())
}
