//! The benchmark of the server: `cargo run --release -p erp-bench`.
//!
//! It imports a company with 10,000 articles of 3 price tiers in two lists and 1,000 customers, half of them on the
//! second list, and serves it on loopback in a separate process, with request logging as in production and without rate
//! limits. An async client with keep-alive connections then reads and writes through 1, 8 and 32 connections; for each
//! it prints requests per second, p50, p99 and the CPU time of the server per request, user and system, all threads,
//! from `/proc` (so it needs Linux).
//!
//! In the same run it measures two references: a minimal salvo handler that serialises the same response as JSON, and
//! sled 0.34 without a server, with a group commit (`apply_batch`, `flush`, `fdatasync`) that writes the keys and bytes
//! of the same orders. Then it measures the cost of a list when other lists have few or many prices, offers that become
//! orders, the search for a customer among many addresses (target: 0.2 ms CPU), the speed of an import, memory, the
//! time until a server is ready, and what 50 changed articles among all imported ones cost.
//!
//! `bench sizes [LARGEST]` measures requests, memory, disk and starts with 10,000, 100,000, and by argument 1,000,000
//! articles, customers and orders; the default run ends with it. `bench database URL` compares the embedded store with
//! one and two servers on a PostgreSQL database, and with plain inserts of the same rows.
//!
//! `bench prepare DIR` creates the company in a new store in this folder and prints a token. `bench serve` then serves
//! it, for example under a profiler.
//!
//! | argument | default | meaning |
//! |---|---|---|
//! | `--seconds N` | 3 | length of each measurement |
//! | `--articles N` | 10000 | articles of the company |
//! | `--import N` | 100000 | articles of the imported file |
//! | `--addresses N` | 100000 | addresses in the search; 0 skips the search |
//! | `--sizes N` | 100000 | the largest store of `bench sizes`; 0 skips it |
//! | `--picture FILE` | none | writes the main figures as an SVG picture |
//! | `--soak N` | 0 | seconds of a steady load at the end, with the memory after each minute; 0 skips it |
//! | `--folder DIR` | the system's temporary folder | folder of the stores; it must be on a real disk |

mod bare;
mod changes;
mod child;
mod client;
mod company;
mod database;
mod orders;
mod report;
mod search;
mod sizes;
mod store;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use child::Child;
use clap::{Arg, ArgMatches, Command, value_parser};
use client::{Connection, Load, MakeRequest, Measured, Target};
use company::Random;
use report::Row;

/// The allocator of the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Errors of the benchmark are only printed.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Number of connections, and of writers to sled.
const CONNECTIONS: [usize; 3] = [1, 8, 32];

fn main() -> ExitCode {
    // The benchmark starts itself as the server, so that it measures the code it was built with.
    match std::env::args().nth(1).as_deref() {
        Some("serve") => erp_server::cli::run(),
        Some("bare") => end(bare::serve()),
        Some("sizes") => end(sizes::run()),
        Some("database") => end(database::run()),
        Some("prepare") => end(prepare()),
        _ => end(run()),
    }
}

fn end(outcome: Outcome<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Plan {
    length: Duration,
    articles: usize,
    import: usize,
    addresses: u64,
    sizes: u64,
    soak: Duration,
    folder: PathBuf,
    picture: Option<PathBuf>,
}

impl Plan {
    fn of(matches: &ArgMatches) -> Self {
        let number =
            |name: &str, default: u64| matches.get_one::<u64>(name).copied().unwrap_or(default);
        let size =
            |name: &str, default: u64| usize::try_from(number(name, default)).unwrap_or(usize::MAX);
        Self {
            length: Duration::from_secs(number("seconds", 3).max(1)),
            articles: size("articles", 10_000).max(1_000),
            import: size("import", 100_000),
            addresses: number("addresses", 100_000),
            sizes: number("sizes", sizes::LARGEST),
            soak: Duration::from_secs(number("soak", 0)),
            folder: matches
                .get_one::<PathBuf>("folder")
                .cloned()
                .unwrap_or_else(std::env::temp_dir),
            picture: matches.get_one::<PathBuf>("picture").cloned(),
        }
    }
}

fn arguments() -> Command {
    let number = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("N")
            .value_parser(value_parser!(u64))
    };
    Command::new("bench")
        .about("Measures the server; see the comment at the top of its source")
        .arg(number("seconds").help("Length of each measurement, in seconds [default: 3]"))
        .arg(number("articles").help("Articles of the company [default: 10000]"))
        .arg(number("import").help("Articles of the imported file [default: 100000]"))
        .arg(number("addresses").help("Addresses in the search [default: 100000]"))
        .arg(number("sizes").help("The largest store of `bench sizes` [default: 100000]"))
        .arg(number("soak").help("Length of the steady load, in seconds [default: 0]"))
        .arg(
            Arg::new("folder")
                .long("folder")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            Arg::new("picture")
                .long("picture")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf)),
        )
}

