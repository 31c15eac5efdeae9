//! Starts the programs of `examples` that other languages bring.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// A program that listens; dropping it ends it.
pub(crate) struct Program {
    child: Child,
    printed: Arc<Mutex<String>>,
    port: u16,
}

impl Drop for Program {
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

impl Program {
    /// Starts it in a folder of `examples`, and waits until it listens.
    pub(crate) fn start(folder: &str, program: &[&str], variables: &[(&str, &str)]) -> Self {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let mut child = Command::new(program[0])
            .args(&program[1..])
            .current_dir(examples.join(folder))
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = Arc::default();
        collect(child.stdout.take().unwrap(), &printed);
        collect(child.stderr.take().unwrap(), &printed);
        let mut port = None;
        erp_tests::wait::wait_until("the program listens", || {
            port = port_in(&printed.lock().unwrap());
            port.is_some()
        });
        Self {
            child,
            printed,
            port: port.unwrap(),
        }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// How often it has printed this line.
    pub(crate) fn count(&self, line: &str) -> usize {
        let printed = self.printed.lock().unwrap();
        printed.lines().filter(|found| *found == line).count()
    }

    /// The status and body of the response to a `POST`; `fields` end with line breaks.
    pub(crate) fn post(&self, path: &str, fields: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n{fields}\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }
}

pub(crate) fn is_there(program: &str) -> bool {
    let version = Command::new(program).arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}
