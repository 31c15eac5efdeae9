//! Safe retries: `Idempotency-Key` on changing requests, `ETag` and `If-Match`.

use std::collections::BTreeSet;

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::offers;
use erp_tests::orders::column;
use erp_tests::server::{ADMIN, Login, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

fn send(
    server: &Server,
    login: Login,
    key: &str,
    method: &str,
    path: &str,
    body: &Value,
) -> Exchange {
    let request = server.call(method, path).by(login);
    request
        .header("idempotency-key", key.as_bytes())
        .json(body)
        .send()
}

fn post_order(server: &Server, login: Login, key: &str, body: &Value) -> Exchange {
    send(server, login, key, "POST", "/www/auftrag", body)
}

fn order(quantity: i64) -> Value {
    bodies::order("10006", json!([{"ArtNr": "BU-1004", "Menge": quantity}]))
}

fn orders_of(server: &Server, customer: &str) -> Vec<String> {
    let path = format!("/www/kunden/{customer}?order=1000");
    let customer = server.data(&path);
    column(&customer["Auftrag"], &["AuftNr"])
}

/// The header fields that a replayed response shares with the first one.
fn lasting(response: &Exchange) -> Vec<(String, String)> {
    let changing = ["date", "x-request-id", "idempotent-replayed"];
    let mut headers = response.headers.clone();
    headers.retain(|(name, _)| !changing.contains(&name.as_str()));
    headers.sort();
    headers
}

fn is_the_same_again(first: &Exchange, again: &Exchange) {
    assert_eq!(first.header("idempotent-replayed"), None, "{first:?}");
    assert_eq!(
        again.header("idempotent-replayed"),
        Some("true"),
        "{again:?}"
    );
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(lasting(again), lasting(first));
}

// rule: D-RET-01
#[test]
fn every_changing_request_can_be_sent_again() {
    let server = Server::start();
    let twice = |method: &str, path: &str, body: &Value| {
        let key = format!("{method} {path}");
        let first = send(&server, SHOP1, &key, method, path, body);
        assert!(first.status < 300, "{first:?}");
        for _ in 0..2 {
            is_the_same_again(&first, &send(&server, SHOP1, &key, method, path, body));
        }
        first
    };
    let _ = twice("POST", "/www/auftrag", &bodies::full_order("10001"));
    assert_eq!(orders_of(&server, "10001").len(), 1);
    let customer = twice("POST", "/www/kunden", &bodies::full_customer()).number("DebiNr");
    let _ = twice(
        "PUT",
        &format!("/www/kunden/{customer}"),
        &bodies::full_customer(),
    );
    let offer = twice("POST", "/www/offerte", &offers::template()).number("OffertNr");
    let added = json!({"Positionen": [{"ArtNr": "BU-1004", "Menge": 1}]});
    let changed = twice("PATCH", &format!("/www/offerte?OffertNr={offer}"), &added).data();
    assert_eq!(column(&changed["Positionen"], &["PosNr"]), ["1", "2", "3"]);
    let body = json!({"GrundDaten": {"KundNr": "10006", "OffertNr": offer}});
    let _ = twice("PUT", "/www/auftrag", &body);
    assert_eq!(orders_of(&server, "10006").len(), 1);
    let list = server.read(&format!("/www/adressen?debinr={customer}"));
    let address = list.expect(200).data()["KundKontakt"][0]["AdrNr"].to_string();
    let path = format!("/www/adressen/{address}");
    let _ = twice("PATCH", &path, &json!({"AdrName": "Einmal"}));
    // Whatever has changed since, the replay is the first response, and nothing is executed again.
    let _ = server
        .send("PATCH", &path, &json!({"AdrName": "Danach"}))
        .expect(204);
    let key = format!("PATCH {path}");
    let again = send(
        &server,
        SHOP1,
        &key,
        "PATCH",
        &path,
        &json!({"AdrName": "Einmal"}),
    )
    .expect(204);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(server.read(&path).data()["AdrName"], "Danach");
}

// rule: D-RET-06
#[test]
fn a_key_means_one_request() {
    let server = Server::start();
    let first = post_order(&server, SHOP1, "one", &order(1)).expect(201);
    let refused = |response: Exchange| {
        let problems = response.expect(422).problems();
        assert_eq!(
            problems,
            [("Idempotency-Key".to_owned(), "contradiction".to_owned())]
        );
    };
    refused(post_order(&server, SHOP1, "one", &order(2)));
    refused(post_order(&server, SHOP1, "one", &json!({})));
    refused(send(
        &server,
        SHOP1,
        "one",
        "POST",
        "/www/kunden",
        &order(1),
    ));
    refused(send(
        &server,
        SHOP1,
        "one",
        "PUT",
        "/www/auftrag",
        &order(1),
    ));
    refused(send(
        &server,
        SHOP1,
        "one",
        "POST",
        "/www/auftrag?x=1",
        &order(1),
    ));
    assert_eq!(orders_of(&server, "10006").len(), 1);
    // The layout of the body and the quotes around the key do not matter.
    let laid_out = serde_json::to_vec_pretty(&order(1)).unwrap();
    let again = server
        .post("/www/auftrag")
        .by(SHOP1)
        .header("idempotency-key", b"\"one\"");
    is_the_same_again(&first, &again.body("application/json", &laid_out).send());
    assert_ne!(
        post_order(&server, SHOP1, "two", &order(1))
            .expect(201)
            .number("AuftNr"),
        first.number("AuftNr")
    );
}

// rule: D-RET-01
#[test]
fn keys_belong_to_their_user() {
    let server = Server::start();
    let numbers: BTreeSet<String> = [SHOP1, SHOP2, ADMIN]
        .into_iter()
        .map(|login| {
            let first = post_order(&server, login, "shared", &order(1)).expect(201);
            is_the_same_again(&first, &post_order(&server, login, "shared", &order(1)));
            first.number("AuftNr")
        })
        .collect();
    assert_eq!(numbers.len(), 3);
    // Another body is refused only to the user of the key.
    let number = post_order(&server, SHOP2, "mine", &order(2))
        .expect(201)
        .number("AuftNr");
    let other = post_order(&server, SHOP1, "mine", &order(3))
        .expect(201)
        .number("AuftNr");
    assert_ne!(number, other);
    // Another token of the same user counts as the same user.
    let token = server.new_token(SHOP2);
    let again = server
        .post("/www/auftrag")
        .bearer(&token)
        .header("idempotency-key", b"mine");
    let again = again.json(&order(2)).send().expect(201);
    assert_eq!(again.number("AuftNr"), number);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}

// rule: D-RET-01
#[test]
fn a_refused_request_does_not_use_up_its_key() {
    let server = Server::shared();
    let wrong = bodies::order("10006", json!([{"ArtNr": "NOPE", "Menge": 1}]));
    for _ in 0..2 {
        let response = post_order(&server, SHOP1, "refused", &wrong).expect(422);
        assert_eq!(response.header("idempotent-replayed"), None);
    }
    let first = post_order(&server, SHOP1, "refused", &order(1)).expect(201);
    is_the_same_again(&first, &post_order(&server, SHOP1, "refused", &order(1)));
}

// rule: D-RET-01
#[test]
fn keys_are_short_printable_and_sent_once() {
    let server = Server::shared();
    let before = orders_of(&server, "10009");
    let body = bodies::order("10009", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    let with = |keys: &[&[u8]]| {
        let mut request = server.post("/www/auftrag").by(SHOP1).json(&body);
        for key in keys {
            request = request.header("idempotency-key", key);
        }
        request.send()
    };
    for keys in [
        &[&b""[..]][..],
        &[b"  "],
        &[b"\"\""],
        &[b"\" \""],
        &[&[b'x'; 256]],
        &["Schlüssel".as_bytes()],
        &[b"\xe4"],
        &[b"a\tb"],
        &[b"a", b"a"],
        &[b"a", b"b"],
    ] {
        with(keys).refused(400, "malformed");
    }
    assert_eq!(orders_of(&server, "10009"), before);
    let _ = with(&[&[b'x'; 255]]).expect(201);
    let _ = with(&[b"0d3f5a1e-7c8b-4b0e-9f55-1a2b3c4d5e6f"]).expect(201);
    let _ = with(&[b"key with spaces, and: \"more\"!"]).expect(201);
    let _ = with(&[b"\"in quotes\""]).expect(201);
}

// rule: D-RET-05
#[test]
fn equal_requests_at_the_same_time_make_one_order() {
    let server = Server::start();
    let responses: Vec<Exchange> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..64)
            .map(|_| scope.spawn(|| post_order(&server, SHOP1, "burst", &order(1)).expect(201)))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    let bodies: BTreeSet<&[u8]> = responses
        .iter()
        .map(|response| response.body.as_slice())
        .collect();
    assert_eq!(bodies.len(), 1);
    let first = responses
        .iter()
        .filter(|response| response.header("idempotent-replayed").is_none());
    assert_eq!(first.count(), 1, "all others get a conflict");
    assert_eq!(
        orders_of(&server, "10006"),
        [format!("\"{}\"", responses[0].number("AuftNr"))]
    );
    let stock = server.data("/www/artikel/BU-1004");
    assert_eq!(stock["Bestand"][0]["LagerBestand"], 130);
}

#[test]
fn changes_of_one_offer_at_the_same_time_all_happen() {
    let server = Server::start();
    let number = offers::made(&server, &offers::template());
    let query = format!("OffertNr={number}");
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=24)
            .map(|quantity| {
                let (server, query) = (&server, &query);
                let body = json!({"Positionen": [{"ArtNr": "BU-1004", "Menge": quantity}]});
                scope.spawn(move || offers::change(server, query, &body).expect(200))
            })
            .collect();
        for thread in threads {
            let _ = thread.join().unwrap();
        }
    });
    let offer = offers::read(&server, &number).expect(200).data();
    let added = &column(&offer["Positionen"], &["PosAnzBest"])[2..];
    let quantities: BTreeSet<i64> = added
        .iter()
        .map(|quantity| quantity.parse().unwrap())
        .collect();
    assert_eq!(quantities, (1..=24).collect());
    let numbers: BTreeSet<String> = column(&offer["Positionen"], &["PosNr"])
        .into_iter()
        .collect();
    assert_eq!(numbers.len(), 26, "no position number is assigned twice");
}

