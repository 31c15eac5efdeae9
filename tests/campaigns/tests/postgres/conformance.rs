//! The store in a PostgreSQL database keeps every promise of the storage trait.

use std::sync::atomic::{AtomicU32, Ordering};

use erp_campaigns::postgres::{Cluster, ClusterOptions, Stop};
use erp_core::storage::Storage;
use erp_core::storage::conformance::{Factory, run_all};
use erp_server::store::postgres::DatabaseUrl;
use erp_server::store::{PostgresOptions, PostgresStore};
use erp_tests::forward_storage;

/// A store together with the address of its database.
struct InDatabase {
    store: PostgresStore,
    url: String,
}

impl InDatabase {
    fn open(url: String) -> Self {
        let parsed: DatabaseUrl = url.parse().unwrap();
        let store = PostgresStore::open(&PostgresOptions::new(parsed)).unwrap();
        Self { store, url }
    }
}

impl Storage for InDatabase {
    forward_storage!(store: get, scan, next_numbers, commit);
}

/// Creates stores in databases of one cluster.
struct Databases<'a> {
    cluster: &'a Cluster,
    /// The action on the database before a store is opened again.
    between: &'a dyn Fn(&Cluster),
    /// Whether the first store is still open at that time, as if its process had been killed.
    abandoned: bool,
}

impl Factory for Databases<'_> {
    type Store = InDatabase;

    fn open(&self) -> InDatabase {
        InDatabase::open(self.cluster.fresh_database())
    }

    fn reopen(&self, store: InDatabase) -> Option<InDatabase> {
        if !self.abandoned {
            store.store.close();
        }
        (self.between)(self.cluster);
        let again = InDatabase::open(store.url.clone());
        drop(store);
        Some(again)
    }
}

#[test]
fn with_a_store_that_is_closed() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    run_all(&Databases {
        cluster,
        between: &|_| (),
        abandoned: false,
    });
}

#[test]
fn with_a_database_that_crashes_before_every_opening() {
    let Some(cluster) = Cluster::start(&ClusterOptions::killable()) else {
        return;
    };
    let crashes = AtomicU32::new(0);
    run_all(&Databases {
        cluster: &cluster,
        between: &|cluster| {
            match crashes.fetch_add(1, Ordering::Relaxed) % 2 {
                0 => cluster.kill_all(),
                _ => cluster.stop(Stop::Immediate),
            }
            cluster.restart();
        },
        abandoned: true,
    });
    println!("{} crashes", crashes.into_inner());
}
