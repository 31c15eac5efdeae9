//! `erp-server user`: who may use the interface.

use std::io::{BufRead as _, IsTerminal as _};

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::Erp;
use erp_core::master::{Role, User};
use erp_core::text::Text;
use secrecy::{ExposeSecret as _, SecretString};

use super::{Failure, open_erp, runtime, settings, with_settings};
use crate::store::SledStore;
use crate::{passwords, tokens};

/// Shorter passwords can be guessed.
const SHORTEST_PASSWORD: usize = 10;

pub(super) fn command() -> Command {
    let name = || {
        Arg::new("name")
            .required(true)
            .value_name("NAME")
            .help("Name of the user")
    };
    let stdin = || {
        Arg::new("password-stdin")
            .long("password-stdin")
            .action(ArgAction::SetTrue)
            .help("Read the password from the first line of standard input; else a random one is made and printed")
    };
    let add = Command::new("add")
        .about("Add a user")
        .arg(name())
        .arg(stdin())
        .arg(
            Arg::new("role")
                .long("role")
                .value_parser(["shop", "admin"])
                .default_value("shop")
                .help("What the user may do"),
        );
    let add = add.arg(
        Arg::new("restwebshop")
            .long("restwebshop")
            .value_name("VALUE")
            .help("The value articles are selected by (RESTWEBSHOP)"),
    );
    Command::new("user")
        .about("Add, list and remove users; the server must not run")
        .subcommand_required(true)
        .subcommand(with_settings(add))
        .subcommand(with_settings(Command::new("list").about("List users")))
        .subcommand(with_settings(
            Command::new("remove")
                .about("Remove a user and end the user's tokens")
                .arg(name()),
        ))
        .subcommand(with_settings(
            Command::new("password")
                .about("Set a user's password and end the user's tokens")
                .arg(name())
                .arg(stdin()),
        ))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Some((verb, matches)) = matches.subcommand() else {
        return Err(Failure::usage("name what to do with users"));
    };
    let erp = open_erp(&settings(matches)?)?;
    let done = runtime()?.block_on(async {
        match verb {
            "add" => add(&erp, matches).await,
            "remove" => remove(&erp, &name_of(matches)?).await,
            "password" => set_password(&erp, matches).await,
            _ => list(&erp).await,
        }
    });
    erp.store().close()?;
    done
}

fn name_of(matches: &ArgMatches) -> Result<Text<80>, Failure> {
    let name = matches
        .get_one::<String>("name")
        .map(String::as_str)
        .unwrap_or_default();
    if name.trim().is_empty() || name.contains(':') {
        return Err(Failure::usage(
            "a user's name is not empty and has no colon",
        ));
    }
    Text::new(name).map_err(|error| Failure::usage(format!("name: {error}")))
}

async fn add(erp: &Erp<SledStore>, matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    let role = matches
        .get_one::<String>("role")
        .and_then(|word| Role::parse(word))
        .unwrap_or(Role::Shop);
    let shop = match matches.get_one::<String>("restwebshop") {
        Some(value) => Some(
            Text::new(value).map_err(|error| Failure::usage(format!("restwebshop: {error}")))?,
        ),
        None => None,
    };
    let password = password(matches)?;
    let password_hash = passwords::hash(&password.secret)?;
    erp.add_user(&User {
        name: name.clone(),
        password_hash,
        role,
        shop,
    })
    .await?;
    password.print(&name);
    Ok(())
}

async fn set_password(erp: &Erp<SledStore>, matches: &ArgMatches) -> Result<(), Failure> {
    let name = name_of(matches)?;
    let password = password(matches)?;
    erp.set_password(&name, &passwords::hash(&password.secret)?)
        .await?;
    password.print(&name);
    Ok(())
}

async fn remove(erp: &Erp<SledStore>, name: &str) -> Result<(), Failure> {
    erp.remove_user(name).await?;
    println!("removed {name}");
    Ok(())
}

async fn list(erp: &Erp<SledStore>) -> Result<(), Failure> {
    for user in erp.users().await? {
        let shop = user
            .shop
            .map_or_else(|| "-".to_owned(), |shop| shop.to_string());
        println!("{}\t{}\t{shop}", user.name, user.role.as_str());
    }
    Ok(())
}

/// A new password and whether it has to be shown.
struct NewPassword {
    secret: SecretString,
    made: bool,
}

impl NewPassword {
    fn print(&self, name: &str) {
        if self.made {
            println!("password of {name}: {}", self.secret.expose_secret());
        } else {
            println!("the password of {name} is set");
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
    if std::io::stdin().is_terminal() {
        eprintln!("password:");
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.chars().count() < SHORTEST_PASSWORD {
        return Err(Failure::usage(format!(
            "a password has at least {SHORTEST_PASSWORD} characters"
        )));
    }
    Ok(NewPassword {
        secret: SecretString::from(password),
        made: false,
    })
}

/// A password of 128 random bits, easy to copy.
pub(super) fn random_password() -> Result<SecretString, Failure> {
    let (token, _) =
        tokens::create().map_err(|error| Failure::new(format!("no random bits: {error}")))?;
    let short: String = token.expose_secret().chars().take(22).collect();
    Ok(SecretString::from(short))
}
