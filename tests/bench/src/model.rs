//! Predicts the rates of one and two servers from constants that were measured with one client.
//!
//! Each request takes its latency, so the rate grows with the number of clients until client, server and database have
//! used up the CPU cores. With `--apart` the database has a core of its own (`taskset`); otherwise all share all cores.

use std::fs;
use std::time::Duration;

use crate::Outcome;
use crate::child::cpu_of;
use crate::client::Measured;
use crate::report::micros;

/// The cost of one request with one client and one server.
#[derive(Clone, Copy)]
pub(crate) struct Alone {
    pub(crate) latency: Duration,
    pub(crate) client: Duration,
    pub(crate) server: Duration,
    pub(crate) database: Duration,
}

/// CPU time of this process and of the database on this machine.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    client: Duration,
    database: Duration,
}

impl Clock {
    pub(crate) fn now() -> Outcome<Self> {
        let mut database = Duration::ZERO;
        for entry in fs::read_dir("/proc")?.flatten() {
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            if name.trim() == "postgres" {
                let process = entry.file_name();
                // The process may have ended in the meantime.
                database += cpu_of(&process.to_string_lossy()).unwrap_or_default();
            }
        }
        let client = cpu_of("self")?;
        Ok(Self { client, database })
    }

    /// The cost per request since then.
    pub(crate) fn alone(self, requests: u32, measured: &Measured) -> Outcome<Alone> {
        let now = Self::now()?;
        let each =
            |before: Duration, after: Duration| after.saturating_sub(before) / requests.max(1);
        Ok(Alone {
            latency: measured.p50,
            client: each(self.client, now.client),
            server: measured.cpu,
            database: each(self.database, now.database),
        })
    }
}

impl Alone {
    /// Predicted requests per second with this number of connections.
    pub(crate) fn predicted(&self, connections: usize, cores: usize, apart: bool) -> u64 {
        let rate = |time: Duration, of: usize| {
            let each = time.as_nanos().max(1);
            u64::try_from(of as u128 * 1_000_000_000 / each).unwrap_or(u64::MAX)
        };
        let ours = self.client + self.server;
        let by_cores = match apart {
            true => rate(ours, cores).min(rate(self.database, 1)),
            false => rate(ours + self.database, cores),
        };
        rate(self.latency, connections).min(by_cores)
    }

    pub(crate) fn print(&self, name: &str) {
        println!(
            "\n{name}, one client and one server: {} µs; CPU of client {} µs, server {} µs, database {} µs",
            micros(self.latency),
            micros(self.client),
            micros(self.server),
            micros(self.database),
        );
    }
}

/// The error of a prediction in percent of the measurement.
pub(crate) fn error(predicted: u64, measured: u64) -> i64 {
    let (predicted, measured) = (i128::from(predicted), i128::from(measured.max(1)));
    i64::try_from((predicted - measured) * 100 / measured).unwrap_or(i64::MAX)
}

/// CPU cores that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
