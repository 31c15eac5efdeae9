//! `erp-server user`: users of the API.

use std::io::{BufRead as _, IsTerminal as _};

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::erp::UserChange;
use erp_core::master::{Role, User};
use erp_core::text::Text;
use hyper::Method;
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::place::{
    Place, at_new_place, at_place, data, entries, own_line, shown, shown_time, with_place,
};
use super::{Failure, print};
use crate::api::{account_json, token_json, user_json};
use crate::audit::this_command;
use crate::http::encode;
use crate::{passwords, tokens};

pub(super) fn command() -> Command {
    let add = named("add", "Add a user")
        .arg(stdin())
        .arg(
            Arg::new("role")
                .long("role")
                .value_parser(["shop", "admin"])
                .default_value("shop")
                .help("What the user may do"),
        )
        .arg(restwebshop().help("The value articles are selected by (RESTWEBSHOP)"));
    let role = named(
        "role",
        "Change what a user may do, from the next request on",
    )
    .arg(
        Arg::new("role")
            .required(true)
            .value_name("ROLE")
            .value_parser(["shop", "admin"])
            .help("What the user may do"),
    )
    .arg(restwebshop().help(
        "Change the value articles are selected by (RESTWEBSHOP) too; an empty one is taken away",
    ));
    let password = named(
        "password",
        "Set a user's password and end the user's tokens",
    );
    Command::new("user")
        .about("Users: add, list, change, remove them, end their tokens")
        .subcommand_required(true)
        .subcommand(with_place(add))
        .subcommand(with_place(Command::new("list").about("List users")))
        .subcommand(with_place(named("show", "Show a user")))
        .subcommand(with_place(role))
        .subcommand(with_place(password.arg(stdin())))
        .subcommand(with_place(named(
            "remove",
            "Remove a user and end the user's tokens",
        )))
        .subcommand(with_place(named(
            "tokens",
            "List the tokens of a user by the beginning of their hashes, with their times",
        )))
        .subcommand(with_place(named("revoke", "End all tokens of a user")))
}

fn named(verb: &'static str, about: &'static str) -> Command {
    Command::new(verb).about(about).arg(
        Arg::new("name")
            .required(true)
            .value_name("NAME")
            .help("Name of the user"),
    )
}

fn stdin() -> Arg {
    Arg::new("password-stdin")
        .long("password-stdin")
        .action(ArgAction::SetTrue)
        .help("Read the password from the first line of standard input; else a random one is made and printed")
}

fn restwebshop() -> Arg {
    Arg::new("restwebshop")
        .long("restwebshop")
        .value_name("VALUE")
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((verb, matches)) = matches.subcommand() else {
        return Err(Failure::usage("name what to do with users"));
    };
    match verb {
        "add" => add(matches),
        "show" => show(matches),
        "role" => change_role(matches),
        "password" => set_password(matches),
        "remove" => remove(matches),
        "tokens" => list_tokens(matches),
        "revoke" => revoke(matches),
        _ => list(matches),
    }
}

fn name_of(matches: &ArgMatches) -> Result<Text<80>, Failure> {
    let name = matches.get_one::<String>("name");
    User::check_name(name.map(String::as_str).unwrap_or_default())
        .map_err(|error| Failure::usage(error.to_string()))
}

fn role_of(matches: &ArgMatches) -> Role {
    let word = matches.get_one::<String>("role");
    word.and_then(|word| Role::parse(word))
        .unwrap_or(Role::Shop)
}

/// The value as given; `Some(None)` for an empty one.
fn shop_of(matches: &ArgMatches) -> Result<Option<Option<Text<200>>>, Failure> {
    let Some(value) = matches.get_one::<String>("restwebshop") else {
        return Ok(None);
    };
    let value = value.trim();
    let shop = User::check_shop(value);
    let shop = shop.map_err(|error| Failure::usage(format!("restwebshop: {error}")))?;
    Ok(Some((!value.is_empty()).then_some(shop)))
}

fn add(matches: &ArgMatches) -> Result<(), Failure> {
    let (name, role) = (name_of(matches)?, role_of(matches));
    User::check_new_name(&name).map_err(|error| Failure::usage(error.to_string()))?;
    let shop = shop_of(matches)?.flatten();
    let password = password(matches)?;
    at_new_place(matches, async |place| {
        place.add_user(&name, role, shop, &password.secret).await
    })?;
    password.print(&name);
    Ok(())
}

fn list(matches: &ArgMatches) -> Result<(), Failure> {
    let users = at_place(matches, Place::users)?;
    let head = ["name", "role", "restwebshop"];
    let rows = entries(&users).iter();
    print::table(head, rows.map(|user| head.map(|of| shown(user, of)).into()));
    Ok(())
}

fn show(matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    let user = at_place(matches, async |place| place.user(&name).await)?;
    for member in ["name", "role", "restwebshop", "tokens"] {
        say!("{member}\t{}", shown(&user, member));
    }
    Ok(())
}

fn change_role(matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    let change = UserChange {
        role: Some(role_of(matches)),
        shop: shop_of(matches)?,
    };
    let user = at_place(matches, async |place| {
        place.change_user(&name, &change).await
    })?;
    let [role, shop] = ["role", "restwebshop"].map(|of| shown(&user, of));
    say!("{name}\t{role}\t{shop}");
    Ok(())
}