fn run() -> Outcome<()> {
    let plan = Plan::of(&arguments().get_matches());
    let folder = tempfile::Builder::new()
        .prefix("erp-bench")
        .tempdir_in(&plan.folder)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let data = folder.path().join("company");
    println!("preparing {} articles, 1000 customers", plan.articles);
    let token = runtime.block_on(store::prepare(&data, plan.articles))?;
    let few = runtime.block_on(lists(&plan, &data, &token))?;
    runtime.block_on(store::add_other_list(&data, plan.articles))?;
    let rows = runtime.block_on(serve_and_measure(&plan, folder.path(), &data, &token, &few))?;
    runtime.block_on(soak(&plan, &data, &token))?;
    runtime.block_on(search::measure(&plan, folder.path()))?;
    runtime.block_on(import(&plan, folder.path()))?;
    runtime.block_on(changes::measure(&plan, folder.path()))?;
    let sizes = match plan.sizes {
        0 => Vec::new(),
        largest => runtime.block_on(sizes::measure(largest, folder.path()))?,
    };
    if let Some(file) = &plan.picture {
        std::fs::write(file, report::picture(&rows, &sizes::growth(&sizes)))?;
    }
    Ok(())
}

/// Creates the company in a store of its own and prints a token of its shop user.
fn prepare() -> Outcome<()> {
    let folder = std::env::args().nth(2).ok_or("which folder?")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let token = runtime.block_on(store::prepare(Path::new(&folder), 10_000))?;
    println!("{token}");
    Ok(())
}

fn target(child: &Child, token: &str) -> Target {
    Target {
        address: child.address().to_owned(),
        token: token.to_owned(),
    }
}

/// The cost of a list while other lists have few prices.
async fn lists(plan: &Plan, data: &Path, token: &str) -> Outcome<Measured> {
    let server = Child::serve(data)?;
    let load = Load {
        name: "list",
        length: plan.length,
        connections: 8,
    };
    load.run(
        &target(&server, token),
        &server,
        orders::list(plan.articles),
    )
    .await
}

