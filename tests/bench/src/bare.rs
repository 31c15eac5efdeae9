//! What the server is compared with: a minimal salvo handler, and sled without a server.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use salvo::conn::Acceptor as _;
use salvo::prelude::*;
use serde_json::Value;

use crate::Outcome;
use crate::child::Child;
use crate::client::{Connection, MakeRequest, Target, TestRequest};
use crate::company::Random;

fn path(name: &str) -> String {
    format!("/{}", name.replace(' ', "-"))
}

/// A request to the minimal handler of an operation.
pub(crate) fn call(name: &str) -> MakeRequest {
    let (path, creates) = (path(name), name == "create order");
    Arc::new(move |random| {
        if creates {
            TestRequest::post(&path, crate::orders::body(random))
        } else {
            TestRequest::get(path.clone())
        }
    })
}

/// Starts a server whose handlers serialise one stored response per operation.
pub(crate) async fn start(
    folder: &Path,
    target: &Target,
    operations: &[(&'static str, MakeRequest)],
) -> Outcome<Child> {
    let mut connection = Connection::open(target).await?;
    let mut responses = BTreeMap::new();
    for (name, call) in operations {
        let response = connection.send(call(&mut Random(1))).await?;
        println!("{name}: {} bytes", response.len());
        responses.insert(path(name), serde_json::from_slice::<Value>(&response)?);
    }
    let file = folder.join("responses.json");
    std::fs::write(&file, serde_json::to_vec(&responses)?)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("bare").arg(file);
    Child::start(command)
}

/// Serialises a fixed value. A request body is parsed first, as the real server does.
struct FixedResponse {
    value: Value,
}

#[async_trait]
impl Handler for FixedResponse {
    async fn handle(&self, req: &mut Request, _: &mut Depot, res: &mut Response, _: &mut FlowCtrl) {
        if req.method() == salvo::http::Method::POST {
            let body: Option<Value> = req.parse_json().await.ok();
            res.status_code(if body.is_some() {
                StatusCode::CREATED
            } else {
                StatusCode::BAD_REQUEST
            });
        }
        res.render(Json(&self.value));
    }
}

/// Runs the minimal server; this is the process started by `bench bare FILE`.
pub(crate) fn serve() -> Outcome<()> {
    let file = std::env::args_os()
        .nth(2)
        .map(PathBuf::from)
        .ok_or("name the file of responses")?;
    let responses: BTreeMap<String, Value> = serde_json::from_slice(&std::fs::read(file)?)?;
    let mut router = Router::new();
    for (path, value) in responses {
        let handler = Router::with_path(path.trim_start_matches('/').to_owned());
        router = router.push(if path == "/create-order" {
            handler.post(FixedResponse { value })
        } else {
            handler.get(FixedResponse { value })
        });
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let acceptor = TcpListener::new("127.0.0.1:0").try_bind().await?;
        let holding = acceptor.holdings().first();
        let address = holding.and_then(|holding| holding.local_addr.clone().into_std());
        println!(
            "listening on http://{}",
            address.ok_or("a TCP socket has an address")?
        );
        Server::new(acceptor).serve(router).await;
        Ok(())
    })
}

/// A batch, and the sender that reports its completion.
struct Job {
    batch: Vec<(Vec<u8>, Vec<u8>)>,
    done: SyncSender<()>,
}

/// Durable commits per second of sled alone: one thread collects all waiting jobs, applies them as one batch, flushes,
/// syncs the file and reports completion.
pub(crate) fn sled_commits(
    folder: &Path,
    writes: &[(Vec<u8>, Vec<u8>)],
    writers: usize,
    length: Duration,
) -> Outcome<u64> {
    let db = sled::Config::new()
        .path(folder)
        .cache_capacity(64 << 20)
        .flush_every_ms(None)
        .open()?;
    let file = File::open(folder.join("db"))?;
    let (db, file) = (&db, &file);
    let (jobs, waiting) = channel();
    let committed = AtomicU64::new(0);
    let started = Instant::now();
    thread::scope(|scope| {
        let committer = scope.spawn(move || commit(db, file, &waiting));
        for writer in (0_u64..).take(writers) {
            let (jobs, committed) = (jobs.clone(), &committed);
            scope.spawn(move || write(&jobs, committed, writes, writer, started + length));
        }
        drop(jobs);
        committer.join().map_err(|_| "the committer panicked")?
    })?;
    let micros = started.elapsed().as_micros().max(1);
    let rate = u128::from(committed.load(Ordering::SeqCst)) * 1_000_000 / micros;
    Ok(u64::try_from(rate)?)
}

fn commit(db: &sled::Db, file: &File, waiting: &Receiver<Job>) -> Outcome<()> {
    while let Ok(first) = waiting.recv() {
        let group: Vec<Job> = std::iter::once(first).chain(waiting.try_iter()).collect();
        let mut batch = sled::Batch::default();
        for (key, value) in group.iter().flat_map(|job| &job.batch) {
            batch.insert(key.as_slice(), value.as_slice());
        }
        db.apply_batch(batch)?;
        db.flush()?;
        file.sync_data()?;
        for job in group {
            // If the writer has stopped waiting, there is no one to report to.
            let _ = job.done.send(());
        }
    }
    Ok(())
}

/// Writes batches of the same sizes under other keys until the time is over.
fn write(
    jobs: &Sender<Job>,
    committed: &AtomicU64,
    writes: &[(Vec<u8>, Vec<u8>)],
    writer: u64,
    until: Instant,
) {
    let mut random = Random(writer);
    for count in 0_u64.. {
        let vary = |(key, value): &(Vec<u8>, Vec<u8>)| {
            // Orders have increasing keys; the keys of stock counters are spread.
            let number = if value.len() > 8 {
                count << 8 | writer
            } else {
                random.below(10_000)
            };
            let kept = key.len().saturating_sub(8);
            let key = key
                .iter()
                .copied()
                .take(kept)
                .chain(number.to_be_bytes())
                .collect();
            (key, value.clone())
        };
        let (done, wait) = sync_channel(1);
        let job = Job {
            batch: writes.iter().map(vary).collect(),
            done,
        };
        if Instant::now() >= until || jobs.send(job).is_err() || wait.recv().is_err() {
            return;
        }
        committed.fetch_add(1, Ordering::SeqCst);
    }
}
