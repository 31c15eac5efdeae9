//! Compares the embedded store with a PostgreSQL database: one server, two servers, and the database without a server.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::{Arg, Command, value_parser};
use erp_server::store::{PostgresOptions, PostgresStore, SledStore, StoreOptions};
use tokio_postgres::{Client, NoTls};

use crate::child::{Child, cpu_of};
use crate::client::{Load, MakeRequest, Measured, Target, WARM_UP};
use crate::report::{micros, ratio};
use crate::{CONNECTIONS, Outcome, orders, store, target};

/// Plain inserts of the rows of an order, into a table like the store's own.
const PLAIN: &str = "INSERT INTO plain_entries (key, revision, value, counter)
    SELECT t.key, 1, t.value, NULL FROM unnest($1::bytea[], $2::bytea[]) AS t (key, value)";

pub(crate) fn run() -> Outcome<()> {
    let number = |name: &'static str, default: &'static str| {
        let arg = Arg::new(name).long(name).value_name("N");
        arg.value_parser(value_parser!(u64)).default_value(default)
    };
    let matches = Command::new("bench database")
        .about("Measures the server on a PostgreSQL database; it works in a schema of its own")
        .arg(
            Arg::new("url")
                .required(true)
                .value_name("postgresql://USER@HOST:PORT/DATABASE"),
        )
        .arg(number("seconds", "3"))
        .arg(number("articles", "10000"))
        .get_matches_from(std::env::args_os().skip(1));
    let value = |name: &str| matches.get_one::<u64>(name).copied().unwrap_or(1).max(1);
    let url = matches
        .get_one::<String>("url")
        .cloned()
        .unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let schema = format!("bench_{}", std::process::id());
        let admin = connect(&url).await?;
        admin
            .batch_execute(&format!("CREATE SCHEMA {schema}"))
            .await?;
        let bench = Bench {
            own: format!("{url}?options=-csearch_path%3D{schema}"),
            length: Duration::from_secs(value("seconds")),
            articles: usize::try_from(value("articles"))?.max(1_000),
        };
        let done = bench.run().await;
        admin
            .batch_execute(&format!("DROP SCHEMA {schema} CASCADE"))
            .await?;
        done
    })
}

