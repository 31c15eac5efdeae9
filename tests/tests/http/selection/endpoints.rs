//! Every endpoint of the server, with the requests of the second shop, and of its token for one customer.

use erp_tests::bodies;
use erp_tests::paths::templates;
use serde_json::{Value, json};

use super::{OWN, SHARED};

/// A request of the second shop to an endpoint.
pub(super) enum Probe {
    /// Names a hidden record in angle brackets. The response has this status, or the other one with a token of one customer, and is the same as for an absent record.
    /// The owner is not refused.
    Guess {
        path: &'static str,
        body: Value,
        status: u16,
        of_customer: u16,
    },
    /// Is accepted with this status; the response and the created record must show nothing hidden.
    Open {
        path: &'static str,
        body: Value,
        status: u16,
        of_customer: u16,
    },
    Admins {
        path: String,
    },
}

impl Probe {
    /// A token of one customer gets another status.
    fn of_customer(mut self, other: u16) -> Self {
        if let Self::Guess { of_customer, .. } | Self::Open { of_customer, .. } = &mut self {
            *of_customer = other;
        }
        self
    }
}

fn guess(path: &'static str, status: u16, body: Value) -> Probe {
    Probe::Guess {
        path,
        body,
        status,
        of_customer: status,
    }
}

fn open(path: &'static str, status: u16, body: Value) -> Probe {
    Probe::Open {
        path,
        body,
        status,
        of_customer: status,
    }
}

/// An order or offer of one article. It has no time, which a token of one customer must not set back.
fn one_of(customer: &str, article: &str) -> Value {
    json!({"GrundDaten": {"KundNr": customer}, "Positionen": [{"ArtNr": article, "Menge": 1}]})
}

fn admins(path: String) -> Probe {
    Probe::Admins { path }
}

/// Method, declared route, and the probes.
pub(super) type Endpoint = (&'static str, &'static str, Vec<Probe>);

fn none() -> Value {
    Value::Null
}

pub(super) fn endpoints() -> Vec<Endpoint> {
    let parts = [
        articles(),
        customers(),
        addresses(),
        orders(),
        offers(),
        without_records(),
        back_office(),
    ];
    let mut all: Vec<Endpoint> = parts.into_iter().flatten().collect();
    // Last, because it revokes the token of the second shop.
    let revoke = "/www/token/revoke";
    all.push(("POST", revoke, vec![open(revoke, 204, none())]));
    all
}

fn articles() -> Vec<Endpoint> {
    vec![
        (
            "GET",
            "/www/artikel",
            vec![
                guess("/www/artikel?debinr=<customer>", 400, none()),
                open("/www/artikel", 200, none()),
                open("/www/artikel?debinr=20002", 200, none()),
            ],
        ),
        (
            "GET",
            "/www/artikel/{ArtNr}",
            vec![
                guess("/www/artikel/<article>", 404, none()),
                guess("/www/artikel/BU-1001?debinr=<customer>", 400, none()),
            ],
        ),
        (
            "GET",
            "/www/tofaktorlogin/{ArtNr}",
            vec![
                guess("/www/tofaktorlogin/<article>", 404, none()),
                guess("/www/tofaktorlogin/BU-1001?debinr=<customer>", 400, none()),
            ],
        ),
        (
            "GET",
            "/www/artikelmedia/{ArtNr}",
            vec![guess("/www/artikelmedia/<article>", 404, none())],
        ),
        (
            "GET",
            "/www/artikelmediadaten/{IDKey}",
            vec![guess(
                "/www/artikelmediadaten/<media>?type=Bild",
                404,
                none(),
            )],
        ),
    ]
}

