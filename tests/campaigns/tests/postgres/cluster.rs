//! The databases of the tests survive what they should, and leave no files or processes.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use erp_campaigns::postgres::{Cluster, ClusterOptions, Stop};
use erp_tests::own_process::only;
use erp_tests::wait::wait_until;

/// Set in the process that is killed.
const CHILD: &str = "ERP_POSTGRES_CHILD";

#[test]
fn databases_are_apart_and_their_role_may_do_little() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    assert!(cluster.create_database("one").ends_with("/one"));
    assert!(cluster.create_database("two").contains("erp:"));
    cluster.psql_in(
        "one",
        "CREATE TABLE t (n int); INSERT INTO t VALUES (7), (8)",
    );
    assert_eq!(cluster.psql_in("one", "SELECT n, n + 1 FROM t"), "7|8\n8|9");
    let ran = cluster.try_psql("two", "SELECT n FROM t");
    assert_eq!(ran.code, Some(1));
    ran.says("does not exist");
    let owner = "SELECT rolname, rolsuper, rolcreatedb FROM pg_roles \
                 JOIN pg_database ON datdba = pg_roles.oid WHERE datname = 'two'";
    assert_eq!(cluster.psql(owner), "erp|f|f");
    assert_ne!(cluster.fresh_database(), cluster.fresh_database());
    assert_eq!(cluster.psql("SHOW fsync"), "off");
}

#[test]
fn what_is_committed_survives_every_end() {
    let Some(cluster) = Cluster::start(&ClusterOptions::durable().with("work_mem", "5MB")) else {
        return;
    };
    assert_eq!(cluster.psql("SHOW fsync; SHOW work_mem"), "on\n5MB");
    let port = cluster.port();
    cluster.psql("CREATE TABLE t (n int)");
    let ends: [(i32, &dyn Fn()); 4] = [
        (1, &|| cluster.kill_all()),
        (2, &|| cluster.stop(Stop::Immediate)),
        (3, &|| cluster.stop(Stop::Smart)),
        (4, &|| ()),
    ];
    for (number, end) in ends {
        cluster.psql(&format!("INSERT INTO t VALUES ({number})"));
        end();
        if number < 4 {
            assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
        }
        cluster.restart();
        assert_eq!(cluster.port(), port);
        assert_eq!(
            cluster.psql("SELECT max(n), count(*) FROM t"),
            format!("{number}|{number}")
        );
    }
    assert!(cluster.log().contains("was not properly shut down"));
}

#[test]
fn a_standby_has_every_commit_and_takes_over() {
    let Some(primary) = Cluster::start(&ClusterOptions::durable()) else {
        return;
    };
    let standby = primary.standby();
    primary.create_database("shop");
    primary.psql_in("shop", "CREATE TABLE t (n int)");
    for number in 1..=20 {
        primary.psql_in("shop", &format!("INSERT INTO t VALUES ({number})"));
    }
    let refused = standby.try_psql("shop", "INSERT INTO t VALUES (0)");
    refused.says("read-only");
    primary.kill_all();
    standby.promote();
    assert_eq!(
        standby.psql_in("shop", "SELECT count(*), max(n) FROM t"),
        "20|20"
    );
    standby.psql_in("shop", "INSERT INTO t VALUES (21)");
    let url = primary.url_with(&standby, "shop");
    assert!(url.contains(&format!(
        "127.0.0.1:{},127.0.0.1:{}/shop",
        primary.port(),
        standby.port()
    )));
}

#[test]
fn a_killed_test_leaves_no_cluster() {
    if std::env::var_os(CHILD).is_some() {
        let cluster = Cluster::start(&ClusterOptions::fast()).unwrap();
        let folder = cluster.psql("SHOW data_directory");
        println!("\ncluster {} {folder}", cluster.port());
        thread::sleep(Duration::from_secs(120));
        return;
    }
    if Cluster::shared().is_none() {
        return;
    }
    let mut child = only(module_path!(), "a_killed_test_leaves_no_cluster")
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let reported = lines
        .map_while(Result::ok)
        .find(|line| line.starts_with("cluster "));
    let reported = reported.expect("the child has a cluster");
    let (port, data) = reported["cluster ".len()..].split_once(' ').unwrap();
    let folder = Path::new(data).parent().unwrap();
    assert!(folder.join("data/PG_VERSION").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the cluster of the killed test is gone", || {
        !folder.exists() && TcpStream::connect(format!("127.0.0.1:{port}")).is_err()
    });
}

#[test]
fn a_dropped_cluster_leaves_no_files() {
    let Some(cluster) = Cluster::start(&ClusterOptions::fast()) else {
        return;
    };
    let data = cluster.psql("SHOW data_directory");
    let port = cluster.port();
    drop(cluster);
    assert!(!Path::new(&data).parent().unwrap().exists());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}
