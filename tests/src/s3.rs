//! An S3-compatible service of somebody else, as a child process on loopback.
//!
//! `tests/run` installs it. `ERP_S3_SERVER` names the program, else it lies in the folder `tools` of the
//! target folder.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::pdf_tools::skipped;

/// The access key of the service.
pub const ACCESS_KEY: &str = "ERPTESTACCESSKEY";

/// Its secret.
pub const SECRET_KEY: &str = "only-the-tests-know-this-secret";

/// The bucket that is there.
pub const BUCKET: &str = "media";

/// A start that takes longer has failed.
const START: Duration = Duration::from_secs(30);

/// A running service, that can be stopped and started again. Its objects are files.
#[derive(Debug)]
pub struct S3 {
    program: PathBuf,
    folder: TempDir,
    port: u16,
    child: Option<Child>,
}

impl S3 {
    /// Starts the service with an empty bucket; `None`, and a line that says so, where it is not installed.
    ///
    /// # Panics
    /// When it does not start, or is not there where `CI` is `true`.
    #[must_use]
    pub fn start() -> Option<Self> {
        let program = program();
        if !program.is_file() {
            skipped("s3s-fs is not installed; tests/run does so");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder for the objects");
        fs::create_dir(folder.path().join(BUCKET)).expect("a bucket");
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("the port").port();
        drop(free);
        let mut s3 = Self {
            program,
            folder,
            port,
            child: None,
        };
        s3.resume();
        Some(s3)
    }

    /// The address of the service.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The settings of a server whose media are here, below a prefix.
    #[must_use]
    pub fn settings(&self, prefix: &str) -> Vec<(String, String)> {
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        vec![
            own("media_store", &format!("s3://{BUCKET}/{prefix}")),
            own("media_s3_endpoint", &self.endpoint()),
            own("media_s3_access_key", ACCESS_KEY),
            own("media_s3_secret_key", SECRET_KEY),
            own("media_s3_allow_http", "true"),
        ]
    }

    /// Where the service keeps the object of a body.
    #[must_use]
    pub fn file(&self, prefix: &str, hash: &str) -> PathBuf {
        let folder = self.folder.path().join(BUCKET).join(prefix);
        folder.join(&hash[..2]).join(&hash[2..4]).join(hash)
    }

    /// Ends the service in the middle of whatever it does.
    ///
    /// # Panics
    /// When the system does not let us.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("the service is ours to kill");
            child.wait().expect("a killed process ends");
        }
    }

    /// Starts it again on the same objects and the same port.
    ///
    /// # Panics
    /// When it does not start.
    pub fn resume(&mut self) {
        let child = Command::new(&self.program)
            .args(["--host", "127.0.0.1", "--port", &self.port.to_string()])
            .args(["--access-key", ACCESS_KEY, "--secret-key", SECRET_KEY])
            .arg(self.folder.path())
            .env("RUST_LOG", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.child = Some(child.expect("the service starts"));
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begun.elapsed() < START, "the service does not listen");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Both fail only when it is gone, which is what is wanted.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("ERP_S3_SERVER") {
        return path.into();
    }
    let test = std::env::current_exe().expect("a test knows its own path");
    // target/<profile>/deps/<test>
    let target = test
        .ancestors()
        .nth(3)
        .expect("a test lies in a target folder");
    target.join("tools/bin/s3s-fs")
}
