//! An async client over keep-alive connections, and what it measures.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::Outcome;
use crate::child::Child;
use crate::company::Random;

/// Load before each measurement, so that caches are filled and threads are there.
pub(crate) const WARM_UP: Duration = Duration::from_millis(500);

/// Where requests go.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) address: String,
    pub(crate) token: String,
}

/// Makes a request from the answer to another.
pub(crate) type Then = Box<dyn FnOnce(&[u8]) -> Outcome<Sent> + Send>;

/// What is sent.
pub(crate) struct Sent {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: String,
    /// `Idempotency-Key`, when there is one.
    pub(crate) key: Option<String>,
    /// What is sent after the answer; both are measured as one.
    pub(crate) then: Option<Then>,
}

impl Sent {
    pub(crate) const fn get(path: String) -> Self {
        Self {
            method: Method::GET,
            path,
            body: String::new(),
            key: None,
            then: None,
        }
    }

    pub(crate) fn post(path: &str, body: String) -> Self {
        Self {
            method: Method::POST,
            path: path.to_owned(),
            body,
            key: None,
            then: None,
        }
    }

    pub(crate) fn patch(path: &str, body: String) -> Self {
        Self {
            method: Method::PATCH,
            ..Self::post(path, body)
        }
    }

    pub(crate) fn put(path: &str, body: String) -> Self {
        Self {
            method: Method::PUT,
            ..Self::post(path, body)
        }
    }
}

/// Makes requests of one kind.
pub(crate) type Call = Arc<dyn Fn(&mut Random) -> Sent + Send + Sync>;

/// One keep-alive connection.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    target: Target,
}

impl Connection {
    pub(crate) async fn open(target: &Target) -> Outcome<Self> {
        let stream = TcpStream::connect(&target.address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self {
            sender,
            target: target.clone(),
        })
    }

    /// Sends a request and reads the whole answer.
    pub(crate) async fn send(&mut self, sent: Sent) -> Outcome<Bytes> {
        let expected = match sent.method {
            Method::GET => StatusCode::OK,
            _ => StatusCode::CREATED,
        };
        let path = sent.path.clone();
        let (status, body) = self.ask(sent).await?;
        if status != expected {
            let text = String::from_utf8_lossy(&body);
            return Err(format!("{path}: {status}: {text}").into());
        }
        Ok(body)
    }

    /// Sends a request and reads the whole answer, whatever its status.
    pub(crate) async fn ask(&mut self, sent: Sent) -> Outcome<(StatusCode, Bytes)> {
        let mut request = Request::builder()
            .method(sent.method)
            .uri(sent.path)
            .header("host", &self.target.address)
            .header("authorization", format!("Bearer {}", self.target.token))
            .header("content-type", "application/json");
        if let Some(key) = sent.key {
            request = request.header("idempotency-key", key);
        }
        let request = request.body(Full::new(Bytes::from(sent.body)))?;
        self.sender.ready().await?;
        let answer = self.sender.send_request(request).await?;
        let status = answer.status();
        Ok((status, answer.into_body().collect().await?.to_bytes()))
    }
}

/// One measurement.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) name: &'static str,
    pub(crate) length: Duration,
    pub(crate) connections: usize,
}

/// What a measurement came to.
pub(crate) struct Measured {
    /// Requests per second.
    pub(crate) rate: u64,
    /// Half of the requests took no longer.
    pub(crate) p50: Duration,
    /// 99 of 100 requests took no longer.
    pub(crate) p99: Duration,
    /// CPU time of the server for each request.
    pub(crate) cpu: Duration,
}

impl Load {
    /// Loads the target and watches the server behind it.
    pub(crate) async fn run(
        &self,
        target: &Target,
        server: &Child,
        call: Call,
    ) -> Outcome<Measured> {
        eprintln!(
            "measuring {} through {} connections",
            self.name, self.connections
        );
        self.drive(target, &call, WARM_UP).await?;
        let (cpu, begun) = (server.cpu()?, Instant::now());
        let mut taken = self.drive(target, &call, self.length).await?;
        let (elapsed, cpu) = (begun.elapsed(), server.cpu()?.saturating_sub(cpu));
        taken.sort_unstable();
        let count = u32::try_from(taken.len())?.max(1);
        let at = |percent: usize| {
            taken
                .get(taken.len() * percent / 100)
                .copied()
                .unwrap_or_default()
        };
        let rate = u128::from(count) * 1_000_000 / elapsed.as_micros().max(1);
        Ok(Measured {
            rate: u64::try_from(rate)?,
            p50: at(50),
            p99: at(99),
            cpu: cpu / count,
        })
    }

    /// Sends requests for a while; how long each took.
    async fn drive(
        &self,
        target: &Target,
        call: &Call,
        length: Duration,
    ) -> Outcome<Vec<Duration>> {
        let clients = (1_u64..).take(self.connections).map(|client| {
            let (target, call) = (target.clone(), Arc::clone(call));
            tokio::spawn(async move { work(&target, &call, length, Random(client)).await })
        });
        let clients: Vec<_> = clients.collect();
        let mut taken = Vec::new();
        for client in clients {
            taken.extend(client.await??);
        }
        Ok(taken)
    }
}

async fn work(
    target: &Target,
    call: &Call,
    length: Duration,
    mut random: Random,
) -> Outcome<Vec<Duration>> {
    let mut connection = Connection::open(target).await?;
    let begun = Instant::now();
    let mut taken = Vec::new();
    while begun.elapsed() < length {
        let mut sent = call(&mut random);
        let then = sent.then.take();
        let asked = Instant::now();
        let answer = connection.send(sent).await?;
        if let Some(then) = then {
            connection.send(then(&answer)?).await?;
        }
        taken.push(asked.elapsed());
    }
    Ok(taken)
}
