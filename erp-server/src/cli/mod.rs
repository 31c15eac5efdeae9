//! The command line. Each command is a struct beside its code, whose comments are its help.

#[macro_use]
mod print;

mod attribute;
mod audit;
mod backend;
mod backup;
mod check;
mod company;
mod config;
mod demo;
mod documents;
mod events;
mod export;
mod failure;
mod health;
mod import;
mod json;
mod media;
mod new;
mod open;
mod order;
mod private_file;
mod recover;
mod remote;
mod restore;
mod serve;
mod settings;
mod settings_args;
mod time;
mod trust;
mod user;
mod zugferd;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use failure::{Failure, USAGE};
use settings_args::SettingsArgs;

/// The business system's REST interface: orders, customers, articles
#[derive(Debug, Parser)]
#[command(
    name = "erp-server",
    version,
    disable_help_subcommand = true,
    after_help = "Examples:\n  \
        erp-server demo\n  \
        erp-server new /srv/erp\n  \
        erp-server serve --config /srv/erp/erp.toml\n\n\
        `erp-server COMMAND -h` shows the options of a command and an example."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

/// The commands, in the order of the help: serving, settings, daily work, data as a whole, files, documents.
#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the interface until SIGTERM or SIGINT
    #[command(
        after_help = "Example:\n  erp-server serve --data /var/lib/erp --listen 127.0.0.1:8080"
    )]
    Serve(SettingsArgs<true>),
    Demo(demo::DemoCommand),
    Health(health::HealthCommand),
    New(new::NewCommand),
    Settings(settings::SettingsCommand),
    #[command(subcommand)]
    Config(config::ConfigCommand),
    #[command(subcommand)]
    Company(company::CompanyCommand),
    #[command(subcommand)]
    User(user::UserCommand),
    #[command(subcommand)]
    Attribute(attribute::AttributeCommand),
    #[command(subcommand)]
    Events(events::EventsCommand),
    Import(import::ImportCommand),
    Export(export::ExportCommand),
    #[command(subcommand)]
    Order(order::OrderCommand),
    Audit(audit::AuditCommand),
    #[command(subcommand)]
    Media(media::MediaCommand),
    Check(check::CheckCommand),
    Backup(backup::BackupCommand),
    Verify(backup::VerifyCommand),
    Restore(restore::RestoreCommand),
    Recover(recover::RecoverCommand),
    #[command(subcommand)]
    Zugferd(zugferd::ZugferdCommand),
    Completions(documents::CompletionsCommand),
    Manual(documents::ManualCommand),
}

impl Command {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Serve(settings) => serve::run(&settings),
            Self::Demo(command) => command.run(),
            Self::Health(command) => command.run(),
            Self::New(command) => command.run(),
            Self::Settings(command) => command.run(),
            Self::Config(command) => command.run(),
            Self::Company(command) => command.run(),
            Self::User(command) => command.run(),
            Self::Attribute(command) => command.run(),
            Self::Events(command) => command.run(),
            Self::Import(command) => command.run(),
            Self::Export(command) => command.run(),
            Self::Order(command) => command.run(),
            Self::Audit(command) => command.run(),
            Self::Media(command) => command.run(),
            Self::Check(command) => command.run(),
            Self::Backup(command) => command.run(),
            Self::Verify(command) => command.run(),
            Self::Restore(command) => command.run(),
            Self::Recover(command) => command.run(),
            Self::Zugferd(command) => command.run(),
            Self::Completions(completions) => completions.run(command()),
            Self::Manual(manual) => manual.run(command()),
        }
    }

    /// Whether the command's output files may be read by others: it does not touch the data folder.
    const fn writes_public_files(&self) -> bool {
        matches!(
            self,
            Self::Zugferd(_) | Self::Completions(_) | Self::Manual(_)
        )
    }
}

pub fn command() -> clap::Command {
    CommandLine::command()
}

