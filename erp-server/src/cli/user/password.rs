use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use crate::cli::backend::BackendArgs;
use crate::cli::failure::Failure;
use crate::cli::print;
use crate::{passwords, tokens};

/// Where a new password comes from.
#[derive(Debug, Args)]
pub(super) struct PasswordArgs {
    /// Read the password from the first line of standard input; without it a random one is generated and printed
    #[arg(long)]
    password_stdin: bool,
}

pub(super) struct NewPassword {
    pub(super) secret: SecretString,
    is_random: bool,
}

impl PasswordArgs {
    pub(super) fn read(&self, backend: &BackendArgs) -> Result<NewPassword, Failure> {
        let secret = if self.password_stdin {
            backend.require_stdin("one password or secret")?;
            let line = print::ask("password")?;
            let password = passwords::check(line.trim_end_matches(['\r', '\n']));
            password.map_err(|error| Failure::usage(error.to_string()))?
        } else {
            random_password()?
        };
        Ok(NewPassword {
            secret,
            is_random: !self.password_stdin,
        })
    }
}

impl NewPassword {
    /// The result as JSON and in words, with the password if it is random.
    pub(super) fn result(&self, name: &str) -> (Value, String) {
        let secret = self.secret.expose_secret();
        if self.is_random {
            (
                json!({"name": name, "password": secret}),
                format!("password of {name}: {secret}"),
            )
        } else {
            (
                json!({"name": name}),
                format!("the password of {name} is set"),
            )
        }
    }
}

pub(in crate::cli) fn random_password() -> Result<SecretString, Failure> {
    tokens::password().map_err(|error| Failure::new(format!("no random bits: {error}")))
}
