//! An update without downtime: servers with a balancer in front are restarted one after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use erp_campaigns::Random;
use erp_campaigns::load::{Acknowledged, Rounds, place_until_acknowledged};
use erp_campaigns::postgres::{Balancer, Cluster, free_port};
use erp_campaigns::{Demo, ledger};
use tokio::time::sleep;

/// Clients that repeat a request until they get a response.
const CLIENTS: usize = 6;

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_restarted_one_after_another_under_load() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let ports = [free_port(), free_port(), free_port()];
    let Some(balancer) = Balancer::before(&ports) else {
        return;
    };
    let url = cluster.fresh_database();
    let demo = Demo::new(&url);
    let names = ["first", "second", "third"];
    let servers = ports.into_iter().zip(names);
    let mut servers: Vec<_> = servers
        .map(|(port, name)| (port, name, demo.serve_at(port, name)))
        .collect();
    let shop = demo.admin(&servers[0].2).await.at(balancer.base_url());
    shop.wait_until_ready(true).await;
    let mut rounds = Rounds::new(&shop, Random::from_environment()).await;
    let running = Arc::new(AtomicBool::new(true));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let random = Random(rounds.random().below(u64::MAX));
            let (catalogue, running) = (rounds.catalogue(), Arc::clone(&running));
            let name = format!("rolling-{client}");
            tokio::spawn(place_until_acknowledged(
                vec![shop.clone()],
                catalogue,
                random,
                name,
                running,
            ))
        })
        .collect();
    for (port, name, server) in &mut servers {
        sleep(Duration::from_millis(500)).await;
        server.terminate();
        assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
        *server = demo.serve_at(*port, name);
        shop.at(server.base_url()).wait_until_ready(true).await;
    }
    sleep(Duration::from_millis(500)).await;
    running.store(false, Ordering::Relaxed);
    let mut done = Acknowledged::default();
    let (mut repeats, mut longest) = (0, Duration::ZERO);
    for client in clients {
        let result = client.await.unwrap();
        repeats += result.repeats;
        longest = longest.max(result.longest);
        done.extend(result.done);
    }
    println!("{repeats} requests were sent again; no order for {longest:?} at most");
    assert!(done.orders.len() >= CLIENTS, "{}", done.summary());
    rounds.settle(&ledger(&url).await, &done);
    done.verify(&shop).await;
}
