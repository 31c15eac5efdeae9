//! What the store in a database does beyond the storage trait: its tables, encryption, copies and backups, and the
//! number of its queries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, io, thread};

use erp_campaigns::Demo;
use erp_campaigns::postgres::{Cluster, ClusterOptions};
use erp_core::internal::history_key;
use erp_core::storage::{ChangeSet, Entry, Key, Scan, Sequence, Space, Storage as _};
use erp_server::store::postgres::{BLOCK, DatabaseUrl, load};
use erp_server::store::{
    Continuation, OpenError, PostgresOptions, PostgresStore, RecordSink, Records, SledStore,
    Snapshot, Snapshots as _, Store, StoreOptions,
};
use erp_tests::exchange::Exchange;
use erp_tests::identity::SERVERS;
use erp_tests::process::{self, Server};
use erp_tests::server::{SHOP1, Server as HttpServer};
use serde_json::json;
use tempfile::TempDir;

fn options(url: &str) -> PostgresOptions {
    PostgresOptions::new(url.parse::<DatabaseUrl>().unwrap())
}

fn open(url: &str) -> Result<PostgresStore, OpenError> {
    PostgresStore::open(&options(url))
}

fn key(number: u64) -> Key {
    Key::of(Space::Scratch).number(number)
}

fn put(store: &PostgresStore, number: u64, value: &[u8]) -> u64 {
    let mut changes = ChangeSet::new();
    changes.put(key(number), value.to_vec());
    pollster::block_on(store.commit(changes)).unwrap()
}

fn everything(store: &impl erp_core::storage::Storage) -> Vec<(Key, Entry)> {
    let mut all = Vec::new();
    let mut next = Some(Scan {
        from: Key::from_bytes(vec![1]),
        until: Key::from_bytes(vec![255]),
        backwards: false,
        limit: 1_000,
    });
    while let Some(scan) = next {
        let page = pollster::block_on(store.scan(scan)).unwrap();
        all.extend(page.entries);
        next = page.next;
    }
    all
}

#[test]
fn tables_of_a_newer_version_are_refused() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let database = url.rsplit_once('/').unwrap().1.to_owned();
    open(&url).unwrap().close();
    cluster.psql_in(&database, "UPDATE erp_store SET format = 7");
    let refused = open(&url).unwrap_err();
    let known = matches!(
        refused,
        OpenError::NewerFormat {
            found: 7,
            known: 1,
            ..
        }
    );
    assert!(known, "{refused}");
    assert!(!refused.to_string().contains("password"), "{refused}");
    cluster.psql_in(&database, "UPDATE erp_store SET format = 1");
    assert!(open(&url).is_ok());
}

#[test]
fn stores_that_open_together_on_an_empty_database_all_open() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let database = url.rsplit_once('/').unwrap().1;
    // All wait for the schema and get it at the same moment.
    let hold = "BEGIN; DROP SCHEMA public CASCADE; SELECT pg_sleep(0.3); ROLLBACK";
    let clear = "DROP TABLE erp_store, erp_entries, erp_numbers; DROP SEQUENCE erp_revision";
    for _ in 0..50 {
        thread::scope(|scope| {
            let holding = scope.spawn(|| cluster.psql_in(database, hold));
            thread::sleep(Duration::from_millis(100));
            let opening = [(); 4].map(|()| scope.spawn(|| open(&url).unwrap()));
            for one in opening {
                one.join().unwrap().close();
            }
            holding.join().unwrap();
        });
        cluster.psql_in(database, clear);
    }
}

#[test]
fn a_password_is_never_shown() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let password = url.split([':', '@']).nth(2).unwrap();
    let parsed: DatabaseUrl = url.parse().unwrap();
    let store = open(&url).unwrap();
    let wrong = open(&url.replace(password, "geheim")).unwrap_err();
    for shown in [
        format!("{parsed:?} {parsed}"),
        format!("{store:?}"),
        wrong.to_string(),
    ] {
        assert!(
            !shown.contains(password) && !shown.contains("geheim"),
            "{shown}"
        );
        assert!(shown.contains("127.0.0.1"), "{shown}");
    }
    assert!(wrong.to_string().contains("28P01"), "{wrong}");
}

