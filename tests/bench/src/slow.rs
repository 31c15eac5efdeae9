//! Measures how much slow clients slow down the others: `bench slow`.
//!
//! It serves a company of 1,000 articles in a separate process and reads single articles through 8 connections. Each
//! round measures once without other clients and once while 2,000 connections send one byte per second: half of them
//! request headers, half of them the body of an order. A slow connection that the server closes is opened again at
//! once. It prints the p99 of both measurements and their ratio, which must stay below 2 (median of the rounds).
//!
//! | argument | default | meaning |
//! |---|---|---|
//! | `--connections N` | 2000 | slow connections |
//! | `--seconds N` | 5 | length of each measurement |
//! | `--rounds N` | 5 | measurements of each kind |

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::{Arg, Command, value_parser};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::child::Child;
use crate::client::{Load, Target};
use crate::{Outcome, orders, store};

const ARTICLES: usize = 1_000;

fn argument(name: &'static str, default: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .value_name("N")
        .default_value(default)
        .value_parser(value_parser!(u64))
}

pub(crate) fn run() -> Outcome<()> {
    let matches = Command::new("bench slow")
        .about("Measures reads while slow connections are open; see the comment at the top of its source")
        .arg(argument("connections", "2000"))
        .arg(argument("seconds", "5"))
        .arg(argument("rounds", "5"))
        .get_matches_from(std::env::args_os().skip(1));
    let number = |name: &str| matches.get_one::<u64>(name).copied().unwrap_or(1).max(1);
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("company");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let token = runtime.block_on(store::prepare(&data, ARTICLES))?;
    let server = Child::serve(&data)?;
    let target = Target {
        address: server.address().to_owned(),
        token,
    };
    let slow = usize::try_from(number("connections"))?;
    let load = Load {
        name: "read article",
        length: Duration::from_secs(number("seconds")),
        connections: 8,
    };
    let measured = runtime.block_on(measure(&server, &target, load, slow, number("rounds")))?;
    report(&measured, slow);
    Ok(())
}

/// The p99 of the reads without and with slow connections, per round.
async fn measure(
    server: &Child,
    target: &Target,
    load: Load,
    slow: usize,
    rounds: u64,
) -> Outcome<Vec<(Duration, Duration)>> {
    let mut measured = Vec::new();
    for _ in 0..rounds {
        let alone = load.run(target, server, orders::article(ARTICLES)).await?;
        let (open, mut clients) = (Arc::new(AtomicUsize::new(0)), JoinSet::new());
        for number in 0..slow {
            clients.spawn(be_slow(target.clone(), number, Arc::clone(&open)));
        }
        while open.load(Ordering::Relaxed) < slow {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let disturbed = load.run(target, server, orders::article(ARTICLES)).await?;
        println!(
            "{} µs alone ({} a second), {} µs with {} slow connections ({} a second)",
            alone.p99.as_micros(),
            alone.rate,
            disturbed.p99.as_micros(),
            open.load(Ordering::Relaxed),
            disturbed.rate
        );
        clients.shutdown().await;
        measured.push((alone.p99, disturbed.p99));
    }
    Ok(measured)
}

/// Sends one byte per second, over a new connection whenever the server closes the old one.
async fn be_slow(target: Target, number: usize, open: Arc<AtomicUsize>) {
    // The start is spread, so that the connections do not all send at the same moment.
    let apart = u64::try_from(number % 1_000).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(apart)).await;
    let beginning = if number.is_multiple_of(2) {
        "GET /www/artikel HTTP/1.1\r\nHost: h\r\nX-Slow: ".to_owned()
    } else {
        format!(
            "POST /www/auftrag HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n\
             Authorization: Bearer {}\r\nContent-Length: 100000\r\n\r\n{{",
            target.token
        )
    };
    loop {
        let Ok(mut stream) = TcpStream::connect(&target.address).await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        open.fetch_add(1, Ordering::Relaxed);
        let mut sent = stream.write_all(beginning.as_bytes()).await;
        while sent.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            sent = stream.write_all(b"x").await;
        }
        open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn report(measured: &[(Duration, Duration)], slow: usize) {
    let mut percents: Vec<u128> = measured
        .iter()
        .map(|(alone, disturbed)| disturbed.as_micros() * 100 / alone.as_micros().max(1))
        .collect();
    percents.sort_unstable();
    let median = percents
        .get(percents.len() / 2)
        .copied()
        .unwrap_or_default();
    println!(
        "p99 of reads with {slow} slow connections: {}.{:02} times that without (target: below 2)",
        median / 100,
        median % 100
    );
}
