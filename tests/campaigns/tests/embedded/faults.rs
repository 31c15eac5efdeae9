//! The real server on a full disk, in folders without write permission, and next to a second process: it reports the
//! reason in one sentence, continues with what is still possible, and loses nothing that it has acknowledged.
//!
//! The disks are small tmpfs in separate mount namespaces, so the tests need Linux and `unshare`.
#![cfg(target_os = "linux")]

use crate::faults_common;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::slice;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_campaigns::Random;
use erp_campaigns::load::{Acknowledged, Ledger, Rounds, Shop, acknowledged};
use erp_tests::bodies;
use erp_tests::process::{self, Ran, Server};
use erp_tests::skipped;
use erp_tests::wait::PATIENCE;
use faults_common::{
    Ballast, Client, bound_by_permissions, demo, free, is_sound, on_data, on_small_disk,
    send_checked, serve,
};
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

const MIB: u64 = 1 << 20;

/// Checks the error message, which is one sentence, and the exit code.
#[track_caller]
fn says(ran: &Ran, sentence: &str) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.starts_with("erp-server: "), "{ran:?}");
    assert!(ran.stderr.contains(sentence), "{ran:?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
}

fn end(mut server: Server, code: i32) -> String {
    server.terminate();
    assert_eq!(server.wait().code(), Some(code), "{}", server.stderr());
    server.stderr()
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    found
}

/// An offer with a long record, so that a few changes fill a journal file.
async fn long_offer(client: &Client, text: &str) -> String {
    let position = json!({"ArtNr": "LM-3001", "Menge": 1, "PosBez": text.repeat(1_000)});
    let positions = vec![position; 60];
    let body = json!({"GrundDaten": {"AuftBez": "Angebot"}, "Positionen": positions});
    let made = client.send(Method::POST, "/www/offerte", &body).await;
    made.expect(201).number("OffertNr")
}

/// An offer, and the quantity of its first position that was acknowledged last.
struct Changed {
    offer: String,
    quantity: u32,
    refused: bool,
}

/// Changes an offer until the server refuses.
async fn change_until_refused(client: &Client, changed: &mut Changed) {
    let path = format!("/www/offerte?OffertNr={}", changed.offer);
    for quantity in changed.quantity + 1..changed.quantity + 2_000 {
        let body = json!({"Positionen": [{"PosNr": 1, "Menge": quantity}]});
        let done = client.send(Method::PATCH, &path, &body).await;
        if done.status == 503 {
            changed.refused = true;
            return;
        }
        assert!(matches!(done.status, 200 | 201 | 204), "{done:?}");
        changed.quantity = quantity;
    }
}

/// Creates offers, and changes each once, until the server refuses.
async fn offer_until_refused(client: &Client) -> Vec<Changed> {
    let position = json!({"ArtNr": "LM-3001", "Menge": 1, "PosBez": "ab".repeat(1_000)});
    let positions = vec![position; 60];
    let body = json!({"GrundDaten": {"AuftBez": "Angebot"}, "Positionen": positions});
    let mut all = Vec::new();
    loop {
        let made = client.send(Method::POST, "/www/offerte", &body).await;
        if made.status == 503 {
            return all;
        }
        let mut changed = Changed {
            offer: made.expect(201).number("OffertNr"),
            quantity: 1,
            refused: false,
        };
        let path = format!("/www/offerte?OffertNr={}", changed.offer);
        let body = json!({"Positionen": [{"PosNr": 1, "Menge": 2}]});
        let done = client.send(Method::PATCH, &path, &body).await;
        changed.refused = done.status == 503;
        if !changed.refused {
            changed.quantity = 2;
        }
        all.push(changed);
    }
}

#[track_caller]
fn has(found: &Value, changed: &Changed) {
    let quantity = &found["data"]["Positionen"][0]["PosAnzBest"];
    assert_eq!(
        quantity.as_f64(),
        Some(f64::from(changed.quantity)),
        "{found}"
    );
}

async fn all_there(client: &Client, all: &[Changed]) {
    for changed in all {
        let path = format!("/www/offerte?OffertNr={}", changed.offer);
        has(&client.get(&path).await.expect(200).body, changed);
    }
}

