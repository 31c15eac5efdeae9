//! `erp-server manual`, `erp-server completions`: man pages and shell completions for packages.

use std::fs;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::{Failure, command, print};

pub(super) fn commands() -> [Command; 2] {
    [
        Command::new("manual")
            .about("Write the manual pages to a folder")
            .arg(Arg::new("folder").required(true).value_name("FOLDER")),
        Command::new("completions")
            .about("Print the completions of a shell")
            .arg(
                Arg::new("shell")
                    .required(true)
                    .value_name("SHELL")
                    .value_parser(value_parser!(Shell)),
            ),
    ]
}

pub(super) fn manual(matches: &ArgMatches) -> Result<(), Failure> {
    let folder = matches.get_one::<String>("folder").map(PathBuf::from);
    let folder = folder.unwrap_or_default();
    fs::create_dir_all(&folder)?;
    clap_mangen::generate_to(command(), &folder)?;
    Ok(())
}

pub(super) fn completions(matches: &ArgMatches) -> Result<(), Failure> {
    if let Some(shell) = matches.get_one::<Shell>("shell") {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut command(), "erp-server", &mut script);
        print::text(format_args!("{}", String::from_utf8_lossy(&script)));
    }
    Ok(())
}
