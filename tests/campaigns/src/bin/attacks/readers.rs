//! The clients beside the attack, and what they notice.
//!
//! Each read has a time at which it is due, however long the one before took. A late read is measured from that
//! time, so that a server that stands still for a second shows in all reads of that second.

use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use crate::client::{Connection, Dialer, ask, get};

/// Readers that keep their connection, and the time between two reads of each.
const KEEPING: (u32, Duration) = (4, Duration::from_millis(10));

/// Readers that connect for each read. Without them it would not show that new clients are kept out.
const CONNECTING: (u32, Duration) = (2, Duration::from_millis(100));

/// Connections that they open at once, like a browser, from an address that the server has not seen before.
const AT_ONCE: usize = 4;

/// A read that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// What readers of one kind saw.
#[derive(Default)]
pub(crate) struct Seen {
    /// Sorted. A read that failed took forever.
    times: Vec<Duration>,
    failed: usize,
}

impl Seen {
    /// The percentile in milliseconds.
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

/// What both kinds saw.
#[derive(Default)]
pub(crate) struct AllSeen {
    /// On connections that were there before.
    pub(crate) keeping: Seen,
    /// On new connections of new addresses, [`AT_ONCE`] at a time.
    pub(crate) connecting: Seen,
}

impl AllSeen {
    pub(crate) fn failed(&self) -> usize {
        self.keeping.failed + self.connecting.failed
    }

    pub(crate) fn count(&self) -> usize {
        self.keeping.times.len() + self.connecting.times.len()
    }
}

/// Reads over connections from an address that the server has not seen before.
async fn read_from_a_new_address(dialer: &Dialer, request: &str) -> io::Result<bool> {
    static NEXT: AtomicU16 = AtomicU16::new(1);
    let [high, low] = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    let address = Ipv4Addr::new(127, 3, high, low);
    let read = || async {
        let mut connection = dialer.connect_as(address).await?;
        let answer = ask(&mut connection, request.as_bytes()).await?;
        Ok::<_, io::Error>(answer.status == 200)
    };
    let all = try_join_all((0..AT_ONCE).map(|_| read())).await?;
    Ok(all.into_iter().all(|is_fine| is_fine))
}

/// One reader.
struct Reader {
    dialer: Dialer,
    request: String,
    keeps: bool,
    every: Duration,
    connection: Option<Connection>,
}

impl Reader {
    async fn read(&mut self) -> bool {
        let asked = async {
            match self.keeps {
                true => self.read_again().await,
                false => read_from_a_new_address(&self.dialer, &self.request).await,
            }
        };
        matches!(timeout(PATIENCE, asked).await, Ok(Ok(true)))
    }

    async fn read_again(&mut self) -> io::Result<bool> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.dialer.connect().await?,
        };
        let answer = ask(&mut connection, self.request.as_bytes()).await?;
        self.connection = Some(connection);
        Ok(answer.status == 200)
    }

    async fn run(mut self, length: Duration) -> Seen {
        // The connection of a reader that keeps it is no part of what is measured.
        let _ = self.read().await;
        let mut seen = Seen::default();
        let mut due = Instant::now();
        let end = due + length;
        while due < end && Instant::now() < end {
            let is_early = Instant::now() < due;
            sleep_until(due).await;
            // A timer's own lateness is no fault of the server.
            let begun = if is_early { Instant::now() } else { due };
            let is_fine = self.read().await;
            seen.note(begun.elapsed(), is_fine);
            due += self.every;
        }
        // These were due and could not even begin.
        while due < end {
            seen.note(due.elapsed(), true);
            due += self.every;
        }
        seen
    }
}

/// Reads an article for so long.
pub(crate) async fn read(dialer: &Dialer, token: &str, length: Duration) -> AllSeen {
    let mut tasks = JoinSet::new();
    for (keeps, (count, every)) in [(true, KEEPING), (false, CONNECTING)] {
        for _ in 0..count {
            let reader = Reader {
                dialer: dialer.clone(),
                request: get("/www/artikel/LM-3015", Some(token)),
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
