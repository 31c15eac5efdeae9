//! The programs of PostgreSQL, and the user who runs them.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::geteuid;

/// Folders in which distributions install the programs, with one subfolder per version.
const VERSIONS: [&str; 2] = ["/usr/lib/postgresql", "/usr/pgsql"];

/// The folder of the programs and the user who runs them.
#[derive(Clone, Debug)]
pub(super) struct Programs {
    folder: PathBuf,
    /// PostgreSQL refuses to run as root.
    user: Option<(u32, u32)>,
}

impl Programs {
    /// Looks in `PATH` and in Debian's folders, newest version first.
    pub(super) fn find() -> Result<Self, String> {
        let folder = folders().into_iter().find(|folder| {
            ["initdb", "postgres", "psql", "pg_basebackup"]
                .iter()
                .all(|name| folder.join(name).is_file())
        });
        let folder = folder.ok_or("PostgreSQL is missing; `tests/run` installs it")?;
        let runs = Command::new("setpriv")
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if !runs.is_ok_and(|status| status.success()) {
            return Err("`setpriv` of util-linux is missing".to_owned());
        }
        let user = match geteuid().is_root() {
            true => Some(other_user().ok_or("there is no user `postgres` or `nobody`")?),
            false => None,
        };
        Ok(Self { folder, user })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A program that works on the files of the database, as their owner. It is killed when the thread that started it
    /// ends.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("setpriv");
        if let Some((user, group)) = self.user {
            command
                .arg(format!("--reuid={user}"))
                .arg(format!("--regid={group}"));
            command.arg("--clear-groups");
        }
        command
            .args(["--pdeathsig", "KILL", "--"])
            .arg(self.folder.join(program));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        // Other users have no access to the working directory of the tests.
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    /// Makes the user of the programs the owner of a file or folder.
    pub(super) fn hand_over(&self, path: &Path) {
        if let Some((user, group)) = self.user {
            chown(path, Some(user), Some(group)).expect("root gives its files away");
        }
    }
}

fn folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut versions: Vec<(u32, PathBuf)> = Vec::new();
    for base in VERSIONS {
        let entries = fs::read_dir(base).into_iter().flatten().flatten();
        versions.extend(entries.filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        }));
    }
    versions.sort_by(|a, b| b.cmp(a));
    folders.extend(versions.into_iter().map(|(_, folder)| folder));
    folders
}

/// User and group id of a user without privileges.
fn other_user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let find = |name: &str| {
        let line = users
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2).map(str::parse);
        Some((fields.next()?.ok()?, fields.next()?.ok()?))
    };
    find("postgres").or_else(|| find("nobody"))
}