async fn connect(url: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Servers that share the load.
struct Servers {
    name: &'static str,
    servers: Vec<(Child, Target)>,
}

struct Bench {
    own: String,
    length: Duration,
    articles: usize,
}

impl Bench {
    async fn run(&self) -> Outcome<()> {
        let folder = tempfile::Builder::new().prefix("erp-bench").tempdir()?;
        println!("preparing {} articles in both stores", self.articles);
        let data = folder.path().join("sled");
        let sled = SledStore::open(&data, StoreOptions::default())?;
        let sled_token = store::prepare_on(sled.into(), self.articles).await?;
        let options = PostgresOptions::new(self.own.parse()?);
        let shared = PostgresStore::open(&options)?;
        let token = store::prepare_on(shared.into(), self.articles).await?;
        let embedded = vec![Child::serve(&data)?];
        let one = vec![self.server(folder.path(), 1)?];
        let two = vec![
            self.server(folder.path(), 2)?,
            self.server(folder.path(), 3)?,
        ];
        let all = [
            servers("sled", embedded, &sled_token),
            servers("PostgreSQL, 1 server", one, &token),
            servers("PostgreSQL, 2 servers", two, &token),
        ];
        self.table(&all).await?;
        self.costs(&all).await?;
        self.counters(&all).await
    }

    /// Measures every operation on every store.
    async fn table(&self, all: &[Servers]) -> Outcome<()> {
        let sled_orders = orders::place(&first(all, 0)?, 300).await?;
        let shared_orders = orders::place(&first(all, 1)?, 300).await?;
        println!(
            "\n| operation | connections | store | requests/s | p50 µs | p99 µs | CPU µs/request | CPU to sled's | plain inserts/s | of plain inserts |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for name in ["read article", "list of 100", "read order", "create order"] {
            for connections in CONNECTIONS {
                let mut sled_cpu = 0;
                let plain = match name {
                    "create order" => Some(self.plain(connections).await?),
                    _ => None,
                };
                for (at, servers) in all.iter().enumerate() {
                    let call = match name {
                        "read article" => orders::article(self.articles),
                        "list of 100" => orders::list(self.articles),
                        "read order" if at == 0 => orders::read(sled_orders.clone()),
                        "read order" => orders::read(shared_orders.clone()),
                        _ => orders::create(),
                    };
                    let measured = self.load(name, servers, connections, &call).await?;
                    if at == 0 {
                        sled_cpu = measured.cpu.as_nanos();
                    }
                    let plain = plain.filter(|_| at > 0);
                    row(name, connections, servers, &measured, sled_cpu, plain);
                }
            }
        }
        Ok(())
    }

    /// Prints what a request costs client, server and database, with one client and one server.
    async fn costs(&self, all: &[Servers]) -> Outcome<()> {
        let operations = [
            ("read article", orders::article(self.articles)),
            ("create order", orders::create()),
        ];
        for (name, call) in operations {
            let one = all.get(1).ok_or("no server")?;
            let (client, database) = (cpu_of("self")?, database_cpu()?);
            let log = self.log_bytes().await?;
            let measured = self.load(name, one, 1, &call).await?;
            let requests = self.requests(&measured).max(1);
            let each =
                |before: Duration, after: Duration| micros(after.saturating_sub(before) / requests);
            println!(
                "\n{name}, one client and one server: {} µs; CPU of client {} µs, server {} µs, database {} µs",
                micros(measured.p50),
                each(client, cpu_of("self")?),
                micros(measured.cpu),
                each(database, database_cpu()?),
            );
            let log = (self.log_bytes().await? - log) / i64::from(requests);
            println!("{log} bytes of the database's log each");
        }
        let rows = store::writes_of_an_order().await?;
        let bytes: usize = rows
            .iter()
            .map(|(key, value)| key.len() + value.len())
            .sum();
        println!("an order writes {} rows, {bytes} bytes", rows.len());
        Ok(())
    }

    /// Shows the first bottleneck: orders of one article wait for the same row, orders of several articles do not.
    async fn counters(&self, all: &[Servers]) -> Outcome<()> {
        let servers = all.get(1).ok_or("no server")?;
        println!("\n| articles that are ordered | connections | orders/s | p50 µs | p99 µs |");
        println!("|---|---|---|---|---|");
        for articles in [1, 4, 16, 100] {
            for connections in CONNECTIONS {
                let call = orders::one_of(articles);
                let measured = self.load("one line", servers, connections, &call).await?;
                println!(
                    "| {articles} | {connections} | {} | {} | {} |",
                    measured.rate,
                    micros(measured.p50),
                    micros(measured.p99),
                );
            }
        }
        Ok(())
    }

    /// Approximate number of requests of a measurement, including its warm-up.
    fn requests(&self, measured: &Measured) -> u32 {
        let length = self.length + WARM_UP;
        let sent = u128::from(measured.rate) * length.as_millis() / 1_000;
        u32::try_from(sent).unwrap_or(u32::MAX)
    }

    /// End of the database's write-ahead log.
    async fn log_bytes(&self) -> Outcome<i64> {
        let client = connect(&self.own).await?;
        let end = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::int8";
        Ok(client.query_one(end, &[]).await?.try_get(0)?)
    }

    fn server(&self, folder: &Path, number: u32) -> Outcome<Child> {
        Child::serve_on(&folder.join(format!("server-{number}")), &self.own)
    }

    /// Sends the same load to all servers at once.
    async fn load(
        &self,
        name: &'static str,
        servers: &Servers,
        connections: usize,
        call: &MakeRequest,
    ) -> Outcome<Measured> {
        let count = servers.servers.len().min(connections).max(1);
        let load = Load {
            name,
            length: self.length,
            connections: connections.div_ceil(count),
        };
        let parts = servers.servers.iter().take(count);
        let parts = parts.map(|(child, target)| load.run(target, child, Arc::clone(call)));
        let parts = futures_util::future::try_join_all(parts).await?;
        let rate = parts.iter().map(|part| part.rate).sum::<u64>();
        let cpu: u128 = parts
            .iter()
            .map(|part| part.cpu.as_nanos() * u128::from(part.rate))
            .sum();
        Ok(Measured {
            rate,
            p50: parts.iter().map(|part| part.p50).max().unwrap_or_default(),
            p99: parts.iter().map(|part| part.p99).max().unwrap_or_default(),
            cpu: Duration::from_nanos(u64::try_from(cpu / u128::from(rate.max(1)))?),
        })
    }

    /// Commits per second of plain inserts into the same database: the rows of an order, one statement each, without
    /// reads, checks or locks.
    async fn plain(&self, connections: usize) -> Outcome<u64> {
        let rows = Arc::new(store::writes_of_an_order().await?);
        let first = connect(&self.own).await?;
        first
            .batch_execute(
                "DROP TABLE IF EXISTS plain_entries; CREATE TABLE plain_entries (
                    key bytea PRIMARY KEY, revision int8 NOT NULL, value bytea, counter int8)",
            )
            .await?;
        let (number, length) = (Arc::new(AtomicU64::new(0)), self.length);
        let mut writers = Vec::new();
        for _ in 0..connections {
            let client = connect(&self.own).await?;
            let (rows, number) = (Arc::clone(&rows), Arc::clone(&number));
            writers.push(tokio::spawn(async move {
                insert(&client, &rows, &number, length).await
            }));
        }
        let started = Instant::now();
        for writer in writers {
            writer.await??;
        }
        let done = u128::from(number.load(Ordering::Relaxed));
        Ok(u64::try_from(
            done * 1_000_000 / started.elapsed().as_micros().max(1),
        )?)
    }
}

