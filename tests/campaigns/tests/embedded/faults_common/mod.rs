//! Small separate disks, and a client that checks every response.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use erp_tests::own_process;
use erp_tests::process::{self, Credentials, Server};
use erp_tests::skipped;
use reqwest::{Client as Http, Method, RequestBuilder};
use serde_json::Value;
use tempfile::TempDir;

/// The folder of the disk; set in the process that has mounted it.
const DISK: &str = "FAULTS_DISK";

/// The name of the file that is written when a test on a disk has run to its end.
const DONE: &str = "FAULTS_DONE";

const FAILED: i32 = 101;

const MOUNT: &str =
    r#"mount -t tmpfs -o "size=$1,mode=755" none "$2" || exit 1; shift 2; exec "$@""#;

/// Runs `body` on a new disk of this many MiB; with less than 100 of them free a server is not ready. The test of this name calls it and is then run again in a process with
/// its own mounts, so nothing remains afterwards. Without the right to mount, the test is skipped and says so; with
/// `CI=true` it fails.
pub fn on_small_disk(test: &str, mib: u32, body: impl FnOnce(&Path)) {
    if let Some(disk) = std::env::var_os(DISK) {
        body(Path::new(&disk));
        fs::write(std::env::var_os(DONE).unwrap(), "done").unwrap();
        return;
    }
    let folder = TempDir::new().unwrap();
    let (disk, done) = (folder.path().join("disk"), folder.path().join("done"));
    fs::create_dir(&disk).unwrap();
    let again = own_process::only("processes::faults", test);
    let mut reported = Vec::new();
    // Without root rights, a user namespace provides them for this process.
    for rights in ["--mount", "--map-root-user"] {
        let ran = Command::new("unshare")
            .args(["--mount", rights, "bash", "-c", MOUNT, "-"])
            .arg(format!("{mib}m"))
            .arg(&disk)
            .arg(again.get_program())
            .args(again.get_args())
            .env(DISK, &disk)
            .env(DONE, &done)
            .env("ERP_SERVER_BIN", process::binary())
            .status();
        if done.exists() {
            assert!(ran.unwrap().success(), "{test} failed at its end");
            return;
        }
        let code = ran.as_ref().ok().and_then(std::process::ExitStatus::code);
        assert_ne!(code, Some(FAILED), "{test} failed on its disk");
        assert_ne!(code, Some(0), "there is no test `{test}`");
        reported.push(format!("{ran:?}"));
    }
    skipped(&format!("no disk can be mounted: {}", reported.join(", ")));
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A command that is subject to file permissions although root runs it: without the capabilities that bypass them.
/// `None` when root cannot give them up.
pub fn bound_by_permissions(command: Command) -> Option<Command> {
    if !is_root() {
        return Some(command);
    }
    let drop = "--bounding-set=-dac_override,-dac_read_search";
    let works = Command::new("setpriv").args([drop, "true"]).status();
    if !works.is_ok_and(|status| status.success()) {
        return None;
    }
    let mut bound = Command::new("setpriv");
    bound
        .arg(drop)
        .arg("--inh-caps=-all")
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => bound.env(name, value),
            None => bound.env_remove(name),
        };
    }
    Some(bound)
}

/// A file that takes up the space of a disk.
pub struct Ballast(PathBuf);