#[test]
fn numbers_come_in_blocks_and_never_twice() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let url = cluster.fresh_database();
    let (one, two) = (open(&url).unwrap(), open(&url).unwrap());
    let next = |store: &PostgresStore| {
        pollster::block_on(store.next_numbers(&[(erp_core::storage::Sequence::Order, 100)]))
            .unwrap()[0]
    };
    let before = one.status().round_trips;
    let drawn: Vec<u64> = (0..BLOCK).map(|_| next(&one)).collect();
    assert_eq!(drawn, (100..100 + BLOCK).collect::<Vec<_>>());
    // One block, and at most one check of the database.
    assert!(one.status().round_trips - before <= 3);
    assert_eq!(next(&two), 100 + BLOCK);
    assert_eq!(next(&one), 100 + 2 * BLOCK);
    one.close();
    assert_eq!(next(&open(&url).unwrap()), 100 + 3 * BLOCK);
}

#[test]
fn config_check_tries_the_database() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let url = cluster.fresh_database();
    let database = url.rsplit_once('/').unwrap().1;
    let password = url.split([':', '@']).nth(2).unwrap();
    let without = url.replace(&format!(":{password}@"), "@");
    let data = folder.path().join("data").display().to_string();
    let file = folder.path().join("password").display().to_string();
    let check = |url: &str, file: &str| {
        process::run([
            "config",
            "check",
            "--data",
            &data,
            "--database",
            url,
            "--database-password-file",
            file,
        ])
    };
    let _ = check(&url, "").success();
    fs::write(&file, format!("{password}\n")).unwrap();
    let _ = check(&without, &file).success();
    // Nothing was created.
    assert_eq!(
        cluster.psql_in(database, "SELECT to_regclass('erp_store')"),
        ""
    );
    fs::write(&file, "geheim").unwrap();
    for (url, file, reported) in [
        (without.as_str(), file.as_str(), "28P01"),
        (&without, "/nowhere/password", "cannot be read"),
        ("postgresql://erp@127.0.0.1:1/erp", "", "Connection refused"),
    ] {
        let ran = check(url, file);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        let printed = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            printed.contains(reported) && printed.contains("`database`"),
            "{printed}"
        );
        assert!(!printed.contains("geheim"), "{printed}");
    }
}

#[test]
fn connections_are_encrypted_and_the_certificate_is_proved() {
    let Some(cluster) = Cluster::start(&ClusterOptions::fast()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let [own, other, _] = SERVERS;
    cluster.encrypt(own.certificate, own.key);
    let own = file("own.pem", own.certificate);
    let other = file("other.pem", other.certificate);
    let url = format!("{}?sslmode=require", cluster.fresh_database());
    let with = |ca: Option<&PathBuf>| {
        PostgresStore::open(&PostgresOptions {
            ca_file: ca.cloned(),
            ..options(&url)
        })
    };
    let store = with(Some(&own)).unwrap();
    put(&store, 1, b"one");
    let encrypted = cluster.psql(
        "SELECT count(*) > 0 AND bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE application_name = 'erp-server'",
    );
    assert_eq!(encrypted, "t");
    for refused in [with(Some(&other)), with(None)] {
        assert!(
            matches!(refused, Err(OpenError::Database { .. })),
            "{refused:?}"
        );
    }
    let empty = file("empty.pem", "");
    let refused = with(Some(&empty)).unwrap_err().to_string();
    assert!(refused.contains("it contains no certificate"), "{refused}");
}

/// The first records of a store, up to this many.
struct FirstRecords<'a>(&'a PostgresStore, u64);

