//! The command line: `serve`, `demo`, `user`, `attribute`, `events`, `import`, `export`, `order`, `media`, `zugferd`,
//! `check`, `audit`, `backup`, `verify`, `restore`, `recover`, `copy`, `settings`.

#[macro_use]
mod print;

mod attribute;
mod audit;
mod backup;
mod check;
mod config;
mod copy;
mod demo;
mod documents;
mod events;
mod export;
mod import;
mod media;
mod order;
mod place;
mod remote;
mod serve;
mod settings;
mod trust;
mod user;
mod zugferd;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use erp_core::Erp;
use erp_core::erp::Error;
use secrecy::SecretString;
use tokio::runtime::Runtime;

use crate::config::{ConfigError, Loaded, Settings, core_settings};
use crate::store::{
    OpenError, PostgresOptions, PostgresStore, Retention, SledStore, Store, StoreOptions,
    holds_store,
};

/// Exit code: invalid command line.
const USAGE: u8 = 2;
/// Exit code: another process has the store open.
const LOCKED: u8 = 3;
/// Exit code: the store is damaged.
const DAMAGED: u8 = 4;
/// Exit code: the store failed during operation. The next start may repair it.
const STORE_FAILED: u8 = 5;

/// Why a command failed, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self {
            code: 1,
            message: message.into(),
        }
    }

    /// The end of a command whose output is no longer read: it counts as success.
    fn quiet() -> Self {
        Self {
            code: 0,
            message: String::new(),
        }
    }

    fn usage(message: impl Into<String>) -> Self {
        Self {
            code: USAGE,
            message: message.into(),
        }
    }
}

impl<E: std::error::Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let any: &(dyn std::error::Error + 'static) = &error;
        match any.downcast_ref::<erp_core::erp::Error>() {
            Some(Error::Invalid(problems) | Error::Malformed(problems)) => {
                let lines = problems
                    .as_slice()
                    .iter()
                    .map(|problem| format!("\n  {problem}"));
                Self::new(format!("{error}:{}", lines.collect::<String>()))
            }
            _ => Self::new(error.to_string()),
        }
    }
}

/// One problem of a rejected request, on its own line.
fn refused(path: &str, message: &str, code: &str) -> String {
    let place = match path {
        "" => String::new(),
        path => format!("{path}: "),
    };
    format!("\n  {place}{message} ({code})")
}

