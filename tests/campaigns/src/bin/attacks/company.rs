//! The data of the server under attack.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use erp_tests::identity::SERVERS;
use erp_tests::process::{self, Credentials, Server};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::attackers::Customer;
use crate::client::{Dialer, login, post, send_request};

const CUSTOMERS: u32 = 40_000;

const ARTICLES: u32 = 10_000;

/// Customers with tokens.
const SHOPPERS: usize = 40;

/// Positions of a large order; its response is a quarter of a megabyte.
const POSITIONS: u32 = 1_000;

/// A folder with the demo company and a certificate.
pub(crate) struct Company {
    folder: TempDir,
    pub(crate) admin: Credentials,
    pub(crate) shop: Credentials,
    customers: Vec<Customer>,
}

pub(crate) async fn token(dialer: &Dialer, user: &Credentials) -> String {
    let mut connection = dialer.connect().await.expect("a connection");
    let request = login(&user.name, &user.password, "");
    let response = send_request(&mut connection, request.as_bytes()).await;
    let body = response.expect("a response").body;
    let token: serde_json::Value = serde_json::from_slice(&body).expect("a token");
    token["access_token"].as_str().expect("a token").to_owned()
}

async fn ask(dialer: &Dialer, request: &str) -> serde_json::Value {
    let mut connection = dialer.connect().await.expect("a connection");
    let response = send_request(&mut connection, request.as_bytes()).await;
    let response = response.expect("a response");
    let text = String::from_utf8_lossy(&response.body);
    assert!((200..300).contains(&response.status), "{text}");
    serde_json::from_str(&text).expect("JSON")
}

/// A customer with an order of many positions and its invoice.
async fn customer(dialer: &Dialer, shop: &str, admin: &str) -> Customer {
    let address = json!({
        "AdrSprache": "ger", "AdrAnrede": 2, "AdrName": "Muster", "AdrAdresse1": "Hauptstrasse 1",
        "OrtLand": "CH", "OrtPLZ": "3011", "OrtName": "Bern",
    });
    let body = json!({
        "GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": address},
    });
    let body = body.to_string();
    let text = |value: &serde_json::Value| value.as_str().expect("a number").to_owned();
    let made = ask(dialer, &post("/www/kunden", shop, &body)).await;
    let number = text(&made["data"]["DebiNr"]);
    let position = json!({"ArtNr": "BU-1004", "Menge": 1});
    let body = json!({
        "GrundDaten": {"KundNr": number},
        "Positionen": vec![position; POSITIONS as usize],
    });
    let placed = ask(dialer, &post("/www/auftrag", shop, &body.to_string())).await;
    let order = text(&placed["data"]["AuftNr"]);
    let path = format!("/admin/auftrag/{order}/rechnung");
    let invoice = ask(dialer, &post(&path, admin, "")).await;
    Customer {
        number,
        order,
        invoice: text(&invoice["data"]["RechNr"]),
        token: String::new(),
    }
}

/// The customers with tokens of this server.
pub(crate) async fn log_in(dialer: &Dialer, company: &Company) -> Vec<Customer> {
    let shop = token(dialer, &company.shop).await;
    let mut customers = company.customers.clone();
    for customer in &mut customers {
        let path = format!("/www/token?debinr={}", customer.number);
        let made = ask(dialer, &post(&path, &shop, "")).await;
        made["access_token"]
            .as_str()
            .expect("a token")
            .clone_into(&mut customer.token);
    }
    customers
}

impl Company {
    /// Starts the demo once, and stops it.
    pub(crate) fn new(runtime: &Runtime) -> Self {
        let folder = TempDir::new().expect("a folder");
        let users = folder.path().join("users.json");
        let mut server = Server::start([
            "demo".as_ref(),
            "--orders=0".as_ref(),
            "--rate-limits=false".as_ref(),
            "--credentials".as_ref(),
            users.as_os_str(),
            "--data".as_ref(),
            folder.path().join("data").as_os_str(),
        ]);
        let users = process::credentials(&users);
        let user = |role: &str| users.iter().find(|user| user.role == role).cloned();
        let shop = user("shop").expect("the demo has a shop");
        let dialer = Dialer::new(crate::victim::address_of(&server), None);
        let admin = user("admin").expect("the demo has an admin");
        let customers = runtime.block_on(async {
            let (shop, admin) = (token(&dialer, &shop).await, token(&dialer, &admin).await);
            let mut made = Vec::new();
            for _ in 0..SHOPPERS {
                made.push(customer(&dialer, &shop, &admin).await);
            }
            made
        });
        server.terminate();
        assert!(server.wait().success(), "{}", server.stderr());
        let [identity, ..] = SERVERS;
        let company = Self {
            admin,
            shop,
            customers,
            folder,
        };
        fs::write(company.certificate(), identity.certificate).expect("room for it");
        fs::write(company.key(), identity.key).expect("room for it");
        company
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The same data for another server.
    pub(crate) fn copy(&self) -> PathBuf {
        let copy = self.folder.path().join("copy");
        let _ = fs::remove_dir_all(&copy);
        let mut copying = Command::new("cp");
        let copied = copying.arg("-r").args([self.data(), copy.clone()]).status();
        assert!(copied.expect("the command cp").success());
        copy
    }

    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.path().join("chain.pem")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }

    /// Adds many customers and articles. German is only the language of customers in Basel, so a search for German and
    /// Bern reads two long lists and finds no one.
    pub(crate) fn grow(&self) {
        let mut rows = String::new();
        for number in 0..ARTICLES {
            // Writing to a `String` cannot fail.
            let _ = writeln!(
                rows,
                r#"{{"Artikel": {{"ArtNr": "X-{number:05}", "ArtBez": "Teil {}", "ArtGruppe": "G{}", "attributes": [{{"PHKey": "RESTWEBSHOP", "Contents": "*"}}]}}}}"#,
                number % 977,
                number % 7,
            );
        }
        for number in 0..CUSTOMERS {
            let (language, code, town) = match number % 2 {
                0 => ("ger", 4001, "Basel"),
                _ => ("fre", 3011, "Bern"),
            };
            let _ = writeln!(
                rows,
                r#"{{"Kunde": {{"KundNr": "{}", "WaehrAbk": "CHF", "KontaktAdr": {{"AdrSprache": "{language}", "AdrAnrede": 2, "AdrVorname": "Zoë", "AdrName": "Muster{number}", "AdrAdresse1": "Hauptstrasse {number}", "OrtLand": "CH", "OrtPLZ": "{code}", "OrtName": "{town}"}}}}}}"#,
                100_001 + number,
            );
        }
        let file = self.folder.path().join("rows.ndjson");
        fs::write(&file, rows).expect("room for the rows");
        import(&self.data(), &file);
    }
}

fn import(data: &Path, file: &Path) {
    let arguments = [
        "import".as_ref(),
        "--data".as_ref(),
        data.as_os_str(),
        file.as_os_str(),
    ];
    let _ = process::run(arguments).success();
}
