//! Numbers of new records if an import has used the next ones.

use erp_core::storage::{ChangeSet, Key, Space, Storage as _};
use erp_tests::bodies;
use erp_tests::server::Server;
use serde_json::json;

/// Imports customers with the numbers from `from` to `until`.
fn take(server: &Server, from: u32, until: u32) {
    let numbers: Vec<u32> = (from..=until).collect();
    for numbers in numbers.chunks(5_000) {
        let mut changes = ChangeSet::new();
        for number in numbers {
            let key = Key::of(Space::Customer).text(&number.to_string());
            changes.put(key, vec![Space::Customer as u8]);
        }
        server.wait(server.erp().store().commit(changes)).unwrap();
    }
}

// rule: D-NUM-03
#[test]
fn an_exhausted_range_is_an_error_response_and_is_logged() {
    let server = Server::with(&[("first_customer_number", "900000")]);
    take(&server, 900_000, 999_998);
    let create = || server.send("POST", "/www/kunden", &bodies::customer());
    assert_eq!(create().expect(201).data()["DebiNr"], "999999");
    let checks = || {
        let ready = server.get("/health/ready").send().expect(200);
        ready.data()["checks"]["numbers"].clone()
    };
    assert_eq!(checks(), "ok");
    let refused = create();
    refused.refused(422, "numbers_used_up");
    let info = json!({"first": 900_000, "last": 999_999, "setting": "first_customer_number"});
    assert_eq!(refused.json()["info"], info);
    assert_eq!(checks(), "failed");
}
