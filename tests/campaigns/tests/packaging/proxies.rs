//! The example proxies of `erp-server/packaging/proxies`, started in front of the real server with TLS.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_server::config::Settings;
use erp_tests::bodies;
use erp_tests::identity::{Identity, SERVERS};
use erp_tests::process::Server;
use erp_tests::skipped;
use erp_tests::wait::wait_until;
use serde_json::{Value, json};
use tempfile::TempDir;

use erp_tests::place::Place;

const PROXIES: [&str; 3] = ["nginx", "haproxy", "caddy"];

fn example(name: &str) -> String {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../erp-server/packaging/proxies/"
    );
    fs::read_to_string(format!("{folder}{name}")).unwrap()
}

fn file_of(proxy: &str) -> &'static str {
    match proxy {
        "nginx" => "nginx.conf",
        "haproxy" => "haproxy.cfg",
        _ => "Caddyfile",
    }
}

fn has(program: &str) -> bool {
    let asked = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .stdout(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

struct Front {
    folder: TempDir,
    child: Child,
    encrypted: u16,
    plain: u16,
}

impl Drop for Front {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An example with the names, ports and files of this machine.
fn adapted(example: &str, changes: &[(&str, String)]) -> String {
    changes.iter().fold(example.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from} is not in {text}");
        text.replace(from, to)
    })
}

/// The values to which an example is adapted.
struct Own {
    folder: String,
    upstream: String,
    encrypted: u16,
    plain: u16,
}

impl Own {
    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    /// The site inside a configuration like Debian's, which includes the folder `conf.d`.
    fn nginx(&self) -> String {
        let site = adapted(
            &example("nginx.conf"),
            &[
                ("127.0.0.1:8080", self.upstream.clone()),
                ("listen 80;", format!("listen 127.0.0.1:{};", self.plain)),
                (
                    "listen 443 ",
                    format!("listen 127.0.0.1:{} ", self.encrypted),
                ),
                ("erp.example.com", "localhost".to_owned()),
                ("/etc/ssl/erp/chain.pem", self.path("chain.pem")),
                ("/etc/ssl/erp/key.pem", self.path("key.pem")),
            ],
        );
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {};\n", self.path(name)))
            .concat();
        format!(
            "daemon off; master_process off; pid {}; error_log stderr;\n\
             events {{}}\nhttp {{\naccess_log off;\n{temporary}{site}}}\n",
            self.path("pid")
        )
    }

    fn haproxy(&self) -> String {
        adapted(
            &example("haproxy.cfg"),
            &[
                ("127.0.0.1:8080", self.upstream.clone()),
                ("bind :80\n", format!("bind 127.0.0.1:{}\n", self.plain)),
                ("bind :443 ", format!("bind 127.0.0.1:{} ", self.encrypted)),
                ("/etc/ssl/erp/chain-and-key.pem", self.path("both.pem")),
            ],
        )
    }

    fn caddy(&self) -> String {
        let (chain, key) = (self.path("chain.pem"), self.path("key.pem"));
        let site = adapted(
            &example("Caddyfile"),
            &[
                ("127.0.0.1:8080", self.upstream.clone()),
                (
                    "erp.example.com {",
                    format!("localhost {{\n\ttls {chain} {key}"),
                ),
            ],
        );
        let (plain, encrypted, files) = (self.plain, self.encrypted, self.path("caddy"));
        format!(
            "{{\n\tadmin off\n\thttp_port {plain}\n\thttps_port {encrypted}\n\
             \tdefault_bind 127.0.0.1\n\tskip_install_trust\n\
             \tstorage file_system {files}\n}}\n{site}"
        )
    }
}

/// An example as an operator edits it, so that the console is open to this machine.
fn opened(text: &str) -> String {
    let text = text.replace("    http-request deny deny_status 403 if of_office\n", "");
    let text = text.replace("192.0.2.0/24", "127.0.0.0/8");
    [
        "allow 127",
        "proxy_pass",
        "acl from_office",
        "http-request deny",
        "not remote_ip",
    ]
    .iter()
    .fold(text, |text, line| text.replace(&format!("# {line}"), line))
}

impl Front {
    fn start(proxy: &str, server: &Server, is_open: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [Identity { certificate, key }, ..] = SERVERS;
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        write("both.pem", &format!("{certificate}{key}"));
        write("chain.pem", certificate);
        write("key.pem", key);
        let base = server.base_url();
        let own = Own {
            folder: folder.path().display().to_string(),
            upstream: base.strip_prefix("http://").unwrap().to_owned(),
            encrypted: free_port(),
            plain: free_port(),
        };
        let (text, command) = match proxy {
            "nginx" => (own.nginx(), vec!["nginx", "-e", "stderr", "-c"]),
            "haproxy" => (own.haproxy(), vec!["haproxy", "-db", "-f"]),
            _ => (
                own.caddy(),
                vec!["caddy", "run", "--adapter", "caddyfile", "--config"],
            ),
        };
        let text = if is_open { opened(&text) } else { text };
        let file = write("proxy.conf", &text);
        let log = fs::File::create(folder.path().join("log")).unwrap();
        // The process ends when this thread ends.
        let child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "--"])
            .args(command)
            .arg(&file)
            .env("HOME", folder.path())
            .env("XDG_CONFIG_HOME", folder.path())
            .env("XDG_DATA_HOME", folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut front = Self {
            child,
            encrypted: own.encrypted,
            plain: own.plain,
            folder,
        };
        wait_until("the proxy listens", || {
            let ended = front.child.try_wait().unwrap();
            assert!(ended.is_none(), "{proxy} ended: {}", front.log());
            [front.encrypted, front.plain]
                .iter()
                .all(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok())
        });
        front
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    fn base(&self) -> String {
        format!("https://localhost:{}", self.encrypted)
    }

    #[track_caller]
    fn ask(&self, path: &str, arguments: &[&str]) -> Asked {
        let ca = self.folder.path().join("chain.pem").display().to_string();
        let url = self.base() + path;
        let own = ["--cacert", &ca, "--ipv4", "--compressed", &url];
        let asked = asked(&[&own[..], arguments].concat());
        assert!(asked.status > 0, "{}\n{}", asked.text, self.log());
        asked
    }
}

struct Asked {
    status: u16,
    /// The HTTP version that client and proxy negotiated.
    version: String,
    header: String,
    text: String,
}

impl Asked {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{}", self.text))
    }

    #[track_caller]
    fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.header, self.text);
        self
    }
}

