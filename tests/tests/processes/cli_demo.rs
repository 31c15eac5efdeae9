//! The demo of the real binary: what it writes and prints, and whether the printed commands work.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use erp_tests::process::{self, Credentials, Server};
use erp_tests::skipped;
use erp_tests::wait::{PATIENCE, wait_until};
use serde_json::{Value, json};

use crate::cli::{list_articles, log_in};
use erp_tests::place::{Place, ran_with};

#[tokio::test(flavor = "multi_thread")]
async fn demo_writes_credentials_only_its_owner_may_read() {
    let place = Place::empty();
    // The file exists already and is readable by everyone.
    place.write("users.json", "[]");
    let (server, users) = place.demo(&[]);
    let file = place.path("users.json");
    #[cfg(unix)]
    assert_eq!(mode(&file), 0o600);
    let described: Vec<_> = users
        .iter()
        .map(|user| (user.name.as_str(), user.role.as_str(), user.shop.as_deref()))
        .collect();
    let expected = [
        ("shop1", "shop", Some("SHOP1")),
        ("shop2", "shop", Some("SHOP2")),
        ("admin", "admin", None),
        ("customers", "customer", None),
    ];
    assert_eq!(described, expected);
    session(&server);
    for Credentials { name, password, .. } in &users {
        assert!(server.stdout().contains(password), "{name} is printed");
        let status = if name == "customers" { 401 } else { 200 };
        assert_eq!(log_in(&server, name, password).await.0, status);
    }
    customers_log_in(&server, &users[3].password, &users[0].password).await;
    let raw: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(raw[2]["restwebshop"], Value::Null);
    // The next start has the same passwords, also where one was changed, and the tokens of before.
    let (_, token) = log_in(&server, "shop1", &users[0].password).await;
    drop(server);
    let change = ["user", "password", "admin", "--password-stdin"];
    let changed = place.run_with(&change, "another password\n").success();
    assert_eq!(changed, "the password of admin is set\n");
    let (server, again) = place.demo(&[]);
    for (user, before) in again.iter().zip(&users) {
        assert_eq!(user.password, before.password, "{}", user.name);
    }
    session(&server);
    assert!(server.stdout().contains(&users[0].password));
    assert_eq!(log_in(&server, "admin", &users[2].password).await.0, 200);
    assert_eq!(list_articles(&server, &token).await, 200);
    let kept = place.path("data/demo-users.json");
    #[cfg(unix)]
    assert_eq!(mode(&kept), 0o600);
    drop(server);
    fs::write(&kept, "[{").unwrap();
    let refused = process::run(["demo", "--data", &place.arg("data")]);
    assert!(
        refused.stderr.contains("demo-users.json` is damaged"),
        "{}",
        refused.stderr
    );
}

