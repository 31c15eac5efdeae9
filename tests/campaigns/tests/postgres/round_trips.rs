//! How often a request waits for the database, including token and user, counted by a proxy between them. Blocks of
//! numbers are not counted: only one in sixteen requests that take a number waits for a block.

use erp_campaigns::postgres::Cluster;
use erp_campaigns::proxy::Proxy;
use erp_tests::exchange::Exchange;
use erp_tests::server::{SHOP1, Server};
use serde_json::{Value, json};

/// Number of attempts. The smallest result is used, because once a second a server checks the database.
const TRIES: usize = 5;

/// A server whose traffic to the database is counted.
struct Counted {
    proxy: Proxy,
    name: String,
    url: String,
    server: Option<Server>,
    token: String,
}

impl Counted {
    fn start() -> Option<Self> {
        let cluster = Cluster::shared()?;
        let url = cluster.fresh_database();
        let name = url.rsplit('/').next().unwrap_or_default().to_owned();
        let proxy = Proxy::to(cluster.port());
        let url = cluster.url_at(proxy.port(), &name);
        let server = Server::with(&[("database", &url)]);
        let token = server.new_token(SHOP1);
        Some(Self {
            proxy,
            name,
            url,
            server: Some(server),
            token,
        })
    }

    fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// Restarts the server, so that its caches are empty, as after an update.
    fn restart(&mut self) {
        let settings = [("database", self.url.as_str())];
        self.server = self.server.take().map(|server| server.restart(&settings));
    }

    /// The next number of each sequence; it changes when a block is taken.
    fn numbers(&self) -> String {
        let cluster = Cluster::shared().expect("the database runs");
        cluster.psql_in(&self.name, "SELECT name, next FROM erp_numbers")
    }

    fn send(&self, (method, path, body): &TestRequest) -> (usize, Exchange) {
        let request = self.server().call(method, path).bearer(&self.token);
        let request = match body {
            Value::Null => request,
            body => request.json(body),
        };
        let (numbers, before) = (self.numbers(), self.proxy.requests());
        let exchange = request.send();
        assert!(
            exchange.status < 300,
            "{method} {path}: {}",
            exchange.status
        );
        let waits = self.proxy.requests() - before;
        let taken = self.numbers();
        let taken = taken.lines().filter(|line| !numbers.contains(*line));
        (waits - taken.count(), exchange)
    }

    /// Round trips of a server that has just started, and of one with warm caches. The measurement is repeated while
    /// they are above the limits.
    fn cold_and_warm(&mut self, limits: (usize, usize), call: &TestRequest) -> (usize, usize) {
        let mut least = (usize::MAX, usize::MAX);
        for _ in 0..TRIES {
            self.restart();
            least.0 = least.0.min(self.send(call).0);
            for _ in 0..TRIES {
                least.1 = least.1.min(self.send(call).0);
            }
            if least.0 <= limits.0 && least.1 <= limits.1 {
                break;
            }
        }
        least
    }
}

type TestRequest = (&'static str, String, Value);

fn order() -> Value {
    json!({
        "GrundDaten": {"KundNr": "10007"},
        "Positionen": [{"ArtNr": "BU-1002", "Menge": 1}, {"ArtNr": "LM-3001", "Menge": 1}],
    })
}

fn customer(name: &str) -> Value {
    json!({
        "GrundDaten": {"WaehrAbk": "CHF", "FAKTZahlArt": "B"},
        "Adressen": {"KontaktAdr": {"AdrSprache": "ger", "AdrAnrede": 0, "AdrFirma": name,
            "AdrAdresse1": "Weg 1", "OrtLand": "CH", "OrtPLZ": "8001", "OrtName": "Zürich"}},
    })
}

/// Any number with this name.
fn find(json: &Value, name: &str) -> Option<String> {
    let within = |values: Vec<&Value>| values.into_iter().find_map(|value| find(value, name));
    match json {
        Value::Object(members) => match members.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => within(members.values().collect()),
        },
        Value::Array(values) => within(values.iter().collect()),
        _ => None,
    }
}

/// Every operation with the most round trips of a server that has just started, and of one with warm caches.
fn operations(counted: &Counted) -> Vec<(&'static str, usize, usize, TestRequest)> {
    let made = |method, path: &str, body, member| {
        let exchange = counted.send(&(method, path.to_owned(), body)).1;
        find(&exchange.json(), member).unwrap_or_else(|| panic!("{path} shows no {member}"))
    };
    let order_number = made("POST", "/www/auftrag", order(), "AuftNr");
    let offer = made("POST", "/www/offerte", order(), "OffertNr");
    let address = made("GET", "/www/adressen?debinr=10007", Value::Null, "AdrNr");
    let get = |path: String| ("GET", path, Value::Null);
    let offer = format!("/www/offerte?OffertNr={offer}");
    let address = format!("/www/adressen/{address}");
    let change = json!({"Positionen": [{"PosNr": 1, "Menge": 2}]});
    vec![
        ("read article", 4, 2, get("/www/artikel/LM-3001".to_owned())),
        // Two of these round trips open a second connection while the first is still busy with the start.
        (
            "list of 100",
            7,
            3,
            get("/www/artikel?debinr=10007&limit=100".to_owned()),
        ),
        ("read customer", 2, 2, get("/www/kunden/10007".to_owned())),
        (
            "read addresses",
            2,
            2,
            get("/www/adressen?debinr=10007".to_owned()),
        ),
        ("read address", 3, 2, get(address.clone())),
        (
            "read order",
            2,
            2,
            get(format!("/www/auftrag/{order_number}")),
        ),
        ("read offer", 3, 2, get(offer.clone())),
        (
            "list offers",
            6,
            5,
            get("/www/offerten?debinr=10007".to_owned()),
        ),
        (
            "read media",
            4,
            3,
            get("/www/artikelmedia/LM-3001".to_owned()),
        ),
        (
            "create order",
            5,
            3,
            ("POST", "/www/auftrag".to_owned(), order()),
        ),
        (
            "create offer",
            7,
            4,
            ("POST", "/www/offerte".to_owned(), order()),
        ),
        ("change offer", 5, 3, ("PATCH", offer, change)),
        (
            "create customer",
            6,
            4,
            ("POST", "/www/kunden".to_owned(), customer("Neu AG")),
        ),
        (
            "replace customer",
            3,
            3,
            ("PUT", "/www/kunden/10007".to_owned(), customer("Alt AG")),
        ),
        (
            "change address",
            4,
            3,
            ("PATCH", address, json!({"AdrAdresse2": "Hof"})),
        ),
    ]
}

#[test]
fn round_trips_per_request_are_limited() {
    let Some(mut counted) = Counted::start() else {
        return;
    };
    let mut above = Vec::new();
    for (name, cold_limit, warm_limit, call) in operations(&counted) {
        let (cold, warm) = counted.cold_and_warm((cold_limit, warm_limit), &call);
        println!("{name}: {cold} cold, {warm} warm");
        if cold > cold_limit || warm > warm_limit {
            above.push(format!("{name}: {cold} cold, {warm} warm"));
        }
    }
    assert!(above.is_empty(), "{above:?}");
}