fn asked(arguments: &[&str]) -> Asked {
    let output: Output = Command::new("curl")
        .args(["--silent", "--show-error", "--max-time", "60", "--include"])
        .args(["--write-out", "\n%{http_code} %{http_version}"])
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (text, written) = text.rsplit_once('\n').unwrap();
    let (status, version) = written.split_once(' ').unwrap();
    let (header, body) = text.rsplit_once("\r\n\r\n").unwrap_or((text, ""));
    let complaint = String::from_utf8_lossy(&output.stderr);
    Asked {
        status: status.parse().unwrap(),
        version: version.to_owned(),
        header: header.to_ascii_lowercase(),
        text: match body.is_empty() {
            true => complaint.into_owned(),
            false => body.to_owned(),
        },
    }
}

/// Typical requests of a shop through a proxy: repeated orders, a large upload, a body that is too long, lists.
fn works(front: &Front, token: &str, key: &str, folder: &Path) {
    let bearer = format!("Authorization: Bearer {token}");
    let file = |name: &str, body: &Value| {
        let path = folder.join(name);
        fs::write(&path, body.to_string()).unwrap();
        format!("@{}", path.display())
    };
    let post = |path: &str, body: &str, more: &[&str]| {
        let own = ["-H", &bearer, "-H", "Content-Type: application/json"];
        let body = ["--data-binary", body];
        front.ask(path, &[&own[..], &body, more].concat())
    };
    let order = bodies::order("10007", json!([{"ArtNr": "BU-1002", "Menge": 12}]));
    let order = file("order.json", &order);
    let idempotency = format!("Idempotency-Key: {key}");
    let placed = post("/www/auftrag", &order, &["-H", &idempotency]).expect(201);
    assert_eq!(placed.version, "2", "HTTP/2 for clients that offer it");
    assert!(
        placed
            .header
            .contains("strict-transport-security: max-age=31536000"),
        "{}",
        placed.header
    );
    let again = post("/www/auftrag", &order, &["-H", &idempotency, "--http1.1"]);
    let again = again.expect(201);
    assert_eq!(again.version, "1.1");
    assert_eq!(again.json(), placed.json(), "one order for one key");

    let xml = format!("<a><!--{}--></a>", "x".repeat(3 << 20));
    let upload = json!({"Operation": "Check", "XML": STANDARD.encode(xml)});
    let checked = post("/www/zugferd", &file("upload.json", &upload), &[]);
    assert!(checked.expect(200).json()["data"].is_object());
    let long = json!({"GrundDaten": {"KundNr": "x".repeat(2 << 20)}});
    let refused = post("/www/auftrag", &file("long.json", &long), &[]).expect(413);
    assert_eq!(refused.json()["error"], "too_large", "the server's refusal");

    let list = front.ask("/www/artikel?limit=1000", &["-H", &bearer]);
    let list = list.expect(200);
    let articles = list.json();
    assert!(articles["data"].as_array().unwrap().len() > 10);
    assert!(list.text.contains(&front.base()), "{}", list.text);
    let document = front.ask("/openapi.json", &[]).expect(200).json();
    assert!(document["paths"].is_object());
}