async fn serve_and_measure(
    plan: &Plan,
    folder: &Path,
    data: &Path,
    token: &str,
    few: &Measured,
) -> Outcome<Vec<Row>> {
    let server = Child::serve(data)?;
    println!(
        "ready in {} ms with {} articles, {} MiB resident",
        server.ready().as_millis(),
        plan.articles,
        server.resident_mib()?
    );
    server.rest()?;
    let here = target(&server, token);
    // Measured before there are orders, as the list with few prices is.
    let load = Load {
        name: "list",
        length: plan.length,
        connections: 8,
    };
    let many = load
        .run(&here, &server, orders::list(plan.articles))
        .await?;
    report::lists(few, &many, plan.articles);
    let made = orders::place(&here, 500).await?;
    let operations: [(&'static str, MakeRequest); 5] = [
        ("read article", orders::article(plan.articles)),
        ("list of 100", orders::list(plan.articles)),
        ("read customer", orders::customer()),
        ("create order", orders::create()),
        ("read order", orders::read(made)),
    ];
    let bare = bare::start(folder, &here, &operations).await?;
    let bare_target = target(&bare, token);
    let mut rows = Vec::new();
    for (name, call) in operations {
        for connections in CONNECTIONS {
            let load = Load {
                name,
                length: plan.length,
                connections,
            };
            let ours = load.run(&here, &server, call.clone()).await?;
            let bare = load.run(&bare_target, &bare, bare::call(name)).await?;
            rows.push(Row {
                name,
                connections,
                ours,
                bare,
            });
        }
    }
    report::table(&rows);
    pairs(plan, &here, &server, &rows).await?;
    order_lists(plan, &here, &server).await?;
    let loaded = server.resident_mib()?;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let rested = server.resident_mib()?;
    drop(bare);
    server.stop()?;
    let server = Child::serve(data)?;
    server.rest()?;
    let fresh = server.resident_mib()?;
    println!(
        "MiB resident: {loaded} after the load, {rested} a minute later, {fresh} after a restart"
    );
    drop(server);
    let writes = store::writes_of_an_order().await?;
    for writers in CONNECTIONS {
        let rate = bare::sled_commits(
            &folder.join(format!("sled-{writers}")),
            &writes,
            writers,
            plan.length,
        )?;
        report::durable(&rows, writers, rate, &writes);
    }
    Ok(rows)
}

/// Time between the requests of a steady load.
const STEP: Duration = Duration::from_millis(5);

/// A steady load, an order among nine reads, and the memory after each minute.
async fn soak(plan: &Plan, data: &Path, token: &str) -> Outcome<()> {
    if plan.soak.is_zero() {
        return Ok(());
    }
    let server = Child::serve(data)?;
    server.rest()?;
    let here = target(&server, token);
    let mut connection = Connection::open(&here).await?;
    let reads = [
        orders::article(plan.articles),
        orders::list(plan.articles),
        orders::customer(),
    ];
    let requests = reads.iter().cycle().take(9).cloned();
    let requests: Vec<MakeRequest> = requests.chain([orders::create()]).collect();
    let mut random = Random(11);
    let mut steps = tokio::time::interval(STEP);
    let mut resident = vec![server.resident_mib()?];
    for minute in 1_u32.. {
        let started = Instant::now();
        for request in requests.iter().cycle() {
            steps.tick().await;
            connection.send(request(&mut random)).await?;
            if started.elapsed() >= Duration::from_mins(1) {
                break;
            }
        }
        resident.push(server.resident_mib()?);
        if Duration::from_mins(1).saturating_mul(minute) >= plan.soak {
            break;
        }
    }
    let resident: Vec<String> = resident.iter().map(ToString::to_string).collect();
    println!(
        "MiB resident, fresh and after each minute of 200 requests/s: {}",
        resident.join(", ")
    );
    Ok(())
}

/// Pages of 50 orders: the newest ones, and the new ones, which most are.
async fn order_lists(plan: &Plan, here: &Target, server: &Child) -> Outcome<()> {
    for (name, query) in [("all orders", ""), ("new orders", "?status=N")] {
        let load = Load {
            name,
            length: plan.length,
            connections: 8,
        };
        let measured = load.run(here, server, orders::page(query)).await?;
        report::order_list(name, &measured);
    }
    Ok(())
}

/// Templates that are converted to orders at once.
async fn pairs(plan: &Plan, here: &Target, server: &Child, rows: &[Row]) -> Outcome<()> {
    for connections in CONNECTIONS {
        let load = Load {
            name: "offer to order",
            length: plan.length,
            connections,
        };
        let measured = load.run(here, server, orders::offer_to_order()).await?;
        report::pair(rows, connections, &measured);
    }
    Ok(())
}

async fn import(plan: &Plan, folder: &Path) -> Outcome<()> {
    if plan.import == 0 {
        return Ok(());
    }
    let data = folder.join("import");
    let imported = store::import(&data, plan.import).await?;
    report::import(plan.import, &imported);
    let server = Child::serve(&data)?;
    let (ready, resident) = (server.ready().as_millis(), server.resident_mib()?);
    println!(
        "ready in {ready} ms with {} articles, {resident} MiB resident",
        plan.import
    );
    Ok(())
}