#[cfg(unix)]
fn mode(file: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

/// The back end of the demo's shop returns a token of one customer for the password of its customers.
async fn customers_log_in(server: &Server, password: &str, of_shop: &str) {
    let client = reqwest::Client::new();
    let log_in = async |customer: &str, password: &str| {
        let body = json!({"customer": customer, "password": password}).to_string();
        let request = client.post(format!("{}/shop/token", server.base_url()));
        let request = request.header("content-type", "application/json");
        let response = request.body(body).send().await.unwrap();
        let status = response.status().as_u16();
        let body: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
        (status, body)
    };
    let (status, token) = log_in("10007", password).await;
    assert_eq!((status, &token["debinr"]), (200, &json!("10007")));
    for (customer, password, status) in [
        ("10007", of_shop, 401),
        ("10007", "", 401),
        ("99999", password, 400),
        ("", password, 400),
    ] {
        assert_eq!(log_in(customer, password).await.0, status, "{customer}");
    }
    let token = token["access_token"].as_str().unwrap();
    for (customer, status) in [("10007", 200), ("10001", 404)] {
        let url = format!("{}/www/kunden/{customer}", server.base_url());
        let read = client.get(url).bearer_auth(token).send().await.unwrap();
        assert_eq!(read.status(), status, "{customer}");
    }
}

/// The session that `demo` prints, once it is printed completely.
fn session(server: &Server) -> String {
    wait_until("the session is printed", || {
        server.stdout().contains("/www/log\n")
    });
    let printed = server.stdout();
    printed[printed.find("BASE=").unwrap()..].to_owned()
}

/// The printed lines add a receiver to the running demo and start it; the page "Events" shows the same two lines.
#[test]
fn the_printed_receiver_hears_an_order() {
    for program in ["curl", "node"] {
        if Command::new(program).arg("--version").output().is_err() {
            return skipped("the receiver needs curl and node, of which one is not installed");
        }
    }
    let place = Place::empty();
    let receivers = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    std::os::unix::fs::symlink(receivers, place.path("examples")).unwrap();
    let (server, users) = place.demo(&[]);
    session(&server);
    let printed = server.stdout();
    let line = |of: &str| printed.lines().find(|line| line.contains(of)).unwrap();
    let (add, start) = (line(" events add "), line("receiver.mjs"));
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../erp-server/docs/events.md");
    let page = fs::read_to_string(page).unwrap();
    let (password, command) = add.split_once(" | ").unwrap();
    assert_eq!(password, format!("echo '{}'", users[2].password));
    let (_, words) = command.split_once(" events add ").unwrap();
    let words = words.replace(&server.base_url(), "http://127.0.0.1:8080");
    assert!(page.contains(&format!("erp-server events add {words}\n{start}\n")));

    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    drop(free);
    let mut bash = Command::new("bash");
    bash.current_dir(place.path("."));
    let added = ran_with(bash, &add.replace("9000", &port)).success();
    let (_, secret) = added.trim_end().rsplit_once(' ').unwrap();
    let start = start.replace("9000", &port).replace("whsec_...", secret);
    let script = format!("set -eu\n{start} > heard &\ntrap \"kill $!\" EXIT\n{WAIT_AND_ORDER}");
    let mut bash = Command::new("bash");
    bash.current_dir(place.path("."))
        .env("PORT", &port)
        .env("BASE", server.base_url())
        .env("PASSWORD", &users[0].password);
    assert_eq!(ran_with(bash, &script).success(), "REST_Auft POST 100001\n");
}

/// Waits until the receiver listens, places an order, and waits until the receiver printed it.
const WAIT_AND_ORDER: &str = r#"
until curl -s -o /dev/null "http://127.0.0.1:$PORT/"; do sleep 0.1; done
TOKEN=$(curl -s -X POST -u "shop1:$PASSWORD" "$BASE/www/token" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
curl -s -o /dev/null -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' "$BASE/www/auftrag" -d '{
  "GrundDaten": {"KundNr": "10001"}, "Positionen": [{"ArtNr": "BU-1004", "Menge": 1}]}'
for _ in $(seq 300); do if grep -q REST heard; then break; fi; sleep 0.1; done
grep REST heard
"#;

/// The orders of the past weeks are created once, in all states, together with offers.
#[test]
fn the_demo_begins_with_orders_of_the_past_weeks() {
    let place = Place::empty();
    let data = place.arg("data");
    for is_changed in [false, true] {
        drop(Server::start(["demo", "--orders", "12", "--data", &data]));
        let exported = process::run(["export", "--data", &data]).success();
        let count = |text: &str| exported.matches(text).count();
        let orders = [
            r#"{"Auftrag":"#,
            r#""AuftStatus":"A""#,
            r#""AuftStatus":"O""#,
        ];
        assert_eq!(orders.map(count), [12, 8, 4], "{exported}");
        assert_eq!(count(r#"{"Offerte":"#), 2);
        // What is changed stays.
        assert_eq!(count("https://shop.example.com"), usize::from(is_changed));
        let set = ["attribute", "set", "WEBADRESSE", "https://shop.example.com"];
        let _ = place.run(&set).success();
    }
    place.is_sound();
}

// rule: D-LIM-05
#[test]
fn a_server_tells_its_allocator_to_give_memory_back() {
    let place = Place::empty();
    let server = Server::start(["demo", "--data", &place.arg("data")]);
    let environment = std::fs::read(format!("/proc/{}/environ", server.id())).unwrap();
    let mut variables = environment.split(|byte| *byte == 0);
    assert!(variables.any(|variable| variable == b"MIMALLOC_PURGE_DELAY=0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_names_its_pages_with_and_without_the_shop() {
    let page = tempfile::tempdir().unwrap();
    let folder = page.path().to_str().unwrap();
    std::fs::write(page.path().join("index.html"), "shop").unwrap();
    let pages = ["/console#demo=admin:", "/docs"];
    let with_shop = ["/#demo=", "/console#demo=admin:", "/docs"];
    let with_page = ["--page-dir", folder];
    for (arguments, pages) in [(&[][..], &pages[..]), (&with_page, &with_shop)] {
        let place = Place::empty();
        let (server, users) = place.demo(arguments);
        session(&server);
        let (printed, base) = (server.stdout(), server.base_url());
        let links: Vec<_> = printed
            .split_whitespace()
            .filter_map(|word| word.strip_prefix(&base))
            .filter(|path| !path.is_empty())
            .map(|path| {
                let path = path.trim_end_matches(&users[3].password);
                path.trim_end_matches(&users[2].password)
            })
            .collect();
        assert_eq!(links, pages, "{printed}");
        for path in links {
            let answer = reqwest::get(format!("{base}{path}")).await.unwrap();
            assert_eq!(answer.status(), 200, "{path}");
        }
        let told = reqwest::get(format!("{base}/shop/demo.js")).await.unwrap();
        assert_eq!(
            told.text().await.unwrap(),
            "export const DEMO = true;\nexport const MAY_CANCEL = true;\n"
        );
    }
}

/// What is built for the browser joins the page of a demo that runs.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_built_joins_the_page() {
    let page = tempfile::tempdir().unwrap();
    fs::write(page.path().join("index.html"), "shop").unwrap();
    let place = Place::empty();
    let (server, _) = place.demo(&["--page-dir", page.path().to_str().unwrap()]);
    let url = format!("{}/erp-wasm/index.js", server.base_url());
    let status = async || reqwest::get(&url).await.unwrap().status().as_u16();
    assert_eq!(status().await, 404);
    fs::create_dir(page.path().join("new")).unwrap();
    fs::write(page.path().join("new/index.js"), "built").unwrap();
    fs::rename(page.path().join("new"), page.path().join("erp-wasm")).unwrap();
    let begun = std::time::Instant::now();
    while status().await != 200 {
        assert!(begun.elapsed() < PATIENCE, "it never joins");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
}

#[test]
fn the_printed_session_works_word_for_word() {
    if Command::new("curl").arg("--version").output().is_err() {
        return skipped("the session needs curl, which is not installed");
    }
    let place = Place::empty();
    let (server, _) = place.demo(&[]);
    let mut bash = Command::new("bash");
    bash.current_dir(place.path("."));
    let printed = ran_with(bash, &session(&server)).success();
    assert!(printed.is_ascii(), "umlauts are escaped");
    let lines: Vec<&str> = printed.lines().collect();
    let [list, article, media @ .., customer, order, read] = &lines[..8] else {
        panic!("{printed}")
    };
    let [rest @ .., deleted] = &lines[8..] else {
        panic!("{printed}")
    };
    is_the_list_in_french(&serde_json::from_str(list).unwrap());
    let article: Value = serde_json::from_str(article).unwrap();
    assert_eq!(article["data"]["ArtNr"], "LM-3001");
    assert_eq!(article["data"]["Deklaration"][0]["OrtLand"], "CO");
    are_the_media(media, &place);
    let customer = customer.strip_prefix("customer ").unwrap();
    let order = order.strip_prefix("order ").unwrap();
    is_the_order(
        &serde_json::from_str::<Value>(read).unwrap()["data"],
        order,
        customer,
    );
    is_the_offer_that_became_an_order(&rest[..4], customer);
    is_the_changed_address(&rest[4..7]);
    let [first, again] = &rest[7..] else {
        panic!("{printed}")
    };
    assert_eq!(first, again, "one key, one order");
    let retried: u64 = first.strip_prefix("order ").unwrap().parse().unwrap();
    assert_eq!(retried, order.parse::<u64>().unwrap() + 2);
    assert_eq!(*deleted, "204");
}

fn are_the_media(lines: &[&str], place: &Place) {
    let [media, picture, text] = lines else {
        panic!("{lines:?}")
    };
    let media: Value = serde_json::from_str(media).unwrap();
    let formats: Vec<_> = media["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| (&record["AMDBildFormat"], &record["AMDTextFormat"]))
        .collect();
    let (png, svg, txt) = (Value::from("png"), Value::from("svg"), Value::from("txt"));
    assert_eq!(
        formats,
        [
            (&png, &txt),
            (&Value::Null, &txt),
            (&svg, &Value::Null),
            (&Value::Null, &txt)
        ]
    );
    let saved = fs::read(place.arg("lm-3001.png")).unwrap();
    let original =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../erp-server/demo/bilder/lm-3001.png");
    assert_eq!(saved, fs::read(original).unwrap());
    let told = format!("lm-3001.png: 200 image/png, {} bytes", saved.len());
    assert_eq!(*picture, told);
    assert_eq!(
        text.trim_end().to_ascii_lowercase(),
        "content-type: text/plain; charset=utf-8"
    );
}

fn is_the_offer_that_became_an_order(lines: &[&str], customer: &str) {
    let offer = lines[0].strip_prefix("offer ").unwrap();
    let [template, taken] =
        [lines[1], lines[2]].map(|line| serde_json::from_str::<Value>(line).unwrap());
    for (answer, is_template) in [(&template, true), (&taken, false)] {
        assert_eq!(answer["data"]["OffertNr"], offer);
        let header = &answer["data"]["GrundDaten"];
        assert_eq!(header["Template"], is_template);
        // 10 × 5.80 and 4 × 5.70 less 10 %
        assert_eq!(header["AuftNetto"].to_string(), "78.52");
        let positions = answer["data"]["Positionen"].as_array().unwrap();
        let numbers: Vec<&Value> = positions
            .iter()
            .map(|position| &position["PosNr"])
            .collect();
        assert_eq!(numbers, [1, 3]);
    }
    assert_eq!(taken["data"]["GrundDaten"]["KundNr"], customer);
    let order = lines[3]
        .strip_suffix(&format!(" of offer {offer}"))
        .unwrap();
    let number = order.strip_prefix("order ").unwrap();
    assert!(number.parse::<u64>().is_ok(), "{number}");
}

fn is_the_changed_address(lines: &[&str]) {
    let number = lines[0].strip_prefix("address ").unwrap();
    assert!(number.parse::<u32>().is_ok(), "{number}");
    assert_eq!(lines[1], "204");
    let address: Value = serde_json::from_str(lines[2]).unwrap();
    assert_eq!(address["data"]["AdrTf1"], "+41 31 000 00 99");
    assert_eq!(address["data"]["AdrFirma"], "Elektro Blitz & Partner AG");
    assert_eq!(address["data"]["AdrFirma2"], "Einkauf");
}

fn is_the_list_in_french(list: &Value) {
    let articles = list["data"].as_array().unwrap();
    assert_eq!(articles.len(), 3);
    assert!(list["count"].as_u64().unwrap() > 60);
    let texts: Vec<&str> = articles
        .iter()
        .map(|article| article["ArtBez"].as_str().unwrap())
        .collect();
    assert!(
        texts[0].starts_with("Agrafes 24/6, galvanisées"),
        "{texts:?}"
    );
    assert!(texts[1].starts_with("Ampoule LED E27"), "{texts:?}");
    assert_eq!(articles[0]["Verpackungen"][0]["VPBezeichnung"], "boîte");
    // The customer's own list.
    assert_eq!(
        articles[0]["Verpackungen"][0]["Preis"][0]["Bereich"],
        "HANDEL"
    );
    let links: Vec<&str> = list["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["rel"].as_str().unwrap())
        .collect();
    assert_eq!(links, ["next", "start"]);
}

fn is_the_order(data: &Value, order: &str, customer: &str) {
    let header = &data["GrundDaten"];
    assert_eq!(
        (&header["AuftNr"], &header["KundNr"]),
        (&Value::from(order), &Value::from(customer))
    );
    assert_eq!(header["AuftBez"], "Bestellung für das Büro");
    let totals: Vec<String> = ["AuftNetto", "AuftWUST", "AuftBrutto"]
        .map(|member| header[member].to_string())
        .into();
    assert_eq!(totals, ["203.25", "12.1", "215.35"]);
    let positions: Vec<_> = data["Positionen"]
        .as_array()
        .unwrap()
        .iter()
        .map(|position| {
            (
                position["ArtNr"].as_str().unwrap(),
                position["PosPreisTotal"].to_string(),
                position["VPEAnzBest"].to_string(),
            )
        })
        .collect();
    let carton = |total: &str, packages: &str| (total.to_owned(), packages.to_owned());
    let expected = [
        ("BU-1002", carton("63.6", "null")),
        ("BU-1001", carton("54.15", "2")),
        ("LM-3001", carton("75.6", "null")),
    ];
    assert_eq!(
        positions,
        expected.map(|(number, (total, packages))| (number, total, packages))
    );
    assert_eq!(data["Positionen"][2]["PosBez"], "Kaffee für die Küche");
    for address in ["KontaktAdr", "LiefAdr", "RechAdr"] {
        assert_eq!(
            data["Adressen"][address]["AdrName"], "Müller-Größ",
            "{address}"
        );
    }
    assert_eq!(data["MWSTRekapitulation"].as_array().unwrap().len(), 2);
    assert_eq!(data["Zahlung"][0]["Wert"], "R");
}
