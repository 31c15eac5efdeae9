//! What a selection by `RESTWEBSHOP` hides from a shop is hidden at every endpoint.
//!
//! Two shops share one company that selects addresses. Customer 20001 belongs only to the first shop. Of customer 20002
//! both see the contact address, but only the first shop sees the delivery and billing addresses. The second shop then
//! requests hidden data at every endpoint.
//!
//! A token of one customer hides as much without any selection: the same requests are sent with one for customer 20002.

mod endpoints;

use std::collections::BTreeSet;

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::paths::templates;
use erp_tests::server::{ADMIN, SHOP1, SHOP2, Server};
use jiff::Timestamp;
use serde_json::{Value, json};

use endpoints::{Probe, endpoints};

/// A text that is in every hidden address, customer and document, and nowhere else.
const SECRET: &str = "Verborgen";

/// A text that is only in the contact address of the first shop's own customer, so that a search finds only this
/// customer.
const UNIQUE: &str = "Verborgen-1";

const OWN: &str = "20001";

/// The customer of both shops, with delivery and billing addresses of the first.
const SHARED: &str = "20002";

/// An article of the first shop only, and its media.
const ARTICLE: &str = "AB-4006";
const MEDIA: &str = "38";

/// A hidden record: its name in a probe, its number, and a number of the same length that does not exist.
struct Hidden {
    name: &'static str,
    number: String,
    absent: String,
}

/// The server with all data, and the numbers of the hidden records.
struct Case {
    server: Server,
    hidden: Vec<Hidden>,
    /// Whether the company selects addresses.
    selects: bool,
    /// The token of the second shop that is tried.
    token: String,
    /// Whether it is for customer 20002 alone.
    is_of_customer: bool,
}

fn selection(shops: &str) -> Value {
    json!([{"PHKey": "RESTWEBSHOP", "Contents": shops}])
}

fn address(mark: &str, shops: &str) -> Value {
    let mut address = bodies::full_address(mark);
    for name in ["AdrName", "AdrVorname", "AdrFirma2", "AdrAdresse2"] {
        address[name] = json!(mark);
    }
    address["attributes"] = selection(shops);
    address
}

impl Case {
    fn new(selects: bool, is_of_customer: bool) -> Self {
        let server = Server::with(&[("shop_may_cancel", "true")]);
        let customer = |number: &str, contact: Value, others: &str| {
            json!({"Kunde": {"KundNr": number, "WaehrAbk": "CHF", "KontaktAdr": contact,
                "LiefAdr": [address(others, "SHOP1")], "RechAdr": [address(others, "SHOP1")]}})
        };
        let own = customer(OWN, address(UNIQUE, "SHOP1"), SECRET);
        let others = if selects { SECRET } else { "Sichtbar" };
        let shared = customer(SHARED, address("Sichtbar", "SHOP1,SHOP2"), others);
        server.import(&format!("{own}\n{shared}\n"));
        // An article that is removed once it is in a template.
        let gone = |more: Value| {
            let mut row =
                json!({"ArtNr": "AB-9999", "ArtBez": "Bald weg", "attributes": selection("SHOP1")});
            row.as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            json!({"Artikel": row}).to_string()
        };
        let price = json!({"Preis": {"PreisListe": "STANDARD", "ArtNr": "AB-9999", "WaehrAbk": "CHF",
            "AbAnzahl": 1, "PreisList": 28.5, "Preisart": "N"}});
        server.import(&format!("{}\n{price}\n", gone(json!({}))));
        if selects {
            let body = json!({"Contents": "1"});
            let attribute = server.put("/admin/attributes/RESTWEBSHOP").by(ADMIN);
            let _ = attribute.json(&body).send().expect(200);
        }
        let token = match is_of_customer {
            true => server.customer_token(SHOP2, SHARED),
            false => server.new_token(SHOP2),
        };
        let mut case = Self {
            server,
            hidden: Vec::new(),
            selects,
            token,
            is_of_customer,
        };
        case.add("customer", OWN, "29999");
        case.add("article", ARTICLE, "AB-9999");
        case.add("media", MEDIA, "99");
        case.add("unique", UNIQUE, "Nirgendwo-1");
        case.add("name", SECRET, "Nirgendwo");
        case.add_addresses();
        case.add_documents();
        let row = json!({"Artikel": {"ArtNr": "AB-9999", "Loeschen": true}});
        case.server.import(&row.to_string());
        case
    }

