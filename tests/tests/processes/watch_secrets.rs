//! A full run of the real server at the finest log level, with secrets wherever a client, an admin or the back office
//! can put one. Afterwards everything that operators can read is searched for them.

use erp_tests::place::Place;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_tests::bodies;
use erp_tests::client::{Client, stop};
use erp_tests::process::Server;
use serde_json::{Value, json};

const SHOP: &str = "Kennwort-der-Anna";
const ADMIN: &str = "Kennwort-vom-Chef";
const CHANGED: &str = "Kennwort-ganz-neu";
const WRONG: &str = "Kennwort-geraten";
const SECRET: &str = "whsec_R2VoZWltZXMtRXJlaWduaXMtU2NobMO8c3NlbA==";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Texts that must not be in any file for operators, wherever they were sent.
const PRIVATE: [&str; 22] = [
    SHOP,
    ADMIN,
    CHANGED,
    WRONG,
    SECRET,
    "Geheimgasse",
    "Schleichweg",
    "Kundenweg",
    "Importgasse",
    "Ringweg 22",
    "Am Bach 1",
    "Bärengasse",
    "Müller-Größ",
    "verborgen.example",
    "+41 44 000 00 17",
    "geratenes-token",
    "haken-mit-token",
    "argon2",
    "Bearer ",
    "Basic ",
    "access_token",
    "kennwort-als-parameter",
];

fn log_of(place: &Place) -> String {
    let files = std::fs::read_dir(place.path("data").join("log")).unwrap();
    files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect()
}

fn base64_of(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/zugferd");
    STANDARD.encode(std::fs::read(folder.join(name)).unwrap())
}

/// The demo's data, its users with random passwords, and two users with passwords of this test.
fn filled(place: &Place) -> (Vec<String>, String) {
    let (server, found) = place.demo(&["--log-level", "trace"]);
    stop(server);
    let mut printed = String::new();
    for (flags, password) in [
        (&["add", "anna", "--restwebshop", "SHOP1"][..], WRONG),
        (&["password", "anna"], SHOP),
        (&["add", "chef", "--role", "admin"], ADMIN),
        (&["add", "gast"], CHANGED),
        (&["remove", "gast"], ""),
    ] {
        let stdin: &[&str] = match password {
            "" => &[],
            _ => &["--password-stdin"],
        };
        let flags = [&["user"], flags, stdin].concat();
        printed += &place.run_with(&flags, password).success();
    }
    let passwords = found.into_iter().map(|user| user.password);
    (passwords.collect(), printed)
}

fn customer() -> Value {
    let mut body = bodies::customer();
    let address = &mut body["Adressen"]["KontaktAdr"];
    address["AdrAdresse1"] = json!("Geheimgasse 7");
    address["EmailAdress"] = json!("zoe@verborgen.example");
    address["AdrTf1"] = json!("+41 44 000 00 17");
    body
}

/// Logins that fail, and requests with a token in the wrong place.
async fn intrude(client: &mut Client) {
    assert_eq!(client.log_in("anna", WRONG).await, 401);
    assert_eq!(client.log_in(SHOP, SHOP).await, 401);
    client.token = "geratenes-token".to_owned();
    client.expect(401, "GET /www/artikel", None).await;
    assert_eq!(client.log_in("anna", SHOP).await, 200);
    let path = format!(
        "/www/artikel/BU-1001?access_token={}&pw=kennwort-als-parameter",
        client.token
    );
    let (status, _) = client.send("GET", &path, &[], None).await;
    assert_eq!(status, 200);
    let path = format!("/www/nirgends?{}", client.token);
    let (status, _) = client.send("GET", &path, &[], None).await;
    assert_eq!(status, 404);
    let broken = "{\"Strasse\": \"Geheimgasse 7";
    let (status, _) = client.send("POST", "/www/kunden", &[], Some(broken)).await;
    assert_eq!(status, 400);
}

