//! The alert rules and the dashboard of `erp-server/packaging/monitoring`, compared with the metrics of a running
//! server.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use erp_tests::client::{Client, stop};
use erp_tests::place::Place;
use erp_tests::process::{self, Credentials, Server};
use erp_tests::skipped;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../erp-server/packaging/monitoring")
}

fn file(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

/// A demo that serves metrics; returns the page after one request and one backup.
fn page(place: &Place) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let metrics = listener.local_addr().unwrap().to_string();
    drop(listener);
    let (server, users) = place.demo(&["--metrics-listen", &metrics]);
    let read = || get(&format!("http://{metrics}/metrics"));
    assert_eq!(last_backup(&read()), 0);
    let before = jiff::Timestamp::now().as_second();
    let admin = users.iter().find(|user| user.role == "admin").unwrap();
    let _ = server.back_up(admin, &place.path("."));
    let shop = users.iter().find(|user| user.role == "shop").unwrap();
    check_an_invoice(&server, shop);
    let page = read();
    assert!(last_backup(&page) >= before, "{page}");
    let url = server.base_url();
    assert_eq!(process::run(["health", &url]).success(), "ready\n");
    stop(server);
    let gone = process::run(["health", &url]);
    assert_eq!(gone.code, Some(1));
    gone.says("does not respond");
    page
}

fn check_an_invoice(server: &Server, shop: &Credentials) {
    Runtime::new().unwrap().block_on(async {
        let mut client = Client::new(server);
        assert_eq!(client.log_in(&shop.name, &shop.password).await, 200);
        let body = json!({"Operation": "Check", "XML": "PGEvPg=="});
        let _ = client.expect(200, "POST /www/zugferd", Some(&body)).await;
    });
}

fn get(url: &str) -> String {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async { reqwest::get(url).await.unwrap().text().await.unwrap() })
}

fn last_backup(page: &str) -> i64 {
    let line = |line: &str| {
        let value = line.strip_prefix("erp_last_backup_timestamp_seconds ")?;
        value.parse().ok()
    };
    page.lines().find_map(line).unwrap()
}

/// The names of all samples and of their labels.
fn names(page: &str) -> BTreeSet<&str> {
    let lines = page.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(words).collect()
}

fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
}

fn metrics(expression: &str) -> impl Iterator<Item = &str> {
    words(expression).filter(|word| word.starts_with("erp_") || word.starts_with("process_"))
}

/// The labels that an expression compares or groups by, except those that Prometheus adds.
fn labels(expression: &str) -> impl Iterator<Item = &str> {
    let compared = expression.split(['{', ',']).filter_map(|part| {
        let (name, _) = part.split_once(['=', '!'])?;
        words(name).next_back()
    });
    let grouped = expression
        .split("by (")
        .skip(1)
        .flat_map(|rest| words(rest.split(')').next().unwrap()));
    compared
        .chain(grouped)
        .filter(|label| !["instance", "job"].contains(label))
}

fn board() -> Vec<String> {
    let board: Value = serde_json::from_str(&file("board.json")).unwrap();
    let panels = board["panels"].as_array().unwrap();
    let targets = panels
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap());
    targets
        .map(|target| target["expr"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn rules_and_board_name_what_the_page_has() {
    let place = Place::empty();
    let page = page(&place);
    let known = names(&page);
    let rules = file("alerts.yml");
    let lines: Vec<&str> = rules
        .lines()
        .filter(|line| !line.trim_start().starts_with('#') && !line.contains("summary:"))
        .collect();
    let mut expressions = board();
    expressions.push(lines.join("\n"));
    let mut named = BTreeSet::new();
    for expression in &expressions {
        for name in metrics(expression).chain(labels(expression)) {
            assert!(known.contains(name), "{name} of {expression}");
            named.insert(name);
        }
    }
    assert!(named.len() > 25, "{named:?}");
    for name in [
        "erp_event_attempts_total",
        "erp_event_oldest_waiting_seconds",
        "erp_last_backup_timestamp_seconds",
    ] {
        assert!(lines.iter().any(|line| line.contains(name)), "{name}");
    }
    // An offline backup is recorded, too.
    let file = place.arg("offline.tar.gz");
    let _ = place.run(&["backup", "--output", &file]).success();
    assert!(place.is_sound().contains("1 backup notes"));
    let verified = process::run(["verify", &file]).success();
    assert!(verified.contains("verified"), "{verified}");
}

/// The panels of the dashboard, as rules for promtool.
fn recorded() -> String {
    let expressions = board();
    let rules = expressions.iter().enumerate().map(|(number, expression)| {
        let expression = expression
            .replace("$__rate_interval", "5m")
            .replace("$instance", ".*");
        assert!(!expression.contains('$'), "{expression}");
        format!("      - record: board:{number}\n        expr: {expression:?}\n")
    });
    let rules: String = rules.collect();
    format!("groups:\n  - name: board\n    rules:\n{rules}")
}

#[test]
fn every_rule_fires_for_trouble_and_for_nothing_else() {
    if Command::new("promtool").arg("--version").output().is_err() {
        return skipped("promtool of Debian's package prometheus is not installed");
    }
    let place = Place::empty();
    let board = place.write("board.yml", recorded());
    let config = folder().join("prometheus.yml").display().to_string();
    let fixture = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/monitoring/alerts.test.yml"
    );
    for arguments in [
        ["check", "config", &config],
        ["check", "rules", &board],
        ["test", "rules", fixture],
    ] {
        let output = Command::new("promtool").args(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.success(), "{arguments:?}: {said}");
        assert!(said.contains("SUCCESS"), "{said}");
    }
    let tested = fs::read_to_string(fixture).unwrap();
    for rule in file("alerts.yml").lines() {
        if let Some(name) = rule.trim().strip_prefix("- alert: ") {
            assert!(
                tested.contains(&format!("alertname=\"{name}\"")),
                "no test of {name}"
            );
        }
    }
}
