//! The printed tables.

use std::fmt::Write as _;
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

/// The picture of the README: requests per CPU second at the most connections beside the bare handler's, and the cost of
/// a request beside ten times the records.
pub(crate) fn picture(rows: &[Row], growth: &[(&str, u64, u64)]) -> String {
    let most = rows.iter().map(|row| row.connections).max();
    let rows = rows.iter().filter(|row| Some(row.connections) == most);
    let per_second = |time: Duration| 1_000_000_000_u128.checked_div(time.as_nanos());
    let rows = rows.map(|row| {
        let rates = [row.ours.cpu, row.bare.cpu].map(|time| per_second(time).unwrap_or(0));
        (row.name, rates.map(|rate| (rate, format!("{rate}"))))
    });
    let growth = growth.iter().map(|(name, few, many)| {
        let costs = [few, many].map(|tenths| {
            let text = format!("{} µs", tenths.div_ceil(10));
            (u128::from(*tenths), text)
        });
        (*name, costs)
    });
    let parts = [
        (
            "Requests per second of one processor",
            ["erp-server", "bare handler, same bytes"],
            rows.collect::<Vec<_>>(),
        ),
        (
            "Processor time of a request",
            ["10,000 records", "100,000 of each kind"],
            growth.collect(),
        ),
    ];
    let (mut drawn, mut top) = (String::new(), 0);
    for (title, legend, groups) in parts {
        top += 30;
        let [first, second] = legend;
        let _ = writeln!(
            drawn,
            r##"<text x="8" y="{top}" font-weight="bold">{title}</text><rect x="330" y="{}" width="10" height="10" fill="{}"/><text x="345" y="{top}">{first}</text><rect x="500" y="{}" width="10" height="10" fill="{}"/><text x="515" y="{top}">{second}</text>"##,
            top - 10,
            COLOURS[0],
            top - 10,
            COLOURS[1],
        );
        for (name, bars) in groups {
            top += 12;
            let longest = bars.iter().map(|(value, _)| *value).max().unwrap_or(0);
            let _ = writeln!(drawn, r#"<text x="8" y="{}">{name}</text>"#, top + 17);
            for ((value, text), colour) in bars.iter().zip(COLOURS) {
                let width = (value * 440).checked_div(longest).unwrap_or(0).max(2);
                let _ = writeln!(
                    drawn,
                    r#"<rect x="130" y="{top}" width="{width}" height="11" fill="{colour}"/><text x="{}" y="{}">{text}</text>"#,
                    136 + width,
                    top + 10,
                );
                top += 13;
            }
        }
    }
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 690 {height}" font-family="sans-serif" font-size="12"><rect width="690" height="{height}" fill="#fff"/>
{drawn}</svg>
"##,
        height = top + 12
    )
}

/// The colours of the picture: of what is measured, and of what it is compared with.
const COLOURS: [&str; 2] = ["#1d5fa8", "#b8c4d0"];
