//! The example receivers of `examples/receivers`, each with events of a real server and with forged ones.

use std::io::Write as _;

use super::*;
use crate::programs::{Program, is_there};
use erp_tests::skipped;

const PROGRAMS: [&[&str]; 3] = [
    &["node", "receiver.mjs", "0"],
    &["python3", "receiver.py", "0"],
    &["php", "-S", "127.0.0.1:0", "receiver.php"],
];

/// The status of the response to a request with this signature.
fn status(receiver: &Program, id: &str, seconds: i64, signature: &str, body: &str) -> u16 {
    let fields = format!(
        "webhook-id: {id}\r\nwebhook-timestamp: {seconds}\r\nwebhook-signature: {signature}\r\n"
    );
    receiver.post("/hook", &fields, body).0
}

fn signature(key: &[u8], id: &str, seconds: i64, body: &str) -> String {
    let signed = format!("{id}.{seconds}.{body}");
    format!(
        "v1,{}",
        STANDARD.encode(hmac_sha256(key, signed.as_bytes()))
    )
}

// rule: R-EVT-05
#[test]
fn the_example_receivers_verify_what_the_server_sends() {
    let key = [7; 32];
    let secret = format!("whsec_{}", STANDARD.encode(key));
    let body = r#"{"type":"REST_Kunde","data":{"DebiNr":"10001","method":"PUT","user":"anna"}}"#;
    for program in PROGRAMS {
        if !is_there(program[0]) {
            skipped(&format!("{} is not installed", program[0]));
            continue;
        }
        let server = Server::with(&[ALLOWED]);
        server.deliver_events(pace(5));
        let handled = tempfile::tempdir().unwrap();
        let folder = handled.path().to_str().unwrap();
        let variables = [("SECRET", &*secret), ("HANDLED", folder)];
        let receiver = Program::start("receivers", program, &variables);
        let url = format!("http://127.0.0.1:{}/hook", receiver.port());
        let target = add(&server, &json!({"url": url, "secret": secret})).expect(201);
        let target = target.data()["id"].as_u64().unwrap();
        let order = order(&server);
        wait_until(&server, "delivered", |events| {
            all(events, target, 1, "delivered")
        });
        let line = format!("REST_Auft POST {order}");
        erp_tests::wait::wait_until("the event is printed", || receiver.count(&line) == 1);

        let now = server.started().as_second();
        let good = signature(&key, "evt_x", now, body);
        let other = signature(&[8; 32], "evt_x", now, body);
        let forged = [
            ("evt_x", now, other.as_str()),
            ("evt_x", now, "v1,"),
            ("evt_x", now, ""),
            ("evt_y", now, &good),
            ("evt_x", now + 1, &good),
            (
                "evt_x",
                now - 400,
                &signature(&key, "evt_x", now - 400, body),
            ),
        ];
        for (id, seconds, signature) in forged {
            let status = status(&receiver, id, seconds, signature, body);
            assert_eq!(status, 401, "{program:?}: {id} {seconds} {signature}");
        }
        // The second request with this id is accepted and not handled again.
        let several = format!("{other} {good}");
        for signature in [&several, &good] {
            assert_eq!(
                status(&receiver, "evt_x", now, signature, body),
                204,
                "{program:?}"
            );
        }
        let line = "REST_Kunde PUT 10001";
        erp_tests::wait::wait_until("the event is printed", || receiver.count(line) > 0);
        assert_eq!(receiver.count(line), 1, "{program:?}");
        // A body that ends early ends no receiver, and the longest event is taken.
        let mut early = std::net::TcpStream::connect(("127.0.0.1", receiver.port())).unwrap();
        let start = "POST /hook HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc";
        early.write_all(start.as_bytes()).unwrap();
        drop(early);
        let data = json!({"ArtNr": vec!["ä".repeat(36); 1_000], "method": "PUT"});
        let long = json!({"type": "REST_Artikel", "data": data}).to_string();
        let sent = |id| {
            let signature = signature(&key, id, now, &long);
            status(&receiver, id, now, &signature, &long)
        };
        assert_eq!(sent("evt_long"), 204, "{program:?}");
        if program[0] == "php" {
            drop(handled);
            assert_eq!(sent("evt_lost"), 503, "what cannot be kept is sent again");
        }
    }
}