async fn shop(client: &Client) {
    let created = client
        .expect(201, "POST /www/kunden", Some(&customer()))
        .await;
    let number = created["DebiNr"].as_str().unwrap().to_owned();
    let mut wrong = customer();
    wrong["Adressen"]["KontaktAdr"]["OrtLand"] = json!("Geheimgasse");
    client.expect(422, "POST /www/kunden", Some(&wrong)).await;
    let mut other = customer();
    other["Adressen"]["KontaktAdr"]["AdrAdresse1"] = json!("Schleichweg 1");
    let path = format!("PUT /www/kunden/{number}");
    client.expect(200, &path, Some(&other)).await;
    let path = format!("GET /www/adressen?debinr={number}");
    let listed = client.expect(200, &path, None).await;
    let address = listed["KundKontakt"][0]["AdrNr"].to_string();
    let path = format!("PATCH /www/adressen/{address}");
    let change = json!({"AdrAdresse1": "Kundenweg 3"});
    client.expect(204, &path, Some(&change)).await;
    let path = "/www/adressensuche?EmailAdress=zoe%40verborgen.example&AdrAdresse1=Kundenweg";
    let _ = client.send("GET", path, &[], None).await;
    order_and_offer(client, &number).await;
}

async fn order_and_offer(client: &Client, customer: &str) {
    let mut order = bodies::order(customer, json!([{"ArtNr": "BU-1004", "Menge": 2}]));
    order["Adressen"] = json!({"LiefAdr": bodies::address()});
    let retry = [
        ("idempotency-key", "zweimal"),
        (
            "traceparent",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ),
        ("x-request-id", "anna-1"),
    ];
    let order = order.to_string();
    for _ in 0..2 {
        let sent = client.send("POST", "/www/auftrag", &retry, Some(&order));
        let (status, answer) = sent.await;
        assert_eq!(status, 201, "{answer}");
    }
    let mut offer = bodies::order(customer, json!([{"ArtNr": "BU-1001", "Menge": 3}]));
    offer["Adressen"] = json!({"LiefAdr": bodies::address()});
    client.expect(201, "POST /www/offerte", Some(&offer)).await;
}

async fn invoices(client: &Client) {
    let combine = json!({"Operation": "Combine", "Verbose": true, "Debug": true,
        "PDF": base64_of("a3b.pdf"), "XML": base64_of("xml/facturx-en16931.xml")});
    let combine = combine.to_string();
    let sent = client.send("POST", "/www/zugferd", &[], Some(&combine));
    assert_eq!(sent.await.0, 200);
    let broken = json!({"Operation": "Extract", "Verbose": true, "PDF": "R2VoZWltZ2Fzc2U="});
    client.expect(400, "POST /www/zugferd", Some(&broken)).await;
}

/// Adds an event target with a secret and no receiver, and imports data.
async fn administer(client: &mut Client) {
    assert_eq!(client.log_in("chef", ADMIN).await, 200);
    let target = json!({"url": "http://127.0.0.1:9/haken-mit-token", "secret": SECRET});
    client
        .expect(201, "POST /admin/events/targets", Some(&target))
        .await;
    let bad = json!({"url": "http://Geheimgasse/haken-mit-token", "secret": "whsec_x"});
    client
        .expect(422, "POST /admin/events/targets", Some(&bad))
        .await;
    let mut address = bodies::address();
    address["AdrAdresse1"] = json!("Importgasse 9");
    let row = json!({"Kunde": {"KundNr": "10901", "WaehrAbk": "CHF", "KontaktAdr": address}});
    client.expect(200, "POST /admin/import", Some(&row)).await;
    let bad = json!({"Kunde": {"KundNr": "10902", "Strasse": "Importgasse 9"}});
    client.expect(422, "POST /admin/import", Some(&bad)).await;
}

