//! With PgBouncer every transaction of a connection may run on another PostgreSQL process.

use std::sync::Arc;
use std::thread;

use erp_campaigns::postgres::{Bouncer, Cluster};
use erp_core::storage::{ChangeSet, Key, Scan, Space, Storage as _};
use erp_server::store::postgres::DatabaseUrl;
use erp_server::store::{PostgresOptions, PostgresStore};

fn open(url: &str) -> PostgresStore {
    let url: DatabaseUrl = url.parse().unwrap();
    PostgresStore::open(&PostgresOptions::new(url)).unwrap()
}

fn key(writer: u64, number: u64) -> Key {
    Key::of(Space::Scratch).number(writer).number(number)
}

/// Writes, reads back and lists, while another server does the same with other statements.
fn work(store: &PostgresStore, writer: u64) {
    for number in 0..50 {
        let mut changes = ChangeSet::new();
        changes.insert(key(writer, number), writer.to_be_bytes().to_vec());
        let revision = pollster::block_on(store.commit(changes)).unwrap();
        let found = pollster::block_on(store.get(&[key(writer, number)])).unwrap();
        let found = found[0].as_ref().unwrap();
        assert_eq!(found.revision, revision);
        assert_eq!(found.value, writer.to_be_bytes());
        let listed = Scan::prefix(&Key::of(Space::Scratch).number(writer));
        let listed = pollster::block_on(store.scan(listed)).unwrap();
        assert_eq!(listed.entries.len() as u64, number + 1);
    }
}

#[test]
fn statements_are_not_mixed_up_and_back_ends_have_limits() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let Some(bouncer) = Bouncer::before(cluster) else {
        return;
    };
    cluster.create_database("pooled");
    let url = bouncer.url("pooled");
    let stores = [Arc::new(open(&url)), Arc::new(open(&url))];
    let workers = (0_u64..8).map(|writer| {
        let store = Arc::clone(&stores[usize::from(writer % 2 == 0)]);
        thread::spawn(move || work(&store, writer))
    });
    let workers: Vec<_> = workers.collect();
    for worker in workers {
        worker.join().unwrap();
    }
    let limits = "SELECT array_to_string(setconfig, ' ') FROM pg_db_role_setting \
                  JOIN pg_database d ON d.oid = setdatabase WHERE datname = 'pooled'";
    let expected = "lock_timeout=10000 statement_timeout=15000 \
                    idle_in_transaction_session_timeout=10000";
    assert_eq!(cluster.psql(limits), expected);
    for store in stores {
        store.close();
    }
    // Without a pooler the store sets the limits of a session itself.
    let direct = open(&cluster.create_database("direct"));
    let none = limits.replace("'pooled'", "'direct'");
    assert_eq!(cluster.psql(&none), "");
    direct.close();
}
