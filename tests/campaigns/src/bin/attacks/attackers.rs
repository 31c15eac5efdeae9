//! Attackers run in a separate process with the lowest priority: they get only the processor time that server and
//! readers leave. So the measured times show the effect of the server, not of a busy machine.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
use serde::{Deserialize, Serialize};
use tokio::runtime::Builder;

use crate::loads::{self, Attack};

/// The argument that starts a process as attacker.
pub(crate) const ROLE: &str = "attackers-of";

const LOWEST: i32 = 19;

/// After this time the measurement starts, even if the attack is not fully set up.
const IN_PLACE: Duration = Duration::from_secs(10);

/// What the attackers need to know about the server.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    /// The certificate to trust if the server speaks TLS.
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) token: String,
    pub(crate) customers: Vec<Customer>,
}

/// A customer with a large order and its invoice.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Customer {
    pub(crate) number: String,
    pub(crate) order: String,
    pub(crate) invoice: String,
    /// Of the server that is attacked.
    pub(crate) token: String,
}

pub(crate) struct Attackers {
    child: Child,
    input: Option<ChildStdin>,
    says: BufReader<ChildStdout>,
}

impl Attackers {
    /// Starts the attack of this name and waits until it is set up.
    pub(crate) fn start(name: &str, target: &Target) -> Self {
        let program = std::env::current_exe().expect("a program knows its own path");
        let spawned = Command::new(program)
            .args([ROLE, name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = spawned.expect("the attackers start");
        let mut input = child.stdin.take().expect("a pipe");
        let target = serde_json::to_string(target).expect("JSON");
        writeln!(input, "{target}").expect("the attackers listen");
        let says = child.stdout.take().expect("a pipe");
        let mut attackers = Self {
            child,
            input: Some(input),
            says: BufReader::new(says),
        };
        let mut line = String::new();
        let read = attackers.says.read_line(&mut line);
        assert!(read.is_ok_and(|count| count > 0), "the attackers failed");
        attackers
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the attack and returns what the attackers did.
    pub(crate) fn end(mut self) -> String {
        drop(self.input.take());
        let mut did = String::new();
        self.says.read_to_string(&mut did).expect("text");
        did.trim().to_owned()
    }
}

impl Drop for Attackers {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Raises the limit of open files: this process has the client end of every connection.
fn raise_limit() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, raised).expect("as many open files as the system allows");
}

/// The attacking process; it runs until its input ends.
pub(crate) fn run(name: &str) -> ExitCode {
    // Must be set before threads exist: priority is per thread, and new threads inherit it.
    nice(LOWEST).expect("a lower priority is always allowed");
    raise_limit();
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("the target");
    let target: Target = serde_json::from_str(&line).expect("the target");
    let load = loads::all().into_iter().find(|load| load.name == name);
    let load = load.expect("an attack of this name");
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let attack = Attack::new(target);
    let here = runtime.enter();
    (load.begin)(&attack);
    // After the timeout the measurement starts with the connections that are set up.
    let _ = runtime.block_on(async { tokio::time::timeout(IN_PLACE, attack.in_place()).await });
    println!("in place");
    let _ = std::io::stdin().read_line(&mut line);
    println!("{}", attack.counts());
    drop(here);
    runtime.shutdown_background();
    ExitCode::SUCCESS
}
