//! The options for settings: `--config`, and one option for every setting of the table.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};

use super::failure::Failure;
use crate::config::{ConfigError, Loaded, SettingDoc, Settings};

/// The heading of the settings in the short help. The others have the headings of their sections.
const HEADING: &str = "Settings";

/// Settings in the short help of every command: those that locate the store.
const SHOWN: [&str; 2] = ["data_dir", "database"];

/// Settings in the short help of a command that serves.
const SHOWN_BY_SERVERS: [&str; 5] = [
    "listen",
    "data_dir",
    "database",
    "tls_certificate",
    "tls_key",
];

/// The settings given on the command line. The long help of a server lists every setting; other commands list them
/// with `--help-settings`, because few of them matter there.
#[derive(Clone, Debug, Default)]
pub(super) struct SettingsArgs<const IS_SERVER: bool = false> {
    file: Option<PathBuf>,
    given: Vec<(&'static str, String)>,
}

impl<const IS_SERVER: bool> SettingsArgs<IS_SERVER> {
    pub(super) fn load(&self) -> Result<Settings, Failure> {
        let (loaded, mistakes) = self.gather()?;
        if !mistakes.is_empty() {
            let sentences: Vec<String> = mistakes.iter().map(sentence).collect();
            return Err(Failure::usage(sentences.join("\n  ")));
        }
        for name in &loaded.unknown_variables {
            complain!("erp-server: the variable {name} names no setting");
        }
        Ok(loaded.settings)
    }

    /// The settings, and every mistake in them.
    pub(super) fn gather(&self) -> Result<(Loaded, Vec<ConfigError>), Failure> {
        Settings::gather(
            self.file.as_deref(),
            std::env::vars_os(),
            self.given.clone(),
        )
        .map_err(|error| Failure::usage(error.to_string()))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }
}

impl<const IS_SERVER: bool> FromArgMatches for SettingsArgs<IS_SERVER> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = Settings::describe().iter().filter_map(|doc| {
            let value = matches.get_one::<String>(doc.name)?;
            Some((doc.name, value.clone()))
        });
        Ok(Self {
            file: matches.get_one("config").cloned(),
            given: given.collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<const IS_SERVER: bool> Args for SettingsArgs<IS_SERVER> {
    fn augment_args(command: Command) -> Command {
        let command = if IS_SERVER {
            command
        } else {
            with_help_settings(command)
        };
        let file = Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("TOML file with settings");
        let shown: &[&str] = if IS_SERVER { &SHOWN_BY_SERVERS } else { &SHOWN };
        let options = Settings::describe().iter().map(|doc| option(doc, shown));
        command.next_help_heading(HEADING).arg(file).args(options)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Replaces `--help` by one that hides most settings, and adds one that shows them.
fn with_help_settings(command: Command) -> Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .help("Print help");
    let help_settings = Arg::new("help-settings")
        .long("help-settings")
        .action(ArgAction::HelpLong)
        .help("Print help with every setting; each can be given as an option");
    command
        .disable_help_flag(true)
        .next_help_heading(None::<&str>)
        .args([help, help_settings])
}

fn option(doc: &'static SettingDoc, shown: &[&str]) -> Arg {
    let default = match doc.default {
        "" => "not set",
        default => default,
    };
    let text = doc.text;
    let is_shown = shown.contains(&doc.name);
    let option = Arg::new(doc.name)
        .long(doc.flag())
        .value_name(doc.unit)
        .allow_hyphen_values(true)
        .hide_short_help(!is_shown)
        .help_heading(if is_shown { HEADING } else { doc.section })
        .help(format!(
            "{text} [default: {default}] [env: {}]",
            doc.environment()
        ));
    match doc.name {
        "data_dir" => option.visible_alias("data"),
        _ => option,
    }
}

/// A mistake in one sentence, with the setting that was probably meant.
pub(super) fn sentence(mistake: &ConfigError) -> String {
    let ConfigError::Unknown {
        name,
        place,
        nearest,
        ..
    } = mistake
    else {
        return mistake.to_string();
    };
    let hint = match nearest {
        Some(nearest) => format!("is `{nearest}` meant?"),
        None => "`erp-server settings` lists them".to_owned(),
    };
    format!("`{name}` in {place} is not a setting; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_help_lists_settings_below_the_headings_of_their_sections() {
        let help = SettingsArgs::<true>::augment_args(Command::new("serve"))
            .render_long_help()
            .to_string();
        let is_heading = |line: &&str| line.ends_with(':') && !line.starts_with(' ');
        let headings: Vec<&str> = help.lines().filter(is_heading).collect();
        assert_eq!(headings[..2], ["Options:", "Settings:"], "{help}");
        let mut sections: Vec<String> = Settings::describe()
            .iter()
            .map(|doc| format!("{}:", doc.section))
            .collect();
        sections.dedup();
        assert_eq!(headings[2..], sections, "{help}");
        for doc in Settings::describe() {
            let (before, _) = help.split_once(&format!("--{} <", doc.flag())).unwrap();
            let heading = before.lines().rfind(is_heading);
            let wanted = if SHOWN_BY_SERVERS.contains(&doc.name) {
                HEADING
            } else {
                doc.section
            };
            assert_eq!(heading, Some(format!("{wanted}:").as_str()), "{}", doc.name);
        }
    }
}
