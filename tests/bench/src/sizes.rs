//! Measures the cost of a request with few and with many stored records: `bench sizes [LARGEST] [DIR]`.
//!
//! The size is the number of articles (with prices and stock), of customers and of orders in the store. Master data are
//! imported. The orders are copies of one that the core wrote, each under its own number, written to the store without
//! a server. The requests choose among all of them. The table and one SVG per column are written to the folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use erp_core::storage::{ChangeSet, Key, Space, Storage as _};
use erp_server::store::SledStore;

use crate::child::Child;
use crate::client::{Load, Target};
use crate::company::FIRST_CUSTOMER;
use crate::start::{after_kill, bytes, ready};
use crate::{Outcome, orders, store, svg, target};

/// The smallest store; each further one is ten times as large.
const SMALLEST: u64 = 10_000;

/// The largest store of the default run.
pub(crate) const LARGEST: u64 = 100_000;

const ORDERS_PER_COMMIT: u64 = 1_000;

const LENGTH: Duration = Duration::from_secs(2);

/// The columns: file, title, and the header of the table.
const COLUMNS: [(&str, &str); 8] = [
    ("create-order", "create order, µs CPU"),
    ("read-order", "read order, µs CPU"),
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
        let token = prepare(&data, size).await?;
        rows.push((size, measured(&data, &token, size).await?));
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
        "---|".repeat(9)
    );
    for (size, values) in rows {
        let values = values.map(svg::tenths).join(" | ");
        table.push_str(&format!("| {size} | {values} |\n"));
    }
    table
}

async fn prepare(data: &Path, size: u64) -> Outcome<String> {
    let erp = store::open(data)?;
    store::fill(&erp, size, size).await?;
    add_orders(erp.store(), size).await?;
    let token = store::shop_token(&erp).await?;
    erp.store().close()?;
    Ok(token)
}

/// Adds orders numbered from 1, below the numbers that the server assigns.
async fn add_orders(store: &SledStore, count: u64) -> Outcome<()> {
    let writes = store::writes_of_an_order().await?;
    let of = |space: Space| {
        let prefix = Key::of(space).build();
        let found = writes
            .iter()
            .find(|(key, _)| key.starts_with(prefix.as_bytes()));
        found
            .map(|(_, value)| value.clone())
            .ok_or("an order writes its record and a list entry")
    };
    let (order, entry) = (of(Space::Order)?, of(Space::OrderOfCustomer)?);
    let mut next = 1;
    while next <= count {
        let until = next
            .saturating_add(ORDERS_PER_COMMIT)
            .min(count.saturating_add(1));
        let mut changes = ChangeSet::new();
        for number in next..until {
            let customer = (FIRST_CUSTOMER + number % count).to_string();
            changes.put(Key::of(Space::Order).number(number).build(), order.clone());
            let listed = Key::of(Space::OrderOfCustomer)
                .text(&customer)
                .number(number);
            changes.put(listed.build(), entry.clone());
        }
        let committed = store.commit(changes).await;
        committed.map_err(|error| format!("{error:?}"))?;
        next = until;
    }
    Ok(())
}

async fn measured(data: &Path, token: &str, size: u64) -> Outcome<[u64; COLUMNS.len()]> {
    let server = Child::serve(data)?;
    server.rest()?;
    let here = target(&server, token);
    let costs = [
        cost(
            &here,
            &server,
            "create order",
            orders::create_among(size, size),
        )
        .await?,
        cost(&here, &server, "read order", orders::read_below(size)).await?,
        cost(
            &here,
            &server,
            "list of 100",
            orders::list_among(size, size),
        )
        .await?,
        cost(&here, &server, "search by e-mail", orders::search(size)).await?,
    ];
    let resident = server.resident_mib()?.saturating_mul(10);
    server.stop()?;
    let disk = (bytes(data)? >> 20).saturating_mul(10);
    // The first start after a load also converts sled's own files to their final format; it is not measured.
    ready(data)?;
    let starts = [ready(data)?, after_kill(data)?];
    let [stopped, killed] = starts.map(|start| tenths_of(start.as_micros() / 100));
    let [create, read, list, search] = costs;
    Ok([create, read, list, search, resident, disk, stopped, killed])
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
