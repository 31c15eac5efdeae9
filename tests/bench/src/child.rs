//! A server as a child process, and what `/proc` says about it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;

/// Linux tells CPU time in hundredths of a second, whatever the kernel's own clock is.
const TICK: Duration = Duration::from_millis(10);

/// A running server; it ends with this value.
pub(crate) struct Child {
    process: std::process::Child,
    address: String,
    ready: Duration,
}

impl Child {
    /// The real server on a data folder.
    pub(crate) fn serve(data: &Path) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--rate-limits",
                "false",
                "--data",
            ])
            .arg(data);
        Self::start(command)
    }

    /// The real server on a database; the folder is for its log.
    pub(crate) fn serve_on(data: &Path, database: &str) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--rate-limits", "false"])
            .arg("--data")
            .arg(data)
            .env("ERP_DATABASE", database);
        Self::start(command)
    }

    /// Starts a command and waits until it says where it listens.
    pub(crate) fn start(mut command: Command) -> Outcome<Self> {
        let begun = Instant::now();
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = process.stdout.take().ok_or("the server has no output")?;
        for line in BufReader::new(stdout).lines() {
            if let Some(address) = line?.strip_prefix("listening on http://") {
                return Ok(Self {
                    process,
                    address: address.to_owned(),
                    ready: begun.elapsed(),
                });
            }
        }
        process.wait()?;
        Err("the server did not start".into())
    }

    /// Waits until the server has nothing left to do in the background: it reads all records after its start. Waits two
    /// minutes at most.
    pub(crate) fn rest(&self) -> Outcome<()> {
        let begun = Instant::now();
        let mut before = self.cpu()?;
        while begun.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_secs(1));
            let now = self.cpu()?;
            if now.saturating_sub(before) <= TICK.saturating_mul(2) {
                break;
            }
            before = now;
        }
        Ok(())
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) fn stop(mut self) -> Outcome<()> {
        let id = self.process.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        match self.process.wait()?.success() {
            true => Ok(()),
            false => Err("the server ended badly".into()),
        }
    }

    /// Host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// How long the start took.
    pub(crate) const fn ready(&self) -> Duration {
        self.ready
    }

    /// CPU time so far, user and system.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        cpu_of(&self.process.id().to_string())
    }

    /// File handles that are open now.
    pub(crate) fn handles(&self) -> Outcome<usize> {
        Ok(fs::read_dir(format!("/proc/{}/fd", self.process.id()))?.count())
    }

    /// Memory that is resident now.
    pub(crate) fn resident_mib(&self) -> Outcome<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .ok_or("no VmRSS")?;
        let kib: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kib / 1024)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Both fail only when the process is gone.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// CPU time of a process so far (`self` for this one), user and system.
pub(crate) fn cpu_of(process: &str) -> Outcome<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name in parentheses may hold anything; user and system time are the 14th and 15th field.
    let fields = stat.rsplit_once(')').ok_or("an unreadable stat")?.1;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u32>);
    let mut next = || -> Outcome<u32> { Ok(times.next().ok_or("an unreadable stat")??) };
    Ok(TICK.saturating_mul(next()?.saturating_add(next()?)))
}