impl Ballast {
    /// Leaves this many bytes free on the disk of this folder.
    pub fn leave(folder: &Path, bytes: u64) -> Self {
        let path = folder.join("ballast");
        let free = free(folder);
        let mut file = File::create(&path).unwrap();
        let mut left = free.saturating_sub(bytes);
        let zeros = vec![0; 64 * 1024];
        while left > 0 {
            let part = usize::try_from(left.min(zeros.len() as u64)).unwrap();
            match file.write_all(&zeros[..part]) {
                Ok(()) => left -= part as u64,
                // The server has used some of the space in the meantime.
                Err(error) if error.kind() == std::io::ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
        Self(path)
    }

    /// Frees a part of its space.
    pub fn give(&self, bytes: u64) {
        let file = File::options().write(true).open(&self.0).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(bytes)).unwrap();
    }

    /// Removes the file, so that its space is free again.
    pub fn remove(self) {
        fs::remove_file(self.0).unwrap();
    }
}

/// Bytes that are free on the disk of a folder.
pub fn free(folder: &Path) -> u64 {
    let space = rustix::fs::statvfs(folder).unwrap();
    space.f_bavail * space.f_frsize
}

pub fn on_data(command: &str, data: &Path, more: &[&str]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec![command.into(), "--data".into(), data.into()];
    arguments.extend(more.iter().map(OsString::from));
    arguments
}

/// A demo server on a data folder, and its admin.
pub fn demo(folder: &Path, data: &Path, more: &[&str]) -> (Server, Credentials) {
    let file = folder.join("users.json");
    let mut arguments = on_data("demo", data, &["--rate-limits", "false", "--orders", "0"]);
    arguments.extend(["--credentials".into(), file.clone().into()]);
    arguments.extend(more.iter().map(OsString::from));
    let server = Server::start(arguments);
    let users = process::credentials(&file);
    let admin = users.into_iter().find(|user| user.role == "admin");
    (server, admin.unwrap())
}

pub fn serve(data: &Path, more: &[&str]) -> Server {
    let mut arguments = on_data("serve", data, &["--rate-limits", "false"]);
    arguments.extend(more.iter().map(OsString::from));
    Server::start(arguments)
}

/// Runs `check`, which must find no error.
#[track_caller]
pub fn is_sound(data: &Path) {
    let printed = process::run(on_data("check", data, &[])).success();
    assert!(printed.ends_with("the store is sound\n"), "{printed}");
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub etag: Option<String>,
    pub body: Value,
}

impl Response {
    /// Returns the response if it has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    #[track_caller]
    pub fn number(&self, name: &str) -> String {
        let number = self.body["data"][name].as_str();
        number.unwrap_or_else(|| panic!("{}", self.body)).to_owned()
    }
}

#[derive(Clone, Debug)]
pub struct Client {
    http: Http,
    base: String,
    token: String,
}

impl Client {
    pub async fn log_in(server: &Server, user: &Credentials) -> Self {
        let (http, base) = (Http::new(), server.base_url());
        let request = http.post(format!("{base}/www/token"));
        let request = request.basic_auth(&user.name, Some(&user.password));
        let token = send_checked(request).await.expect(200).body["access_token"].clone();
        let token = token.as_str().unwrap().to_owned();
        Self { http, base, token }
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The same token at another server of the same store.
    pub fn at(&self, server: &Server) -> Self {
        Self {
            http: Http::new(),
            base: server.base_url(),
            token: self.token.clone(),
        }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.base);
        self.http.request(method, url).bearer_auth(&self.token)
    }

    pub async fn get(&self, path: &str) -> Response {
        send_checked(self.request(Method::GET, path)).await
    }

    pub async fn send(&self, method: Method, path: &str, body: &Value) -> Response {
        send_checked(self.request(method, path).json(body)).await
    }

    /// The status and body of `/health/ready`.
    pub async fn ready(&self) -> Response {
        send_checked(self.http.get(format!("{}/health/ready", self.base))).await
    }
}

/// Sends a request. The only allowed server error is 503, and every error has the standard body.
pub async fn send_checked(request: RequestBuilder) -> Response {
    let response = request.send().await.expect("the server responds");
    let status = response.status().as_u16();
    let path = response.url().path().to_owned();
    let retry = response.headers().contains_key("retry-after");
    let etag = response.headers().get("etag");
    let etag = etag.map(|etag| etag.to_str().expect("ASCII").to_owned());
    let bytes = response.bytes().await.expect("the response is whole");
    let body: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    assert!(status < 500 || status == 503, "{path}: {status} {body}");
    if status >= 400 && path != "/health/ready" {
        assert!(body["error"].is_string(), "{path}: {status} {body}");
        assert!(body["error_description"].is_string(), "{path}: {body}");
        assert!(status != 503 || retry, "{path}: {body}");
    }
    Response { status, etag, body }
}