/// Runs the command given by the arguments and returns the exit code: 0 success, 1 failure, 2 invalid command line,
/// 3 another process has the store open, 4 the store is damaged, 5 the store failed during operation.
#[must_use]
pub fn run() -> ExitCode {
    let matches = match command().try_get_matches_from(arguments()) {
        Ok(matches) => matches,
        Err(error) => {
            let code = if error.use_stderr() { USAGE } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    note_command(&matches);
    if !matches!(
        matches.subcommand_name(),
        Some("zugferd" | "manual" | "completions")
    ) {
        keep_private();
    }
    let done = match matches.subcommand() {
        Some(("serve", matches)) => serve::run(matches),
        Some(("demo", matches)) => demo::run(matches),
        Some(("user", matches)) => user::run(matches),
        Some(("attribute", matches)) => attribute::run(matches),
        Some(("events", matches)) => events::run(matches),
        Some(("import", matches)) => import::run(matches),
        Some(("export", matches)) => export::run(matches),
        Some(("order", matches)) => order::run(matches),
        Some(("zugferd", matches)) => zugferd::run(matches),
        Some(("media", matches)) => media::run(matches),
        Some(("check", matches)) => check::run(matches),
        Some(("audit", matches)) => audit::run(matches),
        Some(("backup", matches)) => backup::backup(matches),
        Some(("verify", matches)) => backup::verify(matches),
        Some(("restore", matches)) => backup::restore_store(matches),
        Some(("recover", matches)) => backup::recover(matches),
        Some(("copy", matches)) => copy::run(matches),
        Some(("config", matches)) => config::run(matches),
        Some(("manual", matches)) => documents::manual(matches),
        Some(("completions", matches)) => documents::completions(matches),
        Some(("settings", matches)) => settings::run(matches),
        _ => Err(Failure::usage(
            "name a command; `erp-server --help` lists them",
        )),
    };
    match done.and_then(|()| print::finish()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { code: 0, .. }) => ExitCode::SUCCESS,
        Err(failure) => {
            complain!("erp-server: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
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
        crate::observe::audit::note_command(
            &verb.map_or(name.to_owned(), |verb| format!("{name} {verb}")),
        );
    }
}

/// The definition of the command line.
#[must_use]
pub fn command() -> Command {
    Command::new("erp-server")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The business system's REST interface: orders, customers, articles")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(with_all_settings(
            Command::new("serve").about("Serve the interface"),
        ))
        .subcommand(demo::command())
        .subcommand(user::command())
        .subcommand(attribute::command())
        .subcommand(events::command())
        .subcommand(import::command())
        .subcommand(export::command())
        .subcommand(order::command())
        .subcommand(zugferd::command())
        .subcommand(media::command())
        .subcommand(with_settings(Command::new("check").about(
            "Read and verify every record, secondary key and media file of the store",
        )))
        .subcommand(audit::command())
        .subcommands(backup::commands())
        .subcommand(copy::command())
        .subcommand(config::command())
        .subcommands(documents::commands())
        .subcommand(settings::command())
}

/// Settings shown in the help of every command.
const SHOWN: [&str; 2] = ["data_dir", "database"];

/// Settings shown by `serve -h`; `serve --help` shows all of them.
const SHOWN_OF_SERVE: [&str; 5] = [
    "listen",
    "data_dir",
    "database",
    "tls_certificate",
    "tls_key",
];

/// Adds a flag for every setting. The help shows those that locate the store; `--help-settings` shows all.
fn with_settings(command: Command) -> Command {
    let options = command
        .disable_help_flag(true)
        .next_help_heading(None::<&str>)
        .arg(
            Arg::new("help")
                .short('h')
                .long("help")
                .action(ArgAction::HelpShort)
                .help("Print help"),
        )
        .arg(
            Arg::new("help-settings")
                .long("help-settings")
                .action(ArgAction::HelpLong)
                .help("Print help with every setting; each can be given as an option"),
        );
    settings_flags(options, &SHOWN)
}

/// The same for commands that serve: `--help` shows all settings.
fn with_all_settings(command: Command) -> Command {
    settings_flags(command, &SHOWN_OF_SERVE)
}

fn settings_flags(command: Command, shown: &[&str]) -> Command {
    let command = command.next_help_heading("Settings").arg(
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .help("TOML file with settings"),
    );
    Settings::describe().iter().fold(command, |command, doc| {
        let default = if doc.default.is_empty() {
            "not set"
        } else {
            doc.default
        };
        let arg = Arg::new(doc.name)
            .long(doc.flag())
            .value_name(doc.unit)
            .action(ArgAction::Set)
            .allow_hyphen_values(true)
            .hide_short_help(!shown.contains(&doc.name))
            .help(format!(
                "{} [default: {default}] [env: {}]",
                doc.text.trim(),
                doc.environment()
            ));
        command.arg(if doc.name == "data_dir" {
            arg.visible_alias("data")
        } else {
            arg
        })
    })
}

/// The settings of a command, from file, environment and flags.
fn settings(matches: &ArgMatches) -> Result<Settings, Failure> {
    let (loaded, mistakes) = given_settings(matches)?;
    if !mistakes.is_empty() {
        let sentences: Vec<String> = mistakes.iter().map(config::told).collect();
        return Err(Failure::usage(sentences.join("\n  ")));
    }
    for name in &loaded.unknown_variables {
        complain!("erp-server: the variable {name} names no setting");
    }
    Ok(loaded.settings)
}

/// The settings of a command, and every error in them.
fn given_settings(matches: &ArgMatches) -> Result<(Loaded, Vec<ConfigError>), Failure> {
    let file = matches.get_one::<String>("config").map(PathBuf::from);
    let flags = Settings::describe().iter().filter_map(|doc| {
        let value = matches.try_get_one::<String>(doc.name).ok().flatten()?;
        Some((doc.name, value.clone()))
    });
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Settings::gather(file.as_deref(), environment, flags)
        .map_err(|error| Failure::usage(error.to_string()))
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
    let folder = &settings.store.data_dir;
    if settings.store.database.is_some() || holds_store(folder) {
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
        close_to_others(&settings.store.data_dir);
        return Ok(store.into());
    }
    let is_new = !holds_store(&settings.store.data_dir);
    let store = SledStore::open(&settings.store.data_dir, store_options(settings));
    let store = store.map_err(store_failure)?;
    if is_new {
        complain!(
            "erp-server: new store in `{}`",
            settings.store.data_dir.display()
        );
    }
    close_to_others(&settings.store.data_dir);
    for file in store.rewritten() {
        complain!(
            "erp-server: the file `{file}` in the data folder was damaged; it was written again from its copy"
        );
    }
    if let Some((fault, recovery)) = store.repaired() {
        complain!(
            "erp-server: the store was damaged: {fault}; the records were made anew from the journal, which \
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
    let Some(url) = settings.store.database.clone() else {
        return Ok(None);
    };
    let url = match &settings.store.database_password_file {
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
        ca_file: settings.store.database_ca_file.clone(),
        connections: settings.store.database_connections,
        ..PostgresOptions::new(url)
    }))
}

/// The options of the embedded store: the journal is kept until a backup covers it.
fn store_options(settings: &Settings) -> StoreOptions {
    StoreOptions {
        cache_bytes: settings.store.sled_cache_bytes,
        queue: settings.store.queue_length,
        retention: Retention::UntilBackup {
            most_bytes: settings.store.journal_bytes,
        },
        repair: true,
        trust_proper_end: true,
        ..StoreOptions::default()
    }
}

/// Converts an error of the store, with its exit code.
#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
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