fn set_password(matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    let password = password(matches)?;
    at_place(matches, async |place| {
        place.set_password(&name, &password.secret).await
    })?;
    password.print(&name);
    Ok(())
}

fn remove(matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    at_place(matches, async |place| place.remove_user(&name).await)?;
    say!("removed {name}");
    Ok(())
}

fn list_tokens(matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    let tokens = at_place(matches, async |place| place.tokens_of(&name).await)?;
    let rows = entries(&tokens).iter().map(|token| {
        let [issued, expires] = ["issued_at", "expires_at"].map(|of| shown_time(token, of));
        vec![shown(token, "id"), issued, expires]
    });
    print::table(["token", "issued", "expires"], rows);
    Ok(())
}

fn revoke(matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    let ended = at_place(matches, async |place| place.revoke_tokens_of(&name).await)?;
    say!("ended {} tokens of {name}", shown(&ended, "revoked"));
    Ok(())
}

/// API path of a user.
fn path(name: &str) -> String {
    format!("/admin/users/{}", encode(name))
}

impl Place {
    async fn add_user(
        &self,
        name: &Text<80>,
        role: Role,
        shop: Option<Text<200>>,
        password: &SecretString,
    ) -> Result<(), Failure> {
        match self {
            Self::Offline(erp, _) => {
                let user = User {
                    name: name.clone(),
                    password_hash: passwords::hash(password)?,
                    role,
                    shop,
                };
                erp.users().add(&user, this_command().as_ref()).await?;
            }
            Self::Online(remote) => {
                let body = json!({"name": name, "role": role.as_str(), "restwebshop": shop,
                    "password": password.expose_secret()});
                data(remote, Method::POST, "/admin/users", Some(&body)).await?;
            }
        }
        Ok(())
    }

    async fn users(&self) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => Ok(erp.users().list().await?.iter().map(user_json).collect()),
            Self::Online(remote) => data(remote, Method::GET, "/admin/users", None).await,
        }
    }

    async fn user(&self, name: &str) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                let tokens = erp.users().tokens_of(name, Timestamp::now()).await?;
                let user = erp.users().find(name).await?;
                Ok(user.map_or(Value::Null, |user| account_json(&user, tokens.len())))
            }
            Self::Online(remote) => data(remote, Method::GET, &path(name), None).await,
        }
    }

    async fn change_user(&self, name: &str, change: &UserChange) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => Ok(user_json(
                &erp.users()
                    .change(name, change, this_command().as_ref())
                    .await?,
            )),
            Self::Online(remote) => {
                let mut body = json!({"role": change.role.map(Role::as_str)});
                if let (Some(shop), Some(members)) = (&change.shop, body.as_object_mut()) {
                    members.insert("restwebshop".to_owned(), json!(shop));
                }
                data(remote, Method::PUT, &path(name), Some(&body)).await
            }
        }
    }

    async fn set_password(&self, name: &str, password: &SecretString) -> Result<(), Failure> {
        match self {
            Self::Offline(erp, _) => {
                erp.users()
                    .set_password(name, &passwords::hash(password)?, this_command().as_ref())
                    .await?;
            }
            Self::Online(remote) => {
                let path = format!("{}/password", path(name));
                let body = json!({"password": password.expose_secret()});
                data(remote, Method::PUT, &path, Some(&body)).await?;
            }
        }
        Ok(())
    }

    async fn remove_user(&self, name: &str) -> Result<(), Failure> {
        match self {
            Self::Offline(erp, _) => erp.users().remove(name, this_command().as_ref()).await?,
            Self::Online(remote) => {
                data(remote, Method::DELETE, &path(name), None).await?;
            }
        }
        Ok(())
    }

    async fn tokens_of(&self, name: &str) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => {
                let tokens = erp.users().tokens_of(name, Timestamp::now()).await?;
                Ok(tokens.iter().map(token_json).collect())
            }
            Self::Online(remote) => {
                let path = format!("{}/tokens", path(name));
                data(remote, Method::GET, &path, None).await
            }
        }
    }

    async fn revoke_tokens_of(&self, name: &str) -> Result<Value, Failure> {
        match self {
            Self::Offline(erp, _) => Ok(
                json!({"revoked": erp.users().revoke_tokens_of(name, this_command().as_ref()).await?}),
            ),
            Self::Online(remote) => {
                let path = format!("{}/tokens", path(name));
                data(remote, Method::DELETE, &path, None).await
            }
        }
    }
}

/// A new password and whether it must be printed.
struct NewPassword {
    secret: SecretString,
    made: bool,
}

impl NewPassword {
    fn print(&self, name: &str) {
        if self.made {
            say!("password of {name}: {}", self.secret.expose_secret());
        } else {
            say!("the password of {name} is set");
        }
    }
}

fn password(matches: &ArgMatches) -> Result<NewPassword, Failure> {
    if !matches.get_flag("password-stdin") {
        return Ok(NewPassword {
            secret: random_password()?,
            made: true,
        });
    }
    own_line(matches)?;
    if std::io::stdin().is_terminal() {
        complain!("password:");
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let password = passwords::check(line.trim_end_matches(['\r', '\n']));
    Ok(NewPassword {
        secret: password.map_err(|error| Failure::usage(error.to_string()))?,
        made: false,
    })
}

/// A random password.
pub(super) fn random_password() -> Result<SecretString, Failure> {
    tokens::password().map_err(|error| Failure::new(format!("no random bits: {error}")))
}
