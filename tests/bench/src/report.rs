//! The printed tables.

use std::time::Duration;

use crate::client::Measured;
use crate::store::Imported;

/// One row of the table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) connections: usize,
    pub(crate) ours: Measured,
    pub(crate) bare: Measured,
}

/// Microseconds with one decimal.
pub(crate) fn micros(time: Duration) -> String {
    let tenths = time.as_nanos() / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// A ratio with two decimals.
pub(crate) fn ratio(of: u128, to: u128) -> String {
    let hundredths = (of * 100).checked_div(to).unwrap_or(0);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The table of all operations.
pub(crate) fn table(rows: &[Row]) {
    println!(
        "\n| operation | connections | requests/s | p50 µs | p99 µs | CPU µs/request | bare CPU µs | CPU ratio | bare requests/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for Row {
        name,
        connections,
        ours,
        bare,
    } in rows
    {
        println!(
            "| {name} | {connections} | {} | {} | {} | {} | {} | {} | {} |",
            ours.rate,
            micros(ours.p50),
            micros(ours.p99),
            micros(ours.cpu),
            micros(bare.cpu),
            ratio(ours.cpu.as_nanos(), bare.cpu.as_nanos()),
            bare.rate,
        );
    }
    println!();
}

/// Compares offers that become orders with orders placed directly.
pub(crate) fn pair(rows: &[Row], connections: usize, pair: &Measured) {
    let order = rows
        .iter()
        .find(|row| row.name == "create order" && row.connections == connections);
    let order = order.map_or(0, |row| row.ours.cpu.as_nanos());
    println!(
        "offer to order, {connections} connections: {} pairs/s, p50 {} µs, p99 {} µs, {} µs CPU a pair; {} orders placed at once",
        pair.rate,
        micros(pair.p50),
        micros(pair.p99),
        micros(pair.cpu),
        ratio(pair.cpu.as_nanos(), order),
    );
}

/// The cost of a page of orders.
pub(crate) fn order_list(name: &str, page: &Measured) {
    println!(
        "page of {name}: {}/s, p50 {} µs, p99 {} µs, {} µs CPU",
        page.rate,
        micros(page.p50),
        micros(page.p99),
        micros(page.cpu),
    );
}

/// Compares a search with its target.
pub(crate) fn search(name: &str, addresses: u64, search: &Measured, aim: Duration) {
    println!(
        "search {name} among {addresses} addresses: {}/s, p50 {} µs, p99 {} µs, {} µs CPU; aim {} µs: {}",
        search.rate,
        micros(search.p50),
        micros(search.p99),
        micros(search.cpu),
        micros(aim),
        if search.cpu <= aim { "met" } else { "missed" },
    );
}

/// Compares the list while other lists have few prices with the list while they have many.
pub(crate) fn lists(few: &Measured, many: &Measured, articles: usize) {
    println!(
        "list of 100 with 300 tiers in another list: {} µs CPU; with {}: {} µs CPU; ratio {}",
        micros(few.cpu),
        articles * 3,
        micros(many.cpu),
        ratio(many.cpu.as_nanos(), few.cpu.as_nanos()),
    );
}

/// Compares reading the changed articles with a list of as many.
pub(crate) fn changes(changed: u64, articles: u64, changes: &Measured, list: &Measured) {
    println!(
        "changes: {changed} of {articles}: {} µs CPU, p50 {} µs; list of {changed}: {} µs CPU, p50 {} µs; ratio {}",
        micros(changes.cpu),
        micros(changes.p50),
        micros(list.cpu),
        micros(list.p50),
        ratio(changes.cpu.as_nanos(), list.cpu.as_nanos()),
    );
}

/// Compares orders of the server with commits of sled alone.
pub(crate) fn durable(rows: &[Row], writers: usize, rate: u64, writes: &[(Vec<u8>, Vec<u8>)]) {
    let bytes: usize = writes
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    let ours = rows
        .iter()
        .find(|row| row.name == "create order" && row.connections == writers);
    let ours = ours.map_or(0, |row| row.ours.rate);
    println!(
        "bare sled, {writers} writers, {} keys and {bytes} bytes each: {rate} durable commits/s; the server's orders: {ours}/s; ratio {}",
        writes.len(),
        ratio(ours.into(), rate.into()),
    );
}

pub(crate) fn import(articles: usize, imported: &Imported) {
    let per_second = |time: Duration| {
        (articles as u128 * 1_000_000)
            .checked_div(time.as_micros())
            .unwrap_or(0)
    };
    println!(
        "import of {articles} articles ({} MiB): {} articles per CPU second, {} per second",
        imported.bytes >> 20,
        per_second(imported.cpu),
        per_second(imported.elapsed),
    );
}
