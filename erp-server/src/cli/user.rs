//! `erp-server user`: users of the API.

mod password;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use erp_core::internal::master::User;
use erp_core::master::Role;
use erp_core::text::Text;
use hyper::Method;
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::backend::{ChangeArgs, ListingArgs};
use super::failure::Failure;
use super::json::{entries, shown, shown_fields, shown_time, with};
use super::open::Opening;
use super::print;
use crate::web::encode;
use password::PasswordArgs;
pub(super) use password::random_password;

const FIELDS: [&str; 3] = ["name", "role", "restwebshop"];

/// Manage users and their tokens
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  erp-server user add anna --restwebshop SHOP1")]
pub(super) enum UserCommand {
    Add(Add),
    /// List users
    #[command(after_help = "Example:\n  erp-server user list")]
    List(ListingArgs),
    /// Show a user
    #[command(after_help = "Example:\n  erp-server user show anna")]
    Show(OneUser),
    Role(ChangeRole),
    Password(SetPassword),
    /// Remove a user and end the user's tokens
    #[command(after_help = "Example:\n  erp-server user remove anna")]
    Remove(OneUser),
    Tokens(Tokens),
    /// End all tokens of a user
    #[command(after_help = "Example:\n  erp-server user revoke anna")]
    Revoke(OneUser),
}

impl UserCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Add(command) => command.run(),
            Self::List(listing) => {
                listing.table("/admin/users", FIELDS, |user| shown_fields(user, FIELDS))
            }
            Self::Show(user) => user.show(),
            Self::Role(command) => command.run(),
            Self::Password(command) => command.run(),
            Self::Remove(user) => user.remove(),
            Self::Tokens(command) => command.run(),
            Self::Revoke(user) => user.revoke(),
        }
    }
}

#[derive(Debug, Args)]
struct UserName {
    /// Name of the user
    name: String,
}

impl UserName {
    fn check(&self) -> Result<Text<80>, Failure> {
        User::check_name(&self.name).map_err(|error| Failure::usage(error.to_string()))
    }

    fn path(&self) -> Result<String, Failure> {
        Ok(format!("/admin/users/{}", encode(&self.check()?)))
    }
}

fn role() -> impl TypedValueParser<Value = Role> {
    PossibleValuesParser::new(Role::ALL.map(Role::as_str))
        .try_map(|word| Role::parse(&word).ok_or("expected shop, clerk, editor or admin"))
}

/// The value of `--restwebshop`; `None` for an empty one.
fn shop(text: &str) -> Result<Option<Text<200>>, Failure> {
    let text = text.trim();
    let shop = User::check_shop(text);
    let shop = shop.map_err(|error| Failure::usage(format!("restwebshop: {error}")))?;
    Ok((!text.is_empty()).then_some(shop))
}

/// Add a user
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        erp-server user add anna --restwebshop SHOP1\n  \
        erp-server user add chef --role admin --password-stdin")]
pub(super) struct Add {
    #[command(flatten)]
    name: UserName,
    #[command(flatten)]
    password: PasswordArgs,
    /// What the user may do
    #[arg(long, default_value = "shop", value_parser = role())]
    role: Role,
    /// The value that selects the user's articles (RESTWEBSHOP)
    #[arg(long, value_name = "VALUE")]
    restwebshop: Option<String>,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Add {
    fn run(self) -> Result<(), Failure> {
        let name = self.name.check()?;
        User::check_new_name(&name).map_err(|error| Failure::usage(error.to_string()))?;
        let shop = shop(self.restwebshop.as_deref().unwrap_or_default())?;
        let password = self.password.read(&self.change.backend)?;
        let body = json!({"name": name, "role": self.role.as_str(), "restwebshop": shop,
            "password": password.secret.expose_secret()});
        let backend = &self.change.backend;
        backend.run_on(Opening::InFolder, async |backend| {
            backend
                .call(Method::POST, "/admin/users", Some(&body))
                .await
        })?;
        let (result, words) = password.result(&name);
        let result = with(result, "role", self.role.as_str());
        self.change.output.print(&result, words);
        Ok(())
    }
}

/// The arguments of a command for one user.
#[derive(Debug, Args)]
pub(super) struct OneUser {
    #[command(flatten)]
    name: UserName,
    #[command(flatten)]
    change: ChangeArgs,
}

impl OneUser {
    fn show(self) -> Result<(), Failure> {
        let path = self.name.path()?;
        self.change.request(Method::GET, &path, None, |user| {
            let fields = ["name", "role", "restwebshop", "tokens"];
            let rows = fields.map(|field| [field.to_owned(), shown(&user, field)]);
            let lines = print::lines(["field", "value"], rows.into_iter()).split_off(1);
            (user, lines.join("\n"))
        })
    }

