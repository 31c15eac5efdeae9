//! Numbers of new records if an import has used the next ones.

use std::collections::BTreeSet;
use std::thread;

use erp_core::storage::{ChangeSet, Key, Space, Storage as _};
use erp_tests::bodies;
use erp_tests::server::{SHOP1, Server};
use serde_json::json;

/// Imports customers with the numbers from `from` to `until`.
fn take(server: &Server, from: u32, until: u32) {
    let numbers: Vec<u32> = (from..=until).collect();
    for numbers in numbers.chunks(5_000) {
        let mut changes = ChangeSet::new();
        for number in numbers {
            let key = Key::of(Space::Customer).text(&number.to_string());
            changes.put(key.build(), vec![Space::Customer as u8]);
        }
        server.wait(server.erp().store().commit(changes)).unwrap();
    }
}

// rule: D-NUM-01, D-NUM-03
#[test]
fn concurrent_requests_get_different_numbers_after_a_taken_row() {
    let server = Server::start();
    let create = || {
        let created = server
            .post("/www/kunden")
            .by(SHOP1)
            .json(&bodies::customer());
        let number = created.send().expect(201).data()["DebiNr"].clone();
        number.as_str().unwrap().parse::<u32>().unwrap()
    };
    let first = create();
    take(&server, first + 1, first + 5_000);
    let given = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| [create(), create()]))
            .collect();
        let given = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap());
        given.collect::<BTreeSet<u32>>()
    });
    assert_eq!(given.len(), 16);
    // Numbers of blocks that were reserved in between are skipped.
    let after = first + 5_000;
    assert!(
        given
            .iter()
            .all(|number| (after + 1..after + 1_000).contains(number)),
        "{given:?}"
    );
    let restarted = server.restart(&[]);
    let created = restarted
        .post("/www/kunden")
        .by(SHOP1)
        .json(&bodies::customer());
    let number = created.send().expect(201).data()["DebiNr"].clone();
    let number = number.as_str().unwrap().parse::<u32>().unwrap();
    assert!(!given.contains(&number), "{number}");
}

// rule: D-NUM-03
#[test]
fn an_exhausted_range_is_an_error_response_and_is_logged() {
    let server = Server::with(&[("first_customer_number", "900000")]);
    take(&server, 900_000, 999_998);
    let create = || {
        server
            .post("/www/kunden")
            .by(SHOP1)
            .json(&bodies::customer())
            .send()
    };
    assert_eq!(create().expect(201).data()["DebiNr"], "999999");
    let checks = || {
        let ready = server.get("/health/ready").send().expect(200);
        ready.data()["checks"]["numbers"].clone()
    };
    assert_eq!(checks(), "ok");
    let refused = create();
    assert_eq!(refused.refusal(), (422, "numbers_used_up".to_owned()));
    let info = json!({"first": 900_000, "last": 999_999, "setting": "first_customer_number"});
    assert_eq!(refused.json()["info"], info);
    assert_eq!(checks(), "failed");
}
