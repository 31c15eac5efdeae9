//! Rounds of load, each of which something ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::{Acknowledged, Board, Item, Ledger, Numbers, Random, Shop, work};
use erp_tests::wait::PATIENCE;

/// Clients that write at the same time.
pub const CLIENTS: usize = 10;

/// What all rounds of a test share.
#[derive(Debug)]
pub struct Rounds {
    catalogue: Arc<Vec<Item>>,
    board: Arc<Board>,
    random: Random,
    numbers: Numbers,
    all: Acknowledged,
    /// Orders that were acknowledged when the clients began.
    orders_before: usize,
}

impl Rounds {
    /// Before the first round.
    pub async fn new(shop: &Shop, random: Random) -> Self {
        Self {
            catalogue: Arc::new(shop.catalogue().await),
            board: Arc::default(),
            random,
            numbers: Numbers::default(),
            all: Acknowledged::default(),
            orders_before: 0,
        }
    }

    /// Starts [`CLIENTS`] clients, in turn at each of these servers. They run until theirs is
    /// gone, or [`Rounds::stop`].
    pub fn load(&mut self, shops: &[Shop], name: &str) -> Vec<JoinHandle<Acknowledged>> {
        self.board.stop(false);
        self.orders_before = self.board.orders();
        let random = &mut self.random;
        let clients = shops.iter().cycle().take(CLIENTS).enumerate();
        let clients = clients.map(|(client, shop)| {
            tokio::spawn(work(
                shop.clone(),
                Arc::clone(&self.catalogue),
                Arc::clone(&self.board),
                Random(random.below(u64::MAX)),
                format!("{name}-{client}"),
            ))
        });
        clients.collect()
    }

    /// Waits until the clients that run have placed an order, however slow the machine is.
    ///
    /// # Panics
    /// When none is acknowledged before the deadline.
    pub async fn wait_for_an_order(&self) {
        let begun = Instant::now();
        while self.board.orders() <= self.orders_before {
            assert!(begun.elapsed() < PATIENCE, "no order is acknowledged");
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets the clients end.
    pub fn stop(&self) {
        self.board.stop(true);
    }

    /// The articles the clients order.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Vec<Item>> {
        Arc::clone(&self.catalogue)
    }

    /// Numbers for whoever ends the rounds.
    pub const fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Everything that was acknowledged so far.
    #[must_use]
    pub const fn all(&self) -> &Acknowledged {
        &self.all
    }

    /// Adds what a round came to. What was acknowledged so far is in the store, and it fits together.
    ///
    /// # Panics
    /// When something is missing, was done twice or does not fit.
    pub fn settle(&mut self, ledger: &Ledger, done: &Acknowledged) {
        println!("{}", done.summary());
        self.numbers.note(done);
        self.all.extend(done.clone());
        ledger.fits_together();
        ledger.has(&self.all);
    }

    /// Sends again what was not answered, and reads back what was acknowledged since the last start.
    ///
    /// # Panics
    /// When something was placed twice or is not as it was acknowledged.
    pub async fn go_on(&mut self, shop: &Shop, done: &Acknowledged, ledger: &Ledger) {
        let placed = done.send_again(shop, ledger).await;
        println!("{} orders sent again", placed.orders.len());
        self.numbers.note(&placed);
        done.verify(shop).await;
        placed.verify(shop).await;
        self.all.extend(placed);
    }
}

/// What all clients were told until their servers were gone.
///
/// # Panics
/// When a client failed.
pub async fn acknowledged(clients: Vec<JoinHandle<Acknowledged>>) -> Acknowledged {
    let mut all = Acknowledged::default();
    for client in clients {
        all.extend(client.await.expect("a client ends by itself"));
    }
    all
}