/// There is no space for a new journal file: nothing of the commit is stored, and the next commit tries again.
#[tokio::test(flavor = "multi_thread")]
async fn a_journal_without_space_continues_when_there_is_space_again() {
    small_disk(
        "a_journal_without_space_continues_when_there_is_space_again",
        212,
        |disk| async move {
            let data = disk.join("data");
            let (server, admin) = demo(&disk, &data, &[]);
            let client = Client::log_in(&server, &admin).await;
            let mut all = Vec::new();
            for text in ["ab", "cd", "ef"] {
                let offer = long_offer(&client, text).await;
                all.push(Changed {
                    offer,
                    quantity: 1,
                    refused: false,
                });
            }
            let _ = client.ready().await.expect(200);
            let ballast = Ballast::leave(&disk, 14 * MIB);
            assert_eq!(
                client.ready().await.expect(503).body["info"]["checks"]["disk"],
                "failed"
            );
            let mut tasks = Vec::new();
            for mut changed in all {
                let client = client.clone();
                tasks.push(tokio::spawn(async move {
                    change_until_refused(&client, &mut changed).await;
                    changed
                }));
            }
            let mut all = Vec::new();
            for task in tasks {
                all.push(task.await.unwrap());
            }
            println!("{} bytes free", free(&disk));
            assert!(all.iter().all(|changed| changed.refused));
            // Reads still work, and refused changes are not stored.
            all_there(&client, &all).await;
            ballast.remove();
            for changed in &mut all {
                let path = format!("/www/offerte?OffertNr={}", changed.offer);
                changed.quantity += 1;
                let body = json!({"Positionen": [{"PosNr": 1, "Menge": changed.quantity}]});
                let done = client.send(Method::PATCH, &path, &body).await;
                assert!(done.status < 300, "{done:?}");
            }
            let _ = client.ready().await.expect(200);
            all_there(&client, &all).await;
            server.kill();
            is_sound(&data);
            let server = serve(&data, &[]);
            all_there(&client.at(&server), &all).await;
            end(server, 0);
        },
    )
    .await;
}

async fn small_disk<F>(test: &str, mib: u32, body: impl FnOnce(PathBuf) -> F)
where
    F: Future<Output = ()>,
{
    let handle = tokio::runtime::Handle::current();
    tokio::task::block_in_place(|| {
        on_small_disk(test, mib, |disk| handle.block_on(body(disk.to_owned())));
    });
}

/// Clients of the crash tests write until each was refused.
async fn write_until_refused(shop: &Shop, name: &str) -> Acknowledged {
    let mut rounds = Rounds::new(shop, Random(1)).await;
    let all = acknowledged(rounds.load(slice::from_ref(shop), name)).await;
    println!("{}", all.summary());
    all
}

/// There is no space for the records in sled, but they are in the journal and in memory: they can be read, more is
/// written until journal and memory are full, and they are moved to sled when there is space.
#[tokio::test(flavor = "multi_thread")]
async fn records_without_space_wait_in_the_journal() {
    let test = "records_without_space_wait_in_the_journal";
    small_disk(test, 260, |disk| async move {
        let data = disk.join("data");
        let (server, admin) = demo(&disk, &data, &[]);
        let client = Client::log_in(&server, &admin).await;
        let shop = Shop::log_in(&server.base_url(), &admin).await;
        let mut changed = Changed {
            offer: long_offer(&client, "ab").await,
            quantity: 1,
            refused: false,
        };
        let ballast = Ballast::leave(&disk, 300 * 1024);
        let writers = tokio::spawn({
            let shop = shop.clone();
            async move { write_until_refused(&shop, "full").await }
        });
        sleep(Duration::from_secs(7)).await;
        change_until_refused(&client, &mut changed).await;
        let all = writers.await.unwrap();
        assert!(changed.refused && !all.orders.is_empty());
        let checks = client.ready().await.expect(503).body["info"]["checks"].clone();
        assert_eq!(checks["disk"], "failed", "{checks}");
        assert_eq!(checks["store"], "ok", "{checks}");
        all.verify(&shop).await;
        all_there(&client, slice::from_ref(&changed)).await;
        ballast.remove();
        // The server checks the disk again soon.
        let path = format!("/www/offerte?OffertNr={}", changed.offer);
        changed.quantity += 1;
        let body = json!({"Positionen": [{"PosNr": 1, "Menge": changed.quantity}]});
        let mut tries = 0;
        while client.send(Method::PATCH, &path, &body).await.status == 503 {
            tries += 1;
            assert!(tries < 300, "nothing is written although there is room");
            sleep(Duration::from_millis(200)).await;
        }
        let _ = client.ready().await.expect(200);
        all.verify(&shop).await;
        all_there(&client, slice::from_ref(&changed)).await;
        end(server, 0);
        is_sound(&data);
        let server = serve(&data, &[]);
        all.verify(&shop.at(server.base_url())).await;
        all_there(&client.at(&server), &[changed]).await;
    })
    .await;
}

