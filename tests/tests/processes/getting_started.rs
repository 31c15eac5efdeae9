//! The document "Getting started": its commands, run as printed.

use std::process::Command;

use erp_tests::process::{self, Ran, Server};
use erp_tests::skipped;
use serde_json::Value;

use erp_tests::place::{Place, ran_with};

const PAGE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../erp-server/docs/getting-started.md"
));

fn blocks() -> Vec<&'static str> {
    let block = |after: &'static str| after.split("```").next().unwrap();
    PAGE.split("```sh\n").skip(1).map(block).collect()
}

/// Runs commands in the environment that the document assumes: `erp-server` is on the `PATH`.
fn ran(place: &Place, commands: &str, password: &str) -> Ran {
    let programs = process::binary().parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap();
    let mut bash = Command::new("bash");
    bash.current_dir(place.path("."))
        .env("PATH", format!("{programs}:{path}"))
        .env("PASSWORD", password);
    ran_with(bash, &format!("set -eu -o pipefail\n{commands}"))
}

#[test]
fn the_commands_lead_from_nothing_to_the_first_answer() {
    if Command::new("curl").arg("--version").output().is_err() {
        return skipped("the first request needs curl, which is not installed");
    }
    let [build, company, serve, request] = blocks()[..] else {
        panic!("{PAGE}")
    };
    assert_eq!(build, "cargo build --release -p erp-server\n");
    let place = Place::empty();
    let printed = ran(&place, company, "").success();
    assert!(printed.ends_with("the store is sound\n"), "{printed}");
    let password = printed
        .lines()
        .find_map(|line| line.strip_prefix("password of shop1: "))
        .unwrap();
    assert!(printed.contains("\n6 rows: 6 added, "), "{printed}");
    assert_eq!(serve, "erp-server serve --config erp.toml\n");
    let config = place.arg("company/erp.toml");
    let server = Server::start(["serve", "--config", &config]);
    let here = request.replace("http://127.0.0.1:8080", &server.base_url());
    assert_ne!(here, request);
    let printed = ran(&place, &here, password).success();
    let mut responses = printed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (list, order) = (responses.next().unwrap(), responses.next().unwrap());
    assert_eq!(list["data"][0]["Preis"][0]["PreisList"], 12, "{list}");
    assert_eq!(
        (&list["count"], &order["data"]["AuftNr"]),
        (&2.into(), &"100001".into())
    );
    let read = format!(
        "curl -s -H \"Authorization: Bearer $TOKEN\" {}/www/auftrag/100001",
        server.base_url()
    );
    let token = here.lines().next().unwrap();
    let order: Value =
        serde_json::from_str(&ran(&place, &format!("{token}\n{read}"), password).success())
            .unwrap();
    assert_eq!(order["data"]["GrundDaten"]["AuftBrutto"], 136.21, "{order}");
}