// rule: D-RET-02
#[test]
fn a_cached_response_is_not_sent_again() {
    // Of its own: orders of other tests change the tag of the article.
    let server = Server::start();
    let order = post_order(&server, SHOP1, "conditions", &order(1));
    let offer = offers::made(&server, &offers::template());
    for path in [
        "/www/artikel/BU-1001".to_owned(),
        "/www/kunden/10001".to_owned(),
        "/www/adressen/1".to_owned(),
        format!("/www/auftrag/{}", order.number("AuftNr")),
        format!("/www/offerte?OffertNr={offer}"),
    ] {
        let read = server.read(&path).expect(200);
        let tag = read.header("etag").unwrap();
        let with = |method: &str, name: &str, value: &str| {
            let request = server.call(method, &path).by(SHOP1);
            request.header(name, value.as_bytes()).send()
        };
        for method in ["GET", "HEAD"] {
            for known in [tag, "*", &format!("\"x\", W/{tag}")] {
                let again = with(method, "if-none-match", known).expect(304);
                assert!(again.body.is_empty(), "{path}");
                assert_eq!(again.header("etag"), Some(tag), "{path}");
                assert_eq!(again.header("content-length"), None, "{path}");
            }
            let _ = with(method, "if-none-match", "\"x\"").expect(200);
            let _ = with(method, "if-match", tag).expect(200);
            let _ = with(method, "if-match", "\"x\"").expect(412);
        }
        let other = with("GET", "if-match", "\"x\"");
        other.refused(412, "precondition_failed");
        assert_eq!(other.header("etag"), None);
    }
    // A missing resource has no state for a condition, and lists have no tag.
    let with = |path: &str| {
        let request = server.get(path).by(SHOP1);
        request.header("if-none-match", b"*").send().status
    };
    assert_eq!(with("/www/artikel/NOPE"), 404);
    assert_eq!(with("/www/artikel?limit=1"), 200);
}

