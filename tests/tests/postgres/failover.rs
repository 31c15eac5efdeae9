//! The primary of two databases dies under load, and its standby takes over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use erp_tests::load::{Acknowledged, Insisted, Random, Rounds, Shop, acknowledged, insist};
use erp_tests::postgres::{Bouncer, Cluster, Demo, Options, ledger};
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Clients that ask again until they are answered, besides those that stop.
const INSISTENT: usize = 4;

/// Starts the clients that ask again, until `running` is false.
fn insistent(
    rounds: &mut Rounds,
    shops: &[Shop; 2],
    running: &Arc<AtomicBool>,
) -> Vec<JoinHandle<Insisted>> {
    let insistent = |client| {
        let random = Random(rounds.random().below(u64::MAX));
        let mut shops = shops.to_vec();
        shops.rotate_left(client % 2);
        let name = format!("insistent-{client}");
        let (catalogue, running) = (rounds.catalogue(), Arc::clone(running));
        tokio::spawn(insist(shops, catalogue, random, name, running))
    };
    (0..INSISTENT).map(insistent).collect()
}

// rule: R-STO-45
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_that_takes_over_has_everything_once() {
    let Some(primary) = Cluster::start(&Options::durable()) else {
        return;
    };
    let standby = primary.standby();
    primary.create_database("shop");
    let bouncer = Bouncer::if_asked(&primary);
    let url = match &bouncer {
        Some(bouncer) => bouncer.url("shop"),
        None => primary.url_with(&standby, "shop"),
    };
    let demo = Demo::new(&url);
    let mut servers = [demo.serve("first"), demo.serve("second")];
    let first = demo.admin(&servers[0]).await;
    let shops = [first.clone(), first.at(servers[1].base_url())];
    let mut rounds = Rounds::new(&first, Random::from_environment()).await;

    let clients = rounds.load(&shops, "before");
    let running = Arc::new(AtomicBool::new(true));
    let insistent = insistent(&mut rounds, &shops, &running);
    rounds.wait_for_an_order().await;
    sleep(Duration::from_millis(1500 + rounds.random().below(500))).await;
    primary.kill_all();
    // Nobody notices at once.
    sleep(Duration::from_millis(500)).await;
    standby.promote();
    if let Some(bouncer) = &bouncer {
        bouncer.point_to(&standby);
    }
    for shop in &shops {
        shop.wait_until_ready(true).await;
    }
    sleep(Duration::from_millis(1000)).await;
    rounds.stop();
    running.store(false, Ordering::Relaxed);
    let mut done = acknowledged(clients).await;
    let mut longest = Duration::ZERO;
    let mut repeats = 0;
    for client in insistent {
        let insisted = client.await.unwrap();
        longest = longest.max(insisted.longest);
        repeats += insisted.repeats;
        done.extend(insisted.done);
    }
    println!("no writes for {longest:?}; {repeats} requests were sent again");
    assert!(repeats > 0, "no request failed while the primary was gone");

    standby.wait_until_quiet();
    let found = ledger(&url).await;
    rounds.settle(&found, &done);
    rounds.go_on(&shops[1], &done, &found).await;

    // Life goes on, until both are told to stop.
    let clients = rounds.load(&shops, "after");
    rounds.wait_for_an_order().await;
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
