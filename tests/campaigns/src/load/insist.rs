//! Clients that repeat a request until they get a response.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Method, StatusCode};

use super::{Acknowledged, Item, Shop, customer, order, text};
use crate::Random;

/// The wait before a request is sent again.
const PAUSE: Duration = Duration::from_millis(20);

/// The result of a client that repeats its requests.
#[derive(Debug)]
pub struct RetryingResult {
    /// Its customer and its orders.
    pub done: Acknowledged,
    /// The longest time between two responses to new orders.
    pub longest: Duration,
    /// Number of requests that were repeated.
    pub repeats: u64,
}

/// Places one order after another while `running`. A request without a response is sent again with the same key, to
/// each of these servers in turn, until one responds.
pub async fn place_until_acknowledged(
    shops: Vec<Shop>,
    catalogue: Arc<Vec<Item>>,
    mut random: Random,
    name: String,
    running: Arc<AtomicBool>,
) -> RetryingResult {
    let mut result = RetryingResult {
        done: Acknowledged::default(),
        longest: Duration::ZERO,
        repeats: 0,
    };
    let body = customer(&mut random);
    let request = shops[0].request(Method::POST, "/www/kunden").json(&body);
    let made = shops[0].send(request).await.expect("the first response");
    let number = text(&made.data(StatusCode::CREATED, "a customer"), "DebiNr");
    result.done.customers.push((number.clone(), body));
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
            result.repeats += 1;
            now = shop.next().expect("a server");
        };
        result.longest = result.longest.max(last.elapsed());
        last = Instant::now();
        result.done.orders.push((placed, body));
    }
    result
}
