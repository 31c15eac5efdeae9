//! `erp-server manual`, `erp-server completions`: man pages and shell completions for packages.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::failure::Failure;
use super::print;
use super::settings_args::SettingsArgs;

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

/// Write the manual pages to the folders `man1` and `man5` of a folder
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server manual /usr/local/share/man")]
pub(super) struct ManualCommand {
    /// The folder, which is created if it is missing
    folder: PathBuf,
}

/// What every page of a command says where settings are its options.
const REFERENCE: &str = "Every setting is an option too: see erp-server-settings(5).";

const SETTINGS: &str = "\
    A setting can be given in three ways. A later one in this list wins: a line of the TOML file that --config names, for \
    example data_dir = \"/var/lib/erp\"; an environment variable, ERP_DATA_DIR; an option, --data-dir. \
    `erp-server config check` explains every mistake, `erp-server settings --values` prints the values in use.";

impl ManualCommand {
    pub(super) fn run(self, command: Command) -> Result<(), Failure> {
        let [commands, settings] = ["man1", "man5"].map(|name| self.folder.join(name));
        fs::create_dir_all(&commands)?;
        fs::create_dir_all(&settings)?;
        clap_mangen::generate_to(without_settings(command), commands)?;
        write_settings(&settings)?;
        Ok(())
    }
}

/// Hides the settings that the short help hides: 77 of them would hide what is special about a command.
fn without_settings(command: Command) -> Command {
    let has_settings = command.get_arguments().any(Arg::is_hide_short_help_set);
    let command = match command.get_after_help().filter(|_| has_settings) {
        Some(text) => {
            let text = format!("{REFERENCE}\n\n{text}");
            command.after_help(text)
        }
        None => command,
    };
    command
        .mut_args(|option| {
            let is_hidden = option.is_hide_short_help_set() || option.is_hide_set();
            option.hide(is_hidden)
        })
        .mut_subcommands(without_settings)
}

/// The page of all settings, below the headings of their sections.
fn write_settings(folder: &Path) -> io::Result<()> {
    let command = Command::new("erp-server-settings").version(env!("CARGO_PKG_VERSION"));
    let command = SettingsArgs::<true>::augment_args(command).long_about(SETTINGS);
    let command = command
        .about("settings of erp-server")
        .disable_help_flag(true);
    let page = Man::new(command.disable_version_flag(true)).section("5");
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    fs::write(folder.join(page.get_filename()), text)
}