async fn metrics_of(server: &Server) -> String {
    let printed = server.stdout();
    let address = printed
        .lines()
        .find_map(|line| line.strip_prefix("metrics on "));
    let answer = reqwest::get(address.expect("metrics are announced")).await;
    answer.unwrap().text().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_and_no_address_is_left_where_operators_read() {
    let place = Place::begun();
    let (mut secrets, commands) = filled(&place);
    let flags = [
        "--log-level",
        "trace",
        "--metrics-listen",
        "127.0.0.1:0",
        "--event-private-targets",
        "true",
    ];
    let server = place.serve(&flags);
    let mut client = Client::new(&server);
    intrude(&mut client).await;
    secrets.push(client.token.clone());
    let anna = client.token.clone();
    administer(&mut client).await;
    secrets.push(client.token.clone());
    let admin = std::mem::replace(&mut client.token, anna);
    shop(&client).await;
    invoices(&client).await;
    client.expect(204, "POST /www/token/revoke", None).await;
    client.token = admin;
    let mut audit = client
        .expect(200, "GET /admin/audit?limit=1000", None)
        .await;
    let entries = audit.as_array_mut().unwrap();
    let differing = entries.iter_mut().map(without_differences).sum::<usize>();
    assert!(differing > 0, "no entry keeps what changed");
    let metrics = metrics_of(&server).await;
    let printed = stop(server);
    let log = log_of(&place);
    let read = place.run(&["audit"]).success();
    let json = place.run(&["audit", "--json"]).success();
    let lines = json.lines().map(|line| serde_json::from_str(line).unwrap());
    let json: String = lines
        .map(|mut entry: Value| {
            without_differences(&mut entry);
            format!("{entry}\n")
        })
        .collect();

    // The log has entries of this run.
    for (wanted, text) in [
        (r#""route":"/www/kunden/{DebiNr}""#, &log),
        (r#""route":"/www/adressen/{AdrNr}""#, &log),
        (r#""message":"e-invoice step""#, &log),
        (&format!(r#""trace_id":"{TRACE}""#), &log),
        (r#""request_id":"anna-1""#, &log),
        ("POST /www/offerte", &read),
        ("user password", &read),
        ("Benutzer anna", &json),
        (TRACE, &json),
        ("erp_logins_refused_total 2", &metrics),
    ] {
        assert!(text.contains(wanted), "`{wanted}` is missing in {text}");
    }
    let coded = [SHOP, ADMIN, WRONG].map(|word| STANDARD.encode(format!("anna:{word}")));
    let secrets = secrets.iter().map(String::as_str);
    let all = PRIVATE.into_iter().chain(secrets);
    let all = all.chain(coded.iter().map(String::as_str));
    let texts = [
        ("the log", &log),
        ("the printed lines", &printed),
        ("the commands", &commands),
        ("`audit`", &read),
        ("`audit --json`", &json),
        ("`GET /admin/audit`", &audit.to_string()),
        ("the metrics", &metrics),
    ];
    for secret in all {
        for (place, text) in texts {
            assert!(!text.contains(secret), "`{secret}` in {place}: {text}");
        }
    }
}

/// Takes what an entry keeps of old and new values, and says how many they are:
/// they are there to be shown and put back, and are blanked when somebody is forgotten.
fn without_differences(entry: &mut Value) -> usize {
    let removed = entry.as_object_mut().unwrap().remove("differences");
    removed.map_or(0, |rows| rows.as_array().unwrap().len())
}

/// Every log line of a request has the ids by which an operator can find it.
#[tokio::test(flavor = "multi_thread")]
async fn lines_of_requests_have_ids_and_traces() {
    let place = Place::begun();
    let server = place.serve(&[]);
    let client = Client::new(&server);
    let traced = format!("00-{TRACE}-00f067aa0ba902b7-00");
    let bad = format!("00-{TRACE}-0000000000000000-00");
    for (id, trace) in [("a-1", traced.as_str()), ("a-2", &bad)] {
        let headers = [("x-request-id", id), ("traceparent", trace)];
        let (status, _) = client.send("GET", "/health", &headers, None).await;
        assert_eq!(status, 200);
    }
    stop(server);
    let log = log_of(&place);
    let lines = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let requests: Vec<Value> = lines.filter(|line| line["message"] == "request").collect();
    let [first, second] = requests.as_slice() else {
        panic!("{log}");
    };
    assert_eq!(first["request_id"], "a-1");
    assert_eq!(first["trace_id"], TRACE);
    assert_ne!(first["span_id"], "00f067aa0ba902b7");
    assert_eq!(second["request_id"], "a-2");
    let made = second["trace_id"].as_str().unwrap();
    assert!(made.len() == 32 && made != TRACE, "{made}");
    for line in [first, second] {
        assert_eq!(line["span_id"].as_str().unwrap().len(), 16);
        assert_eq!(
            (&line["status"], &line["route"]),
            (&json!(200), &json!("/health"))
        );
    }
}
