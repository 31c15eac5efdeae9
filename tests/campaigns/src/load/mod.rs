//! Clients that create and change orders, offers, customers and addresses at random, and record what was acknowledged.
//! Afterwards the store is compared with these records.

mod acknowledged;
mod insist;
mod ledger;
mod orders;
mod rounds;
mod work;

use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder, StatusCode};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use erp_tests::process::Credentials;
use erp_tests::wait::PATIENCE;

use crate::random::Random;

pub use acknowledged::{Acknowledged, Conversion, Numbers, Offered, Patched, Unconfirmed};
pub use insist::{RetryingResult, place_until_acknowledged};
pub use ledger::Ledger;
pub use rounds::{CLIENTS, Rounds, acknowledged};
pub use work::{Board, work};

/// A stock-managed article that can be ordered.
#[derive(Clone, Debug)]
pub struct Item {
    number: String,
    /// Packaging unit and the number of base units in it.
    package: Option<(String, Decimal)>,
    /// The smallest quantity with a price, in packages if there are any.
    least: Decimal,
}

/// There was no response: the request may have been executed or not.
#[derive(Clone, Copy, Debug)]
struct NoResponse;

/// A response.
#[derive(Clone, Debug)]
struct Response {
    status: StatusCode,
    etag: Option<String>,
    replayed: bool,
    text: String,
}

impl Response {
    /// `data` of a response that must have this status.
    #[track_caller]
    fn data(&self, status: StatusCode, what: &str) -> Value {
        assert_eq!(self.status, status, "{what}: {}", self.text);
        let mut body: Value = serde_json::from_str(&self.text).unwrap();
        body["data"].take()
    }
}

fn text(data: &Value, member: &str) -> String {
    let text = data[member].as_str();
    text.unwrap_or_else(|| panic!("no {member} in {data}"))
        .to_owned()
}

/// A client of a server.
#[derive(Clone, Debug)]
pub struct Shop {
    client: Client,
    base_url: String,
    token: String,
}

fn decimal(number: &Value) -> Decimal {
    number
        .to_string()
        .parse()
        .unwrap_or_else(|_| panic!("{number} is no number"))
}

fn number(decimal: Decimal) -> Value {
    serde_json::from_str(&decimal.normalize().to_string()).unwrap()
}

impl Shop {
    /// Logs in.
    pub async fn log_in(base_url: &str, user: &Credentials) -> Self {
        let client = Client::new();
        let request = client
            .post(format!("{base_url}/www/token"))
            .basic_auth(&user.name, Some(&user.password));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let body: Value = response.json().await.unwrap();
        let token = body["access_token"].as_str().unwrap().to_owned();
        Self {
            client,
            base_url: base_url.to_owned(),
            token,
        }
    }

