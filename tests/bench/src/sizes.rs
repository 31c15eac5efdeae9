//! Measures the cost of a request with few and with many stored records: `bench sizes [LARGEST] [DIR]`.
//!
//! The size is the number of articles (with prices and stock), of customers and of orders in the store. Master data are
//! imported, and the orders are placed without a server; there are at most 900,000 customers, because the interface has six
//! digits for their numbers. The requests choose among all of them. The table and one SVG per column are written to the folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::child::Child;
use crate::client::{Load, Target};
use crate::start::{after_kill, bytes, ready};
use crate::{Outcome, orders, store, svg, target};

/// The smallest store; each further one is ten times as large.
const SMALLEST: u64 = 10_000;

/// The largest store of the default run.
pub(crate) const LARGEST: u64 = 100_000;

/// The largest number of customers: their numbers have at most six digits.
const CUSTOMERS: u64 = 900_000;

const LENGTH: Duration = Duration::from_secs(2);

/// The columns: file, title, and the header of the table.
const COLUMNS: [(&str, &str); 9] = [
    ("create-order", "create order, µs CPU"),
    ("read-order", "read order, µs CPU"),
    ("new-orders", "50 new orders, µs CPU"),
    ("list", "list of 100, µs CPU"),
    ("search", "search by e-mail, µs CPU"),
    ("memory", "memory after the load, MiB"),
    ("disk", "disk, MiB"),
    ("start-after-stop", "start after a stop, ms"),
    ("start-after-kill", "start after a kill, ms"),
];

/// The figures for one size, in tenths, in the order of [`COLUMNS`].
type Row = (u64, [u64; COLUMNS.len()]);

pub(crate) fn run() -> Outcome<()> {
    let mut arguments = std::env::args().skip(2);
    let largest = arguments.next().map_or(Ok(LARGEST), |text| text.parse())?;
    let out = arguments.next().map(PathBuf::from);
    let folder = tempfile::Builder::new().prefix("erp-bench").tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(measure(
        largest,
        folder.path(),
        &out.unwrap_or_else(default_out),
    ))
}

/// The default folder of table and curves.
pub(crate) fn default_out() -> PathBuf {
    std::env::temp_dir().join("erp-bench-sizes")
}

/// Measures stores up to the largest size, and writes table and curves.
pub(crate) async fn measure(largest: u64, folder: &Path, out: &Path) -> Outcome<()> {
    let sizes = std::iter::successors(Some(SMALLEST), |size| size.checked_mul(10));
    let mut rows = Vec::new();
    for size in sizes.take_while(|size| *size <= largest) {
        println!("preparing {size} articles, customers and orders");
        let data = folder.join(format!("size-{size}"));
        let (token, first) = prepare(&data, size).await?;
        rows.push((size, measured(&data, &token, (first, size)).await?));
        std::fs::remove_dir_all(&data)?;
    }
    let table = table(&rows);
    println!("\n{table}");
    std::fs::create_dir_all(out)?;
    std::fs::write(out.join("sizes.md"), table)?;
    for (column, (file, title)) in COLUMNS.iter().enumerate() {
        let value = |(size, values): &Row| (*size, values.get(column).copied().unwrap_or(0));
        let points: Vec<(u64, u64)> = rows.iter().map(value).collect();
        std::fs::write(out.join(format!("{file}.svg")), svg::curve(title, &points))?;
    }
    println!("table and curves are in {}", out.display());
    Ok(())
}

fn table(rows: &[Row]) -> String {
    let titles = COLUMNS.map(|(_, title)| title).join(" | ");
    let mut table = format!(
        "| records of each kind | {titles} |\n|{}\n",
        "---|".repeat(COLUMNS.len() + 1)
    );
    for (size, values) in rows {
        let values = values.map(svg::tenths).join(" | ");
        table.push_str(&format!("| {size} | {values} |\n"));
    }
    table
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

async fn measured(
    data: &Path,
    token: &str,
    (first, size): (u64, u64),
) -> Outcome<[u64; COLUMNS.len()]> {
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
    let [create, read, new, list, search] = costs;
    Ok([
        create, read, new, list, search, resident, disk, stopped, killed,
    ])
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
