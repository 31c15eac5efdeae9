//! Operations on users, on a store and on a running server.

use erp_core::erp::UserChange;
use erp_core::master::{Role, User};
use erp_core::text::Text;
use hyper::Method;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use crate::cli::backend::Backend;
use crate::cli::failure::Failure;
use crate::observe::audit::this_command;
use crate::passwords;
use crate::resources::{account_json, tokens_json, user_json};
use crate::web::encode;

/// API path of a user.
fn path(name: &str) -> String {
    format!("/admin/users/{}", encode(name))
}

impl Backend {
    pub(super) async fn add_user(
        &self,
        name: &Text<80>,
        role: Role,
        shop: Option<Text<200>>,
        password: &SecretString,
    ) -> Result<(), Failure> {
        match self {
            Self::Store(erp, _) => {
                let user = User::new(name.clone(), passwords::hash(password)?, role, shop);
                erp.users().add(&user, this_command().as_ref()).await?;
            }
            Self::Server(remote) => {
                let body = json!({"name": name, "role": role.as_str(), "restwebshop": shop,
                    "password": password.expose_secret()});
                remote
                    .data(Method::POST, "/admin/users", Some(&body))
                    .await?;
            }
        }
        Ok(())
    }

    pub(super) async fn users(&self) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => Ok(erp.users().list().await?.iter().map(user_json).collect()),
            Self::Server(remote) => remote.data(Method::GET, "/admin/users", None).await,
        }
    }

    pub(super) async fn user(&self, name: &str) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                let tokens = erp.users().tokens_of(name, Timestamp::now()).await?;
                let user = erp.users().find(name).await?;
                Ok(user.map_or(Value::Null, |user| account_json(&user, tokens.len())))
            }
            Self::Server(remote) => remote.data(Method::GET, &path(name), None).await,
        }
    }

    pub(super) async fn change_user(
        &self,
        name: &str,
        change: &UserChange,
    ) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => Ok(user_json(
                &erp.users()
                    .change(name, change, this_command().as_ref())
                    .await?,
            )),
            Self::Server(remote) => {
                let mut body = json!({"role": change.role.map(Role::as_str)});
                if let (Some(shop), Some(fields)) = (&change.shop, body.as_object_mut()) {
                    fields.insert("restwebshop".to_owned(), json!(shop));
                }
                remote.data(Method::PUT, &path(name), Some(&body)).await
            }
        }
    }

    pub(super) async fn set_password(
        &self,
        name: &str,
        password: &SecretString,
    ) -> Result<(), Failure> {
        match self {
            Self::Store(erp, _) => {
                erp.users()
                    .set_password(name, &passwords::hash(password)?, this_command().as_ref())
                    .await?;
            }
            Self::Server(remote) => {
                let path = format!("{}/password", path(name));
                let body = json!({"password": password.expose_secret()});
                remote.data(Method::PUT, &path, Some(&body)).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn remove_user(&self, name: &str) -> Result<(), Failure> {
        match self {
            Self::Store(erp, _) => erp.users().remove(name, this_command().as_ref()).await?,
            Self::Server(remote) => {
                remote.data(Method::DELETE, &path(name), None).await?;
            }
        }
        Ok(())
    }

    /// The tokens in the form of the response to `GET /admin/users/{name}/tokens`.
    pub(super) async fn tokens_of(&self, name: &str) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => {
                let tokens = erp.users().tokens_of(name, Timestamp::now()).await?;
                Ok(tokens_json(&tokens))
            }
            Self::Server(remote) => {
                let path = format!("{}/tokens", path(name));
                remote.call(Method::GET, &path, None).await
            }
        }
    }

    pub(super) async fn revoke_tokens_of(&self, name: &str) -> Result<Value, Failure> {
        match self {
            Self::Store(erp, _) => Ok(
                json!({"revoked": erp.users().revoke_tokens_of(name, this_command().as_ref()).await?}),
            ),
            Self::Server(remote) => {
                let path = format!("{}/tokens", path(name));
                remote.data(Method::DELETE, &path, None).await
            }
        }
    }
}
