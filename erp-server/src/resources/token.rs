//! `POST /www/token`, `POST /www/token/revoke`.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use erp_core::erp::Error;
use erp_core::internal::TokenHash;
use erp_core::internal::master::{Right, User};
use erp_core::internal::wire::{Lifetime, TokenAnswer};
use erp_core::text::Text;
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret as _, SecretString};
use smol_str::SmolStr;

use super::app::{Operation, Shared, User as Caller, words};
use super::error::unknown_debinr;
use crate::openapi::schema::{filled, named};
use crate::web::{
    ApiError, ApiRequest, ApiResponse, Application as _, Basic, Query, RateStatus, Result,
    StatusCode,
};
use crate::{passwords, tokens};

// rule: R-END-25
/// Issues a token for user name and password, or a shop's token for one of its customers.
async fn create(app: Shared, request: ApiRequest) -> Result<ApiResponse> {
    let customer = customer(&request.query()?)?;
    let (user, made_with) = match request.bearer().ok().filter(|_| customer.is_some()) {
        Some(token) => shop_of(&app, token).await?,
        None => {
            let Basic { user, password } = request.basic()?;
            let user = user_with_password(&app, &request, user, password).await?;
            (user, None)
        }
    };
    // The credentials were right, so this counts as a request of the user.
    let throttle = &app.http_state.throttle;
    let rate = throttle.request(&user.name, Instant::now())?;
    let customer = customer.as_deref();
    let customer = customer.map(|customer| (customer, made_with.as_ref()));
    let created = issue(&app, &request, &user, customer).await;
    let rate = rate.into_iter().flat_map(RateStatus::headers);
    match created {
        Ok(response) => Ok(response.of_user().headers(rate)),
        Err(error) => Err(error.with_headers(rate)),
    }
}

/// The user of a token for the whole shop, with which it asks for one of a customer.
async fn shop_of(app: &Shared, token: SecretString) -> Result<(User, Option<TokenHash>)> {
    let caller = app.user_of(token).await?;
    let Caller { caller, token } = caller.ok_or_else(ApiError::token_refused)?;
    if caller.customer.is_some() {
        return Err(ApiError::forbidden(sentence!("wire.own_token")));
    }
    let users = app.erp.office(Timestamp::now()).users();
    let user = users.find(&caller.name).await?;
    Ok((user.ok_or_else(ApiError::token_refused)?, token))
}

/// The customer that the token is for. An empty number is refused, so that no page gets the token of the shop by mistake.
fn customer(query: &Query) -> Result<Option<String>> {
    let named = query.text("debinr", 8)?.unwrap_or_default().trim_end();
    match named {
        "" if query.has("debinr") => {
            let allowed = sentence!("allowed.customer");
            Err(ApiError::parameter("debinr", "", allowed))
        }
        "" => Ok(None),
        number => Ok(Some(number.to_owned())),
    }
}

// rule: D-AUT-06
/// The user of a name and password. Refusals are counted and logged.
/// Errors: 401 `invalid_client`; 429 after too many wrong ones.
pub(super) async fn user_with_password(
    app: &Shared,
    request: &ApiRequest,
    name: String,
    password: SecretString,
) -> Result<User> {
    let users = app.erp.office(Timestamp::now()).users();
    let user = users.find(&name).await?;
    let known = user.as_ref().map(|user| user.name.clone());
    let checked = checked(app, request.client(), (name, password), user).await;
    let refusals = [StatusCode::UNAUTHORIZED, StatusCode::TOO_MANY_REQUESTS];
    if checked
        .as_ref()
        .is_err_and(|error| refusals.contains(&error.status()))
    {
        let (state, client) = (&app.http_state, request.client());
        state.login_refused(request.request_id(), known.as_deref(), client);
    }
    checked
}

async fn checked(
    app: &Shared,
    address: Option<IpAddr>,
    (name, password): (String, SecretString),
    user: Option<User>,
) -> Result<User> {
    let state = Arc::clone(app);
    let throttle = &app.http_state.throttle;
    throttle.may_log_in(&name, address, Instant::now())?;
    let stored = user.as_ref().map(|user| user.password_hash.clone());
    let check = move || {
        let throttle = &state.http_state.throttle;
        // Passwords that were checked while this one waited may have been wrong.
        throttle.may_log_in(&name, address, Instant::now())?;
        if passwords::verify(&password, stored.as_deref()) {
            throttle.login_succeeded(&name, address);
            return Ok(());
        }
        let rate = throttle.login_failed(&name, address, Instant::now());
        let rate = rate.into_iter().flat_map(RateStatus::headers);
        Err(ApiError::invalid_client().with_headers(rate))
    };
    app.passwords.check(address, check).await??;
    user.ok_or_else(ApiError::invalid_client)
}

/// Issues a token to a user, for one customer or the whole shop.
pub(super) async fn issue(
    app: &Shared,
    request: &ApiRequest,
    user: &User,
    customer: Option<(&str, Option<&TokenHash>)>,
) -> Result<ApiResponse> {
    let (token, hash) = tokens::create().map_err(ApiError::internal)?;
    if customer.is_some() && !user.role.may(Right::Trade) {
        return Err(ApiError::insufficient_scope(&words(Right::Trade)));
    }
    let lifetime = app.options.token_lifetime_seconds;
    let now = Timestamp::now();
    let expires_at = expiry(now, lifetime)?;
    let actor = request.actor(&user.name);
    let users = app.erp.office(now).actor(&actor).users();
    let issued = match customer {
        Some(customer) => {
            users
                .issue_customer_token(&hash, user, customer, expires_at)
                .await
        }
        None => users.issue_token(&hash, user, expires_at).await,
    };
    issued.map_err(|error| match error {
        // The user was removed, or its password changed, during the check.
        Error::NotFound { what: "user", .. } => ApiError::invalid_client(),
        other => unknown_debinr(other),
    })?;
    let seconds = i32::try_from(lifetime).unwrap_or(i32::MAX);
    let as_string = app.options.expires_in_as_string;
    ApiResponse::json(&TokenAnswer {
        access_token: SmolStr::new(token.expose_secret()),
        token_type: SmolStr::new_static("Bearer"),
        expires_in: if as_string {
            Lifetime::Text(seconds)
        } else {
            Lifetime::Number(seconds)
        },
        customer: customer.and_then(|(number, _)| Text::new(number).ok()),
    })
}

// rule: R-LIM-03
fn expiry(now: Timestamp, lifetime_seconds: u64) -> Result<Timestamp> {
    let lifetime = SignedDuration::try_from(Duration::from_secs(lifetime_seconds));
    let expires_at = lifetime
        .ok()
        .and_then(|lifetime| now.checked_add(lifetime).ok());
    expires_at.ok_or_else(|| ApiError::internal("the token lifetime is out of range"))
}

async fn revoke(app: Shared, user: Caller, request: ApiRequest) -> Result<ApiResponse> {
    if let Some(token) = &user.token {
        let actor = user.actor(&request);
        let office = app.erp.office(Timestamp::now()).actor(&actor);
        office.users().revoke_token(token).await?;
    }
    Ok(ApiResponse::no_content())
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/www/token", "createToken")
            .open(create)
            .with_credentials()
            .fails(&[403])
            .query("debinr", filled(8))
            .answers(200, named("TokenAnswer")),
        Operation::post("/www/token/revoke", "revokeToken")
            .by(revoke)
            .answers_nothing(204),
    ]
}
