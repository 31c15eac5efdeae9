//! The back ends of shops in `examples/back-ends`, with a real server.

use erp_tests::server::{SHOP1, Server};
use erp_tests::skipped;
use serde_json::{Value, json};

use crate::programs::{Program, is_there};

const PROGRAMS: [&[&str]; 2] = [
    &["node", "back-end.mjs", "0"],
    &["php", "-S", "127.0.0.1:0", "back-end.php"],
];

// rule: D-AUT-11
#[test]
fn the_example_back_ends_return_a_token_of_the_customer_who_logs_in() {
    let server = Server::start();
    let erp = format!("http://{}", server.address());
    let shop = format!("{}:{}", SHOP1.name, SHOP1.password);
    let customers = json!({"10007": "gehé: im", "99999": "gone"}).to_string();
    for program in PROGRAMS {
        if !is_there(program[0]) {
            skipped(&format!("{} is not installed", program[0]));
            continue;
        }
        let start = |shop: &str| {
            let variables = [("ERP", &*erp), ("SHOP", shop), ("CUSTOMERS", &*customers)];
            Program::start("back-ends", program, &variables)
        };
        let back_end = start(&shop);
        let log_in = |body: &str| back_end.post("/shop/token", "", body);
        let right = json!({"customer": "10007", "password": "gehé: im"}).to_string();
        let (status, body) = log_in(&right);
        assert_eq!(status, 200, "{program:?}: {body}");
        // A body without a length comes in chunks, of which this one is the first.
        let json = &body[body.find('{').unwrap()..=body.rfind('}').unwrap()];
        let token: Value = serde_json::from_str(json).unwrap();
        assert_eq!(token["debinr"], "10007", "{program:?}");
        let token = token["access_token"].as_str().unwrap();
        let read = |path: &str| server.get(path).bearer(token).send().status;
        assert_eq!(read("/www/kunden/10007"), 200);
        assert_eq!(read("/www/kunden/10001"), 404);

        for (login, status) in [
            (json!({"customer": "10007", "password": "wrong"}), 401),
            (json!({"customer": "10001", "password": ""}), 401),
            (json!({"customer": "10001"}), 401),
            (json!({"customer": 10007, "password": 7}), 401),
            (
                json!({"customer": "constructor", "password": "undefined"}),
                401,
            ),
            (json!({}), 401),
            // The server knows no such customer.
            (json!({"customer": "99999", "password": "gone"}), 503),
        ] {
            let (refused, body) = log_in(&login.to_string());
            assert_eq!(refused, status, "{program:?}: {login}");
            assert!(
                !body.contains("access_token") && !body.contains("shop1"),
                "{body}"
            );
        }
        assert_eq!(log_in("{").0, 400, "{program:?}");
        assert_eq!(
            back_end.post("/shop/other", "", &right).0,
            404,
            "{program:?}"
        );
        let wrong = start("shop1:wrong").post("/shop/token", "", &right);
        assert_eq!(
            wrong.0, 503,
            "{program:?}: the customer's password is right"
        );
    }
}
