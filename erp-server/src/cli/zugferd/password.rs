//! The password of encrypted PDF files.

use std::path::PathBuf;

use clap::Args;
use erp_core::zugferd::Password;
use secrecy::ExposeSecret as _;

use crate::cli::failure::Failure;
use crate::cli::remote::first_line;

/// Longer ones are cut by the standard of PDF.
const CHARACTERS: usize = 127;

#[derive(Debug, Args)]
pub(super) struct PasswordArgs {
    /// File with the password of encrypted PDF files in its first line
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

impl PasswordArgs {
    pub(super) fn read(&self) -> Result<Password, Failure> {
        let Some(file) = &self.password_file else {
            return Ok(Password::default());
        };
        let password = first_line(file)?;
        let password = password.expose_secret();
        match password.chars().count() {
            1..=CHARACTERS => Ok(Password::from(password)),
            _ => Err(Failure::usage(format!(
                "the first line of `{}` must be a password of 1 to {CHARACTERS} characters",
                file.display()
            ))),
        }
    }
}
