//! `erp-server manual`, `erp-server completions`: man pages and shell completions for packages.

use std::fs;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use super::failure::Failure;
use super::print;

/// Print the completions of a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server completions bash")]
pub(super) struct CompletionsCommand {
    /// The shell
    shell: Shell,
}

impl CompletionsCommand {
    pub(super) fn run(self, mut command: Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "erp-server", &mut script);
        print::text(format_args!("{}", String::from_utf8_lossy(&script)));
        Ok(())
    }
}

/// Write the manual pages to a folder
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server manual /usr/local/share/man/man1")]
pub(super) struct ManualCommand {
    /// The folder, which is created if it is missing
    folder: PathBuf,
}

impl ManualCommand {
    pub(super) fn run(self, command: Command) -> Result<(), Failure> {
        fs::create_dir_all(&self.folder)?;
        clap_mangen::generate_to(without_settings(command), &self.folder)?;
        Ok(())
    }
}

/// Hides the settings that the short help hides: 77 of them would hide what is special about a command.
fn without_settings(command: Command) -> Command {
    command
        .mut_args(|option| {
            let is_hidden = option.is_hide_short_help_set() || option.is_hide_set();
            option.hide(is_hidden)
        })
        .mut_subcommands(without_settings)
}
