//! `erp-server order status`: the back office changes the state of orders on the command line of the real binary.

use std::path::PathBuf;

use erp_tests::client::{Client, stop};
use erp_tests::process::{self, Ran, Server};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Demo {
    folder: TempDir,
}

impl Demo {
    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn server(&self) -> Server {
        let (data, users) = (self.path("data"), self.path("users.json"));
        Server::start([
            "demo",
            "--orders",
            "0",
            "--data",
            &data,
            "--credentials",
            &users,
        ])
    }

    fn invoice(&self, number: &str) -> Ran {
        let data = self.path("data");
        let words = ["order", "invoice", number, "--data", &data];
        Ran::of(process::command(words).output().unwrap())
    }

    fn set(&self, number: &str, status: &str) -> Ran {
        self.set_all(&[number], status)
    }

    fn set_all(&self, numbers: &[&str], status: &str) -> Ran {
        let data = self.path("data");
        let words = [&["order", "status"], numbers, &[status, "--data", &data]].concat();
        Ran::of(process::command(words).output().unwrap())
    }

    /// Sends a request to the running server as its shop.
    async fn ask(&self, server: &Server, path: &str, body: Option<Value>) -> Value {
        let users = process::credentials(&PathBuf::from(self.path("users.json")));
        let mut client = Client::new(server);
        client.log_in(&users[0].name, &users[0].password).await;
        match body {
            Some(body) => {
                client
                    .expect(201, &format!("POST {path}"), Some(&body))
                    .await
            }
            None => client.expect(200, &format!("GET {path}"), None).await,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_go_forward_and_never_back() {
    let demo = Demo {
        folder: tempfile::tempdir().unwrap(),
    };
    let server = demo.server();
    let body = json!({"GrundDaten": {"KundNr": "10006"}, "Positionen": [{"ArtNr": "BU-1004", "Menge": 2}]});
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let answer = demo.ask(&server, "/www/auftrag", Some(body.clone())).await;
        numbers.push(answer["AuftNr"].as_str().unwrap().to_owned());
    }
    let (canceled, number) = (&numbers[0], &numbers[1]);
    stop(server);
    let done = demo.set(canceled, "S").success();
    assert_eq!(done, format!("order {canceled} is S\n"));
    assert_eq!(demo.set(canceled, "A").code, Some(1));
    // The second time nothing changes.
    for _ in 0..2 {
        assert_eq!(
            demo.set(number, "O").success(),
            format!("order {number} is O\n")
        );
        assert_eq!(
            demo.invoice(number).success(),
            format!("order {number} has invoice 1\n")
        );
    }
    assert_eq!(
        demo.set(number, "A").success(),
        format!("order {number} is A\n")
    );
    assert_eq!(demo.set(number, "O").code, Some(1));
    let unknown = demo.set("999999", "O");
    assert_eq!(unknown.code, Some(1));
    unknown.says("999999");
    for wrong in ["N", "P", "x"] {
        assert_eq!(demo.set(number, wrong).code, Some(2), "{wrong}");
    }
    let all = demo.set_all(&[number, canceled, "999999"], "A");
    assert_eq!(all.code, Some(1));
    for line in [
        format!("order {number}: unchanged\n"),
        format!("order {canceled}: problem an order in state S cannot become A\n"),
        "order 999999: problem there is no such order `999999`\n".to_owned(),
    ] {
        assert!(all.stdout.contains(&line), "{line} in {}", all.stdout);
    }
    all.says("2 of 3 orders did not move");
    let all = demo.set_all(&[number, number], "A").success();
    assert_eq!(all, format!("order {number}: unchanged\n").repeat(2));
    let server = demo.server();
    let order = demo
        .ask(&server, &format!("/www/auftrag/{number}"), None)
        .await;
    assert_eq!(order["GrundDaten"]["AuftStatus"], "A");
    let busy = demo.set(number, "A");
    assert_ne!(busy.code, Some(0), "the server has the store");
    stop(server);
}
