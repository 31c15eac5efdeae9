//! The command line. Each command is a struct beside its code, whose comments are its help.

#[macro_use]
mod print;

mod attribute;
mod audit;
mod backend;
mod backup;
mod check;
mod config;
mod copy;
mod demo;
mod documents;
mod events;
mod export;
mod failure;
mod import;
mod media;
mod order;
mod remote;
mod serve;
mod settings;
mod settings_args;
mod time;
mod trust;
mod user;
mod zugferd;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use erp_core::Erp;
use secrecy::SecretString;
use tokio::runtime::Runtime;

use crate::app::core_settings;
use crate::config::Settings;
use crate::store::{
    OpenError, PostgresOptions, PostgresStore, Retention, SledStore, Store, StoreOptions,
    holds_store,
};
use failure::{DAMAGED, Failure, LOCKED, STORE_FAILED, USAGE};
use settings_args::SettingsArgs;

/// The business system's REST interface: orders, customers, articles
#[derive(Debug, Parser)]
#[command(
    name = "erp-server",
    version,
    disable_help_subcommand = true,
    after_help = "Examples:\n  \
        erp-server demo\n  \
        erp-server serve --data /var/lib/erp --listen 127.0.0.1:8080\n\n\
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
    Settings(settings::SettingsCommand),
    #[command(subcommand)]
    Config(config::ConfigCommand),
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
    Restore(backup::RestoreCommand),
    Recover(backup::RecoverCommand),
    Copy(copy::CopyCommand),
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
            Self::Settings(command) => command.run(),
            Self::Config(command) => command.run(),
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
            Self::Copy(command) => command.run(),
            Self::Zugferd(command) => command.run(),
            Self::Completions(command) => command.run(),
            Self::Manual(command) => command.run(),
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

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    CommandLine::command()
}

/// Runs the command given by the arguments and returns the exit code: 0 success, 1 failure, 2 invalid command line,
/// 3 another process has the store open, 4 the store is damaged, 5 the store failed during operation.
#[must_use]
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
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { code: 0, .. }) => ExitCode::SUCCESS,
        Err(failure) => {
            complain!("erp-server: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}

/// Parses the arguments and notes the name of the command.
fn parse(arguments: Vec<OsString>) -> Result<Command, clap::Error> {
    let mut matches = command().try_get_matches_from(arguments)?;
    note_command(&matches);
    let line = CommandLine::from_arg_matches_mut(&mut matches)?;
    Ok(line.command)
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

/// Removes the permissions of other users from a data folder that an earlier version or an administrator created. The
/// permissions of its group are kept.
#[cfg(unix)]
fn close_to_others(folder: &Path) {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(found) = fs::metadata(folder) else {
        return;
    };
    let mode = found.permissions().mode() & 0o7777;
    if mode & 0o007 == 0 {
        return;
    }
    let closed = fs::set_permissions(folder, Permissions::from_mode(mode & !0o007));
    let shown = folder.display();
    match closed {
        Ok(()) => complain!(
            "erp-server: other users could read the data folder `{shown}`; its mode is {:o} now",
            mode & !0o007
        ),
        Err(error) => complain!(
            "erp-server: other users can read the data folder `{shown}`, and that cannot be changed: {error}"
        ),
    }
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) {}

/// Sets the command name for audit entries. Not for servers: there, requests change records.
fn note_command(matches: &ArgMatches) {
    if let Some((name, rest)) = matches.subcommand()
        && name != "serve"
        && name != "demo"
    {
        let verb = rest.subcommand_name();
        crate::audit::note_command(&verb.map_or(name.to_owned(), |verb| format!("{name} {verb}")));
    }
}

/// The runtime of every command with a store.
fn runtime() -> Result<Runtime, Failure> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?)
}

/// Whether a missing store is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// The store must exist.
    Existing,
    /// A store is created in an existing, empty folder. A missing folder may be a typing error.
    InFolder,
    /// A store is created if necessary, with its folder: for servers.
    Create,
}

/// Rejects a data folder without a store, unless the command may create one.
fn check_folder(settings: &Settings, opening: Opening) -> Result<(), Failure> {
    let folder = &settings.data_dir;
    if settings.database.is_some() || holds_store(folder) {
        return Ok(());
    }
    let shown = folder.display();
    match opening {
        Opening::Existing => Err(Failure::new(format!("there is no store at `{shown}`"))),
        Opening::InFolder if !folder.is_dir() => Err(Failure::new(format!(
            "there is no store at `{shown}`; create the empty folder first if a new store is wanted there"
        ))),
        Opening::InFolder | Opening::Create => Ok(()),
    }
}

/// Opens the store of these settings; maps errors to exit codes.
fn open_store(settings: &Settings) -> Result<Store, Failure> {
    if let Some(options) = database_options(settings)? {
        let store = PostgresStore::open(&options).map_err(store_failure)?;
        close_to_others(&settings.data_dir);
        return Ok(store.into());
    }
    let is_new = !holds_store(&settings.data_dir);
    let store = SledStore::open(&settings.data_dir, store_options(settings));
    let store = store.map_err(store_failure)?;
    if is_new {
        complain!("erp-server: new store in `{}`", settings.data_dir.display());
    }
    close_to_others(&settings.data_dir);
    for file in store.rewritten() {
        complain!(
            "erp-server: the file `{file}` in the data folder was damaged; it was rewritten from its copy"
        );
    }
    if let Some((fault, recovery)) = store.repaired() {
        complain!(
            "erp-server: the store was damaged: {fault}; the records were rebuilt from the journal, which \
             holds every commit; the damaged files are in `{}` in the data folder",
            recovery.aside
        );
    }
    Ok(store.into())
}

/// The same for a server, which creates a missing store. Connections to a database live on `runtime`.
fn open_on(runtime: &Runtime, settings: &Settings) -> Result<Store, Failure> {
    check_folder(settings, Opening::Create)?;
    let _here = runtime.enter();
    open_store(settings)
}

/// The database of these settings, with its password.
fn database_options(settings: &Settings) -> Result<Option<PostgresOptions>, Failure> {
    let Some(url) = settings.database.clone() else {
        return Ok(None);
    };
    let url = match &settings.database_password_file {
        None => url,
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::new(format!("`{}` cannot be read: {error}", path.display()))
            })?;
            let password = SecretString::from(text.trim_end_matches(['\r', '\n']));
            url.with_password(&password)
        }
    };
    Ok(Some(PostgresOptions {
        ca_file: settings.database_ca_file.clone(),
        connections: settings.database_connections,
        ..PostgresOptions::new(url)
    }))
}

/// The options of the embedded store: the journal is kept until a backup covers it.
fn store_options(settings: &Settings) -> StoreOptions {
    StoreOptions {
        cache_bytes: settings.sled_cache_bytes,
        queue: settings.queue_length,
        retention: Retention::UntilBackup {
            most_bytes: settings.journal_bytes,
        },
        repair: true,
        trust_proper_end: true,
        ..StoreOptions::default()
    }
}

/// Converts an error of the store, with its exit code.
#[expect(clippy::needless_pass_by_value, reason = "it is used in `map_err`")]
fn store_failure(error: OpenError) -> Failure {
    let code = match error {
        OpenError::Locked { .. } => LOCKED,
        OpenError::Damaged { .. } => DAMAGED,
        _ => 1,
    };
    Failure {
        code,
        message: error.to_string(),
    }
}

/// Opens the store for an offline command.
fn open_erp(settings: &Settings, opening: Opening) -> Result<Erp<Store>, Failure> {
    check_folder(settings, opening)?;
    Ok(Erp::new(open_store(settings)?, core_settings(settings)))
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
