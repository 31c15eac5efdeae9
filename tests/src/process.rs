//! The real server as a child process: started, watched, stopped, killed.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::wait::PATIENCE;

/// The start of the line with the chosen address.
const LISTENING: &str = "listening on ";

/// The binary: `ERP_SERVER_BIN`, else it is built once, with the profile and target folder of this test.
#[must_use]
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| match std::env::var_os("ERP_SERVER_BIN") {
        Some(path) => PathBuf::from(path),
        None => build(),
    })
}

fn build() -> PathBuf {
    let own = std::env::current_exe().expect("a program knows its own path");
    // target/<profile>/deps/<test>, or target/<profile>/<program>
    let target = own
        .ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps"))
        .and_then(Path::parent)
        .expect("a test lies in a target folder");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    // Cargo sets these variables for tests. They would make build scripts run again.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|of| text.starts_with(of))
        {
            command.env_remove(&name);
        }
    }
    command.args(["build", "--package", "erp-server", "--bin", "erp-server"]);
    command
        .args([
            "--message-format",
            "json-render-diagnostics",
            "--target-dir",
        ])
        .arg(target);
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit());
    let is_debug = cfg!(debug_assertions);
    command.args(["--profile", if is_debug { "test" } else { "release" }]);
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "erp-server does not build");
    let messages = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let executable = messages.lines().rev().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    executable.expect("cargo names the binary it built")
}

/// The command `erp-server` with these arguments, without the settings in this environment.
pub fn command<I>(arguments: I) -> Command
where
    I: IntoIterator,
    I::Item: AsRef<std::ffi::OsStr>,
{
    let mut command = Command::new(binary());
    without_settings(&mut command);
    command.args(arguments).stdin(Stdio::null());
    command
}

/// The command does not see the settings in this environment.
pub fn without_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("ERP_") {
            command.env_remove(name);
        }
    }
}

/// Runs `erp-server` with these arguments and waits for its end.
pub fn run<I>(arguments: I) -> Ran
where
    I: IntoIterator,
    I::Item: AsRef<std::ffi::OsStr>,
{
    Ran::of(command(arguments).output().expect("erp-server starts"))
}

/// The result of a command.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The standard output.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

impl Ran {
    /// The result of a command that has ended.
    #[must_use]
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// The standard output, if the exit code is 0.
    #[must_use]
    pub fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Checks that the standard error contains this.
    #[track_caller]
    pub fn says(&self, piece: &str) {
        assert!(self.stderr.contains(piece), "`{piece}` in {}", self.stderr);
    }
}

/// A user that `demo --credentials FILE` wrote.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The name.
    pub name: String,
    /// The password.
    pub password: String,
    /// `shop` or `admin`.
    pub role: String,
    /// The shop whose articles the user sees.
    pub shop: Option<String>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The users in a file of `demo --credentials FILE`.
#[must_use]
pub fn credentials(file: &Path) -> Vec<Credentials> {
    let text = std::fs::read_to_string(file).expect("the credentials are written");
    let users: Vec<Value> = serde_json::from_str(&text).expect("the credentials are a list");
    let text = |user: &Value, name: &str| user[name].as_str().map(str::to_owned);
    let read = |user: &Value| {
        Some(Credentials {
            name: text(user, "name")?,
            password: text(user, "password")?,
            role: text(user, "role")?,
            shop: text(user, "restwebshop"),
        })
    };
    users
        .iter()
        .map(|user| read(user).expect("a user has name, password and role"))
        .collect()
}

/// A running server. It is killed when this value is dropped, so that a failed test does not leave it running.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: String,
    stdout: Printed,
    stderr: Printed,
}

