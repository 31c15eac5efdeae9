//! The commands of the documents in `erp-server/docs` work in the printed order.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use erp_campaigns::postgres::Cluster;
use erp_tests::client::{Client, stop};
use erp_tests::place::Place;
use erp_tests::process::{self, Credentials, Server};
use serde_json::json;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../erp-server/docs")
}

fn page(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

/// The shell commands below a heading, block by block.
fn commands(page: &str, heading: &str) -> Vec<String> {
    let begin = format!("## {heading}\n");
    let section = page.split_once(&begin).expect("the heading is there").1;
    let section = section.split("\n## ").next().unwrap();
    let blocks = section.split("```sh\n").skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

/// Runs a block as printed in the document.
fn run(place: &Place, block: &str, variables: &[(&str, &str)]) -> Output {
    let programs = place.path("bin");
    fs::create_dir_all(&programs).unwrap();
    let link = programs.join("erp-server");
    if !link.exists() {
        std::os::unix::fs::symlink(process::binary(), link).unwrap();
    }
    let path = format!(
        "{}:{}",
        programs.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut bash = Command::new("bash");
    process::without_settings(&mut bash);
    bash.args(["-euc", block])
        .current_dir(place.path("."))
        .env("PATH", path)
        .envs(variables.iter().copied());
    bash.output().unwrap()
}

#[track_caller]
fn works(place: &Place, block: &str, variables: &[(&str, &str)]) -> String {
    let output = run(place, block, variables);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{block}\n{stderr}");
    String::from_utf8(output.stdout).unwrap() + &stderr
}

fn records(place: &Place) -> String {
    process::run(["check", "--data", &place.arg("data")]).success()
}

async fn place_an_order(server: &Server, users: &[Credentials]) {
    let user = users.iter().find(|user| user.role == "shop").unwrap();
    let mut client = Client::new(server);
    client.log_in(&user.name, &user.password).await;
    let body = erp_tests::bodies::order("10007", json!([{"ArtNr": "BU-1002", "Menge": 12}]));
    client.expect(201, "POST /www/auftrag", Some(&body)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_recovery_and_the_way_back_work_as_printed() {
    let (page, runbook) = (page("backup.md"), page("runbook.md"));
    let place = Place::empty();
    let (data, scratch) = (place.arg("data"), place.arg("scratch"));
    let (server, users) = place.demo(&[]);
    place_an_order(&server, &users).await;
    let admin = users.iter().find(|user| user.role == "admin").unwrap();
    let password = place.arg("password");
    fs::write(&password, &admin.password).unwrap();

    let [backup, restore] = &commands(&page, "Backup plan")[..] else {
        panic!("the plan has two blocks");
    };
    let url = server.base_url();
    works(
        &place,
        backup,
        &[("URL", &url), ("PASSWORD_FILE", &password)],
    );
    let restored = works(&place, restore, &[("SCRATCH", &scratch)]);
    assert!(restored.ends_with("the store is sound\n"), "{restored}");
    let after_backup = jiff::Timestamp::now().to_string();
    std::thread::sleep(std::time::Duration::from_millis(20));
    place_an_order(&server, &users).await;
    stop(server);
    let everything = records(&place);

    // The disk is lost.
    let [anew] = &commands(&runbook, "Restore on another machine")[..] else {
        panic!("another machine has one block");
    };
    let restored = works(&place, anew, &[("NEW", &place.arg("new"))]);
    assert!(restored.ends_with("the store is sound\n"), "{restored}");

    // The records are lost.
    fs::write(place.arg("data/sled/db"), b"damaged").unwrap();
    let steps = commands(&runbook, "The store is damaged");
    let [copy, look, recover, prove] = &steps[..] else {
        panic!("recovery has four blocks: {steps:#?}");
    };
    let variables = [("DATA", data.as_str())];
    works(&place, copy, &variables);
    let seen = works(&place, look, &variables);
    assert!(seen.contains("is damaged: "), "{seen}");
    let recovered = works(&place, recover, &variables);
    assert!(recovered.contains("recovered to commit "), "{recovered}");
    let proved = works(&place, prove, &variables);
    assert!(proved.ends_with("the store is sound\n"), "{proved}");
    assert_eq!(records(&place), everything);

    let [back] = &commands(&runbook, "Back to an earlier time")[..] else {
        panic!("the way back has one block");
    };
    works(&place, back, &[("DATA", &data), ("TIME", &after_backup)]);
    let orders = |printed: &str| {
        let line = printed
            .lines()
            .find(|line| line.ends_with(" orders"))
            .unwrap();
        line.trim()
            .split(' ')
            .next()
            .unwrap()
            .parse::<u32>()
            .unwrap()
    };
    assert_eq!(orders(&records(&place)) + 1, orders(&everything));
    // A new password opens it, the old one no more.
    let [lost] = &commands(&runbook, "The admin's password is lost")[..] else {
        panic!("a lost password has one block");
    };
    let printed = works(&place, lost, &variables);
    let new = printed.trim_end().rsplit(' ').next().unwrap().to_owned();
    // The server continues from there.
    let server = Server::start(["serve", "--data", &data]);
    assert_eq!(Client::new(&server).log_in("admin", &new).await, 200);
    place_an_order(&server, &users).await;
    stop(server);
    assert_eq!(orders(&records(&place)), orders(&everything));
}

#[test]
fn an_invoice_is_checked_as_printed() {
    let place = Place::empty();
    let [check] = &commands(&page("runbook.md"), "An invoice is refused")[..] else {
        panic!("the check has one block");
    };
    let broken = folder().join("../console/sample-broken.xml");
    fs::copy(broken, place.arg("invoice.xml")).unwrap();
    let said = works(&place, check, &[]);
    assert!(said.contains("BR-CO-17"), "{said}");
}

#[test]
fn the_move_into_a_database_and_back_works_as_printed() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let page = page("several-servers.md");
    let place = Place::empty();
    stop(place.demo(&[]).0);
    let database = cluster.fresh_database();
    let (data, shared, back) = (place.arg("data"), place.arg("shared"), place.arg("back"));
    let variables = [
        ("DATA", data.as_str()),
        ("DATABASE", &database),
        ("SHARED", &shared),
        ("BACK", &back),
    ];
    let [there, and_back] = &commands(&page, "Move into a database")[..] else {
        panic!("the move has two blocks");
    };
    for block in [there, and_back] {
        let printed = works(&place, block, &variables);
        assert!(
            printed.contains(", 64 media files, verified\n"),
            "{printed}"
        );
        assert!(printed.ends_with("the store is sound\n"), "{printed}");
    }
    let moved = process::run(["check", "--data", &back]).success();
    assert_eq!(moved, records(&place));
}

#[test]
fn every_command_of_the_pages_exists() {
    let mut pages = vec![fs::read_to_string(folder().join("../README.md")).unwrap()];
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            pages.push(fs::read_to_string(path).unwrap());
        }
    }
    assert!(pages.len() > 10, "{}", pages.len());
    let mut named: Vec<&str> = pages
        .iter()
        .flat_map(|page| page.split("erp-server ").skip(1))
        .filter_map(|rest| rest.split([' ', '`', '\n']).next())
        .filter(|word| word.chars().all(|letter| letter.is_ascii_lowercase()) && !word.is_empty())
        .collect();
    named.sort_unstable();
    named.dedup();
    let help = process::run(["--help"]).success();
    let known: Vec<&str> = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .collect();
    assert!(named.len() > 6, "{named:?}");
    for name in named {
        assert!(known.contains(&name), "`{name}` is no command: {known:?}");
    }
}