    fn add(&mut self, name: &'static str, number: &str, absent: &str) {
        assert_eq!(number.len(), absent.len(), "{name}");
        self.hidden.push(Hidden {
            name,
            number: number.to_owned(),
            absent: absent.to_owned(),
        });
    }

    /// The customer whose delivery and billing addresses are hidden.
    const fn holder(&self) -> &'static str {
        if self.selects { SHARED } else { OWN }
    }

    fn add_addresses(&mut self) {
        let contact = self.addresses(OWN)["KundKontakt"][0]["AdrNr"].to_string();
        let holder = self.addresses(self.holder());
        let numbers = ["KundLief", "KundRech"].map(|kind| holder[kind][0]["AdrNr"].to_string());
        let [delivery, billing] = numbers;
        for (name, number) in [
            ("contact", contact),
            ("delivery", delivery),
            ("billing", billing),
        ] {
            let absent = "9".repeat(number.len());
            self.add(name, &number, &absent);
        }
    }

    fn add_documents(&mut self) {
        let mut order = bodies::order(OWN, json!([{"ArtNr": "BU-1001", "Menge": 2}]));
        order["GrundDaten"]["AuftBestellNr"] = json!(SECRET);
        // The other one is canceled, which an order with an invoice is not.
        let invoiced = self.made("/www/auftrag", &order).number("AuftNr");
        let order = self.made("/www/auftrag", &order).number("AuftNr");
        self.add("order", &order, "999999");
        let invoice = format!("/admin/auftrag/{invoiced}/rechnung");
        let invoice = self.server.post(&invoice).by(ADMIN).send().expect(201);
        self.add("invoice", &invoice.number("RechNr"), "9");
        let positions = |article: &str| json!([{"ArtNr": article, "Menge": 1}]);
        for name in ["offer", "converted", "ordered"] {
            let body = json!({"GrundDaten": {"KundNr": OWN}, "Positionen": positions("BU-1001")});
            let offer = self.made("/www/offerte", &body).number("OffertNr");
            if name == "ordered" {
                let body = json!({"GrundDaten": {"KundNr": OWN, "OffertNr": offer}});
                let converted = self.server.put("/www/auftrag").by(SHOP1).json(&body);
                let _ = converted.send().expect(201);
            }
            self.add(name, &offer, "999999");
        }
        // Templates: one to convert for a hidden customer, one to assign to one, and two that both shops may use.
        for name in ["template", "given", "free", "taken"] {
            let body = json!({"Positionen": positions("BU-1001")});
            let offer = self.made("/www/offerte", &body).number("OffertNr");
            self.add(name, &offer, &offer);
        }
        let [hidden, absent] = [ARTICLE, "AB-9999"].map(|article| {
            let body = json!({"Positionen": positions(article)});
            self.made("/www/offerte", &body).number("OffertNr")
        });
        self.add("articles", &hidden, &absent);
    }

    /// Creates a record as the first shop; its numbers have six digits, like the absent ones.
    fn made(&self, path: &str, body: &Value) -> Exchange {
        self.server.send("POST", path, body).expect(201)
    }

    fn addresses(&self, customer: &str) -> Value {
        let path = format!("/www/adressen?debinr={customer}");
        self.server.get(&path).by(ADMIN).send().expect(200).data()
    }

    /// Replaces names by the numbers of the hidden records, or by numbers that do not exist.
    fn filled(&self, text: &str, hidden: bool) -> String {
        self.hidden.iter().fold(text.to_owned(), |text, known| {
            let number = if hidden { &known.number } else { &known.absent };
            text.replace(&format!("<{}>", known.name), number)
        })
    }

    /// Sends as the second shop.
    fn send(&self, method: &str, path: &str, body: &Value, hidden: bool) -> Exchange {
        self.send_by(&self.token, method, path, body, hidden)
    }

    fn send_by(
        &self,
        token: &str,
        method: &str,
        path: &str,
        body: &Value,
        hidden: bool,
    ) -> Exchange {
        let path = self.filled(path, hidden);
        let request = self.server.call(method, &path).bearer(token);
        if body.is_null() {
            return request.send();
        }
        let body = self.filled(&body.to_string(), hidden);
        request.body("application/json", body.as_bytes()).send()
    }

    /// A response without the parts that differ between requests, with all numbers of probes replaced.
    fn compared(&self, exchange: &Exchange) -> (u16, Vec<(String, String)>, String) {
        let mut headers = exchange.headers.clone();
        headers.retain(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()));
        let mut text = exchange.text();
        for known in &self.hidden {
            for number in [&known.number, &known.absent] {
                text = text.replace(&format!("`{number}`"), "`#`");
            }
        }
        (exchange.status, headers, text)
    }

    /// Checks that a response to the second shop shows no hidden text and no number of a hidden address.
    fn shows_nothing(&self, exchange: &Exchange) {
        let at = format!("{}: {}", exchange.request, exchange.text());
        // The links of a list repeat its own query.
        let shown = exchange.text().replace("AuftBestellNr=Verborgen", "");
        assert!(!shown.contains(SECRET), "{at}");
        if exchange.request.contains("/www/") && exchange.text().starts_with('{') {
            let numbers: BTreeSet<&str> = self
                .hidden
                .iter()
                .filter(|known| ["contact", "delivery", "billing"].contains(&known.name))
                .map(|known| known.number.as_str())
                .collect();
            let shown = address_numbers(&exchange.json());
            let found: Vec<_> = shown
                .iter()
                .filter(|number| numbers.contains(number.as_str()))
                .collect();
            assert!(found.is_empty(), "{found:?} in {at}");
        }
    }

    /// The same check for the record that a response says was created.
    fn made_shows_nothing(&self, exchange: &Exchange) {
        if !exchange.text().starts_with('{') {
            return;
        }
        let data = exchange.data();
        for (name, path) in [
            ("AuftNr", "/www/auftrag/"),
            ("OffertNr", "/www/offerte?OffertNr="),
            ("DebiNr", "/www/kunden/"),
        ] {
            if let Some(number) = data.get(name).and_then(Value::as_str) {
                let read = self.server.get(&format!("{path}{number}"));
                let read = read.bearer(&self.token).send();
                self.shows_nothing(&read.expect(200));
            }
        }
    }

    fn check(&self, method: &str, probe: &Probe) {
        let of_customer = self.is_of_customer;
        match probe {
            Probe::Guess {
                path,
                body,
                status,
                of_customer: other,
            } => {
                let [hidden, absent] =
                    [true, false].map(|hidden| self.send(method, path, body, hidden));
                self.shows_nothing(&hidden);
                let status = if of_customer { other } else { status };
                assert_eq!(hidden.status, *status, "{method} {path}: {}", hidden.text());
                assert_eq!(
                    self.compared(&hidden),
                    self.compared(&absent),
                    "{method} {path}"
                );
                if method == "GET" {
                    let of = |hidden| self.send("HEAD", path, body, hidden);
                    assert_eq!(
                        self.compared(&of(true)),
                        self.compared(&of(false)),
                        "{path}"
                    );
                }
            }
            Probe::Open {
                path,
                body,
                status,
                of_customer: other,
            } => {
                let response = self.send(method, path, body, true);
                let status = if of_customer { other } else { status };
                assert_eq!(
                    response.status,
                    *status,
                    "{method} {path}: {}",
                    response.text()
                );
                self.shows_nothing(&response);
                self.made_shows_nothing(&response);
            }
            Probe::Admins { path } => {
                let response = self.send(method, path, &json!({}), true);
                response.refused(403, "insufficient_scope");
            }
        }
    }

    /// All data of the first shop that the second may not see.
    fn hidden_state(&self) -> Vec<String> {
        let paths = [
            "/www/kunden/<customer>?order=100",
            "/www/adressen?debinr=<customer>",
            "/www/auftrag/<order>",
            "/www/rechnung/<invoice>",
            "/www/offerte?OffertNr=<offer>",
            "/www/offerte?OffertNr=<converted>",
            "/www/offerte?OffertNr=<ordered>",
            "/www/adressen/<contact>",
        ];
        let mut state: Vec<String> = paths
            .iter()
            .map(|path| {
                let owner = self.server.token(SHOP1);
                let read = self.send_by(owner, "GET", path, &Value::Null, true);
                let read = read.expect(200);
                format!("{:?} {}", read.header("etag"), read.text())
            })
            .collect();
        let holder = self.addresses(self.holder());
        state.extend(["KundLief", "KundRech"].map(|kind| holder[kind].to_string()));
        state
    }
}

