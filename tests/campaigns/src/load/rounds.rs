//! Rounds of load; each ends with a crash, a restart or a failure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::{Acknowledged, Board, Item, Ledger, Numbers, Shop, work};
use crate::Random;
use erp_tests::wait::PATIENCE;

/// Number of clients that write at the same time.
pub const CLIENTS: usize = 10;

/// The state that all rounds of a test share.
#[derive(Debug)]
pub struct Rounds {
    catalogue: Arc<Vec<Item>>,
    board: Arc<Board>,
    random: Random,
    numbers: Numbers,
    all: Acknowledged,
}

impl Rounds {
    /// The state before the first round.
    pub async fn new(shop: &Shop, random: Random) -> Self {
        Self {
            catalogue: Arc::new(shop.catalogue().await),
            board: Arc::default(),
            random,
            numbers: Numbers::default(),
            all: Acknowledged::default(),
        }
    }

    /// Starts [`CLIENTS`] clients, assigned to these servers in turn. They run until their server has ended, or until
    /// [`Rounds::stop`].
    pub fn load(&mut self, shops: &[Shop], name: &str) -> Vec<JoinHandle<Acknowledged>> {
        self.board.stop(false);
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

    /// Waits until the running clients have placed this many more orders, however slow the machine is.
    pub async fn wait_for_orders(&self, count: usize) {
        let wanted = self.board.orders() + count;
        self.wait("order", |board| board.orders() >= wanted).await;
    }

    /// Waits until an invoice was made in any round: few requests of the clients make one.
    pub async fn wait_for_invoice(&self) {
        self.wait("invoice", Board::has_invoice).await;
    }

    async fn wait(&self, what: &str, is_reached: impl Fn(&Board) -> bool) {
        let started = Instant::now();
        while !is_reached(&self.board) {
            assert!(started.elapsed() < PATIENCE, "no {what} is acknowledged");
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Asks the clients to end.
    pub fn stop(&self) {
        self.board.stop(true);
    }

    /// The articles that the clients order.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Vec<Item>> {
        Arc::clone(&self.catalogue)
    }

    /// The random numbers of these rounds.
    pub const fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Everything that was acknowledged so far.
    #[must_use]
    pub const fn all(&self) -> &Acknowledged {
        &self.all
    }

    /// Adds the results of a round, and checks that the store has everything acknowledged so far and is consistent.
    pub fn settle(&mut self, ledger: &Ledger, done: &Acknowledged) {
        println!("{}", done.summary());
        self.numbers.note(done);
        self.all.extend(done.clone());
        ledger.fits_together();
        ledger.has(&self.all);
    }

    /// Repeats the requests without a response, and reads back what was acknowledged since the last start.
    pub async fn go_on(&mut self, shop: &Shop, done: &Acknowledged, ledger: &Ledger) {
        let placed = done.send_again(shop, ledger).await;
        println!("{} orders sent again", placed.orders.len());
        self.numbers.note(&placed);
        done.verify(shop).await;
        placed.verify(shop).await;
        self.all.extend(placed);
    }
}

/// Everything that was acknowledged to the clients until their servers ended.
pub async fn acknowledged(clients: Vec<JoinHandle<Acknowledged>>) -> Acknowledged {
    let mut all = Acknowledged::default();
    for client in clients {
        all.extend(client.await.expect("a client ends by itself"));
    }
    all
}
