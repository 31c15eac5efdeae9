//! Clients that place orders and create customers at random, and note what was acknowledged.

use std::sync::Arc;

use erp_tests::process::Credentials;
use reqwest::{Client, StatusCode};
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// Numbers from a seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// True in one of `of` cases.
    pub fn one_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }

    /// An entry of a list.
    pub fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }
}

/// A stock-managed article that can be ordered.
#[derive(Clone, Debug)]
pub struct Item {
    number: String,
    /// Packaging unit and base units in it.
    package: Option<(String, Decimal)>,
    /// The smallest quantity with a price, in packages if there are any.
    least: Decimal,
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
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let body: Value = answer.json().await.unwrap();
        let token = body["access_token"].as_str().unwrap().to_owned();
        Self {
            client,
            base_url: base_url.to_owned(),
            token,
        }
    }

    /// The same token at another address, over new connections.
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

    /// Reads something that must be there.
    pub async fn get(&self, path: &str) -> Value {
        let request = self
            .client
            .get(format!("{}{path}", self.base_url))
            .bearer_auth(&self.token);
        let answer = request
            .send()
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        let mut body: Value = answer.json().await.unwrap();
        body["data"].take()
    }

    /// Creates something; its number, or `None` when the server did not acknowledge it.
    async fn create(&self, path: &str, member: &str, body: &Value) -> Option<String> {
        let request = self
            .client
            .post(format!("{}{path}", self.base_url))
            .bearer_auth(&self.token);
        let answer = request.json(body).send().await.ok()?;
        let status = answer.status();
        let text = answer.text().await.ok()?;
        if status == StatusCode::SERVICE_UNAVAILABLE {
            return None;
        }
        assert_eq!(status, StatusCode::CREATED, "{path}: {text}\nsent: {body}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        Some(answer["data"][member].as_str().unwrap().to_owned())
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
        let orderable = article["AnLager"] == "J" && tier["Preisart"] == "N";
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

/// What the server said it has, by number, with what was sent.
#[derive(Clone, Debug, Default)]
pub struct Acknowledged {
    /// Orders.
    pub orders: Vec<(String, Value)>,
    /// Customers.
    pub customers: Vec<(String, Value)>,
}

impl Acknowledged {
    /// Adds those of another client.
    pub fn extend(&mut self, other: Self) {
        self.orders.extend(other.orders);
        self.customers.extend(other.customers);
    }

    /// Reads everything back and compares it.
    pub async fn verify(&self, shop: &Shop) {
        let tasks: Vec<_> = (0..8)
            .map(|task| tokio::spawn(self.clone().verify_part(shop.clone(), task)))
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }

    async fn verify_part(self, shop: Shop, task: usize) {
        for (number, sent) in self.orders.iter().skip(task).step_by(8) {
            let found = shop.get(&format!("/www/auftrag/{number}")).await;
            is_whole_order(number, sent, &found);
        }
        for (number, sent) in self.customers.iter().skip(task).step_by(8) {
            let found = shop.get(&format!("/www/kunden/{number}")).await;
            assert_eq!(
                found["Kommentar"], sent["GrundDaten"]["Kommentar"],
                "customer {number}"
            );
            let own = sent["Adressen"].get("LiefAdr").is_some();
            assert_eq!(
                found["KundLief"] != found["KundKontakt"],
                own,
                "customer {number}: {found}"
            );
        }
    }
}

/// Creates orders and customers one after another until the server is gone.
pub async fn work(
    shop: Shop,
    catalogue: Arc<Vec<Item>>,
    mut random: Random,
    name: String,
) -> Acknowledged {
    let mut done = Acknowledged::default();
    for count in 0.. {
        if random.one_in(6) || done.customers.is_empty() {
            let body = customer(&mut random);
            let Some(number) = shop.create("/www/kunden", "DebiNr", &body).await else {
                return done;
            };
            done.customers.push((number, body));
        }
        let customer = random.choose(&done.customers).0.clone();
        let body = order(
            &mut random,
            &catalogue,
            &customer,
            &format!("{name}-{count}"),
        );
        let Some(number) = shop.create("/www/auftrag", "AuftNr", &body).await else {
            return done;
        };
        done.orders.push((number, body));
    }
    done
}

fn is_whole_order(name: &str, sent: &Value, found: &Value) {
    let header = &found["GrundDaten"];
    for member in ["KundNr", "AuftBestellNr", "AuftBez"] {
        assert_eq!(
            header[member], sent["GrundDaten"][member],
            "order {name}: {member}"
        );
    }
    assert_eq!(
        (&header["AuftNr"], &header["AuftStatus"]),
        (&json!(name), &json!("N"))
    );
    for (address, own) in [
        ("KontaktAdr", false),
        ("RechAdr", false),
        ("LiefAdr", sent.get("Adressen").is_some()),
    ] {
        let found = &found["Adressen"][address];
        assert_eq!(found["OrtName"], "Zürich", "order {name}: {address}");
        let expected = &sent["Adressen"][address]["AdrName"];
        assert!(
            !own || found["AdrName"] == *expected,
            "order {name}: {address} {found}"
        );
    }
    assert_eq!(
        found["Zahlung"][0]["Wert"], sent["Zahlung"][0]["Wert"],
        "order {name}"
    );
    let (positions, wanted) = (
        found["Positionen"].as_array().unwrap(),
        sent["Positionen"].as_array().unwrap(),
    );
    assert_eq!(positions.len(), wanted.len(), "order {name}: {found}");
    for (position, wanted) in positions.iter().zip(wanted) {
        is_whole_position(name, wanted, position);
    }
    totals_agree(name, sent, found);
}

fn is_whole_position(name: &str, sent: &Value, found: &Value) {
    for member in ["ArtNr", "VPEinheit"] {
        assert_eq!(
            found.get(member),
            sent.get(member),
            "order {name}: {member}"
        );
    }
    assert_eq!(
        decimal(&found["PosAnzBest"]),
        decimal(&sent["Menge"]),
        "order {name}: {found}"
    );
    for (member, of) in [
        ("PosBez", "PosBez"),
        ("GRabSatz", "GRabSatz"),
        ("Preis", "PosPreisEinzel"),
    ] {
        let Some(expected) = sent.get(member) else {
            continue;
        };
        assert_eq!(&found[of], expected, "order {name}: {member}");
    }
}

/// The sums over positions, recap and header agree.
fn totals_agree(name: &str, sent: &Value, found: &Value) {
    let header = |member: &str| decimal(&found["GrundDaten"][member]);
    let sum = |list: &str, member: &str| -> Decimal {
        found[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| decimal(&entry[member]))
            .sum()
    };
    let delivery = sent["GrundDaten"]
        .get("AuftLiefKost")
        .map_or(Decimal::ZERO, decimal);
    assert_eq!(
        header("AuftNetto"),
        sum("Positionen", "PosPreisTotal") + delivery,
        "order {name}: {found}"
    );
    assert_eq!(
        header("AuftNetto"),
        sum("MWSTRekapitulation", "PosBetragNetto"),
        "order {name}: {found}"
    );
    assert_eq!(
        header("AuftWUST"),
        sum("MWSTRekapitulation", "PosWUST"),
        "order {name}: {found}"
    );
    assert_eq!(
        header("AuftBrutto"),
        header("AuftNetto") + header("AuftWUST"),
        "order {name}: {found}"
    );
    if delivery.is_zero() {
        assert_eq!(
            header("AuftWUST"),
            sum("Positionen", "PosPreisWUSTBetrag"),
            "order {name}: {found}"
        );
    }
}
