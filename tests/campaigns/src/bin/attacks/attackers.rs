//! Attackers are a process of their own with the lowest priority: they get the processor time that server and
//! readers leave, so that times show what the server does to its clients and not what the machine does.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
use serde::{Deserialize, Serialize};
use tokio::runtime::Builder;

use crate::loads::{self, Attack};

/// The argument of a process that attacks.
pub(crate) const ROLE: &str = "attackers-of";

/// The lowest priority.
const LOWEST: i32 = 19;

/// An attack that is not in place after this is measured as it is.
const IN_PLACE: Duration = Duration::from_secs(10);

/// What attackers know about the server.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    /// The certificate to trust when the server speaks TLS.
    pub(crate) certificate: Option<PathBuf>,
    /// The token of a shop.
    pub(crate) token: String,
    /// The number of a large order.
    pub(crate) order: String,
}

/// The running process.
pub(crate) struct Attackers {
    child: Child,
    told: Option<ChildStdin>,
    says: BufReader<ChildStdout>,
}

impl Attackers {
    /// Starts the attack of this name and waits until it is in place.
    pub(crate) fn start(name: &str, target: &Target) -> Self {
        let program = std::env::current_exe().expect("a program knows its own path");
        let spawned = Command::new(program)
            .args([ROLE, name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = spawned.expect("the attackers start");
        let mut told = child.stdin.take().expect("a pipe");
        let target = serde_json::to_string(target).expect("JSON");
        writeln!(told, "{target}").expect("the attackers listen");
        let says = child.stdout.take().expect("a pipe");
        let mut attackers = Self {
            child,
            told: Some(told),
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

    /// Ends the attack. What the attackers did.
    pub(crate) fn end(mut self) -> String {
        drop(self.told.take());
        let mut did = String::new();
        self.says.read_to_string(&mut did).expect("text");
        did.trim().to_owned()
    }
}

impl Drop for Attackers {
    fn drop(&mut self) {
        // Both fail only when the process is gone, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// As many open files as the system allows: this process holds the other ends of all connections.
fn raise_limit() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, raised).expect("as many open files as the system allows");
}

/// The process that attacks, until its input ends.
pub(crate) fn run(name: &str) -> ExitCode {
    // Before there are threads: a priority is that of a thread, and new ones inherit it.
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
    // Those that are not in place are part of what is measured.
    let _ = runtime.block_on(async { tokio::time::timeout(IN_PLACE, attack.in_place()).await });
    println!("in place");
    let _ = std::io::stdin().read_line(&mut line);
    println!("{}", attack.counts());
    drop(here);
    runtime.shutdown_background();
    ExitCode::SUCCESS
}