// rule: D-RET-02, D-ANS-09
#[test]
fn a_compressed_response_is_known_by_its_own_tag() {
    let server = Server::start();
    let text = "Beschreibung ".repeat(18);
    let offer =
        json!({"Positionen": vec![json!({"ArtNr": "BU-1001", "Menge": 1, "PosBez": text}); 10]});
    let offer = offers::made(&server, &offer);
    let with = |value: &str| {
        let path = format!("/www/offerte?OffertNr={offer}");
        let request = server.get(&path).by(SHOP1);
        let request = request.header("accept-encoding", b"gzip");
        request.header("if-none-match", value.as_bytes()).send()
    };
    let packed = with("\"x\"").expect(200);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    let again = with(packed.header("etag").unwrap()).expect(304);
    for name in ["etag", "vary"] {
        assert_eq!(again.header(name), packed.header(name), "{name}");
    }
}

// rule: D-RET-03
#[test]
fn if_none_match_star_changes_no_existing_record() {
    let server = Server::start();
    let offer = offers::made(&server, &offers::template());
    let offer_path = format!("/www/offerte?OffertNr={offer}");
    for (method, path, body, unknown) in [
        (
            "PUT",
            "/www/kunden/10001",
            bodies::full_customer(),
            "/www/kunden/77777",
        ),
        (
            "PATCH",
            "/www/adressen/1",
            json!({"AdrTf1": "1"}),
            "/www/adressen/77777",
        ),
        (
            "PATCH",
            offer_path.as_str(),
            json!({}),
            "/www/offerte?OffertNr=77777",
        ),
    ] {
        let read = || server.read(path).expect(200);
        let before = read();
        let with = |path: &str| {
            let request = server.call(method, path).by(SHOP1).json(&body);
            request.header("if-none-match", b"*").send()
        };
        with(path).refused(412, "precondition_failed");
        assert_eq!(read().header("etag"), before.header("etag"), "{path}");
        assert_eq!(with(unknown).status, 404, "{path}");
    }
}