/// Nothing of the office is there, however its path is spelled.
fn closes_the_console(front: &Front, token: &str) {
    let bearer = format!("Authorization: Bearer {token}");
    let status = |path| front.ask(path, &["--path-as-is", "-H", &bearer]).status;
    for path in [
        "/admin",
        "/admin/me",
        "/console",
        "/console/",
        "/console/main.js",
    ] {
        assert_eq!(status(path), 403, "{path}");
    }
    for path in [
        "//admin/me",
        "/%61dmin/me",
        "/x/../admin/me",
        "/./console/main.js",
        "/%2fconsole/main.js",
    ] {
        let status = status(path);
        assert!([400, 403, 404].contains(&status), "{path}: {status}");
    }
    let _ = front.ask("/administration", &[]).expect(404);
}

/// The server counts logins by the real address of the client, whatever headers the client sends.
fn passes_addresses(front: &Front, first: u8) {
    let log_in = |address: u8, round: usize| {
        let claimed = format!("X-Forwarded-For: 203.0.113.{round}");
        let user = format!("user{address}:wrong");
        let from = format!("127.0.0.{address}");
        let arguments = ["-X", "POST", "-H", &claimed, "-u", &user];
        front
            .ask(
                "/www/token",
                &[&arguments[..], &["--interface", &from]].concat(),
            )
            .status
    };
    let statuses: Vec<u16> = (1..=8).map(|round| log_in(first, round)).collect();
    assert_eq!(statuses[0], 401, "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(log_in(first + 1, 1), 401, "another address");
}

#[test]
fn the_proxies_of_the_examples_work() {
    if !has("curl") || !has("setpriv") {
        return skipped("the proxies are asked by curl and started by setpriv");
    }
    let place = Place::empty();
    let flags = [
        "--trusted-proxies",
        "127.0.0.1",
        "--token-requests-per-minute",
        "2",
    ];
    let (server, users) = place.demo(&flags);
    let shop = users.iter().find(|user| user.role == "shop").unwrap();
    let login = format!("{}:{}", shop.name, shop.password);
    let url = format!("{}/www/token", server.base_url());
    let token = asked(&["-X", "POST", "-u", &login, &url])
        .expect(200)
        .json();
    let token = token["access_token"].as_str().unwrap();
    for (proxy, first) in PROXIES.iter().zip([2, 4, 6]) {
        if !has(proxy) {
            skipped(&format!("{proxy} is not installed"));
            continue;
        }
        let front = Front::start(proxy, &server, false);
        closes_the_console(&front, token);
        works(&front, token, proxy, &place.path("."));
        passes_addresses(&front, first);
        let plain = format!("http://localhost:{}/www/artikel", front.plain);
        let sent_on = asked(&["--ipv4", &plain]);
        assert!(matches!(sent_on.status, 301 | 308), "{}", sent_on.status);
        assert!(
            sent_on.header.contains("location: https://localhost"),
            "{}",
            sent_on.header
        );
        drop(front);
        let front = Front::start(proxy, &server, true);
        let _ = front.ask("/console", &["-L"]).expect(200);
        let _ = front.ask("/admin/me", &[]).expect(401);
    }
}

/// The number after a word of an example.
fn number_after(text: &str, word: &str) -> u64 {
    let rest = text.split_once(word).unwrap_or_else(|| panic!("{word}")).1;
    let digits: String = rest
        .trim_start()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap()
}

#[test]
fn the_proxies_wait_as_long_as_the_server_works() {
    let settings = Settings::defaults().unwrap();
    let longest = settings.zugferd.zugferd_timeout_seconds;
    let idle = settings.limits.idle_timeout_seconds;
    for (proxy, wait) in [
        ("nginx", "proxy_read_timeout"),
        ("haproxy", "timeout server"),
        ("caddy", "response_header_timeout"),
    ] {
        let seconds = number_after(&example(file_of(proxy)), wait);
        assert!(seconds > longest, "{proxy}: {wait} {seconds}");
    }
    for (proxy, kept) in [("nginx", "keepalive_timeout"), ("caddy", "keepalive ")] {
        let seconds = number_after(&example(file_of(proxy)), kept);
        assert!(seconds < idle, "{proxy}: {kept} {seconds}");
    }
    let mebibytes = number_after(&example("nginx.conf"), "client_max_body_size");
    let bodies = [
        settings.zugferd.zugferd_body_bytes,
        settings.media.media_body_bytes,
        erp_server::import::LONGEST_BODY,
    ];
    assert!(bodies.iter().all(|bytes| *bytes < mebibytes << 20));
}
