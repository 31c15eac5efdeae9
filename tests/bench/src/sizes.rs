//! Measures the cost of a request with few and with many stored records: `bench sizes [LARGEST]`.
//!
//! The size is the number of articles (with prices and stock), of customers and of orders in the store. Master data are
//! imported, and the orders are placed without a server; there are at most 900,000 customers, because the interface has six
//! digits for their numbers. The requests choose among all of them. Below the table are the first list of a start, which
//! reads all articles, and the whole catalogue in one response.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::child::Child;
use crate::client::{Connection, Load, Target, TestRequest};
use crate::{Outcome, orders, store, target};

/// The smallest store; each further one is ten times as large.
const SMALLEST: u64 = 10_000;

/// The largest store of the default run.
pub(crate) const LARGEST: u64 = 100_000;

/// The largest number of customers: their numbers have at most six digits.
const CUSTOMERS: u64 = 900_000;

const LENGTH: Duration = Duration::from_secs(2);

/// The header of the table.
const COLUMNS: [&str; 10] = [
    "create order, µs CPU",
    "read order, µs CPU",
    "50 new orders, µs CPU",
    "list of 100, µs CPU",
    "list among 10,000, µs CPU",
    "search by e-mail, µs CPU",
    "memory after the load, MiB",
    "disk, MiB",
    "start after a stop, ms",
    "start after a kill, ms",
];

pub(crate) fn run() -> Outcome<()> {
    let largest = std::env::args().nth(2);
    let largest = largest.map_or(Ok(LARGEST), |text| text.parse())?;
    let folder = tempfile::Builder::new().prefix("erp-bench").tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(largest, folder.path()))?;
    Ok(())
}

/// The figures of one size, in tenths, in the order of [`COLUMNS`].
pub(crate) type Figures = [u64; COLUMNS.len()];

/// Measures stores up to the largest size, and prints a row for each.
pub(crate) async fn measure(largest: u64, folder: &Path) -> Outcome<Vec<Figures>> {
    let mut rows = Vec::new();
    let mut whole = Vec::new();
    let sizes = std::iter::successors(Some(SMALLEST), |size| size.checked_mul(10));
    println!("\n| records of each kind | {} |", COLUMNS.join(" | "));
    println!("|{}", "---|".repeat(COLUMNS.len() + 1));
    for size in sizes.take_while(|size| *size <= largest) {
        let data = folder.join(format!("size-{size}"));
        let (token, first) = prepare(&data, size).await?;
        let values = measured(&data, &token, (first, size)).await?;
        rows.push(values);
        whole.push(catalogue(&data, &token, size).await?);
        let values = values.map(|value| format!("{}.{}", value / 10, value % 10));
        println!("| {size} | {} |", values.join(" | "));
        std::fs::remove_dir_all(&data)?;
    }
    for line in whole {
        println!("{line}");
    }
    Ok(rows)
}

/// The costs of requests in the smallest store and in the next one.
pub(crate) fn growth(rows: &[Figures]) -> Vec<(&'static str, u64, u64)> {
    let [few, many, ..] = rows else {
        return Vec::new();
    };
    let costs = COLUMNS.iter().zip(few).zip(many);
    let costs = costs.filter_map(|((name, few), many)| {
        let name = name.strip_suffix(", µs CPU")?;
        Some((name, *few, *many))
    });
    costs.collect()
}

/// Creates a store of this size. Returns a token, and the number of the first order.
async fn prepare(data: &Path, size: u64) -> Outcome<(String, u64)> {
    let erp = store::open(data)?;
    store::fill(&erp, size, size.min(CUSTOMERS)).await?;
    let first = store::place_orders(&erp, size, size.min(CUSTOMERS)).await?;
    let token = store::shop_token(&erp).await?;
    erp.store().close()?;
    Ok((token, first))
}

async fn measured(data: &Path, token: &str, (first, size): (u64, u64)) -> Outcome<Figures> {
    let customers = size.min(CUSTOMERS);
    let server = Child::serve(data)?;
    server.rest()?;
    let here = target(&server, token);
    let costs = [
        cost(
            &here,
            &server,
            "create order",
            orders::create_among(size, customers),
        )
        .await?,
        cost(
            &here,
            &server,
            "read order",
            orders::read_of(first..first.saturating_add(size)),
        )
        .await?,
        cost(
            &here,
            &server,
            "50 new orders",
            orders::page("?status=N&limit=50"),
        )
        .await?,
        cost(
            &here,
            &server,
            "list of 100",
            orders::list_among(size, customers),
        )
        .await?,
        // What a shop shows is mostly the same, so it was asked for before.
        cost(
            &here,
            &server,
            "list among 10,000",
            orders::list_among(SMALLEST, customers),
        )
        .await?,
        cost(
            &here,
            &server,
            "search by e-mail",
            orders::search(customers),
        )
        .await?,
    ];
    let resident = server.resident_mib()?.saturating_mul(10);
    server.stop()?;
    let disk = (bytes(data)? >> 20).saturating_mul(10);
    // The first start after a load also converts sled's own files to their final format; it is not measured.
    ready(data)?;
    let starts = [ready(data)?, after_kill(data)?];
    let [stopped, killed] = starts.map(|start| tenths_of(start.as_micros() / 100));
    let [create, read, new, list, known, search] = costs;
    Ok([
        create, read, new, list, known, search, resident, disk, stopped, killed,
    ])
}

/// The first list after a start, and all articles in one response.
async fn catalogue(data: &Path, token: &str, size: u64) -> Outcome<String> {
    let server = Child::serve(data)?;
    server.rest()?;
    let here = target(&server, token);
    let mut connection = Connection::open(&here).await?;
    let mut times = Vec::new();
    for limit in [100, 0] {
        let path = format!("/www/artikel?limit={limit}");
        let (cpu, started) = (server.cpu()?, Instant::now());
        connection.send(TestRequest::get(path)).await?;
        let (elapsed, cpu) = (started.elapsed(), server.cpu()?.saturating_sub(cpu));
        times.push(format!(
            "{} ms, {} ms CPU",
            elapsed.as_millis(),
            cpu.as_millis()
        ));
    }
    Ok(format!(
        "{size} articles: first list of 100 after a start {}; whole catalogue {}",
        times[0], times[1]
    ))
}

/// CPU time of a request in tenths of a microsecond.
async fn cost(
    here: &Target,
    server: &Child,
    name: &'static str,
    call: crate::client::MakeRequest,
) -> Outcome<u64> {
    let load = Load {
        name,
        length: LENGTH,
        connections: 8,
    };
    let measured = load.run(here, server, call).await?;
    Ok(tenths_of(measured.cpu.as_nanos() / 100))
}

fn tenths_of(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// Time from start to listening; the server is stopped properly.
fn ready(data: &Path) -> Outcome<Duration> {
    let started = Instant::now();
    let server = Child::serve(data)?;
    let elapsed = started.elapsed();
    server.stop()?;
    Ok(elapsed)
}

/// The same after a kill.
fn after_kill(data: &Path) -> Outcome<Duration> {
    let server = Child::serve(data)?;
    drop(server);
    ready(data)
}

/// The bytes of all files in a folder and its subfolders.
fn bytes(folder: &Path) -> Outcome<u64> {
    let mut sum = 0_u64;
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let data = entry.metadata()?;
            match data.is_dir() {
                true => folders.push(entry.path()),
                false => sum = sum.saturating_add(data.len()),
            }
        }
    }
    Ok(sum)
}