/// Every `AdrNr` in a response, and every other number of an address.
fn address_numbers(value: &Value) -> Vec<String> {
    let names = ["AdrNr", "KundLief", "KundRech", "KundKontakt"];
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, value)| match value {
                Value::Number(number) if names.contains(&name.as_str()) => vec![number.to_string()],
                other => address_numbers(other),
            })
            .collect(),
        Value::Array(list) => list.iter().flat_map(address_numbers).collect(),
        _ => Vec::new(),
    }
}

// rule: D-SEL-07, D-SEL-08
/// Compares the probes with the routes of the server: a new endpoint outside of `/admin` must be added here too, with the
/// data it could show.
#[test]
fn every_endpoint_is_probed() {
    let listed: BTreeSet<String> = endpoints()
        .iter()
        .map(|(method, path, probes)| {
            assert!(!probes.is_empty(), "{method} {path} has no probe");
            format!("{method} {path}")
        })
        .collect();
    let routes: BTreeSet<String> = templates()
        .iter()
        .flat_map(|(path, allow)| {
            let methods = allow.split(", ");
            // HEAD behaves like GET; the response to OPTIONS does not depend on the path.
            methods
                .filter(|method| !["HEAD", "OPTIONS"].contains(method))
                .map(|method| format!("{method} {path}"))
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(listed, routes);
    assert_eq!(
        listed.len(),
        endpoints().len(),
        "an endpoint is listed twice"
    );
}

// rule: D-SEL-07, D-SEL-08, D-SEL-09, D-SEL-11, D-DOC-25
#[test]
fn no_endpoint_lets_a_shop_read_copy_change_remove_or_guess_what_is_hidden() {
    hides_all(&Case::new(true, false));
}

// rule: D-AUT-11, D-AUT-12
#[test]
fn no_endpoint_lets_a_token_of_one_customer_read_copy_change_remove_or_guess_what_is_not_its_own() {
    for selects in [true, false] {
        hides_all(&Case::new(selects, true));
    }
}

// rule: D-AUT-12
#[test]
fn the_token_that_an_admin_gets_for_a_customer_is_none_of_an_admin() {
    let mut case = Case::new(false, true);
    case.token = case.server.customer_token(ADMIN, SHARED);
    for (method, _, probes) in endpoints() {
        for probe in probes
            .iter()
            .filter(|probe| matches!(probe, Probe::Admins { .. }))
        {
            case.check(method, probe);
        }
    }
}

fn hides_all(case: &Case) {
    let before = case.hidden_state();
    assert!(
        before.iter().all(|text| text.contains(SECRET)),
        "{before:#?}"
    );
    for (method, _, probes) in endpoints() {
        for probe in &probes {
            case.check(method, probe);
        }
    }
    assert_eq!(case.hidden_state(), before);
    let searched = |name: &str| {
        let path = format!("/www/adressensuche?AdrName={name}");
        let found = case.server.read(&path).expect(200).json();
        found["count"].clone()
    };
    let several = if case.selects { 2 } else { 1 };
    assert_eq!(searched(SECRET), several, "whose addresses have this name");
    // Every probe names something that exists: the owner is not refused. Reads come before changes, and those before what
    // replaces a customer with its addresses.
    let mut endpoints = endpoints();
    endpoints.sort_by_key(|(method, ..)| match *method {
        "GET" => 0,
        "PATCH" => 1,
        _ => 2,
    });
    for (method, _, probes) in endpoints {
        for probe in probes {
            let Probe::Guess { path, body, .. } = probe else {
                continue;
            };
            if method == "PUT" && body == json!({}) {
                continue;
            }
            let owner = case.server.token(SHOP1);
            let response = case.send_by(owner, method, path, &body, true);
            assert!(
                (200..300).contains(&response.status),
                "{method} {path}: {}",
                response.text()
            );
            if method == "GET" {
                let absent = case.send_by(owner, method, path, &body, false);
                assert_ne!(response.text(), absent.text(), "{path}");
            }
        }
    }
    let audit = case
        .server
        .wait(case.server.erp().upkeep(Timestamp::now()).check())
        .unwrap();
    assert_eq!(audit.findings, []);
}
