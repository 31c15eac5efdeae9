//! A server as a child process, and its figures in `/proc`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;

/// Linux reports CPU time in hundredths of a second, independently of the kernel's own clock rate.
const TICK: Duration = Duration::from_millis(10);

/// A running server. It is killed when this value is dropped.
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

    /// The real server on a database; the folder is only for its log.
    pub(crate) fn serve_on(data: &Path, database: &str) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--rate-limits", "false"])
            .arg("--data")
            .arg(data)
            .env("ERP_DATABASE", database);
        Self::start(command)
    }

    /// Starts a command and waits until it prints its address.
    pub(crate) fn start(mut command: Command) -> Outcome<Self> {
        let started = Instant::now();
        let mut process = command
            // As `erp-server` sets it for itself when it starts: freed memory goes back to the system at once.
            .env("MIMALLOC_PURGE_DELAY", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = process.stdout.take().ok_or("the server has no output")?;
        for line in BufReader::new(stdout).lines() {
            if let Some(address) = line?.strip_prefix("listening on http://") {
                return Ok(Self {
                    process,
                    address: address.to_owned(),
                    ready: started.elapsed(),
                });
            }
        }
        process.wait()?;
        Err("the server did not start".into())
    }

    /// Waits, two minutes at most, until the server has finished its work in the background: after a start it reads all
    /// records.
    pub(crate) fn rest(&self) -> Outcome<()> {
        let started = Instant::now();
        let mut before = self.cpu()?;
        while started.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_secs(1));
            let now = self.cpu()?;
            if now.saturating_sub(before) <= TICK.saturating_mul(2) {
                break;
            }
            before = now;
        }
        Ok(())
    }

    /// Asks the server to stop and waits for its end.
    pub(crate) fn stop(mut self) -> Outcome<()> {
        let id = self.process.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        match self.process.wait()?.success() {
            true => Ok(()),
            false => Err("the server ended badly".into()),
        }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Time from the start of the process until it listened.
    pub(crate) const fn ready(&self) -> Duration {
        self.ready
    }

    /// CPU time so far, user and system.
    pub(crate) fn cpu(&self) -> Outcome<Duration> {
        cpu_of(&self.process.id().to_string())
    }

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
        // Both calls fail only if the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// CPU time of a process so far (`self` for this one), user and system.
pub(crate) fn cpu_of(process: &str) -> Outcome<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name in parentheses may contain spaces; user and system time are the 14th and 15th field.
    let fields = stat.rsplit_once(')').ok_or("an unreadable stat")?.1;
    let mut times = fields.split_whitespace().skip(11).map(str::parse::<u32>);
    let mut next = || -> Outcome<u32> { Ok(times.next().ok_or("an unreadable stat")??) };
    Ok(TICK.saturating_mul(next()?.saturating_add(next()?)))
}
