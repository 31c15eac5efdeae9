//! Clients that do not give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use super::{Acknowledged, Item, Random, Shop, customer, order, text};

/// The wait before a request is sent again.
const PAUSE: Duration = Duration::from_millis(20);

/// What a client was told that did not give up.
#[derive(Debug)]
pub struct Insisted {
    /// Its customer and its orders.
    pub done: Acknowledged,
    /// The longest time between two answers to new orders.
    pub longest: Duration,
    /// How often it had to ask again.
    pub repeats: u64,
}

/// Places one order after another while `running`. What is not answered is sent again with the same key,
/// in turn to each of these servers, until one answers.
///
/// # Panics
/// When an answer is not as it must be.
pub async fn insist(
    shops: Vec<Shop>,
    catalogue: Arc<Vec<Item>>,
    mut random: Random,
    name: String,
    running: Arc<AtomicBool>,
) -> Insisted {
    let mut insisted = Insisted {
        done: Acknowledged::default(),
        longest: Duration::ZERO,
        repeats: 0,
    };
    let body = customer(&mut random);
    let request = shops[0].request(Method::POST, "/www/kunden").json(&body);
    let made = shops[0].send(request).await.expect("the first response");
    let number = text(&made.data(StatusCode::CREATED, "a customer"), "DebiNr");
    insisted.done.customers.push((number.clone(), body));
    let mut shop = shops.iter().cycle();
    let (mut now, mut count) = (shop.next().expect("a server"), 0_u64);
    let mut last = Instant::now();
    while running.load(Ordering::Relaxed) {
        count += 1;
        let reference = format!("{name}-{count}");
        let body = order(&mut random, &catalogue, &number, &reference);
        let placed = loop {
            match now.order(&body, Some(&reference)).await {
                Ok((placed, _)) => break placed,
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
            insisted.repeats += 1;
            now = shop.next().expect("a server");
        };
        insisted.longest = insisted.longest.max(last.elapsed());
        last = Instant::now();
        insisted.done.orders.push((placed, body));
    }
    insisted
}
