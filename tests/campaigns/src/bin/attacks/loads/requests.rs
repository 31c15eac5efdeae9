//! Requests that are expensive for the server: logins, broad searches, sorted lists.

use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{MissedTickBehavior, interval};

use super::{Attack, Attacker, Holder};
use crate::client::{Connection, Dialer, get, login, send_request};

/// The default rate limit of a user: this many requests at once, then one each time the interval has passed.
const AT_ONCE: usize = 100;
const ONE_EACH: Duration = Duration::from_millis(100);

/// Searches of one user that wait for a response at the same time. One address may have no more connections.
const MOST_WAITING: usize = 250;

/// A search without a result that has to read two long lists to the end.
const BROAD: &str = "/www/adressensuche?OrtLand=CH&AdrSprache=ger&OrtName=Bern";

/// Members by which a list of articles can be sorted.
const MEMBERS: [&str; 8] = [
    "ArtBez",
    "ArtGruppe",
    "ArtikelStatus",
    "Einheit",
    "Farbe",
    "GeaendertAmUTC",
    "HatVPE",
    "ArtGewicht",
];

/// Not an attack: shows how a busy process of the lowest priority changes the measured times.
pub(super) fn busy_loops(_: &Attack) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..cores {
        thread::spawn(|| {
            loop {
                std::hint::spin_loop();
            }
        });
    }
}

/// A client that sends one request after the other and reconnects when necessary.
struct Client {
    dialer: Dialer,
    attacker: Arc<Attacker>,
    address: Ipv4Addr,
    connection: Option<Connection>,
}

impl Client {
    fn new(attack: &Attack, address: Ipv4Addr) -> Self {
        Self {
            dialer: attack.dialer.clone(),
            attacker: Arc::new(attack.attacker()),
            address,
            connection: None,
        }
    }

    /// One more connection of the same attacker.
    fn another(&self) -> Self {
        Self {
            dialer: self.dialer.clone(),
            attacker: Arc::clone(&self.attacker),
            address: self.address,
            connection: None,
        }
    }

    async fn send(&mut self, request: &str) -> std::io::Result<()> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let stream: TcpStream = self.dialer.connect_from(self.address).await?;
                self.attacker
                    .counts
                    .connected
                    .fetch_add(1, Ordering::Relaxed);
                self.dialer.encrypt(stream).await?
            }
        };
        let response = send_request(&mut connection, request.as_bytes()).await?;
        self.attacker.counts.count_response(response.status);
        self.connection = Some(connection);
        Ok(())
    }

    /// Sends a request. The server is expected to refuse it or to close the connection.
    async fn try_to_send(&mut self, request: &str) {
        let _ = self.send(request).await;
        self.attacker.is_in_place();
    }
}

/// Short requests over a few connections, as many as they carry.
pub(super) fn storm(attack: &Attack) {
    attack.hold(8, 1, |holder, stream| async move {
        let requests = get("/x", None).repeat(500);
        let (mut received, mut sent) = tokio::io::split(stream);
        holder.attacker.is_in_place();
        let send = async { while sent.write_all(requests.as_bytes()).await.is_ok() {} };
        let mut buffer = vec![0; 65_536];
        let read = async {
            while received
                .read(&mut buffer)
                .await
                .is_ok_and(|count| count > 0)
            {}
        };
        tokio::join!(send, read);
        Ok(())
    });
}

/// Requests the documentation page repeatedly and reads each response as fast as possible.
pub(super) async fn docs(holder: Holder, slow: Connection) -> io::Result<()> {
    drop(slow);
    let mut stream = holder.dialer.connect_as(holder.address).await?;
    let request = get("/docs", None);
    loop {
        let response = send_request(&mut stream, request.as_bytes()).await?;
        holder.attacker.counts.count_response(response.status);
        holder.attacker.is_in_place();
    }
}

/// Wrong passwords from 500 client addresses through a proxy.
pub(super) fn logins(attack: &Attack) {
    const CLIENTS: usize = 32;
    for task in 0..CLIENTS {
        let mut client = Client::new(attack, Ipv4Addr::new(127, 2, 0, 1));
        tokio::spawn(async move {
            for number in (task..).step_by(CLIENTS) {
                let user = match number % 3 {
                    0 => "admin".to_owned(),
                    _ => format!("nobody{}", number % 1_000),
                };
                let from = format!(
                    "X-Forwarded-For: 198.51.{}.{}:4711\r\n",
                    100 + number % 2,
                    number / 2 % 250
                );
                let request = login(&user, "a wrong password", &from);
                client.try_to_send(&request).await;
            }
        });
    }
}

/// As many broad searches as the default rate limit lets one user send, however long each takes.
pub(super) fn searches_within_limits(attack: &Attack) {
    let request = get(BROAD, Some(&attack.target.token));
    let client = Client::new(attack, Ipv4Addr::new(127, 1, 0, 1));
    let clients: Vec<Client> = (0..MOST_WAITING).map(|_| client.another()).collect();
    let clients = Arc::new(Mutex::new(clients));
    tokio::spawn(async move {
        let mut ticks = interval(ONE_EACH);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        for number in 0_usize.. {
            if number >= AT_ONCE {
                ticks.tick().await;
            }
            let free = clients.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut client) = free else { continue };
            let (clients, request) = (Arc::clone(&clients), request.clone());
            tokio::spawn(async move {
                client.try_to_send(&request).await;
                clients
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(client);
            });
        }
    });
}

/// Broad searches by clients without a rate limit.
pub(super) fn searches(attack: &Attack) {
    let request = get(BROAD, Some(&attack.target.token));
    without_a_pause(attack, move |_| request.clone());
}

/// Lists of all articles, each sorted in an order that was not used before.
pub(super) fn orders_of_articles(attack: &Attack) {
    let token = attack.target.token.clone();
    without_a_pause(attack, move |number| {
        let mut members = MEMBERS.to_vec();
        let mut sorts = Vec::new();
        let mut rest = number;
        while !members.is_empty() {
            let member = members.remove(rest % members.len());
            let sign = if (rest / 7) % 2 == 0 { "-" } else { "" };
            sorts.push(format!("{sign}{member}"));
            rest = rest / 2 + number;
        }
        let path = format!("/www/artikel?limit=1&sorts={}", sorts.join(","));
        get(&path, Some(&token))
    });
}

/// Four clients that send one request after the other.
fn without_a_pause(attack: &Attack, request: impl Fn(usize) -> String + Clone + Send + 'static) {
    const CLIENTS: usize = 4;
    for task in 0..CLIENTS {
        let mut client = Client::new(attack, Ipv4Addr::new(127, 1, 0, 1));
        let request = request.clone();
        tokio::spawn(async move {
            for number in (task..).step_by(CLIENTS) {
                client.try_to_send(&request(number)).await;
            }
        });
    }
}