fn customers() -> Vec<Endpoint> {
    let replacement = |name: &str| {
        let mut body = bodies::customer();
        body["Adressen"]["KontaktAdr"]["AdrName"] = json!(name);
        body
    };
    vec![
        (
            "POST",
            "/www/kunden",
            vec![open("/www/kunden", 201, bodies::full_customer()).of_customer(403)],
        ),
        (
            "GET",
            "/www/kunden/{DebiNr}",
            vec![
                guess("/www/kunden/<customer>", 404, none()),
                guess("/www/kunden/<customer>?order=10", 404, none()),
                open("/www/kunden/20002?order=10", 200, none()),
            ],
        ),
        (
            "PUT",
            "/www/kunden/{DebiNr}",
            vec![
                guess("/www/kunden/<customer>", 404, replacement("Fremd")),
                // A body with problems does not reveal the customer either.
                guess("/www/kunden/<customer>", 404, json!({})),
                // The second shop has no delivery address of its own: it leaves the list out, adds an address, and
                // removes it again. The addresses of the first shop are unchanged.
                open("/www/kunden/20002", 200, replacement("Anders")),
                open("/www/kunden/20002", 200, {
                    let mut body = replacement("Anders");
                    body["Adressen"]["LiefAdr"] = bodies::full_address("own");
                    body["Adressen"]["RechAdr"] = bodies::full_address("own");
                    body
                }),
                open("/www/kunden/20002", 200, replacement("Anders")),
            ],
        ),
    ]
}

fn addresses() -> Vec<Endpoint> {
    vec![
        (
            "GET",
            "/www/adressen",
            vec![
                guess("/www/adressen?debinr=<customer>", 400, none()),
                open("/www/adressen?debinr=20002", 200, none()),
            ],
        ),
        (
            "GET",
            "/www/adressen/{AdrNr}",
            vec![
                guess("/www/adressen/<contact>", 404, none()),
                guess("/www/adressen/<delivery>", 404, none()),
                guess("/www/adressen/<billing>", 404, none()),
            ],
        ),
        (
            "PATCH",
            "/www/adressen/{AdrNr}",
            vec![
                guess(
                    "/www/adressen/<contact>",
                    404,
                    json!({"AdrFirma2": "Fremd"}),
                ),
                guess(
                    "/www/adressen/<delivery>",
                    404,
                    json!({"AdrFirma2": "Fremd"}),
                ),
                guess(
                    "/www/adressen/<billing>",
                    404,
                    json!({"AdrFirma2": "Fremd"}),
                ),
            ],
        ),
        (
            "GET",
            "/www/adressensuche",
            vec![
                // A search that would find only the hidden customer, and one that would find both.
                guess("/www/adressensuche?AdrName=<unique>", 200, none()),
                guess("/www/adressensuche?AdrName=<name>", 200, none()),
                guess(
                    "/www/adressensuche?EmailAdress=<name>%40example.ch",
                    200,
                    none(),
                ),
                open("/www/adressensuche?AdrName=Sichtbar", 200, none()),
            ],
        ),
    ]
}

/// Orders, including those converted from offers.
fn orders() -> Vec<Endpoint> {
    let conversion = |customer: &str, offer: &str| json!({"GrundDaten": {"KundNr": customer, "OffertNr": offer}});
    vec![
        (
            "GET",
            "/www/auftrag",
            vec![
                guess("/www/auftrag?debinr=<customer>", 400, none()),
                open("/www/auftrag", 200, none()),
                open("/www/auftrag?AuftBestellNr=Verborgen", 200, none()),
                open("/www/auftrag?debinr=20002", 200, none()),
            ],
        ),
        (
            "POST",
            "/www/auftrag",
            vec![
                guess("/www/auftrag", 422, one_of("<customer>", "BU-1001")),
                guess("/www/auftrag", 422, one_of(SHARED, "<article>")),
                open("/www/auftrag", 201, one_of(SHARED, "BU-1001")),
            ],
        ),
        (
            "GET",
            "/www/auftrag/{AuftNr}",
            vec![guess("/www/auftrag/<order>", 404, none())],
        ),
        (
            "GET",
            "/www/rechnung/{RechNr}",
            vec![guess("/www/rechnung/<invoice>", 404, none())],
        ),
        (
            "DELETE",
            "/www/auftrag/{AuftNr}",
            vec![guess("/www/auftrag/<order>", 404, none())],
        ),
        (
            "PUT",
            "/www/auftrag",
            vec![
                // An offer of the hidden customer, for that customer and for another.
                guess("/www/auftrag", 404, conversion(OWN, "<converted>")),
                guess("/www/auftrag", 404, conversion(OWN, "<ordered>")),
                // A template for the hidden customer, and one with a hidden article. A token of one customer knows no templates.
                guess("/www/auftrag", 422, conversion("<customer>", "<template>")).of_customer(404),
                guess("/www/auftrag", 422, conversion(SHARED, "<articles>")).of_customer(404),
                open("/www/auftrag", 201, conversion(SHARED, "<free>")).of_customer(404),
            ],
        ),
    ]
}

