//! The primary of two databases fails under load, and its standby takes over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use erp_campaigns::Random;
use erp_campaigns::load::{
    Acknowledged, RetryingResult, Rounds, Shop, acknowledged, place_until_acknowledged,
};
use erp_campaigns::{Demo, Pair, ledger};
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::sleep;

/// Clients that repeat a request until they get a response, in addition to those that stop.
const INSISTENT: usize = 4;

/// The least time without a primary.
const NOTICED: Duration = Duration::from_millis(500);

/// Starts the clients that repeat their requests, until `running` is false.
fn insistent(
    rounds: &mut Rounds,
    shops: &[Shop; 2],
    running: &Arc<AtomicBool>,
    name: &str,
) -> Vec<JoinHandle<RetryingResult>> {
    let insistent = |client| {
        let random = Random(rounds.random().below(u64::MAX));
        let mut shops = shops.to_vec();
        shops.rotate_left(client % 2);
        let name = format!("insistent-{name}-{client}");
        let (catalogue, running) = (rounds.catalogue(), Arc::clone(running));
        tokio::spawn(place_until_acknowledged(
            shops, catalogue, random, name, running,
        ))
    };
    (0..INSISTENT).map(insistent).collect()
}

/// The primary fails under load and its standby takes over: everything acknowledged is there, once.
async fn fail_over(pair: &mut Pair, rounds: &mut Rounds, shops: &[Shop; 2], url: &str, name: &str) {
    let clients = rounds.load(shops, name);
    let running = Arc::new(AtomicBool::new(true));
    let insistent = insistent(rounds, shops, &running, name);
    rounds.wait_for_orders(1).await;
    sleep(Duration::from_millis(1500 + rounds.random().below(500))).await;
    let primary = block_in_place(|| pair.fail_over());
    for shop in shops {
        shop.wait_until_ready(true).await;
    }
    sleep(Duration::from_millis(1000)).await;
    rounds.stop();
    running.store(false, Ordering::Relaxed);
    let mut done = acknowledged(clients).await;
    let mut longest = Duration::ZERO;
    let mut repeats = 0;
    for client in insistent {
        let result = client.await.unwrap();
        longest = longest.max(result.longest);
        repeats += result.repeats;
        done.extend(result.done);
    }
    println!("no writes for {longest:?}; {repeats} requests were sent again");
    // A pooler may hold requests back until the new primary is there, so that none fails.
    assert!(longest >= NOTICED, "orders went on without a primary");

    primary.wait_until_quiet();
    let found = ledger(url).await;
    rounds.settle(&found, &done);
    rounds.go_on(&shops[1], &done, &found).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_that_takes_over_has_everything_once() {
    let Some(mut pair) = Pair::start() else {
        return;
    };
    let url = pair.create_database("shop");
    let demo = Demo::new(&url);
    let mut servers = [demo.serve("first"), demo.serve("second")];
    let first = demo.admin(&servers[0]).await;
    let shops = [first.clone(), first.at(servers[1].base_url())];
    let mut rounds = Rounds::new(&first, Random::from_environment()).await;
    fail_over(&mut pair, &mut rounds, &shops, &url, "before").await;
    // The lost primary is a standby now, and takes over in turn.
    if block_in_place(|| pair.bring_back()) {
        fail_over(&mut pair, &mut rounds, &shops, &url, "between").await;
    }

    // The clients continue until both kinds are stopped.
    let clients = rounds.load(&shops, "after");
    rounds.wait_for_orders(1).await;
    sleep(Duration::from_millis(1000)).await;
    for server in &servers {
        server.terminate();
    }
    let done = acknowledged(clients).await;
    assert!(
        !done.orders.is_empty(),
        "nothing was acknowledged by the new primary"
    );
    for server in &mut servers {
        assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
    }
    rounds.settle(&ledger(&url).await, &done);
    let server = demo.serve("first");
    rounds.all().verify(&first.at(server.base_url())).await;
    rounds.settle(&ledger(&url).await, &Acknowledged::default());
}