impl Records for FirstRecords<'_> {
    fn each(&mut self, sink: &mut RecordSink<'_>) -> io::Result<()> {
        let mut left = self.1;
        let read = self.0.snapshot(&mut |key, revision, value| {
            left = left
                .checked_sub(1)
                .ok_or_else(|| io::Error::other("interrupted"))?;
            sink(key, revision, value)
        });
        read.map(drop)
            .map_err(|error| io::Error::other(error.to_string()))
    }
}

fn snapshot(store: &PostgresStore) -> Snapshot {
    store.snapshot(&mut |_, _, _| Ok(())).unwrap()
}

#[test]
fn an_interrupted_copy_continues_and_no_server_starts_before_its_end() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let (from, to) = (cluster.fresh_database(), cluster.fresh_database());
    let source = open(&from).unwrap();
    for block in 0..10_u64 {
        let mut changes = ChangeSet::new();
        for number in 0..1_000 {
            changes.put(key(block * 1_000 + number), vec![1; 50]);
        }
        changes.add(Key::of(Space::Scratch).text("counter"), 3);
        pollster::block_on(source.commit(changes)).unwrap();
    }
    let state = snapshot(&source);
    let highest = AtomicU64::new(0);
    let copy = |records: u64, state: &Snapshot| {
        let first = AtomicU64::new(u64::MAX);
        let done = load(
            &options(&to),
            state,
            &Continuation::lossless(state),
            &mut FirstRecords(&source, records),
            &mut |arrived| {
                first.fetch_min(arrived, Ordering::Relaxed);
                highest.fetch_max(arrived, Ordering::Relaxed);
            },
        );
        (done, first.into_inner())
    };
    let (broken, first) = copy(7_000, &state);
    assert!(broken.unwrap_err().to_string().contains("interrupted"));
    assert_eq!(first, 0);
    let refused = open(&to).unwrap_err().to_string();
    assert!(
        refused.contains("a copy into it was not finished, 6000"),
        "{refused}"
    );
    // It continues after the records that had arrived.
    let (done, first) = copy(u64::MAX, &state);
    done.unwrap();
    assert_eq!((first, highest.load(Ordering::Relaxed)), (6_000, 10_001));
    let target = open(&to).unwrap();
    assert_eq!(everything(&target), everything(&source));
    let last = snapshot(&target);
    assert_eq!(last.sequences, state.sequences);
    assert!(put(&target, 1, b"after") > state.revision);
    // A database with records is not overwritten.
    let (again, _) = copy(u64::MAX, &state);
    assert!(matches!(again, Err(OpenError::HoldsStore { .. })));
}

#[test]
fn an_interrupted_copy_of_another_state_starts_again() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let (from, to) = (cluster.fresh_database(), cluster.fresh_database());
    let source = open(&from).unwrap();
    let mut changes = ChangeSet::new();
    for number in 0..5_000 {
        changes.put(key(number), b"old".to_vec());
    }
    pollster::block_on(source.commit(changes)).unwrap();
    let old = snapshot(&source);
    let copy = |records: u64, state: &Snapshot| {
        load(
            &options(&to),
            state,
            &Continuation::lossless(state),
            &mut FirstRecords(&source, records),
            &mut |_| (),
        )
    };
    assert!(copy(4_100, &old).is_err());
    let mut changes = ChangeSet::new();
    for number in 0..2_500 {
        changes.delete(key(number));
    }
    pollster::block_on(source.commit(changes)).unwrap();
    copy(u64::MAX, &snapshot(&source)).unwrap();
    let target = open(&to).unwrap();
    assert_eq!(everything(&target).len(), 2_500);
    assert_eq!(everything(&target), everything(&source));
}

/// Moves a store: a backup goes through a pipe into a restore that loses nothing.
fn moved(from: &[&str], to: &[&str]) -> process::Ran {
    let mut backup = process::command([&["backup", "-"], from].concat());
    let mut backup = backup.stdout(Stdio::piped()).spawn().unwrap();
    let restore = ["restore", "-", "--nothing-lost", "the store moves"];
    let mut restore = process::command([&restore, to].concat());
    let restore = restore.stdin(backup.stdout.take().unwrap());
    let ran = process::Ran::of(restore.output().unwrap());
    assert!(backup.wait().unwrap().success());
    ran
}

