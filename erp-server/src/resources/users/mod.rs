//! Administration of users: roles, passwords, tokens. Admins only.

mod description;

use erp_core::internal::{IssuedToken, UserChange, master};
use erp_core::master::Role;
use erp_core::text::Text;
use erp_core::{Code, Problem, Problems};
use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde_json::json;

use super::app::{Admin, Clerk, Shared};
use super::members::Members;
use super::response::{created, data};
use super::token::user_with_password;
use crate::web::{ApiError, ApiRequest, ApiResponse, Result, StatusCode};
use crate::{passwords, tokens};

pub(super) use description::operations;

const NAME_CHARACTERS: usize = 80;

/// Maximum length of a `RESTWEBSHOP` value.
const SHOP_CHARACTERS: usize = 200;

/// Maximum number of tokens per response; `count` is the total.
const MOST_TOKENS: usize = 1_000;

async fn list(app: Shared, user: Admin, _request: ApiRequest) -> Result<ApiResponse> {
    let users = user.office(&app).users().list().await?;
    data(users.iter().map(ShownUser::from).collect::<Vec<_>>())
}

/// `POST /admin/users` with `{"name", "role"?, "restwebshop"?, "password"?}`. A generated password is returned only
/// in this response.
async fn add(app: Shared, user: Admin, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let name = members.required("name", NAME_CHARACTERS);
    let name = members.read("name", Code::Malformed, name, master::User::check_new_name);
    let role = role(&mut members).unwrap_or(Role::Shop);
    let shop = shop(&mut members);
    let given = password(&mut members);
    let name = members.done(name)?;
    let (secret, made) = chosen(given)?;
    let account = master::User::new(name, hashed(&app, &user, &secret).await?, role, shop);
    user.office(&app)
        .actor(&user.actor(&request))
        .users()
        .add(&account)
        .await?;
    let place = ("/admin/users", account.name.as_str());
    let added = AddedUser {
        user: ShownUser::from(&account),
        password: made.then(|| secret.expose_secret().to_owned()),
    };
    created(&request, place, added)
}

async fn read(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let name = request.path("name");
    let found = user.office(&app).users().find(&name).await?;
    let found = found.ok_or_else(|| ApiError::not_found(sentence!("thing.user")))?;
    let tokens = user.office(&app).users().tokens_of(&name).await?;
    data(UserAccount {
        user: ShownUser::from(&found),
        tokens: tokens.len(),
    })
}

/// `PUT /admin/users/{name}` with `{"role"?, "restwebshop"?}`. Absent fields stay unchanged; a `restwebshop` that is
/// `null` or empty is removed.
async fn change(app: Shared, user: Admin, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let change = UserChange {
        role: role(&mut members),
        shop: members.has("restwebshop").then(|| shop(&mut members)),
    };
    let change = members.done(Some(change))?;
    let name = request.path("name");
    let changed = user
        .office(&app)
        .actor(&user.actor(&request))
        .users()
        .change(&name, &change)
        .await?;
    data(ShownUser::from(&changed))
}

async fn remove(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    user.office(&app)
        .actor(&user.actor(&request))
        .users()
        .remove(&request.path("name"))
        .await?;
    Ok(ApiResponse::no_content())
}

/// `PUT /admin/users/{name}/password` with `{"password"?}`; revokes the user's tokens. A generated password is
/// returned only in this response.
async fn set_password(app: Shared, user: Admin, mut request: ApiRequest) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let given = password(&mut members);
    members.done(Some(()))?;
    let name = request.path("name");
    // Check first, so that unknown names do not cost a password hash.
    let known = user.office(&app).users().find(&name).await?;
    let known = known.ok_or_else(|| ApiError::not_found(sentence!("thing.user")))?;
    let (secret, made) = chosen(given)?;
    let hash = hashed(&app, &user, &secret).await?;
    user.office(&app)
        .actor(&user.actor(&request))
        .users()
        .set_password(&known.name, &hash)
        .await?;
    data(SetPassword {
        name: known.name.to_string(),
        password: made.then(|| secret.expose_secret().to_owned()),
    })
}

