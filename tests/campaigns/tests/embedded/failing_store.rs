//! The store fails while it is served: the process ends, and its next start repairs what it can.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

use erp_campaigns::damage::damage_unseen;
use erp_core::storage::{ChangeSet, Key, Space, Storage as _};
use erp_server::store::{Retention, SledStore, StoreOptions};
use erp_tests::process::Server;
use erp_tests::wait::wait_until;
use tempfile::TempDir;

/// The exit code of a server whose store failed while it was served.
const STORE_FAILED: i32 = 5;

fn put(store: &SledStore, number: u64, value: &[u8]) {
    let mut changes = ChangeSet::new();
    let key = Key::of(Space::Scratch).number(number);
    changes.put(key, value.to_vec());
    pollster::block_on(store.commit(changes)).unwrap();
}

fn value(store: &SledStore, number: u64) -> Vec<u8> {
    let key = Key::of(Space::Scratch).number(number);
    let found = pollster::block_on(store.get(&[key])).unwrap();
    found[0].as_ref().unwrap().value.clone()
}

const TEXT: &str = "a value";

/// A closed store with a damaged record that the next start does not detect.
fn damaged_store(data: &Path) -> StoreOptions {
    let options = StoreOptions {
        sled_segment_bytes: 512 << 10,
        retention: Retention::UntilBackup { most_bytes: None },
        ..StoreOptions::default()
    };
    let store = SledStore::open(data, options.clone()).unwrap();
    put(&store, 0, TEXT.as_bytes());
    store.close().unwrap();
    drop(store);
    let key = Key::of(Space::Scratch).number(0);
    damage_unseen(data, options.sled_segment_bytes, key.as_bytes());
    options
}

#[test]
fn damage_found_while_serving_ends_the_process_and_the_next_start_repairs_it() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let options = damaged_store(&data);
    // A start after a proper shutdown reads the records while it serves.
    let shown = data.display().to_string();
    let mut server = Server::start(["serve", "--data", &shown]);
    assert_eq!(
        server.wait().code(),
        Some(STORE_FAILED),
        "{}",
        server.stderr()
    );
    let output = server.stderr();
    assert!(
        output.contains("the store failed while it was served: the store is damaged"),
        "{output}"
    );

    let mut server = Server::start(["serve", "--data", &shown]);
    server.terminate();
    assert_eq!(server.wait().code(), Some(0), "{}", server.stderr());
    let output = server.stderr();
    assert!(output.contains("the store was damaged"), "{output}");
    let store = SledStore::open(&data, options).unwrap();
    assert_eq!(value(&store, 0), TEXT.as_bytes());
}

/// The failure is reported even if SIGTERM comes before the server has stopped because of it.
#[test]
fn a_failure_just_before_the_end_has_its_exit_code() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let _ = damaged_store(&data);
    let mut server = Server::start(["serve", "--data", &data.display().to_string()]);
    let url = server.base_url();
    let address = url.strip_prefix("http://").unwrap();
    wait_until("the failure is noticed", || !is_ready(address));
    server.terminate();
    let code = server.wait().code();
    assert_eq!(code, Some(STORE_FAILED), "{}", server.stderr());
}

fn is_ready(address: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else {
        return false;
    };
    let request = "GET /health/ready HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n";
    let mut response = String::new();
    let read = stream.write_all(request.as_bytes());
    let read = read.and_then(|()| stream.read_to_string(&mut response));
    read.is_ok() && response.starts_with("HTTP/1.1 200 ")
}

/// The unit of the package restarts the server after such a failure, but not after an error that a restart cannot fix.
#[test]
fn the_service_starts_again_after_a_failure_that_a_start_repairs() {
    let unit =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../erp-server/packaging/erp-server.service");
    let unit = fs::read_to_string(unit).unwrap();
    let value = |name: &str| {
        let line = unit.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default().to_owned()
    };
    assert_eq!(value("Restart="), "on-failure");
    let never = value("RestartPreventExitStatus=");
    let never: Vec<&str> = never.split(' ').collect();
    assert_eq!(never, ["2", "4"]);
    assert!(!never.contains(&STORE_FAILED.to_string().as_str()));
}
