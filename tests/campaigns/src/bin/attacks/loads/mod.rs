//! The attacks. Each runs until its process ends.

mod customers;
mod handshakes;
mod held;
mod requests;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::attackers::{Customer, Target};
use crate::client::{Connection, Dialer};

/// An attacker that was disconnected waits this long. The measurement shows what connections can occupy, not how fast a
/// machine can open them.
const BACK: Duration = Duration::from_secs(5);

pub(crate) struct Load {
    pub(crate) name: &'static str,
    pub(crate) is_encrypted: bool,
    /// Whether the company has many customers and articles.
    pub(crate) needs_many: bool,
    pub(crate) begin: fn(&Attack),
}

/// The actions of the attackers, which show that the attack took place.
#[derive(Default)]
pub(crate) struct Counts {
    /// Attackers that have finished their setup.
    in_place: AtomicUsize,
    connected: AtomicU64,
    ended: AtomicU64,
    handshakes: AtomicU64,
    statuses: Mutex<BTreeMap<u16, u64>>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let connected = self.connected.load(Ordering::Relaxed);
        let ended = self.ended.load(Ordering::Relaxed);
        write!(f, "{connected} connected, {ended} ended")?;
        match self.handshakes.load(Ordering::Relaxed) {
            0 => (),
            handshakes => write!(f, ", {handshakes} handshakes")?,
        }
        let statuses = self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        for (status, count) in statuses.iter() {
            write!(f, ", {count} x {status}")?;
        }
        Ok(())
    }
}

impl Counts {
    /// Counts a handshake after which the connection is closed.
    pub(crate) fn handshake(&self) {
        self.handshakes.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_response(&self, status: u16) {
        let mut statuses = self.statuses.lock().unwrap_or_else(PoisonError::into_inner);
        *statuses.entry(status).or_default() += 1;
    }
}

pub(crate) struct Attack {
    target: Arc<Target>,
    dialer: Dialer,
    counts: Arc<Counts>,
    attackers: AtomicUsize,
}

impl Attack {
    pub(crate) fn new(target: Target) -> Self {
        Self {
            dialer: Dialer::new(target.address, target.certificate.as_deref()),
            target: Arc::new(target),
            counts: Arc::default(),
            attackers: AtomicUsize::new(0),
        }
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    pub(crate) async fn in_place(&self) {
        while self.counts.in_place.load(Ordering::Relaxed) < self.attackers.load(Ordering::Relaxed)
        {
            sleep(Duration::from_millis(20)).await;
        }
    }

    fn attacker(&self) -> Attacker {
        self.attackers.fetch_add(1, Ordering::Relaxed);
        Attacker {
            counts: Arc::clone(&self.counts),
            is_in_place: AtomicBool::new(false),
        }
    }

    /// Runs `attack` on a limited number of TCP connections from a number of source addresses, and connects again
    /// whenever the server closes one.
    fn hold_tcp<F>(
        &self,
        connections: usize,
        addresses: usize,
        attack: impl Fn(Holder, TcpStream) -> F + Clone + Send + 'static,
    ) where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        for number in 0..connections {
            let network =
                u8::try_from(number % addresses / 250).expect("fewer than 64,000 addresses");
            let host = u8::try_from(number % addresses % 250 + 1).expect("at most 250");
            let holder = Holder {
                target: Arc::clone(&self.target),
                dialer: self.dialer.clone(),
                attacker: Arc::new(self.attacker()),
                address: Ipv4Addr::new(127, 1, network, host),
                number,
            };
            tokio::spawn(holder.run(attack.clone()));
        }
    }

    /// The same, with a handshake first if the server speaks TLS.
    fn hold<F>(
        &self,
        connections: usize,
        addresses: usize,
        attack: impl Fn(Holder, Connection) -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        self.hold_tcp(connections, addresses, move |holder, stream| {
            let attack = attack.clone();
            async move {
                let stream = holder.dialer.encrypt(stream).await?;
                attack(holder, stream).await
            }
        });
    }
}

struct Attacker {
    counts: Arc<Counts>,
    is_in_place: AtomicBool,
}

impl Attacker {
    /// Reports that the setup is finished, the first time or again.
    fn is_in_place(&self) {
        if !self.is_in_place.swap(true, Ordering::Relaxed) {
            self.counts.in_place.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// An attacker that keeps a connection open.
#[derive(Clone)]
struct Holder {
    target: Arc<Target>,
    dialer: Dialer,
    attacker: Arc<Attacker>,
    address: Ipv4Addr,
    number: usize,
}

impl Holder {
    /// The customers take the connections in turn.
    fn customer(&self) -> &Customer {
        let customers = &self.target.customers;
        customers
            .get(self.number % customers.len())
            .expect("customers")
    }

    async fn run<F>(self, attack: impl Fn(Self, TcpStream) -> F)
    where
        F: Future<Output = io::Result<()>>,
    {
        loop {
            if let Ok(stream) = self.dialer.connect_from(self.address).await {
                let counts = &self.attacker.counts;
                counts.connected.fetch_add(1, Ordering::Relaxed);
                // The server is expected to close the connection.
                let _ = attack(self.clone(), stream).await;
                counts.ended.fetch_add(1, Ordering::Relaxed);
            }
            self.attacker.is_in_place();
            sleep(BACK).await;
        }
    }
}

fn plain(name: &'static str, begin: fn(&Attack)) -> Load {
    Load {
        name,
        is_encrypted: false,
        needs_many: false,
        begin,
    }
}

fn encrypted(name: &'static str, begin: fn(&Attack)) -> Load {
    Load {
        is_encrypted: true,
        ..plain(name, begin)
    }
}

fn many(name: &'static str, begin: fn(&Attack)) -> Load {
    Load {
        needs_many: true,
        ..plain(name, begin)
    }
}

/// All attacks, those that need many customers last.
pub(crate) fn all() -> Vec<Load> {
    let mut all = vec![plain("none: busy loops beside it", requests::busy_loops)];
    all.extend(held::plain());
    all.push(plain("logins of 500 addresses", requests::logins));
    all.push(plain("short requests, 8 connections", requests::storm));
    all.push(plain("/docs, 400 of 400 addresses", |attack| {
        attack.hold(400, 400, requests::docs);
    }));
    all.extend(customers::all());
    all.extend(held::encrypted());
    all.extend(handshakes::all());
    all.extend([
        many(
            "broad searches, 600 a minute",
            requests::searches_within_limits,
        ),
        many("broad searches, 4 without a pause", requests::searches),
        many(
            "lists of articles, each in another order",
            requests::orders_of_articles,
        ),
    ]);
    all
}
