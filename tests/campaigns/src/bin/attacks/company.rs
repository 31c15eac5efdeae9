//! The data of the server under attack.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use erp_tests::process::{self, Credentials, Server};
use rcgen::generate_simple_self_signed;
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::client::{Dialer, login, send_request};

const CUSTOMERS: u32 = 40_000;

const ARTICLES: u32 = 10_000;

/// Positions of the large order; its response is a quarter of a megabyte.
const POSITIONS: u32 = 1_000;

/// A folder with the demo company and a certificate.
pub(crate) struct Company {
    folder: TempDir,
    pub(crate) admin: Credentials,
    pub(crate) shop: Credentials,
    pub(crate) order: String,
}

pub(crate) async fn token(dialer: &Dialer, user: &Credentials) -> String {
    let mut connection = dialer.connect().await.expect("a connection");
    let request = login(&user.name, &user.password, "");
    let response = send_request(&mut connection, request.as_bytes()).await;
    let body = response.expect("a response").body;
    let token: serde_json::Value = serde_json::from_slice(&body).expect("a token");
    token["access_token"].as_str().expect("a token").to_owned()
}

/// Places an order of many positions and returns its number.
async fn place(dialer: &Dialer, user: &Credentials) -> String {
    let token = token(dialer, user).await;
    let position = json!({"ArtNr": "BU-1004", "Menge": 1});
    let order = json!({
        "GrundDaten": {"KundNr": "10006"},
        "Positionen": vec![position; POSITIONS as usize],
    });
    let body = order.to_string();
    let request = format!(
        "POST /www/auftrag HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = dialer.connect().await.expect("a connection");
    let response = send_request(&mut connection, request.as_bytes())
        .await
        .expect("a response");
    let text = String::from_utf8_lossy(&response.body);
    assert_eq!(response.status, 201, "{text}");
    let placed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let number = &placed["data"]["AuftNr"];
    number.as_str().map_or(number.to_string(), str::to_owned)
}

impl Company {
    /// Starts the demo once, and stops it.
    pub(crate) fn new(runtime: &Runtime) -> Self {
        let folder = TempDir::new().expect("a folder");
        let users = folder.path().join("users.json");
        let mut server = Server::start([
            "demo".as_ref(),
            "--orders=0".as_ref(),
            "--credentials".as_ref(),
            users.as_os_str(),
            "--data".as_ref(),
            folder.path().join("data").as_os_str(),
        ]);
        let users = process::credentials(&users);
        let user = |role: &str| users.iter().find(|user| user.role == role).cloned();
        let shop = user("shop").expect("the demo has a shop");
        let dialer = Dialer::new(crate::victim::address_of(&server), None);
        let order = runtime.block_on(place(&dialer, &shop));
        server.terminate();
        assert!(server.wait().success(), "{}", server.stderr());
        let identity = generate_simple_self_signed(["localhost".to_owned()]).expect("an identity");
        let company = Self {
            admin: user("admin").expect("the demo has an admin"),
            shop,
            order,
            folder,
        };
        fs::write(company.certificate(), identity.cert.pem()).expect("room for it");
        fs::write(company.key(), identity.signing_key.serialize_pem()).expect("room for it");
        company
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
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