/// Runs the command given by the arguments and returns the exit code: 0 success, 1 failure, 2 invalid command line,
/// 3 another process has the store open, 4 the store is damaged, 5 the store failed during operation.
pub fn run() -> ExitCode {
    let command = match parse(arguments()) {
        Ok(command) => command,
        Err(error) => {
            let code = if error.use_stderr() { USAGE } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    if !command.writes_public_files() {
        keep_private();
    }
    match command.run().and_then(|()| print::finish()) {
        Ok(()) | Err(Failure { code: 0, .. }) => ExitCode::SUCCESS,
        Err(failure) => {
            complain!("erp-server: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

fn parse(arguments: Vec<OsString>) -> Result<Command, clap::Error> {
    let first = arguments.get(1).cloned().unwrap_or_default();
    let mut matches = command()
        .try_get_matches_from(arguments)
        .map_err(|error| with_command(error, &first.to_string_lossy()))?;
    note_command(&matches);
    let line = CommandLine::from_arg_matches_mut(&mut matches)?;
    Ok(line.command)
}

/// Adds the command whose option was probably meant when an option comes before any command.
fn with_command(mut error: clap::Error, first: &str) -> clap::Error {
    let line = command();
    let commands = line.get_subcommands();
    let options = commands.flat_map(|command| {
        let arguments = command.get_arguments();
        let names = arguments.filter_map(clap::Arg::get_long_and_visible_aliases);
        names.flatten().map(|name| (command.get_name(), name))
    });
    let given = first.trim_start_matches('-').split('=').next();
    let given = given.unwrap_or_default();
    let distance = |name: &str| strsim::damerau_levenshtein(given, name);
    let nearest = options.min_by_key(|(_, name)| distance(name));
    let nearest = nearest.filter(|(_, name)| distance(name) <= given.len() / 3);
    let is_option = error.kind() == ErrorKind::UnknownArgument && first.starts_with("--");
    if let Some((command, name)) = nearest.filter(|_| is_option) {
        let tip = format!("options follow a command: erp-server {command} --{name}");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// The arguments; `help user add` becomes `user add --help`.
fn arguments() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    arguments
}

/// Sets the umask so that new files are private: the data folder contains password hashes, webhook secrets and
/// addresses. Not called by commands whose output files are meant for others.
fn keep_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Sets the command name for audit entries. Not for servers: there, requests change records.
fn note_command(matches: &ArgMatches) {
    if let Some((name, rest)) = matches.subcommand()
        && name != "serve"
        && name != "demo"
    {
        let verb = rest.subcommand_name();
        crate::observe::audit::note_command(
            &verb.map_or(name.to_owned(), |verb| format!("{name} {verb}")),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command with its words, also those that only group others.
    fn all(command: &clap::Command, words: &[String]) -> Vec<(Vec<String>, clap::Command)> {
        let mut found = Vec::new();
        for command in command.get_subcommands() {
            let words = [words, &[command.get_name().to_owned()]].concat();
            found.push((words.clone(), command.clone()));
            found.extend(all(command, &words));
        }
        found
    }

    #[test]
    fn every_command_shows_an_example_that_can_be_run() {
        command().debug_assert();
        let commands = all(&command(), &[]);
        assert!(commands.len() > 40, "{}", commands.len());
        for (words, shown) in commands {
            let help = shown.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let examples = help.lines().filter_map(|line| line.strip_prefix("  "));
            let examples: Vec<&str> = examples.collect();
            assert!(!examples.is_empty(), "{words:?}: {help}");
            for example in examples {
                let parsed = command().try_get_matches_from(example.split(' '));
                let mut matches = parsed.unwrap_or_else(|error| panic!("{example}: {error}"));
                for word in &words {
                    let (found, rest) = matches.remove_subcommand().unwrap();
                    assert_eq!(&found, word, "{example}");
                    matches = rest;
                }
            }
        }
    }

    #[test]
    fn every_command_with_a_result_has_it_as_json() {
        let is_other = |name: &str| matches!(name, "serve" | "demo" | "completions" | "manual");
        for (words, shown) in all(&command(), &[]) {
            let has_json = shown.get_arguments().any(|arg| arg.get_id() == "json");
            let is_leaf = shown.get_subcommands().next().is_none();
            let wanted = is_leaf && !is_other(&words[0]);
            assert_eq!(has_json, wanted, "{words:?}");
        }
    }

    #[test]
    fn the_help_lists_commands_in_the_order_of_use() {
        let help = command().render_help().to_string();
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let listed = listed.take_while(|line| !line.is_empty());
        let listed: Vec<&str> = listed
            .filter(|line| !line.starts_with("   "))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        let known = command().get_subcommands().count();
        assert_eq!(listed.len(), known, "{help}");
        let at = |name: &str| listed.iter().position(|listed| *listed == name).unwrap();
        for pair in [
            "serve",
            "demo",
            "new",
            "user",
            "import",
            "check",
            "backup",
            "completions",
        ]
        .windows(2)
        {
            let [first, second] = pair else { panic!() };
            assert!(at(first) < at(second), "{first} {second}");
        }
    }
}
