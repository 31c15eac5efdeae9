//! The other clients during an attack, and how it affects them.
//!
//! Each read has a scheduled time, independent of how long the one before took. A late read is measured from its
//! scheduled time. So if the server stops for a second, all reads of that second show it.

use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use crate::client::{Connection, Dialer, get, send_request};

/// Number of readers that keep their connection, as the back end of a shop does, and the time between two reads of each.
const KEEPING: (usize, Duration) = (24, Duration::from_millis(60));

/// What they read in turn: what is at hand, and what is worked out, of which a small machine does few at a time.
const READ: [&str; 10] = [
    ARTICLE, ARTICLE, ARTICLE, ARTICLE, ARTICLE, ARTICLE, ARTICLE, ARTICLE, ARTICLE, SEARCH,
];

const SEARCH: &str = "/www/artikel?suche=schraube&limit=20";

const ARTICLE: &str = "/www/artikel/LM-3015";

/// Number of readers that connect for each read, and the time between two reads. They show whether new clients are shut
/// out.
const CONNECTING: (usize, Duration) = (2, Duration::from_millis(100));

/// Connections that such a reader opens at once, like a browser, from an address that is new to the server.
const AT_ONCE: usize = 4;

/// A read that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// The times of the readers of one kind.
#[derive(Default)]
pub(crate) struct ReaderTimes {
    /// Sorted. A read that failed counts as the longest possible time.
    times: Vec<Duration>,
    failed: usize,
}

impl ReaderTimes {
    pub(crate) fn percentile(&self, part: usize) -> f64 {
        let at = self.times.len() * part / 100;
        let time = self.times.get(at.min(self.times.len().saturating_sub(1)));
        match time {
            None => f64::NAN,
            Some(&Duration::MAX) => f64::INFINITY,
            Some(time) => time.as_secs_f64() * 1e3,
        }
    }

    fn note(&mut self, time: Duration, is_fine: bool) {
        self.failed += usize::from(!is_fine);
        self.times.push(if is_fine { time } else { Duration::MAX });
    }

    fn merge(&mut self, other: Self) {
        self.times.extend(other.times);
        self.times.sort_unstable();
        self.failed += other.failed;
    }
}

/// The times of both kinds.
#[derive(Default)]
pub(crate) struct AllSeen {
    /// On existing connections.
    pub(crate) keeping: ReaderTimes,
    /// On new connections from new addresses, [`AT_ONCE`] at a time.
    pub(crate) connecting: ReaderTimes,
}

impl AllSeen {
    pub(crate) fn failed(&self) -> usize {
        self.keeping.failed + self.connecting.failed
    }

    pub(crate) fn count(&self) -> usize {
        self.keeping.times.len() + self.connecting.times.len()
    }
}

/// Reads over new connections from an address that is new to the server.
async fn read_from_a_new_address(dialer: &Dialer, request: &str) -> io::Result<bool> {
    static NEXT: AtomicU16 = AtomicU16::new(1);
    let [high, low] = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    let address = Ipv4Addr::new(127, 3, high, low);
    let read = || async {
        let mut connection = dialer.connect_as(address).await?;
        let response = send_request(&mut connection, request.as_bytes()).await?;
        Ok::<_, io::Error>(response.status == 200)
    };
    let all = try_join_all((0..AT_ONCE).map(|_| read())).await?;
    Ok(all.into_iter().all(|is_fine| is_fine))
}

struct Reader {
    dialer: Dialer,
    request: String,
    keeps: bool,
    every: Duration,
    connection: Option<Connection>,
}

impl Reader {
    async fn read(&mut self) -> bool {
        let reading = async {
            match self.keeps {
                true => self.read_again().await,
                false => read_from_a_new_address(&self.dialer, &self.request).await,
            }
        };
        matches!(timeout(PATIENCE, reading).await, Ok(Ok(true)))
    }

    async fn read_again(&mut self) -> io::Result<bool> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.dialer.connect().await?,
        };
        let response = send_request(&mut connection, self.request.as_bytes()).await?;
        self.connection = Some(connection);
        Ok(response.status == 200)
    }

    async fn run(mut self, length: Duration) -> ReaderTimes {
        // Opens the connection of a reader that keeps it; this is not measured.
        let _ = self.read().await;
        let mut seen = ReaderTimes::default();
        let mut due = Instant::now();
        let end = due + length;
        while due < end && Instant::now() < end {
            let is_early = Instant::now() < due;
            sleep_until(due).await;
            // The lateness of a timer is not the server's fault.
            let started = if is_early { Instant::now() } else { due };
            let is_fine = self.read().await;
            seen.note(started.elapsed(), is_fine);
            due += self.every;
        }
        // These reads were scheduled but could not start.
        while due < end {
            seen.note(due.elapsed(), true);
            due += self.every;
        }
        seen
    }
}

/// Reads for this time.
pub(crate) async fn read(dialer: &Dialer, token: &str, length: Duration) -> AllSeen {
    let mut tasks = JoinSet::new();
    for (keeps, (count, every)) in [(true, KEEPING), (false, CONNECTING)] {
        for path in READ.iter().cycle().take(count) {
            let path = if keeps { path } else { ARTICLE };
            let reader = Reader {
                dialer: dialer.clone(),
                request: get(path, Some(token)),
                keeps,
                every,
                connection: None,
            };
            tasks.spawn(async move { (keeps, reader.run(length).await) });
        }
    }
    let mut all = AllSeen::default();
    while let Some(ended) = tasks.join_next().await {
        match ended.expect("a reader ends") {
            (true, seen) => all.keeping.merge(seen),
            (false, seen) => all.connecting.merge(seen),
        }
    }
    all
}