/// The server is stopped, and started again, while there is no space.
#[tokio::test(flavor = "multi_thread")]
async fn a_restart_without_space_loses_nothing() {
    let test = "a_restart_without_space_loses_nothing";
    small_disk(test, 128, |disk| async move {
        let data = disk.join("data");
        let (server, admin) = demo(&disk, &data, &[]);
        let client = Client::log_in(&server, &admin).await;
        let shop = Shop::log_in(&server.base_url(), &admin).await;
        let mut changed = Changed {
            offer: long_offer(&client, "ab").await,
            quantity: 1,
            refused: false,
        };
        let ballast = Ballast::leave(&disk, 0);
        let writers = tokio::spawn({
            let shop = shop.clone();
            async move { write_until_refused(&shop, "full").await }
        });
        sleep(Duration::from_secs(1)).await;
        change_until_refused(&client, &mut changed).await;
        let all = writers.await.unwrap();
        let output = end(server, 1);
        assert!(output.contains("no room"), "{output}");
        // How much the end left depends on the moment; opening the records may write a small file.
        ballast.give(4 * MIB);
        let server = serve(&data, &[]);
        all.verify(&shop.at(server.base_url())).await;
        server.kill();
        // Room for the journal, and too little for the records: a command on the folder prints its result, which may be a
        // password that nobody sees again.
        ballast.give((24 * MIB).saturating_sub(free(&disk)));
        let add = ["user", "add", "lost", "--role", "clerk", "--data"].map(OsStr::new);
        let added = process::run(add.into_iter().chain([data.as_os_str()]));
        assert!(added.stderr.contains("no room"), "{added:?}");
        assert!(added.success().contains("password"));
        ballast.remove();
        is_sound(&data);
        let ledger = Ledger::read(&data).await;
        let server = serve(&data, &[]);
        let shop = shop.at(server.base_url());
        all.verify(&shop).await;
        all_there(&client.at(&server), &[changed]).await;
        let again = all.send_again(&shop, &ledger).await;
        again.verify(&shop).await;
        end(server, 0);
        is_sound(&data);
    })
    .await;
}

/// A disk full of orders, and a server that is started on it repeatedly: it serves reads and uses none of the remaining
/// space.
#[tokio::test(flavor = "multi_thread")]
async fn starts_on_a_full_disk_use_no_space() {
    let test = "starts_on_a_full_disk_use_no_space";
    small_disk(test, 112, |disk| async move {
        let data = disk.join("data");
        // The least that a start needs, independent of the space left by the last write.
        let spare = disk.join("spare");
        fs::write(&spare, vec![7; 8 << 20]).unwrap();
        let (server, admin) = demo(&disk, &data, &[]);
        let client = Client::log_in(&server, &admin).await;
        // New and changed records, so that sled has much to store and much to compact.
        let all = offer_until_refused(&client).await;
        server.kill();
        fs::remove_file(&spare).unwrap();
        let before = free(&disk);
        println!("{before} bytes free");
        assert!(all.len() > 50 && before < 32 * MIB);
        let mut before = before;
        for round in 0..3 {
            let server = serve(&data, &[]);
            all_there(&client.at(&server), &all).await;
            // sled would compact its file twice in this time.
            sleep(Duration::from_secs(2)).await;
            if round == 0 {
                server.kill();
            } else {
                let output = end(server, 1);
                assert!(output.contains("no room"), "{output}");
            }
            let left = free(&disk);
            assert!(left + MIB / 2 > before, "{left} of {before} bytes are left");
            before = left;
        }
    })
    .await;
}

fn demo_picture() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../erp-server/demo/bilder");
    fs::read(folder.join("bu-1001.png")).unwrap()
}

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/zugferd");
    STANDARD.encode(fs::read(folder.join(name)).unwrap())
}

/// Uploads a media file; files of different length have different content.
async fn upload(client: &Client, length: usize) -> faults_common::Response {
    let mut bytes = demo_picture();
    bytes.resize(bytes.len() + length, 7);
    send_checked(client.request(Method::POST, "/admin/media").body(bytes)).await
}