impl Server {
    /// Starts `serve` or `demo` with these arguments on a free port and waits until it listens.
    pub fn start<I>(arguments: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<std::ffi::OsStr>,
    {
        let mut command = command(arguments);
        command.args(["--listen", "127.0.0.1:0"]);
        Self::spawn(command).ready()
    }

    /// Starts a command that serves, without waiting for it.
    #[must_use]
    pub fn spawn(mut command: Command) -> Starting {
        let spawned = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = spawned.expect("erp-server starts");
        let (lines, read) = mpsc::channel();
        let stdout = Printed::read(child.stdout.take(), Some(lines));
        let stderr = Printed::read(child.stderr.take(), None);
        Starting {
            server: Self {
                child,
                address: String::new(),
                stdout,
                stderr,
            },
            lines: read,
        }
    }

    /// The base URL: `http://` or `https://` and the chosen address, or `unix:` and a path.
    #[must_use]
    pub fn base_url(&self) -> String {
        self.address.clone()
    }

    /// Writes a backup to a file in a folder as this admin. Returns the output of the command and the file.
    #[must_use]
    pub fn back_up(&self, admin: &Credentials, folder: &Path) -> (String, String) {
        let path = |name: &str| folder.join(name).display().to_string();
        let (password, file) = (path("password"), path("backup.tar.gz"));
        std::fs::write(&password, &admin.password).expect("the folder takes a file");
        let backup = [
            "backup",
            "--server",
            &self.base_url(),
            "--login",
            &admin.name,
            "--user-password-file",
            &password,
            "--output",
            &file,
        ];
        (run(backup).success(), file)
    }

    /// The standard output so far.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// The standard error so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// The id of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Memory of the process in KiB: `VmRSS` is the current value, `VmHWM` the peak.
    #[must_use]
    pub fn memory_kib(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()));
        let status = status.expect("a running process on Linux");
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let digits = line.map(|line| line.trim_matches(|c: char| !c.is_ascii_digit()));
        let kib = digits.and_then(|digits| digits.parse().ok());
        kib.expect("a number of KiB")
    }

    /// Number of its open files and connections.
    #[must_use]
    pub fn open_files(&self) -> usize {
        let folder = std::fs::read_dir(format!("/proc/{}/fd", self.id()));
        folder.expect("a running process on Linux").count()
    }

    /// Kills it (SIGKILL) and waits for its end.
    pub fn kill(mut self) {
        self.child.kill().expect("the server is ours to kill");
        self.child.wait().expect("a killed process ends");
    }

    /// Asks it to stop (SIGTERM).
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Asks it to read its certificate again (SIGHUP).
    pub fn hang_up(&self) {
        self.signal(Signal::HUP);
    }

    /// Pauses it (SIGSTOP), as if its machine were paused or disconnected.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Resumes it (SIGCONT).
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(id.expect("a process has an id"), signal).expect("the server runs");
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the server is our child") {
                self.stderr.wait();
                return status;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "the server does not end:\n{}",
                self.stderr()
            );
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server that may not listen yet.
#[derive(Debug)]
pub struct Starting {
    server: Server,
    lines: mpsc::Receiver<String>,
}

impl Starting {
    /// Waits until it listens.
    #[must_use]
    pub fn ready(mut self) -> Server {
        let started = Instant::now();
        loop {
            match self
                .lines
                .recv_timeout(PATIENCE.saturating_sub(started.elapsed()))
            {
                Ok(line) => {
                    if let Some(address) = line.strip_prefix(LISTENING) {
                        address.trim().clone_into(&mut self.server.address);
                        return self.server;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!(
                    "the server does not listen after {PATIENCE:?}:\n{}",
                    self.server.stderr()
                ),
                Err(RecvTimeoutError::Disconnected) => panic!(
                    "the server ended ({:?}) before it listened:\n{}",
                    self.server.child.wait(),
                    self.server.stderr()
                ),
            }
        }
    }

    /// The process, without waiting until it listens.
    #[must_use]
    pub fn now(self) -> Server {
        self.server
    }
}

/// The output of a process. It is read all the time, so that the process never blocks on a full pipe.
#[derive(Clone, Debug, Default)]
struct Printed {
    text: Arc<Mutex<String>>,
    is_whole: Arc<AtomicBool>,
}

impl Printed {
    fn read(
        source: Option<impl Read + Send + 'static>,
        lines: Option<mpsc::Sender<String>>,
    ) -> Self {
        let printed = Self::default();
        let (text, source) = (printed.clone(), source.expect("the stream is a pipe"));
        thread::spawn(move || {
            for line in BufReader::new(source).lines().map_while(Result::ok) {
                text.add(&line);
                if let Some(lines) = &lines {
                    // The receiver is dropped once the server listens.
                    let _ = lines.send(line);
                }
            }
            text.is_whole.store(true, Ordering::Release);
        });
        printed
    }

    /// Waits until everything that an ended process has printed is read.
    fn wait(&self) {
        let started = Instant::now();
        while !self.is_whole.load(Ordering::Acquire) && started.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn add(&self, line: &str) {
        let mut text = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        text.push_str(line);
        text.push('\n');
    }

    fn text(&self) -> String {
        self.text
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
