//! A long mixed load that shows whether memory, file handles or the store grow without reason.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Arg, Command, value_parser};
use hyper::StatusCode;
use serde_json::Value;

use crate::Outcome;
use crate::child::Child;
use crate::client::{Connection, Target, TestRequest};
use crate::company::{CUSTOMERS, FIRST_CUSTOMER, Random};
use crate::start::bytes;
use crate::{orders, store, target};

const ARTICLES: usize = 10_000;

/// Lines printed during a run.
const SAMPLES: u32 = 40;

/// One part in this many of the run is only warm-up.
const WARM_UP: u32 = 4;

/// Responses counted by request and status.
type Counts = Arc<Mutex<BTreeMap<(&'static str, u16), u64>>>;

/// Figures read from a running server.
struct Sample {
    resident: u64,
    handles: usize,
}

pub(crate) fn run() -> Outcome<()> {
    let number = |name: &'static str, default: &'static str| {
        let arg = Arg::new(name).long(name).value_name("N");
        arg.value_parser(value_parser!(u32)).default_value(default)
    };
    let matches = Command::new("bench soak")
        .arg(number("minutes", "10"))
        .arg(number("connections", "64"))
        .get_matches_from(std::env::args_os().skip(1));
    let value = |name: &str| matches.get_one::<u32>(name).copied().unwrap_or(1).max(1);
    let length = Duration::from_secs(60) * value("minutes");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let folder = tempfile::Builder::new().prefix("erp-soak").tempdir()?;
    let data = folder.path().join("company");
    runtime.block_on(async {
        let token = store::prepare(&data, ARTICLES).await?;
        let server = Child::serve(&data)?;
        let here = target(&server, &token);
        soak(&server, &here, &data, length, value("connections").into()).await
    })
}

async fn soak(
    server: &Child,
    here: &Target,
    data: &Path,
    length: Duration,
    connections: u64,
) -> Outcome<()> {
    let (counts, started) = (Counts::default(), Instant::now());
    let clients: Vec<_> = (1..=connections)
        .map(|client| {
            let (here, counts) = (here.clone(), Arc::clone(&counts));
            tokio::spawn(async move { work(&here, &counts, length, Random(client)).await })
        })
        .collect();
    println!("    s    requests  resident MiB  file handles  bytes on disk");
    let mut samples = Vec::new();
    for sample in 1..SAMPLES {
        let at = length * sample / SAMPLES;
        tokio::time::sleep(at.saturating_sub(started.elapsed())).await;
        let (resident, handles) = (server.resident_mib()?, server.handles()?);
        let requests: u64 = locked(&counts).values().sum();
        let (seconds, on_disk) = (started.elapsed().as_secs(), stored(data)?);
        println!("{seconds:>5}  {requests:>10}  {resident:>12}  {handles:>12}  {on_disk:>13}");
        if sample > SAMPLES / WARM_UP {
            samples.push(Sample { resident, handles });
        }
    }
    for client in clients {
        client.await??;
    }
    report(&counts, &samples)
}

/// The bytes on the disk. A file may be removed during the count, so it is tried twice.
fn stored(data: &Path) -> Outcome<u64> {
    bytes(data).or_else(|_| bytes(data))
}

fn report(counts: &Counts, samples: &[Sample]) -> Outcome<()> {
    let counts = locked(counts).clone();
    for ((name, status), count) in &counts {
        println!("{name:<14} {status} {count:>10}");
    }
    let resident = || samples.iter().map(|sample| sample.resident);
    let handles = || samples.iter().map(|sample| sample.handles);
    let (least, most) = (resident().min().unwrap_or(0), resident().max().unwrap_or(0));
    let middle = u64::midpoint(least, most).max(1);
    println!(
        "after the warm-up: {least} to {most} MiB resident, {} % around their middle; {} to {} file handles",
        (most - least) * 50 / middle,
        handles().min().unwrap_or(0),
        handles().max().unwrap_or(0),
    );
    match counts.keys().find(|(_, status)| *status >= 500) {
        Some((name, status)) => Err(format!("{name} returned status {status}").into()),
        None => Ok(()),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One client, which sends one request after the other.
async fn work(here: &Target, counts: &Counts, length: Duration, random: Random) -> Outcome<()> {
    let started = Instant::now();
    let client = random.0;
    let mut shop = Shop {
        connection: Connection::open(here).await?,
        counts: Arc::clone(counts),
        random,
    };
    let mut number = 0_u64;
    while started.elapsed() < length {
        number += 1;
        shop.next(&format!("soak-{client}-{number}")).await?;
    }
    Ok(())
}

struct Shop {
    connection: Connection,
    counts: Counts,
    random: Random,
}

impl Shop {
    async fn next(&mut self, key: &str) -> Outcome<()> {
        let random = &mut self.random;
        match random.below(20) {
            0..=4 => {
                let list = orders::list(ARTICLES)(random);
                self.send("list", list).await?;
            }
            5..=9 => {
                let article = orders::article(ARTICLES)(random);
                self.send("article", article).await?;
            }
            10 => {
                let body = customer(random.below(1_000_000));
                let made = TestRequest::post("/www/kunden", body);
                self.send("new customer", made).await?;
            }
            11..=13 => {
                let order = orders::create()(random);
                self.send("order", order).await?;
            }
            14..=15 => self.offer().await?,
            16..=17 => self.address().await?,
            _ => self.order_twice(key).await?,
        }
        Ok(())
    }

    async fn send(
        &mut self,
        name: &'static str,
        request: TestRequest,
    ) -> Outcome<(StatusCode, Value)> {
        let (status, body) = self.connection.send_any(request).await?;
        let counted = (name, status.as_u16());
        *locked(&self.counts).entry(counted).or_default() += 1;
        let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Ok((status, json))
    }

    async fn offer(&mut self) -> Outcome<()> {
        let mut offer = orders::offer_to_order()(&mut self.random);
        let follow_up = offer.follow_up.take();
        let (status, response) = self.send("offer", offer).await?;
        match follow_up {
            Some(follow_up) if status == StatusCode::CREATED => {
                let order = follow_up(response.to_string().as_bytes())?;
                self.send("conversion", order).await?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Changes the same addresses repeatedly.
    async fn address(&mut self) -> Outcome<()> {
        let customer = FIRST_CUSTOMER + self.random.below(CUSTOMERS);
        let path = format!("/www/adressen?debinr={customer}");
        let (_, found) = self.send("addresses", TestRequest::get(path)).await?;
        let number = found.pointer("/data/KundKontakt/0/AdrNr");
        let number = number.ok_or("a customer without a contact address")?;
        let mark = self.random.below(1_000_000);
        let body = format!(r#"{{"AdrAdresse2": "Stock {mark}", "AdrTf1": "+41 44 {mark}"}}"#);
        let change = TestRequest::patch(&format!("/www/adressen/{number}"), body);
        self.send("patch", change).await?;
        Ok(())
    }

    /// Sends an order twice with the same key, as if the first response had been lost.
    async fn order_twice(&mut self, key: &str) -> Outcome<()> {
        let body = orders::body(&mut self.random);
        let order = || TestRequest {
            key: Some(key.to_owned()),
            ..TestRequest::post("/www/auftrag", body.clone())
        };
        let (_, first) = self.send("order by key", order()).await?;
        let (_, again) = self.send("retry", order()).await?;
        match first == again {
            true => Ok(()),
            false => Err(format!("the first response was {first}, the second {again}").into()),
        }
    }
}

fn customer(mark: u64) -> String {
    format!(
        r#"{{"GrundDaten": {{"WaehrAbk": "CHF", "FAKTZahlArt": "B"}}, "Adressen": {{"KontaktAdr": {{"AdrSprache": "ger", "AdrAnrede": 2, "AdrVorname": "Zoë", "AdrName": "Müller {mark}", "AdrAdresse1": "Bärengasse 5", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"}}}}}}"#
    )
}
