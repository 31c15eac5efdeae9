//! Backups of the real server under load, and restores of them.

use erp_tests::embedded_store::files;
use erp_tests::place::Place;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::slice;
use std::time::Duration;

use erp_campaigns::Random;
use erp_campaigns::load::{Ledger, Rounds, Shop, acknowledged};
use erp_server::backup::Backup;
use erp_tests::process::{self, Credentials, Ran, Server};
use reqwest::Client;
use serde_json::{Value, json};

const FLAGS: [&str; 2] = ["--rate-limits", "false"];

fn serve(place: &Place, data: &str) -> Server {
    let data = place.arg(data);
    Server::start(["serve", "--data", &data].into_iter().chain(FLAGS))
}

/// Makes a backup of a running server on the command line.
fn backup(place: &Place, server: &Server, user: &Credentials, name: &str) -> Ran {
    let command = ["backup", "--output", &place.arg(name)];
    place.online(server, (&user.name, &user.password), &command, "")
}

fn restore(place: &Place, backup: &str, data: &str) -> Ran {
    process::run(["restore", &place.arg(backup), "--data", &place.arg(data)])
}

fn admin(users: &[Credentials]) -> &Credentials {
    users.iter().find(|user| user.role == "admin").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_has_everything_before_it_and_with_the_journal_everything() {
    let place = Place::empty();
    let (server, users) = place.demo(&FLAGS);
    let shop = Shop::log_in(&server.base_url(), admin(&users)).await;
    let mut rounds = Rounds::new(&shop, Random(1)).await;
    let clients = rounds.load(slice::from_ref(&shop), "before");
    rounds.wait_for_orders(20).await;
    server.kill();
    let before = acknowledged(clients).await;
    assert!(!before.orders.is_empty());

    let server = serve(&place, "data");
    let shop = shop.at(server.base_url());
    let mut rounds = Rounds::new(&shop, Random(2)).await;
    let clients = rounds.load(slice::from_ref(&shop), "meanwhile");
    rounds.wait_for_orders(5).await;
    let printed = backup(&place, &server, admin(&users), "erp.tar.gz").success();
    assert!(printed.contains("media files, verified\n"), "{printed}");
    rounds.wait_for_orders(5).await;
    server.kill();
    let mut all = acknowledged(clients).await;
    assert!(!all.orders.is_empty());
    all.extend(before.clone());
    assert!(place.path("data/BACKUP").exists());

    // Only the backup: one state, with everything from before its start.
    let printed = restore(&place, "erp.tar.gz", "restored").success();
    assert!(printed.starts_with("restored to `"), "{printed}");
    place.is_sound_in("restored");
    Ledger::read(&place.path("restored")).await.fits_together();
    let media = files(&place.path("data/media"));
    assert!(!media.is_empty());
    assert_eq!(files(&place.path("restored/media")).len(), media.len());
    let server = serve(&place, "restored");
    before.verify(&shop.at(server.base_url())).await;
    server.kill();

    // Backup and journal: everything, although the records are lost.
    fs::remove_dir_all(place.path("data/sled")).unwrap();
    let data = place.arg("data");
    let printed = process::run([
        "recover",
        "--backup",
        &place.arg("erp.tar.gz"),
        "--data",
        &data,
    ]);
    let printed = printed.success();
    assert!(printed.starts_with("recovered to commit "), "{printed}");
    let _ = place.is_sound();
    let ledger = Ledger::read(&place.path("data")).await;
    ledger.fits_together();
    ledger.has(&all);
    let server = serve(&place, "data");
    all.verify(&shop.at(server.base_url())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_backup_endpoint_is_only_for_admins_and_confirms_only_complete_backups() {
    let place = Place::empty();
    let (server, users) = place.demo(&FLAGS);
    let client = Client::new();
    let shop = users.iter().find(|user| user.role == "shop").unwrap();
    let token = Shop::log_in(&server.base_url(), shop).await;
    let url = format!("{}/admin/backup", server.base_url());
    let refused = client.get(&url).bearer_auth(token.token()).send().await;
    assert_eq!(refused.unwrap().status(), 403);
    let refused = backup(&place, &server, shop, "none.tar.gz");
    assert_eq!(refused.code, Some(1));
    refused.says("the server refused with 403");
    assert!(!place.path("none.tar.gz.part").exists());

    let token = Shop::log_in(&server.base_url(), admin(&users)).await;
    let response = client
        .get(&url)
        .bearer_auth(token.token())
        .send()
        .await
        .unwrap();
    assert_eq!(response.headers()["content-type"], "application/gzip");
    assert!(response.headers().get("content-encoding").is_none());
    let name = response.headers()["content-disposition"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        name.starts_with("attachment; filename=\"erp-backup-20"),
        "{name}"
    );
    // No one has read the response yet, so the backup is still being written.
    let second = client
        .get(&url)
        .bearer_auth(token.token())
        .send()
        .await
        .unwrap();
    assert_eq!(second.status(), 409);
    let bytes = response.bytes().await.unwrap();
    fs::write(place.path("got.tar.gz"), &bytes).unwrap();
    let backup = Backup::verify(&place.path("got.tar.gz"), &mut |_| ()).unwrap();
    let confirm = |sha256: String| {
        let request = client
            .post(format!("{url}/confirm"))
            .bearer_auth(token.token());
        request.json(&json!({"sha256": sha256})).send()
    };
    assert_eq!(confirm("0".repeat(64)).await.unwrap().status(), 409);
    let confirmed = confirm(backup.sha256().to_owned()).await.unwrap();
    assert_eq!(confirmed.status(), 200);
    let body: Value = confirmed.json().await.unwrap();
    assert_eq!(
        body["data"]["revision"],
        backup.manifest().snapshot.revision
    );
    let stats = format!("{}/admin/stats", server.base_url());
    let stats = client.get(stats).bearer_auth(token.token()).send().await;
    let stats: Value = stats.unwrap().json().await.unwrap();
    let stats = &stats["data"];
    assert!(stats["lastBackup"].as_str() > Some("2026"), "{stats}");
    assert_eq!(stats["store"]["kind"], "embedded");
    assert!(stats["store"]["bytes"].as_u64() > Some(1_000), "{stats}");
}

#[test]
fn a_backup_of_a_stopped_server_is_an_ordinary_archive() {
    let place = Place::empty();
    let (mut server, _) = place.demo(&FLAGS);
    server.terminate();
    assert_eq!(server.wait().code(), Some(0));
    let (data, file) = (place.arg("data"), place.arg("erp.tar.gz"));
    // The store records the backup after it is made.
    let sound = place.is_sound();
    let printed = process::run(["backup", &file, "--data", &data]).success();
    let again = process::run(["backup", "--data", &data, "--output", &file]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert_eq!(process::run(["verify", &file]).success(), printed);
    let listed = std::process::Command::new("tar")
        .args(["tzf", &file])
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.contains("records/00000001") && listed.contains("media/"),
        "{listed}"
    );
    assert!(listed.ends_with("manifest.json\n"), "{listed}");
    let _ = restore(&place, "erp.tar.gz", "other").success();
    assert_eq!(place.is_sound_in("other"), sound);
    let refused = restore(&place, "erp.tar.gz", "other");
    refused.says("holds a store already");
    fs::create_dir(place.path("letters")).unwrap();
    fs::write(place.path("letters/a.txt"), "dear").unwrap();
    restore(&place, "erp.tar.gz", "letters").says("holds `a.txt`; choose an empty");
    assert_eq!(files(&place.path("letters")).len(), 1);
    // Nothing of a backup of another store is stored.
    let (foreign, admin) = (Place::begun(), ["user", "add", "chef", "--role", "admin"]);
    let admin = [&admin[..], &["--password-stdin"]].concat();
    let _ = foreign.run_with(&admin, "ein langes Kennwort").success();
    let refused = foreign.run(&["recover", "--backup", &file]);
    refused.says("the backup is of another store");
    let media = foreign.path("data/media");
    assert!(!media.exists() || files(&media).is_empty());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only its owner may read it");
    }
}

#[test]
fn a_flipped_bit_anywhere_and_every_cut_are_found() {
    let place = Place::empty();
    let (mut server, _) = place.demo(&FLAGS);
    server.terminate();
    server.wait();
    let (data, file) = (place.arg("data"), place.arg("erp.tar.gz"));
    let _ = process::run(["backup", "--data", &data, "--output", &file]).success();
    let whole = fs::read(&file).unwrap();
    let broken = place.path("broken.tar.gz");
    let found = |bytes: &[u8], what: &str| {
        fs::write(&broken, bytes).unwrap();
        let error = Backup::verify(&broken, &mut |_| ()).unwrap_err();
        assert!(
            error.to_string().starts_with("the backup is damaged: "),
            "{what}: {error}"
        );
    };
    let step = whole.len() / 150;
    let head_and_tail = (0..64).chain(whole.len() - 110..whole.len());
    let mut bytes = whole.clone();
    for at in head_and_tail.chain((64..whole.len() - 110).step_by(step)) {
        bytes[at] ^= 1 << (at % 8);
        found(&bytes, &format!("byte {at}"));
        bytes[at] = whole[at];
    }
    for length in (0..whole.len()).step_by(step * 5) {
        found(&whole[..length], &format!("cut at {length}"));
    }
    found(&[whole.clone(), vec![0]].concat(), "one byte more");
    // A damaged backup is never restored.
    bytes[whole.len() / 2] ^= 4;
    fs::write(&broken, &bytes).unwrap();
    let refused = restore(&place, "broken.tar.gz", "other");
    assert_eq!(refused.code, Some(1));
    refused.says("the backup is damaged");
    assert!(!place.path("other/STORE").exists());
}

#[test]
fn a_killed_restore_leaves_no_incomplete_store() {
    let place = Place::empty();
    let (mut server, _) = place.demo(&FLAGS);
    server.terminate();
    server.wait();
    let (data, file) = (place.arg("data"), place.arg("erp.tar.gz"));
    // The store records the backup after it is made.
    let sound = place.is_sound();
    let _ = process::run(["backup", "--data", &data, "--output", &file]).success();
    let (mut interrupted, mut whole) = (0, 0);
    for round in 0..10_u64 {
        let name = format!("restored-{round}");
        let folder = place.arg(&name);
        let mut command = process::command(["restore", &file, "--data", &folder]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(round * 60));
        let _ = child.kill();
        child.wait().unwrap();
        let checked = process::run(["check", "--data", &folder]);
        if Path::new(&folder).join("STORE").exists() {
            assert_eq!(checked.stdout, sound, "{}", checked.stderr);
            whole += 1;
            continue;
        }
        interrupted += 1;
        assert_eq!(checked.code, Some(1), "{}", checked.stderr);
        if Path::new(&folder).join("recovering").exists() {
            // A folder without a complete store is not served.
            let served = process::run(["serve", "--listen", "127.0.0.1:0", "--data", &folder]);
            assert_eq!(served.code, Some(1), "{}", served.stderr);
            served.says("a restore into");
        }
        let _ = restore(&place, "erp.tar.gz", &name).success();
        assert_eq!(place.is_sound_in(&name), sound, "round {round}");
    }
    assert!(
        interrupted > 0,
        "{whole} restores ended before they were killed"
    );
}
