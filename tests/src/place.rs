//! A temporary folder that contains the data folder for the real binary.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::{self, Credentials, Ran, Server};
use tempfile::TempDir;

/// A temporary folder for a data folder and for the files of commands.
pub struct Place(TempDir);

impl Place {
    /// Without a data folder: `demo` and `restore` create it.
    pub fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With an empty data folder: `import` and `user add` create a store in it.
    pub fn begun() -> Self {
        let place = Self::empty();
        fs::create_dir(place.path("data")).unwrap();
        place
    }

    /// With the articles and customers of the demo, the shop user `anna` and the admin `chef`.
    pub fn filled(password: &str) -> Self {
        let place = Self::begun();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../erp-server/demo/");
        let files = [
            "01-firma",
            "02-steuern",
            "03-artikel",
            "04-preise",
            "05-bestand",
            "06-kunden",
        ]
        .map(|name| format!("{folder}{name}.ndjson"));
        let files = files.iter().map(String::as_str);
        let import: Vec<&str> = std::iter::once("import").chain(files).collect();
        let _ = place.run(&import).success();
        let shop = ["user", "add", "anna", "--restwebshop", "SHOP1"];
        let admin = ["user", "add", "chef", "--role", "admin"];
        for user in [&shop[..], &admin] {
            let flags = [user, &["--password-stdin"]].concat();
            let _ = place.run_with(&flags, password).success();
        }
        place
    }

    /// The path of a file or folder in the temporary folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A path as a command-line argument.
    pub fn arg(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    /// Writes a file and returns its path.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        self.arg(name)
    }

    /// A command on the data folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let data = self.arg("data");
        process::command(arguments.iter().copied().chain(["--data", &data]))
    }

    /// Runs a command on the data folder.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().unwrap())
    }

    /// Runs a command with a text as standard input.
    pub fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        ran_with(self.command(arguments), input)
    }

    /// Runs a command on a running server as this user.
    pub fn online(
        &self,
        server: &Server,
        (user, password): (&str, &str),
        command: &[&str],
        input: &str,
    ) -> Ran {
        let (base, file) = (server.base_url(), self.write("password", password));
        let login = ["--server", &base, "--login", user];
        let login = login.into_iter().chain(["--user-password-file", &file]);
        ran_with(
            process::command(command.iter().copied().chain(login)),
            input,
        )
    }

    /// Serves the data folder.
    pub fn serve(&self, flags: &[&str]) -> Server {
        let data = self.arg("data");
        let arguments = ["serve", "--data", &data];
        Server::start(arguments.into_iter().chain(flags.iter().copied()))
    }

    /// Serves the demo company without orders, with the users in `users.json`.
    pub fn demo(&self, flags: &[&str]) -> (Server, Vec<Credentials>) {
        let (data, users) = (self.arg("data"), self.arg("users.json"));
        let arguments = [
            "demo",
            "--orders",
            "0",
            "--data",
            &data,
            "--credentials",
            &users,
        ];
        let server = Server::start(arguments.into_iter().chain(flags.iter().copied()));
        (server, process::credentials(Path::new(&users)))
    }

    /// Runs `check`, which must find no error, and returns its output.
    #[track_caller]
    pub fn is_sound(&self) -> String {
        self.is_sound_in("data")
    }

    /// The same for a store in another folder.
    #[track_caller]
    pub fn is_sound_in(&self, data: &str) -> String {
        let printed = process::run(["check", "--data", &self.arg(data)]).success();
        assert!(printed.ends_with("the store is sound\n"), "{printed}");
        printed
    }
}

/// Runs a command with a text as standard input.
pub fn ran_with(mut command: Command, input: &str) -> Ran {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    Ran::of(child.wait_with_output().unwrap())
}
