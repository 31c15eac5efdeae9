//! The attacks, each bounded in connections. They run until they are aborted.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use erp_tests::http2::{PREFACE, get_with, ping, settings};
use reqwest::Client;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// An attacker that was thrown out comes back after so long. What is measured is what connections can hold,
/// not how fast a machine can open them.
const BACK: Duration = Duration::from_secs(5);

/// The field `accept-encoding` in the static table of HTTP/2.
const ACCEPT_ENCODING: u8 = 16;

/// The server under attack.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) base: String,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

/// An attack.
pub(crate) struct Load {
    pub(crate) name: &'static str,
    pub(crate) needs_customers: bool,
    pub(crate) begin: Box<dyn Fn(Target) -> JoinSet<()>>,
}

fn load(name: &'static str, begin: impl Fn(Target) -> JoinSet<()> + 'static) -> Load {
    Load {
        name,
        needs_customers: false,
        begin: Box::new(begin),
    }
}

/// All attacks. The last one needs the store with many customers.
pub(crate) fn all() -> Vec<Load> {
    vec![
        load("windows of 0, 40 connections", |target| {
            windows(&target, 0, 40, 1)
        }),
        load("windows of 1, 40 connections", |target| {
            windows(&target, 1, 40, 1)
        }),
        load("windows of 0, 2,000 of 40 addresses", |target| {
            windows(&target, 0, 2_000, 40)
        }),
        load("heads of 400 kB, 5,000 of one address", |target| {
            repeated(&target, 5_000, 1, head)
        }),
        load("heads of 60 kB, 5,000 of 40 addresses", |target| {
            repeated(&target, 5_000, 40, shorter_head)
        }),
        load("idle, 10,000 of one address", |target| {
            repeated(&target, 10_000, 1, idle)
        }),
        load("idle, 8,000 of 50 addresses", |target| {
            repeated(&target, 8_000, 50, idle)
        }),
        load("slow readers, 2,000 of 40 addresses", |target| {
            repeated(&target, 2_000, 40, slow_reader)
        }),
        load("logins of 500 addresses", logins),
        Load {
            name: "broad searches of one user",
            needs_customers: true,
            begin: Box::new(searches),
        },
    ]
}

/// A connection from one of so many addresses of loopback.
async fn connect(target: &Target, number: usize, addresses: usize) -> io::Result<TcpStream> {
    let host = u8::try_from(number % addresses + 1).expect("fewer than 255 addresses");
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(4_096)?;
    socket.bind((Ipv4Addr::new(127, 1, 0, host), 0).into())?;
    socket.connect(target.address).await
}

/// Runs `attack` on so many connections and connects again whenever it is thrown out.
fn repeated<F>(
    target: &Target,
    connections: usize,
    addresses: usize,
    attack: impl Fn(TcpStream) -> F + Clone + Send + 'static,
) -> JoinSet<()>
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    for number in 0..connections {
        let (target, attack) = (target.clone(), attack.clone());
        tasks.spawn(async move {
            loop {
                if let Ok(stream) = connect(&target, number, addresses).await {
                    // Being thrown out is what is expected.
                    let _ = attack(stream).await;
                }
                sleep(BACK).await;
            }
        });
    }
    tasks
}

/// Many streams of a large answer whose windows have so many bytes. Pings keep the connection alive.
fn windows(target: &Target, window: u32, connections: usize, addresses: usize) -> JoinSet<()> {
    repeated(
        target,
        connections,
        addresses,
        move |mut stream| async move {
            let mut sent = PREFACE.to_vec();
            sent.extend(settings(window));
            for number in 0..128_u32 {
                let fields: &[(u8, String)] = match number % 3 {
                    0 => &[],
                    1 => &[(ACCEPT_ENCODING, "br".to_owned())],
                    _ => &[(ACCEPT_ENCODING, "gzip".to_owned())],
                };
                sent.extend(get_with(2 * number + 1, "/docs", fields));
            }
            stream.write_all(&sent).await?;
            let mut buffer = [0; 4_096];
            loop {
                stream.write_all(&ping()).await?;
                while let Ok(read) =
                    tokio::time::timeout(Duration::from_millis(200), stream.read(&mut buffer)).await
                {
                    if read? == 0 {
                        return Ok(());
                    }
                }
            }
        },
    )
}

async fn unfinished(mut stream: TcpStream, bytes: usize) -> io::Result<()> {
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: h\r\nX-Large: ")
        .await?;
    let part = [b'x'; 10_000];
    for _ in 0..bytes / part.len() {
        stream.write_all(&part).await?;
    }
    until_closed(stream).await
}

async fn head(stream: TcpStream) -> io::Result<()> {
    unfinished(stream, 400_000).await
}

async fn shorter_head(stream: TcpStream) -> io::Result<()> {
    unfinished(stream, 60_000).await
}

async fn idle(mut stream: TcpStream) -> io::Result<()> {
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
        .await?;
    until_closed(stream).await
}

async fn until_closed(mut stream: TcpStream) -> io::Result<()> {
    let mut buffer = [0; 1_024];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

/// Reads two kilobytes a second of large answers: faster than what is cut off.
async fn slow_reader(mut stream: TcpStream) -> io::Result<()> {
    for path in ["/docs", "/openapi.json", "/docs", "/openapi.json"] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
    }
    let mut buffer = [0; 512];
    while stream.read(&mut buffer).await? > 0 {
        sleep(Duration::from_millis(250)).await;
    }
    Ok(())
}

/// Wrong passwords from 500 addresses behind a proxy.
fn logins(target: Target) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for task in 0..32_usize {
        let url = format!("{}/www/token", target.base);
        tasks.spawn(async move {
            let proxy = Ipv4Addr::new(127, 2, 0, 1);
            let client = Client::builder()
                .no_proxy()
                .local_address(Some(proxy.into()));
            let client = client.build().expect("a client");
            for number in (task..).step_by(32) {
                let address = format!("198.51.{}.{}:4711", 100 + number % 2, number / 2 % 250);
                let user = match number % 3 {
                    0 => "admin".to_owned(),
                    _ => format!("nobody{}", number % 1_000),
                };
                let request = client.post(&url).header("X-Forwarded-For", address);
                let request = request.basic_auth(user, Some("a wrong password"));
                if let Ok(answer) = request.send().await {
                    let _ = answer.bytes().await;
                }
            }
        });
    }
    tasks
}

/// Searches that nearly every customer answers to.
fn searches(target: Target) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for _ in 0..4 {
        let target = target.clone();
        tasks.spawn(async move {
            let client = Client::builder().no_proxy().build().expect("a client");
            let url = format!(
                "{}/www/adressensuche?OrtLand=CH&AdrSprache=ger&OrtName=Zuerich",
                target.base
            );
            loop {
                if let Ok(answer) = client.get(&url).bearer_auth(&target.token).send().await {
                    let _ = answer.bytes().await;
                }
            }
        });
    }
    tasks
}