// rule: D-RET-01
#[test]
fn a_repeated_conversion_keeps_its_response_under_its_key() {
    let server = Server::start();
    let number = offers::made(&server, &offers::of_customer("10006"));
    let first = offers::convert(&server, &number, "10006").expect(201);
    let under = |key: &str, body: &Value| {
        let request = server.put("/www/auftrag").by(SHOP1);
        request
            .header("idempotency-key", key.as_bytes())
            .json(body)
            .send()
    };
    let body = json!({"GrundDaten": {"KundNr": "10006", "OffertNr": number}});
    let repeated = under("again", &body).expect(201);
    assert_eq!(repeated.body, first.body);
    assert_eq!(repeated.header("idempotent-replayed"), None);
    let replayed = under("again", &body).expect(201);
    assert_eq!(replayed.body, first.body);
    assert_eq!(replayed.header("idempotent-replayed"), Some("true"));
    // The key is used up: it can be used neither for another offer nor for a new order.
    let other = offers::made(&server, &offers::of_customer("10006"));
    let body = json!({"GrundDaten": {"KundNr": "10006", "OffertNr": other}});
    let refused = under("again", &body).expect(422);
    assert_eq!(
        refused.problems(),
        [("Idempotency-Key".to_owned(), "contradiction".to_owned())]
    );
    let body = bodies::order("10006", json!([{"ArtNr": "BU-1001", "Menge": 1}]));
    let order = server.post("/www/auftrag").by(SHOP1);
    let order = order.header("idempotency-key", b"again").json(&body).send();
    assert_eq!(order.status, 422);
    let offer = offers::read(&server, &other).expect(200).data();
    assert_eq!(offer["GrundDaten"]["AuftStatus"], "P");
}