/// CPU time of the database on this machine.
fn database_cpu() -> Outcome<Duration> {
    let mut cpu = Duration::ZERO;
    for entry in fs::read_dir("/proc")?.flatten() {
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        if name.trim() == "postgres" {
            let process = entry.file_name();
            // The process may have ended in the meantime.
            cpu += cpu_of(&process.to_string_lossy()).unwrap_or_default();
        }
    }
    Ok(cpu)
}

/// A row of the table.
fn row(
    name: &str,
    connections: usize,
    servers: &Servers,
    measured: &Measured,
    sled_cpu: u128,
    plain: Option<u64>,
) {
    let (inserts, part) = match plain {
        Some(plain) => (plain.to_string(), ratio(measured.rate.into(), plain.into())),
        None => (String::new(), String::new()),
    };
    println!(
        "| {name} | {connections} | {} | {} | {} | {} | {} | {} | {inserts} | {part} |",
        servers.name,
        measured.rate,
        micros(measured.p50),
        micros(measured.p99),
        micros(measured.cpu),
        ratio(measured.cpu.as_nanos(), sled_cpu),
    );
}

async fn insert(
    client: &Client,
    rows: &[(Vec<u8>, Vec<u8>)],
    number: &AtomicU64,
    length: Duration,
) -> Outcome<()> {
    let statement = client.prepare(PLAIN).await?;
    let values: Vec<&[u8]> = rows.iter().map(|(_, value)| value.as_slice()).collect();
    let started = Instant::now();
    while started.elapsed() < length {
        let order = number.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        // Like real orders, each writes increasing keys in every kind of record.
        let keys = rows.iter().map(|(key, _)| {
            let (space, rest) = key.split_at(key.len().min(1));
            [space, &order, rest].concat()
        });
        let keys: Vec<Vec<u8>> = keys.collect();
        client.execute(&statement, &[&keys, &values]).await?;
    }
    Ok(())
}

fn servers(name: &'static str, children: Vec<Child>, token: &str) -> Servers {
    let servers = children.into_iter().map(|child| {
        let target = target(&child, token);
        (child, target)
    });
    Servers {
        name,
        servers: servers.collect(),
    }
}

fn first(all: &[Servers], at: usize) -> Outcome<Target> {
    let server = all.get(at).and_then(|servers| servers.servers.first());
    Ok(server.ok_or("no server")?.1.clone())
}
