//! The example receivers of `examples/receivers`, each with events of a real server and with forged ones.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use super::*;
use erp_tests::skipped::skipped;

const PROGRAMS: [&[&str]; 3] = [
    &["node", "receiver.mjs", "0"],
    &["python3", "receiver.py", "0"],
    &["php", "-S", "127.0.0.1:0", "receiver.php"],
];

struct Running {
    child: Child,
    printed: Arc<Mutex<String>>,
    port: u16,
    _handled: TempDir,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The port in a line like `listening on port 4711` or `Server (http://127.0.0.1:4711) started`.
fn port_in(printed: &str) -> Option<u16> {
    let words = printed.split(|letter: char| !letter.is_ascii_digit());
    let is_ready = printed.contains("listening on port") || printed.contains("started");
    words
        .filter(|_| is_ready)
        .filter(|word| word.len() >= 4)
        .find_map(|word| word.parse().ok().filter(|port| *port > 4_000))
}

fn collect(from: impl Read + Send + 'static, printed: &Arc<Mutex<String>>) {
    let printed = Arc::clone(printed);
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let mut printed = printed.lock().unwrap();
            printed.push_str(&line);
            printed.push('\n');
        }
    });
}

impl Running {
    fn start(program: &[&str], secret: &str) -> Self {
        let handled = tempfile::tempdir().unwrap();
        let mut child = Command::new(program[0])
            .args(&program[1..])
            .current_dir(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../examples/receivers"
            ))
            .env("SECRET", secret)
            .env("HANDLED", handled.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = Arc::default();
        collect(child.stdout.take().unwrap(), &printed);
        collect(child.stderr.take().unwrap(), &printed);
        let mut port = None;
        erp_tests::wait::wait_until("the receiver listens", || {
            port = port_in(&printed.lock().unwrap());
            port.is_some()
        });
        let port = port.unwrap();
        Self {
            child,
            printed,
            port,
            _handled: handled,
        }
    }

    fn count(&self, line: &str) -> usize {
        let printed = self.printed.lock().unwrap();
        printed.lines().filter(|found| *found == line).count()
    }

    /// The status of the response to a request with this signature.
    fn status(&self, id: &str, seconds: i64, signature: &str, body: &str) -> u16 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!(
            "POST /hook HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nwebhook-id: {id}\r\nwebhook-timestamp: {seconds}\r\n\
             webhook-signature: {signature}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

fn signature(key: &[u8], id: &str, seconds: i64, body: &str) -> String {
    let signed = format!("{id}.{seconds}.{body}");
    format!(
        "v1,{}",
        STANDARD.encode(hmac_sha256(key, signed.as_bytes()))
    )
}

fn is_there(program: &str) -> bool {
    let version = Command::new(program).arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

// rule: R-EVT-05
#[test]
fn the_example_receivers_verify_what_the_server_sends() {
    let key = [7; 32];
    let secret = format!("whsec_{}", STANDARD.encode(key));
    let body = r#"{"type":"REST_Kunde","data":{"DebiNr":"10001","method":"PUT","user":"anna"}}"#;
    for program in PROGRAMS {
        if !is_there(program[0]) {
            skipped(&format!("{} is not installed", program[0]));
            continue;
        }
        let server = Server::with(&[ALLOWED]);
        server.deliver_events(pace(5));
        let receiver = Running::start(program, &secret);
        let url = format!("http://127.0.0.1:{}/hook", receiver.port);
        let target = add(&server, &json!({"url": url, "secret": secret})).expect(201);
        let target = target.data()["id"].as_u64().unwrap();
        let order = order(&server);
        wait_until(&server, "delivered", |events| {
            all(events, target, 1, "delivered")
        });
        let line = format!("REST_Auft POST {order}");
        erp_tests::wait::wait_until("the event is printed", || receiver.count(&line) == 1);

        let now = server.started().as_second();
        let good = signature(&key, "evt_x", now, body);
        let other = signature(&[8; 32], "evt_x", now, body);
        let forged = [
            ("evt_x", now, other.as_str()),
            ("evt_x", now, "v1,"),
            ("evt_x", now, ""),
            ("evt_y", now, &good),
            ("evt_x", now + 1, &good),
            (
                "evt_x",
                now - 400,
                &signature(&key, "evt_x", now - 400, body),
            ),
        ];
        for (id, seconds, signature) in forged {
            let status = receiver.status(id, seconds, signature, body);
            assert_eq!(status, 401, "{program:?}: {id} {seconds} {signature}");
        }
        // The second request with this id is accepted and not handled again.
        let several = format!("{other} {good}");
        for signature in [&several, &good] {
            assert_eq!(
                receiver.status("evt_x", now, signature, body),
                204,
                "{program:?}"
            );
        }
        let line = "REST_Kunde PUT 10001";
        erp_tests::wait::wait_until("the event is printed", || receiver.count(line) > 0);
        assert_eq!(receiver.count(line), 1, "{program:?}");
    }
}