async fn invoice(client: &Client) -> (u16, Vec<u8>) {
    let body = json!({"Operation": "Combine", "PDF": fixture("plain-helvetica.pdf"),
        "XML": fixture("xml/facturx-basic.xml"), "Debug": true});
    let request = client.request(Method::POST, "/www/zugferd").json(&body);
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.bytes().await.unwrap().to_vec())
}

fn bytes_of(folder: &Path) -> u64 {
    let files = all_files(folder);
    files
        .iter()
        .map(|file| fs::metadata(file).unwrap().len())
        .sum()
}

/// Every line of the log is complete, even if other lines had no space.
#[track_caller]
fn log_is_readable(folder: &Path) -> usize {
    let lines: Vec<String> = all_files(folder)
        .iter()
        .flat_map(|file| {
            fs::read_to_string(file)
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    for line in &lines {
        let read: Result<Value, _> = serde_json::from_str(line);
        assert!(read.is_ok(), "{line}");
    }
    lines.len()
}

/// The disk is completely full: media are refused, invoices and reads still work without log and work files, and a
/// failed backup leaves no files.
#[tokio::test(flavor = "multi_thread")]
async fn a_completely_full_disk_stops_no_reader_and_leaves_nothing_incomplete() {
    small_disk(
        "a_completely_full_disk_stops_no_reader_and_leaves_nothing_incomplete",
        196,
        |disk| async move {
            let data = disk.join("data");
            let (server, admin) = demo(&disk, &data, &[]);
            let client = Client::log_in(&server, &admin).await;
            let password = disk.join("password");
            fs::write(&password, &admin.password).unwrap();
            let _ = upload(&client, 300_000).await.expect(201);
            let (status, whole) = invoice(&client).await;
            assert_eq!(status, 200);
            sleep(Duration::from_millis(300)).await;
            let log = data.join("log");
            let written = bytes_of(&log);
            assert!(written > 0);
            // Leaves a little space, so that every write starts before the disk is full.
            let mut ballast = Ballast::leave(&disk, 16 * 1024);
            let before = all_files(&data.join("media"));
            let _ = upload(&client, 400_000).await.expect(503);
            assert_eq!(all_files(&data.join("media")), before);
            let output = disk.join("erp.tar.gz");
            let online = process::run([
                "backup",
                "--server",
                &server.base_url(),
                "--login",
                &admin.name,
                "--user-password-file",
                password.to_str().unwrap(),
                "--output",
                output.to_str().unwrap(),
            ]);
            says(&online, "`");
            says(&online, "No space left on device");
            assert!(!output.exists() && !disk.join("erp.tar.gz.part").exists());
            ballast.remove();
            ballast = Ballast::leave(&disk, 0);
            // More lines than the log buffers, and no space for any of them.
            for _ in 0..300 {
                let _ = client.get("/www/artikel/BU-1001").await.expect(200);
            }
            let (status, again) = invoice(&client).await;
            assert!(status == 200 && again.len() == whole.len());
            for folder in fs::read_dir(data.join("zugferd-work")).unwrap() {
                let files = all_files(&folder.unwrap().path());
                assert_eq!(files.len(), 4, "{files:?}");
            }
            let _ = upload(&client, 1).await.expect(503);
            assert_eq!(all_files(&data.join("media")), before);
            let _ = client.ready().await.expect(503);
            ballast.remove();
            let _ = client.ready().await.expect(200);
            let _ = upload(&client, 400_000).await.expect(201);
            assert_eq!(invoice(&client).await.0, 200);
            // The server checks the free space many times per second; then it logs again.
            let continues = async {
                while bytes_of(&log) <= written {
                    let _ = client.get("/www/artikel/BU-1001").await.expect(200);
                }
            };
            timeout(PATIENCE, continues)
                .await
                .expect("the log continues");
            end(server, 0);
            assert!(log_is_readable(&log) > 0);
            is_sound(&data);
            // The same without a server.
            let ballast = Ballast::leave(&disk, 8 * 1024);
            let more = ["--output", output.to_str().unwrap()];
            let offline = process::run(on_data("backup", &data, &more));
            says(&offline, "No space left on device");
            assert!(!output.exists() && !disk.join("erp.tar.gz.part").exists());
            ballast.remove();
            // A backup to another disk needs no space here, although it cannot be recorded.
            let ballast = Ballast::leave(&disk, 0);
            let elsewhere = TempDir::new().unwrap();
            let other = elsewhere.path().join("erp.tar.gz");
            let more = ["--output", other.to_str().unwrap()];
            let offline = process::run(on_data("backup", &data, &more));
            println!("{offline:?}");
            let _ = process::run(["verify", other.to_str().unwrap()]).success();
            ballast.remove();
            is_sound(&data);
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_log_disk_stops_no_client() {
    small_disk("a_full_log_disk_stops_no_client", 2, |disk| async move {
        let folder = TempDir::new().unwrap();
        let (data, log) = (folder.path().join("data"), disk.join("log"));
        let (server, admin) = demo(folder.path(), &data, &["--log-dir", log.to_str().unwrap()]);
        let client = Client::log_in(&server, &admin).await;
        let ballast = Ballast::leave(&disk, 16 * 1024);
        for number in 0..300 {
            let _ = client.get("/www/artikel/BU-1001").await.expect(200);
            if number % 20 == 0 {
                let made = client
                    .send(Method::POST, "/www/kunden", &bodies::customer())
                    .await;
                let _ = made.expect(201);
            }
        }
        ballast.remove();
        sleep(Duration::from_millis(300)).await;
        let _ = client.get("/www/artikel/BU-1001").await.expect(200);
        end(server, 0);
        assert!(log_is_readable(&log) > 10);
    })
    .await;
}

/// A store that cannot be created for lack of space does not exist afterwards, and is created when there is space.
#[tokio::test(flavor = "multi_thread")]
async fn a_restore_or_first_start_without_space_leaves_nothing_incomplete() {
    small_disk(
        "a_restore_or_first_start_without_space_leaves_nothing_incomplete",
        80,
        |disk| async move {
            let folder = TempDir::new().unwrap();
            let (data, file) = (folder.path().join("data"), folder.path().join("erp.tar.gz"));
            let (server, _) = demo(folder.path(), &data, &[]);
            end(server, 0);
            let more = ["--output", file.to_str().unwrap()];
            // The store records the backup after it is made.
            let sound = process::run(on_data("check", &data, &[])).success();
            let _ = process::run(on_data("backup", &data, &more)).success();
            let new = disk.join("data");
            let mut arguments = on_data("restore", &new, &[]);
            arguments.push(file.clone().into());
            for left in [0, 64 * 1024, 9 * MIB, 13 * MIB] {
                let ballast = Ballast::leave(&disk, left);
                let refused = process::run(&arguments);
                println!("{left}: {refused:?}");
                says(&refused, "No space left on device");
                says(&refused, new.to_str().unwrap());
                assert!(!new.join("STORE").exists());
                let served = process::run(on_data("check", &new, &[]));
                assert_ne!(served.code, Some(0), "{served:?}");
                ballast.remove();
            }
            let _ = process::run(&arguments).success();
            assert_eq!(process::run(on_data("check", &new, &[])).success(), sound);
            end(serve(&new, &[]), 0);
            fs::remove_dir_all(&new).unwrap();
            for left in [0, 64 * 1024, 9 * MIB] {
                let ballast = Ballast::leave(&disk, left);
                let refused = process::run(on_data("serve", &new, &["--listen", "127.0.0.1:0"]));
                println!("{left}: {refused:?}");
                says(&refused, "No space left on device");
                assert_eq!(refused.stdout, "");
                ballast.remove();
            }
            end(serve(&new, &[]), 0);
            is_sound(&new);
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_disk_is_refused_at_the_start() {
    small_disk(
        "a_read_only_disk_is_refused_at_the_start",
        80,
        |disk| async move {
            let data = disk.join("data");
            let (server, _) = demo(&disk, &data, &[]);
            end(server, 0);
            let mount = |how: &str| {
                let mount = std::process::Command::new("mount");
                let ran = { mount }.args(["-o", how]).arg(&disk).status().unwrap();
                assert!(ran.success());
            };
            mount("remount,ro");
            for command in ["serve", "check"] {
                let refused = process::run(on_data(command, &data, &[]));
                println!("{refused:?}");
                says(
                    &refused,
                    &format!("the data directory `{}` cannot be used", data.display()),
                );
                says(&refused, "Read-only file system");
            }
            let output = disk.join("erp.tar.gz");
            let refused = process::run(on_data(
                "backup",
                &data,
                &["--output", output.to_str().unwrap()],
            ));
            says(&refused, "Read-only file system");
            mount("remount,rw");
            end(serve(&data, &[]), 0);
            is_sound(&data);
        },
    )
    .await;
}

fn allow(folder: &Path, mode: u32) {
    fs::set_permissions(folder, Permissions::from_mode(mode)).unwrap();
}

/// A folder and all folders in it.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let inner = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir());
    let inner = inner.flat_map(|path| folders(&path));
    inner.chain([folder.to_owned()]).collect()
}

#[test]
fn a_folder_without_permission_is_named() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let (server, _) = demo(folder.path(), &data, &[]);
    end(server, 0);
    for (closed, mode) in [
        (".", 0o000),
        (".", 0o555),
        ("journal", 0o000),
        ("sled", 0o000),
    ] {
        let run = || process::command(on_data("serve", &data, &["--listen", "127.0.0.1:0"]));
        let Some(mut command) = bound_by_permissions(run()) else {
            return skipped("setpriv cannot give up rights");
        };
        allow(&data.join(closed), mode);
        let ran = Ran::of(command.output().unwrap());
        allow(&data.join(closed), 0o755);
        println!("{closed} {mode:o}: {ran:?}");
        says(
            &ran,
            &format!("`{}` cannot be used: Permission denied", data.display()),
        );
    }
    end(serve(&data, &[]), 0);
    is_sound(&data);
}

/// Folders become read-only while the server runs: everything that needs no new file still works.
#[tokio::test(flavor = "multi_thread")]
async fn folders_that_become_read_only_are_survived() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let (server, admin) = demo(folder.path(), &data, &[]);
    end(server, 0);
    let more = ["--listen", "127.0.0.1:0", "--rate-limits", "false"];
    let Some(command) = bound_by_permissions(process::command(on_data("serve", &data, &more)))
    else {
        return skipped("setpriv cannot give up rights");
    };
    let server = Server::spawn(command).ready();
    let client = Client::log_in(&server, &admin).await;
    let offer = long_offer(&client, "ab").await;
    let mut changed = Changed {
        offer,
        quantity: 1,
        refused: false,
    };
    let all = folders(&data);
    all.iter().for_each(|folder| allow(folder, 0o555));
    let _ = upload(&client, 1_000).await.expect(503);
    change_until_refused(&client, &mut changed).await;
    assert!(
        changed.refused && changed.quantity > 10,
        "{}",
        changed.quantity
    );
    let _ = client.get("/www/artikel").await.expect(200);
    let path = format!("/www/offerte?OffertNr={}", changed.offer);
    has(&client.get(&path).await.expect(200).body, &changed);
    all.iter().for_each(|folder| allow(folder, 0o755));
    let _ = upload(&client, 1_000).await.expect(201);
    changed.quantity += 1;
    let body = json!({"Positionen": [{"PosNr": 1, "Menge": changed.quantity}]});
    let done = client.send(Method::PATCH, &path, &body).await;
    assert!(done.status < 300, "{done:?}");
    has(&client.get(&path).await.expect(200).body, &changed);
    server.kill();
    is_sound(&data);
    let server = serve(&data, &[]);
    has(
        &client.at(&server).get(&path).await.expect(200).body,
        &changed,
    );
    end(server, 0);
}

/// While a server runs, no backup, restore or repair changes its store.
#[test]
fn no_command_changes_a_locked_store() {
    let folder = TempDir::new().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("erp.tar.gz"));
    let (server, _) = demo(folder.path(), &data, &[]);
    let file = file.to_str().unwrap();
    let sentence = format!(
        "erp-server: another process uses the data directory `{}`\n",
        data.display()
    );
    for command in [
        on_data("serve", &data, &["--listen", "127.0.0.1:0"]),
        on_data("check", &data, &[]),
        on_data("backup", &data, &["--output", file]),
        on_data("recover", &data, &[]),
        [
            "user".into(),
            "list".into(),
            "--data".into(),
            data.clone().into(),
        ]
        .into(),
    ] {
        let ran = process::run(&command);
        assert_eq!((ran.code, &ran.stderr), (Some(3), &sentence), "{command:?}");
    }
    assert!(!Path::new(file).exists());
    end(server, 0);
    is_sound(&data);
}
