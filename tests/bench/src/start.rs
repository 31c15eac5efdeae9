//! Measures the time from the start of a server to its first response, depending on the number of stored orders.
//!
//! The store is created by a restore, because a million requests would take too long. Each order is a copy of one that
//! the core wrote, under its own number.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use erp_core::storage::{Key, Sequence, Space};
use erp_server::store::{
    Continuation, RecordSink, Records, SledStore, Snapshot, StoreOptions, restore,
};

use crate::Outcome;
use crate::child::Child;
use crate::store::writes_of_an_order;

/// The number of the first order.
const FIRST: u64 = 100_001;

/// Orders under their numbers, and their entries in the list of a customer.
struct Orders {
    order: Vec<u8>,
    count: u64,
}

impl Records for Orders {
    fn each(&mut self, sink: &mut RecordSink<'_>) -> io::Result<()> {
        for number in FIRST..FIRST.saturating_add(self.count) {
            let order = Key::of(Space::Order).number(number).build();
            sink(order, number, Some(self.order.clone()))?;
            let customer = (number % 10_000).to_string();
            let entry = Key::of(Space::OrderOfCustomer)
                .text(&customer)
                .number(number)
                .build();
            sink(entry, number, Some(Vec::new()))?;
        }
        Ok(())
    }
}

/// Creates stores with a tenth and with all of these orders, and starts servers on them.
pub(crate) fn run(count: u64) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let writes = runtime.block_on(writes_of_an_order())?;
    let space = Key::of(Space::Order).build();
    let order = writes
        .into_iter()
        .find(|(key, _)| key.starts_with(space.as_bytes()))
        .ok_or("an order writes its record")?;
    let folder = tempfile::Builder::new().prefix("erp-bench").tempdir()?;
    println!("orders      made in  after a stop  after a kill  bytes on disk");
    for count in [count / 10, count] {
        let data = folder.path().join(count.to_string());
        let started = Instant::now();
        make(&data, order.1.clone(), count)?;
        let made = started.elapsed();
        // The first start converts sled's own files to their final format; it is not measured.
        drop(SledStore::open(&data, StoreOptions::default())?);
        let stopped = ready(&data)?;
        let killed = after_kill(&data)?;
        println!(
            "{count:>9}  {:>7.1} s  {:>10.3} s  {:>10.3} s  {:>13}",
            made.as_secs_f64(),
            stopped.as_secs_f64(),
            killed.as_secs_f64(),
            bytes(&data)?,
        );
    }
    Ok(())
}

fn make(data: &Path, order: Vec<u8>, count: u64) -> Outcome<()> {
    let snapshot = Snapshot {
        store: "0".repeat(32),
        revision: FIRST.saturating_add(count),
        sequences: [(
            Sequence::Order.name().to_owned(),
            FIRST.saturating_add(count),
        )]
        .into(),
        ..Snapshot::default()
    };
    let mut orders = Orders { order, count };
    Ok(restore(
        data,
        &StoreOptions::default(),
        &snapshot,
        &Continuation::lossless(&snapshot),
        &mut orders,
    )?)
}

/// Time from start to listening; the server is stopped properly.
pub(crate) fn ready(data: &Path) -> Outcome<Duration> {
    let started = Instant::now();
    let server = Child::serve(data)?;
    let elapsed = started.elapsed();
    server.stop()?;
    Ok(elapsed)
}

/// The same, but the server is killed.
pub(crate) fn after_kill(data: &Path) -> Outcome<Duration> {
    let server = Child::serve(data)?;
    drop(server);
    ready(data)
}

/// The bytes of all files in a folder and its subfolders.
pub(crate) fn bytes(folder: &Path) -> Outcome<u64> {
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