fn offers() -> Vec<Endpoint> {
    let offer_of = |customer: &str| one_of(customer, "BU-1001");
    vec![
        (
            "POST",
            "/www/offerte",
            vec![
                guess("/www/offerte", 422, offer_of("<customer>")),
                guess(
                    "/www/offerte",
                    422,
                    json!({"Positionen": [{"ArtNr": "<article>", "Menge": 1}]}),
                ),
                open("/www/offerte", 201, offer_of(SHARED)),
            ],
        ),
        (
            "GET",
            "/www/offerte",
            vec![guess("/www/offerte?OffertNr=<offer>", 404, none())],
        ),
        (
            "GET",
            "/www/offerten",
            vec![
                guess("/www/offerten?debinr=<customer>", 400, none()),
                open("/www/offerten", 200, none()),
                open("/www/offerten?debinr=20002", 200, none()),
            ],
        ),
        (
            "PATCH",
            "/www/offerte",
            vec![
                guess(
                    "/www/offerte?OffertNr=<offer>",
                    404,
                    json!({"Positionen": [{"PosNr": 1, "Menge": 7}]}),
                ),
                guess(
                    "/www/offerte?OffertNr=<given>&KundNr=<customer>",
                    422,
                    json!({}),
                )
                .of_customer(404),
                open("/www/offerte?OffertNr=<taken>&KundNr=20002", 200, json!({})).of_customer(404),
            ],
        ),
    ]
}

/// Endpoints that name no customer, order, offer or article.
fn without_records() -> Vec<Endpoint> {
    vec![
        ("POST", "/www/token", vec![open("/www/token", 401, none())]),
        (
            "POST",
            "/www/zugferd",
            vec![open("/www/zugferd", 422, json!({})).of_customer(403)],
        ),
        ("GET", "/health", vec![open("/health", 200, none())]),
        (
            "GET",
            "/health/live",
            vec![open("/health/live", 200, none())],
        ),
        (
            "GET",
            "/health/ready",
            vec![open("/health/ready", 200, none())],
        ),
        (
            "GET",
            "/openapi.json",
            vec![open("/openapi.json", 200, none())],
        ),
        ("GET", "/docs", vec![open("/docs", 200, none())]),
    ]
}

/// The back office, which is everything below `/admin`: a shop is refused, even if the record exists.
fn back_office() -> Vec<Endpoint> {
    const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];
    let known = [
        ("/attributes/{name}", "/attributes/RESTWEBSHOP"),
        ("/users/{name}", "/users/shop1"),
        ("{AuftNr}", "<order>"),
        ("{DebiNr}", "<customer>"),
        ("{RechNr}", "<invoice>"),
        // `lm-3001.png` of the demo.
        (
            "{SHA256}",
            "15e20a123c562c5ab8513c7c12a02048448760928de06cc800e97ec20fd44ad8",
        ),
        ("{id}", "1"),
    ];
    let mut all = vec![("DELETE", "/www/log", vec![admins("/www/log".to_owned())])];
    for (route, allow) in templates() {
        if !route.starts_with("/admin/") {
            continue;
        }
        let fill = |path: String, (name, value): &(&str, &str)| path.replace(name, value);
        let path = known.iter().fold(route.to_owned(), fill);
        assert!(!path.contains('{'), "{path}");
        let allowed: Vec<&str> = allow.split(", ").collect();
        for method in METHODS.into_iter().filter(|name| allowed.contains(name)) {
            all.push((method, route, vec![admins(path.clone())]));
        }
    }
    all
}
