//! An async client with keep-alive connections, and the figures that it measures.

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

/// Load before each measurement, so that caches are filled and threads have started.
pub(crate) const WARM_UP: Duration = Duration::from_millis(500);

/// The server under test, and the token for it.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) address: String,
    pub(crate) token: String,
}

/// Makes a second request from the response to the first.
pub(crate) type FollowUp = Box<dyn FnOnce(&[u8]) -> Outcome<TestRequest> + Send>;

pub(crate) struct TestRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) body: String,
    /// A second request that needs the response to this one. Both are measured as one.
    pub(crate) follow_up: Option<FollowUp>,
}

impl TestRequest {
    pub(crate) const fn get(path: String) -> Self {
        Self {
            method: Method::GET,
            path,
            body: String::new(),
            follow_up: None,
        }
    }

    pub(crate) fn post(path: &str, body: String) -> Self {
        Self {
            method: Method::POST,
            path: path.to_owned(),
            body,
            follow_up: None,
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
pub(crate) type MakeRequest = Arc<dyn Fn(&mut Random) -> TestRequest + Send + Sync>;

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

    /// Sends a request, reads the whole response and checks its status.
    pub(crate) async fn send(&mut self, request: TestRequest) -> Outcome<Bytes> {
        let expected = match request.method {
            Method::GET => StatusCode::OK,
            _ => StatusCode::CREATED,
        };
        let path = request.path.clone();
        let built = Request::builder()
            .method(request.method)
            .uri(request.path)
            .header("host", &self.target.address)
            .header("authorization", format!("Bearer {}", self.target.token))
            .header("content-type", "application/json")
            .body(Full::new(Bytes::from(request.body)))?;
        self.sender.ready().await?;
        let response = self.sender.send_request(built).await?;
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        if status != expected {
            let text = String::from_utf8_lossy(&body);
            return Err(format!("{path}: {status}: {text}").into());
        }
        Ok(body)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) name: &'static str,
    pub(crate) length: Duration,
    pub(crate) connections: usize,
}

pub(crate) struct Measured {
    /// Requests per second.
    pub(crate) rate: u64,
    /// Median of the response times.
    pub(crate) p50: Duration,
    /// 99th percentile of the response times.
    pub(crate) p99: Duration,
    /// CPU time of the server per request.
    pub(crate) cpu: Duration,
}

impl Load {
    /// Sends the requests and measures the server at the same time.
    pub(crate) async fn run(
        &self,
        target: &Target,
        server: &Child,
        make: MakeRequest,
    ) -> Outcome<Measured> {
        eprintln!(
            "measuring {} through {} connections",
            self.name, self.connections
        );
        self.drive(target, &make, WARM_UP).await?;
        let (cpu, started) = (server.cpu()?, Instant::now());
        let mut taken = self.drive(target, &make, self.length).await?;
        let (elapsed, cpu) = (started.elapsed(), server.cpu()?.saturating_sub(cpu));
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

    /// Sends requests for this time and returns how long each took.
    async fn drive(
        &self,
        target: &Target,
        make: &MakeRequest,
        length: Duration,
    ) -> Outcome<Vec<Duration>> {
        let clients = (1_u64..).take(self.connections).map(|client| {
            let (target, make) = (target.clone(), Arc::clone(make));
            tokio::spawn(async move { work(&target, &make, length, Random(client)).await })
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
    make: &MakeRequest,
    length: Duration,
    mut random: Random,
) -> Outcome<Vec<Duration>> {
    let mut connection = Connection::open(target).await?;
    let started = Instant::now();
    let mut taken = Vec::new();
    while started.elapsed() < length {
        let mut request = make(&mut random);
        let follow_up = request.follow_up.take();
        let sent = Instant::now();
        let response = connection.send(request).await?;
        if let Some(follow_up) = follow_up {
            connection.send(follow_up(&response)?).await?;
        }
        taken.push(sent.elapsed());
    }
    Ok(taken)
}