/// `PUT /admin/me/password` with `{"old", "new"}`; revokes the user's tokens, the asking one too.
async fn set_own_password(
    app: Shared,
    user: Clerk,
    mut request: ApiRequest,
) -> Result<ApiResponse> {
    let body = request.json().await?;
    let mut members = Members::of(&body);
    let most = passwords::LONGEST_PASSWORD;
    let old = members.required("old", most).map(SecretString::from);
    let new = members.required("new", most);
    let new = members.read("new", Code::Malformed, new, passwords::check);
    let (old, new) = members.done(old.zip(new))?;
    let name = user.caller.name.to_string();
    let known = user_with_password(&app, &request, name, old).await;
    let known = known.map_err(|error| {
        if error.status() == StatusCode::UNAUTHORIZED {
            let message = sentence!("contradiction.password");
            let mut problems = Problems::new();
            problems.push(Problem::new("old", Code::Contradiction, message));
            problems.into()
        } else {
            error
        }
    })?;
    let hash = app.passwords.hash(&user.signature(), new).await?;
    user.office(&app)
        .actor(&user.actor(&request))
        .users()
        .change_password(&known, &hash)
        .await?;
    Ok(ApiResponse::no_content())
}

async fn tokens(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let name = request.path("name");
    let tokens = user.office(&app).users().tokens_of(&name).await?;
    ApiResponse::json(&json!(UserTokens::from(tokens)))
}

async fn revoke(app: Shared, user: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let ended = user
        .office(&app)
        .actor(&user.actor(&request))
        .users()
        .revoke_tokens_of(&request.path("name"))
        .await?;
    data(Revoked { revoked: ended })
}

fn role(members: &mut Members<'_>) -> Option<Role> {
    let word = members.text("role", 20);
    members.read("role", Code::UnknownValue, word, |word| {
        Role::parse(word).ok_or_else(|| sentence!("unknown_value.role"))
    })
}

fn shop(members: &mut Members<'_>) -> Option<Text<SHOP_CHARACTERS>> {
    let value = members.text("restwebshop", SHOP_CHARACTERS);
    let value = value.map(str::trim).filter(|value| !value.is_empty());
    members.read(
        "restwebshop",
        Code::Malformed,
        value,
        master::User::check_shop,
    )
}

fn password(members: &mut Members<'_>) -> Option<SecretString> {
    let most = passwords::LONGEST_PASSWORD;
    let given = members.text("password", most);
    members.read("password", Code::Malformed, given, passwords::check)
}

/// The given password, or a random one; the flag is `true` if it was generated.
fn chosen(given: Option<SecretString>) -> Result<(SecretString, bool)> {
    Ok(match given {
        Some(secret) => (secret, false),
        None => (tokens::password().map_err(ApiError::internal)?, true),
    })
}

async fn hashed(app: &Shared, by: &Admin, secret: &SecretString) -> Result<String> {
    let caller = by.signature();
    Ok(app.passwords.hash(&caller, secret.clone()).await?)
}

/// A user.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "User")]
struct ShownUser {
    /// The name.
    name: String,
    /// What the user may do.
    #[schemars(extend("enum" = Role::ALL.map(Role::as_str)))]
    role: &'static str,
    /// The value articles are selected by (`RESTWEBSHOP`).
    restwebshop: Option<String>,
}

impl From<&master::User> for ShownUser {
    fn from(user: &master::User) -> Self {
        Self {
            name: user.name.to_string(),
            role: user.role.as_str(),
            restwebshop: user.shop.as_ref().map(ToString::to_string),
        }
    }
}

/// A user that was added.
#[derive(Serialize, JsonSchema)]
struct AddedUser {
    #[serde(flatten)]
    user: ShownUser,
    /// The password, when the server made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

/// A user with the number of valid tokens.
#[derive(Serialize, JsonSchema)]
struct UserAccount {
    #[serde(flatten)]
    user: ShownUser,
    /// How many tokens count.
    tokens: usize,
}

/// A password that was set.
#[derive(Serialize, JsonSchema)]
struct SetPassword {
    /// The name.
    name: String,
    /// The password, when the server made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

/// A user's tokens: the number of all, and up to 1,000 of them.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct UserTokens {
    /// How many tokens count.
    count: usize,
    /// Up to 1,000 of them.
    data: Vec<IssuedToken>,
}

impl From<Vec<IssuedToken>> for UserTokens {
    fn from(mut data: Vec<IssuedToken>) -> Self {
        let count = data.len();
        data.truncate(MOST_TOKENS);
        Self { count, data }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Revoked {
    /// Tokens that were ended.
    revoked: usize,
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_list_of_tokens_has_a_limit_and_the_number_of_all() {
        let token = IssuedToken {
            id: "9f86d081".to_owned(),
            customer: None,
            issued_at: Timestamp::UNIX_EPOCH,
            expires_at: Timestamp::UNIX_EPOCH,
        };
        let listed = UserTokens::from(vec![token; 1_001]);
        assert_eq!((listed.count, listed.data.len()), (1_001, 1_000));
    }
}