    fn remove(self) -> Result<(), Failure> {
        let (path, name) = (self.name.path()?, &self.name.name);
        self.change.request(Method::DELETE, &path, None, |_| {
            let result = json!({"name": name, "removed": true});
            (result, format!("removed {name}"))
        })
    }

    fn revoke(self) -> Result<(), Failure> {
        let path = format!("{}/tokens", self.name.path()?);
        self.change.request(Method::DELETE, &path, None, |ended| {
            let (count, name) = (shown(&ended, "revoked"), &self.name.name);
            let words = format!("ended {count} tokens of {name}");
            (ended, words)
        })
    }
}

/// Change what a user may do, from the next request on
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server user role anna shop --restwebshop SHOP2")]
pub(super) struct ChangeRole {
    #[command(flatten)]
    name: UserName,
    /// What the user may do
    #[arg(value_parser = role())]
    role: Role,
    /// Also change the value that selects the user's articles (RESTWEBSHOP); an empty one removes it
    #[arg(long, value_name = "VALUE")]
    restwebshop: Option<String>,
    #[command(flatten)]
    change: ChangeArgs,
}

impl ChangeRole {
    fn run(self) -> Result<(), Failure> {
        let path = self.name.path()?;
        let mut body = json!({"role": self.role.as_str()});
        if let Some(given) = &self.restwebshop {
            body = with(body, "restwebshop", json!(shop(given)?));
        }
        self.change
            .request(Method::PUT, &path, Some(&body), |user| {
                let words = shown_fields(&user, FIELDS).join("\t");
                (user, words)
            })
    }
}

/// Set a user's password and end the user's tokens
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server user password anna")]
pub(super) struct SetPassword {
    #[command(flatten)]
    name: UserName,
    #[command(flatten)]
    password: PasswordArgs,
    #[command(flatten)]
    change: ChangeArgs,
}

impl SetPassword {
    fn run(self) -> Result<(), Failure> {
        let path = format!("{}/password", self.name.path()?);
        let password = self.password.read(&self.change.backend)?;
        let body = json!({"password": password.secret.expose_secret()});
        self.change.request(Method::PUT, &path, Some(&body), |_| {
            password.result(&self.name.name)
        })
    }
}

/// List the tokens of a user: the beginning of each hash, its times, and the customer of one that is for a single one
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server user tokens anna")]
pub(super) struct Tokens {
    #[command(flatten)]
    name: UserName,
    #[command(flatten)]
    listing: ListingArgs,
}

impl Tokens {
    fn run(self) -> Result<(), Failure> {
        let path = format!("{}/tokens", self.name.path()?);
        let ListingArgs { list, backend } = &self.listing;
        let tokens = &backend.run(async |backend| backend.call(Method::GET, &path, None).await)?;
        let listed = entries(&tokens["data"]);
        let head = ["token", "issued", "expires", "customer"];
        list.print(listed, head, |token| {
            let [issued, expires] =
                ["issued_at", "expires_at"].map(|field| shown_time(token, field));
            [shown(token, "id"), issued, expires, shown(token, "debinr")]
        });
        let count = tokens["count"].as_u64().unwrap_or(0);
        let more = count.saturating_sub(listed.len() as u64);
        if more > 0 {
            complain!("erp-server: {more} more tokens are not listed");
        }
        Ok(())
    }
}