    /// The same token with another base URL, over new connections.
    pub fn at(&self, base_url: String) -> Self {
        Self {
            client: Client::new(),
            base_url,
            token: self.token.clone(),
        }
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A request with the token.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.base_url);
        self.client.request(method, url).bearer_auth(&self.token)
    }

    /// Sends a request. A 503 and an error page of a balancer count as no response; every other response of the server
    /// is returned.
    async fn send(&self, request: RequestBuilder) -> Result<Response, NoResponse> {
        let response = request.send().await.map_err(|_| NoResponse)?;
        let status = response.status();
        let header = |name: &str| Some(response.headers().get(name)?.to_str().unwrap().to_owned());
        let (etag, replayed) = (header("etag"), header("idempotent-replayed").is_some());
        let text = response.text().await.map_err(|_| NoResponse)?;
        let none = [
            StatusCode::BAD_GATEWAY,
            StatusCode::SERVICE_UNAVAILABLE,
            StatusCode::GATEWAY_TIMEOUT,
        ];
        if none.contains(&status) {
            return Err(NoResponse);
        }
        Ok(Response {
            status,
            etag,
            replayed,
            text,
        })
    }

    /// Waits until the readiness check is in this state.
    pub async fn wait_until_ready(&self, ready: bool) {
        let started = Instant::now();
        loop {
            let request = self.client.get(format!("{}/health/ready", self.base_url));
            let response = request.send().await.map(|response| response.status());
            let found = response
                .as_ref()
                .is_ok_and(|status| *status == StatusCode::OK);
            if found == ready && response.is_ok() {
                return;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "ready: {response:?}, not {ready}"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Reads something that must exist.
    pub async fn get(&self, path: &str) -> Value {
        self.get_tagged(path).await.0
    }

    /// The same with its entity tag.
    async fn get_tagged(&self, path: &str) -> (Value, Option<String>) {
        let response = self.send(self.request(Method::GET, path)).await;
        let response = response.unwrap_or_else(|_| panic!("{path}: the server does not respond"));
        (response.data(StatusCode::OK, path), response.etag)
    }

    /// Places an order; returns its number, and whether the response is a replay of an earlier one.
    async fn order(&self, body: &Value, key: Option<&str>) -> Result<(String, bool), NoResponse> {
        let mut request = self.request(Method::POST, "/www/auftrag").json(body);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let response = self.send(request).await?;
        let data = response.data(StatusCode::CREATED, &body.to_string());
        Ok((text(&data, "AuftNr"), response.replayed))
    }

    /// Stock-managed articles with a net price, some in packages.
    pub async fn catalogue(&self) -> Vec<Item> {
        let articles = self.get("/www/artikel").await;
        let items: Vec<Item> = articles
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Item::of)
            .collect();
        assert!(items.iter().filter(|item| item.package.is_some()).count() > 10);
        assert!(items.iter().filter(|item| item.package.is_none()).count() > 10);
        items
    }
}

impl Item {
    fn of(article: &Value) -> Option<Self> {
        let unit = article["Verpackungen"].get(0);
        let tier = &unit.unwrap_or(article)["Preis"][0];
        let is_sold = article["ArtikelStatus"] != 0;
        let orderable = is_sold && article["AnLager"] == "J" && tier["Preisart"] == "N";
        let package = unit.map(|unit| {
            (
                unit["VPEinheit"].as_str().unwrap().to_owned(),
                decimal(&unit["Faktor"]),
            )
        });
        orderable.then(|| Self {
            number: article["ArtNr"].as_str().unwrap().to_owned(),
            package,
            least: decimal(&tier["AbAnzahl"]).max(Decimal::ONE),
        })
    }

    fn position(&self, random: &mut Random) -> Value {
        let packages = self.least + Decimal::from(random.below(20));
        let factor = self
            .package
            .as_ref()
            .map_or(Decimal::ONE, |(_, factor)| *factor);
        let mut position = json!({"ArtNr": self.number, "Menge": number(packages * factor)});
        if let Some((unit, _)) = &self.package {
            position["VPEinheit"] = json!(unit);
        } else if random.one_in(6) {
            position["Preis"] = number(Decimal::new(
                1 + i64::try_from(random.below(99_999)).unwrap(),
                4,
            ));
        }
        if random.one_in(3) {
            position["PosBez"] = json!(format!("Größe {}, Œuvre € \u{1f9c0}", random.below(100)));
        }
        if random.one_in(4) {
            position["GRabSatz"] = number(Decimal::new(125, 1));
        }
        position
    }
}

fn address(random: &mut Random) -> Value {
    json!({"AdrSprache": "ger", "AdrAnrede": random.below(3), "AdrVorname": "Zoë", "AdrName": format!("Müller-Größ {}", random.below(1000)),
        "AdrAdresse1": "Bärengasse 5", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"})
}

fn customer(random: &mut Random) -> Value {
    let mut body = json!({"GrundDaten": {"AdrSprache": "ger", "WaehrAbk": "CHF", "FAKTZahlArt": "B", "ZahlungsMethode": "K,R",
        "Kommentar": format!("Kundin {}", random.below(1_000_000))}, "Adressen": {"KontaktAdr": address(random)}});
    if random.one_in(2) {
        body["Adressen"]["LiefAdr"] = address(random);
    }
    body
}

fn order(random: &mut Random, catalogue: &[Item], customer: &str, reference: &str) -> Value {
    let count = 1 + random.below(4);
    let positions: Vec<Value> = (0..count)
        .map(|_| random.choose(catalogue).clone().position(random))
        .collect();
    let mut body = json!({"GrundDaten": {"KundNr": customer, "AuftBestellNr": reference, "AuftBez": "Für das Büro"},
        "Positionen": positions});
    if random.one_in(2) {
        body["GrundDaten"]["AuftLiefKost"] = number(Decimal::new(990, 2));
    }
    if random.one_in(3) {
        body["Adressen"] = json!({"LiefAdr": address(random)});
    }
    if random.one_in(3) {
        body["Zahlung"] = json!([{"Bezeichnung": "payment_method", "Wert": "R"}]);
    }
    body
}