fn demo_folder(folder: &TempDir) -> String {
    let data = folder.path().join("data").display().to_string();
    let mut server = Server::start(["demo", "--orders", "0", "--data", &data]);
    server.terminate();
    assert!(server.wait().success(), "{}", server.stderr());
    data
}

#[test]
fn a_store_moves_into_a_database_and_back_with_its_media() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let old = demo_folder(&folder);
    let database = cluster.fresh_database();
    let [shared, new] =
        ["shared", "new"].map(|name| folder.path().join(name).display().to_string());
    let (old_place, new_place) = (["--data", &old], ["--data", &new]);
    let in_database = ["--data", &shared, "--database", &database];
    let moves = |from: &[&str], to: &[&str]| {
        let printed = moved(from, to).success();
        assert!(printed.contains("64 media files, verified"), "{printed}");
        assert!(
            printed.contains("nothing is lost: the store moves"),
            "{printed}"
        );
        let checked = process::run([&["check"], to].concat()).success();
        assert!(checked.ends_with("the store is sound\n"), "{checked}");
    };
    moves(&old_place, &in_database);
    let again = moved(&old_place, &in_database);
    assert_eq!(again.code, Some(1), "{again:?}");
    again.says("holds a store already");

    moves(&in_database, &new_place);
    let left = std::fs::read_dir(&new).unwrap();
    let mut left = left.map(|file| file.unwrap().file_name());
    assert!(!left.any(|name| name.to_string_lossy().starts_with("received")));
    let open = |data: &str| SledStore::open(Path::new(data), StoreOptions::default()).unwrap();
    let (first, last) = (open(&old), open(&new));
    let records = everything(&first);
    assert!(records.len() > 500, "{}", records.len());
    assert_eq!(records, everything(&last));
    let sequences = |store: &SledStore| store.snapshot(&mut |_, _, _| Ok(())).unwrap().sequences;
    for (name, mark) in sequences(&first) {
        assert!(sequences(&last)[&name] >= mark, "{name}");
    }
}

fn next_revision(store: &Store) -> u64 {
    let mut changes = ChangeSet::new();
    changes.put(key(1), b"next".to_vec());
    pollster::block_on(store.commit(changes)).unwrap()
}

/// The store assigns nothing that commits of `source` after the backup may have used.
fn skips_what_may_be_lost(store: &Store, source: &Store) {
    assert!(next_revision(store) > next_revision(source) + (1 << 32));
    for sequence in [
        Sequence::Order,
        Sequence::Offer,
        Sequence::Customer,
        Sequence::Address,
    ] {
        let number =
            |store: &Store| pollster::block_on(store.next_numbers(&[(sequence, 1)])).unwrap()[0];
        let (next, lost) = (number(store), number(source));
        assert!(next > lost + 50_000, "{sequence:?}: {next} after {lost}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_running_server_is_restored_to_either_kind_of_store() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let first = cluster.fresh_database();
    let demo = Demo::new(&first);
    let server = demo.serve("first");
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let admin = demo
        .users()
        .iter()
        .find(|user| user.role == "admin")
        .unwrap();
    let (printed, backup) = server.back_up(admin, folder.path());
    assert!(printed.contains("64 media files, verified"), "{printed}");
    let database = cluster.fresh_database();
    let restore = |data: &str, database: &str| {
        let data = path(data);
        let restored = process::run(["restore", &backup, "--data", &data, "--database", database]);
        let _ = restored.success();
        let checked = process::run(["check", "--data", &data, "--database", database]);
        assert!(checked.success().ends_with("the store is sound\n"));
    };
    restore("embedded", "");
    restore("shared", &database);
    let again = [
        "restore",
        &backup,
        "--data",
        &path("x"),
        "--database",
        &database,
    ];
    let again = process::run(again);
    again.says("holds a store already");
    let embedded: Store = SledStore::open(path("embedded"), StoreOptions::default())
        .unwrap()
        .into();
    let shared: Store = open(&database).unwrap().into();
    assert_eq!(everything(&embedded), everything(&shared));
    let source: Store = open(&first).unwrap().into();
    skips_what_may_be_lost(&embedded, &source);
    skips_what_may_be_lost(&shared, &source);
}

/// Number of database queries of a request, when the server has token and catalogue in its caches.
fn round_trips(server: &HttpServer, request: impl Fn() -> Exchange) -> u64 {
    let Store::Postgres(store) = server.erp().store().clone() else {
        panic!("the server has no database");
    };
    let _ = request();
    // Once a second the server checks the database.
    let cost = |_| {
        let before = store.status().round_trips;
        let _ = request();
        store.status().round_trips - before
    };
    (0..7).map(cost).min().unwrap()
}

#[test]
fn a_request_needs_few_database_queries() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let server = HttpServer::with(&[("database", &cluster.fresh_database())]);
    let get =
        |path: &'static str| round_trips(&server, || server.get(path).by(SHOP1).send().expect(200));
    // The user, the versions of the master data with the customer, the reserved quantities.
    assert_eq!(get("/www/artikel?debinr=10007&limit=100"), 3);
    // If the stock of an article is cached, the reserved quantity is read together with the versions.
    assert_eq!(get("/www/artikel/LM-3001"), 2);
    let order = json!({
        "GrundDaten": {"KundNr": "10007"},
        "Positionen": [{"ArtNr": "BU-1002", "Menge": 12}, {"ArtNr": "LM-3001", "Menge": 4}],
    });
    let created = round_trips(&server, || {
        let request = server.post("/www/auftrag").by(SHOP1);
        request.json(&order).send().expect(201)
    });
    // Two reads and the commit; one in sixteen orders also fetches numbers.
    assert_eq!(created, 3);
}

#[test]
fn a_first_start_leaves_no_error_in_the_log_of_the_database() {
    let Some(cluster) = Cluster::start(&ClusterOptions::fast()) else {
        return;
    };
    let url = cluster.create_database("shop");
    PostgresStore::try_out(&options(&url)).unwrap();
    for number in 1..=2 {
        let store = open(&url).unwrap();
        let _ = put(&store, number, b"one");
        assert_eq!(everything(&store).len() as u64, number);
        let taken = store.next_numbers(&[(Sequence::Order, 1)]);
        assert_eq!(pollster::block_on(taken).unwrap().len(), 1);
        store.close();
    }
    let copy = cluster.create_database("copy");
    let source = open(&url).unwrap();
    let state = snapshot(&source);
    let every = Continuation::lossless(&state);
    let mut records = FirstRecords(&source, u64::MAX);
    load(&options(&copy), &state, &every, &mut records, &mut |_| ()).unwrap();
    source.close();
    // The log has the statements that the database refused.
    let _ = cluster.try_psql("shop", "SELECT nothing FROM nowhere");
    let log = cluster.log();
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("ERROR:")).collect();
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert!(errors[0].contains("nowhere"), "{errors:?}");
}

// rule: D-ANS-14
#[test]
fn a_new_history_does_not_keep_the_record_of_the_old_one() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let source = open(&cluster.fresh_database()).unwrap();
    let mut changes = ChangeSet::new();
    changes.put(history_key(), b"old".to_vec());
    pollster::block_on(source.commit(changes)).unwrap();
    let state = snapshot(&source);
    let after_loss = Continuation::after_loss(&state, (&BTreeMap::new(), None), state.time, 7);
    for (continuation, kept) in [(Continuation::lossless(&state), true), (after_loss, false)] {
        let to = cluster.fresh_database();
        let mut records = FirstRecords(&source, u64::MAX);
        load(
            &options(&to),
            &state,
            &continuation,
            &mut records,
            &mut |_| (),
        )
        .unwrap();
        let target = open(&to).unwrap();
        let found = pollster::block_on(target.get(&[history_key()])).unwrap();
        assert_eq!(found[0].is_some(), kept);
    }
}
