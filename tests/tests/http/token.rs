//! `POST /www/token`, `POST /www/token/revoke` and what a bearer token opens.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_tests::exchange::Exchange;
use erp_tests::golden::golden;
use erp_tests::server::{ADMIN, SHOP1, SHOP2, Server};
use serde_json::json;

const ARTICLE: &str = "/www/artikel/BU-1001";

fn refused() -> (u16, String) {
    (401, "invalid_token".to_owned())
}

// rule: R-END-25, R-LIM-03
#[test]
fn the_responses_are_the_golden_ones() {
    let server = Server::start();
    let token = server
        .post("/www/token")
        .basic(SHOP1.name, SHOP1.password)
        .send()
        .expect(200);
    golden(&server, "token-created", &token);
    golden(
        &server,
        "token-wrong-password",
        &server.post("/www/token").basic(SHOP1.name, "wrong").send(),
    );
    golden(
        &server,
        "token-without-credentials",
        &server.post("/www/token").send(),
    );
    golden(&server, "token-missing", &server.get(ARTICLE).send());
    golden(
        &server,
        "token-unknown",
        &server.get(ARTICLE).bearer("nonsense").send(),
    );
    let token = token.json()["access_token"].as_str().unwrap().to_owned();
    golden(
        &server,
        "token-revoked",
        &server.post("/www/token/revoke").bearer(&token).send(),
    );
}

// rule: R-AUT-05
#[test]
fn all_wrong_credentials_get_the_same_response() {
    let server = Server::shared();
    let request = || server.post("/www/token");
    let coded = |text: &[u8]| format!("Basic {}", STANDARD.encode(text));
    let wrong = request().basic(SHOP1.name, "wrong").send().expect(401);
    assert_eq!(wrong.refusal().1, "invalid_client");
    assert_eq!(
        wrong.header("www-authenticate"),
        Some("Basic realm=\"erp\", charset=\"UTF-8\"")
    );
    for (what, authorization) in [
        (
            "unknown user",
            coded(format!("nobody:{}", SHOP1.password).as_bytes()),
        ),
        ("empty password", coded(b"shop1:")),
        (
            "the password of another",
            coded(format!("shop1:{}", SHOP2.password).as_bytes()),
        ),
        ("no colon", coded(b"shop1")),
        ("no user", coded(b":x")),
        ("no Base64", "Basic ?!".to_owned()),
        ("nothing after the scheme", "Basic".to_owned()),
        ("another scheme", "Digest username=\"shop1\"".to_owned()),
        ("a control character", coded(b"shop1\0:x")),
        ("a huge name", coded(&[b'x'; 5_000])),
    ] {
        let response = request()
            .header("authorization", authorization.as_bytes())
            .send();
        assert_eq!(
            (response.status, response.text()),
            (401, wrong.text()),
            "{what}"
        );
        assert_eq!(
            response.header("www-authenticate"),
            wrong.header("www-authenticate"),
            "{what}"
        );
    }
    assert_eq!(request().send().text(), wrong.text());
    assert_eq!(
        request().bearer(server.token(SHOP1)).send().text(),
        wrong.text()
    );
}

#[test]
fn only_the_revoked_token_is_invalid() {
    let server = Server::shared();
    let (first, second) = (server.new_token(SHOP1), server.new_token(SHOP1));
    let revoked = server
        .post("/www/token/revoke")
        .bearer(&first)
        .send()
        .expect(204);
    assert!(revoked.body.is_empty());
    assert_eq!(
        server.get(ARTICLE).bearer(&first).send().refusal(),
        refused()
    );
    assert_eq!(
        server
            .post("/www/token/revoke")
            .bearer(&first)
            .send()
            .refusal(),
        refused()
    );
    let _ = server.get(ARTICLE).bearer(&second).send().expect(200);
}

// rule: R-END-25
#[test]
fn expires_in_is_a_string_when_set_so() {
    let server = Server::with(&[("expires_in_as_string", "true")]);
    let response = server
        .post("/www/token")
        .basic(SHOP1.name, SHOP1.password)
        .send()
        .expect(200);
    assert_eq!(response.json()["expires_in"], json!("3600"));
}

// rule: R-AUT-05
#[test]
fn too_many_logins_are_slowed() {
    let server = Server::with(&[("rate_limits", "true"), ("token_requests_per_minute", "10")]);
    let login = |password: &str| server.post("/www/token").basic(SHOP1.name, password).send();
    let statuses: Vec<u16> = (0..10).map(|_| login("wrong").status).collect();
    assert_eq!(statuses, [401; 10]);
    // On a slow machine one more attempt may have become available in the meantime.
    let slowed = (0..10)
        .map(|_| login(SHOP1.password))
        .find(|response| response.status == 429);
    let slowed = slowed.expect("an attempt too many");
    assert_eq!(slowed.refusal().1, "too_many_requests");
    let seconds: u64 = slowed.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
}

// rule: D-AUT-06, D-LIM-04
#[test]
fn right_passwords_are_no_failed_logins_from_the_start_on() {
    for most in ["3", "10"] {
        let server = Server::with(&[("rate_limits", "true"), ("token_requests_per_minute", most)]);
        let login = |password: &str| {
            let request = server.post("/www/token?debinr=10007");
            request.basic(SHOP1.name, password).send().status
        };
        let at_once = |count, password| -> Vec<u16> {
            std::thread::scope(|scope| {
                let logins: Vec<_> = (0..count)
                    .map(|_| scope.spawn(|| login(password)))
                    .collect();
                logins
                    .into_iter()
                    .map(|login| login.join().unwrap())
                    .collect()
            })
        };
        assert_eq!(at_once(50, SHOP1.password), [200; 50]);
        // On a slow machine a few more may have become available in the meantime.
        let guesses = at_once(30, "wrong");
        let of = |wanted| guesses.iter().filter(|status| **status == wanted).count();
        let most: usize = most.parse().unwrap();
        assert!((most..most + 5).contains(&of(401)), "{guesses:?}");
        assert_eq!(of(401) + of(429), 30, "{guesses:?}");
    }
}

/// The refusal of one request too many. On a slow machine a few more may have become available in the meantime.
fn soon_refused(send: impl FnMut() -> Exchange) -> Exchange {
    let mut sent = std::iter::repeat_with(send).take(10);
    let refused = sent.find(|response| response.status == 429);
    refused.expect("a request too many")
}

// rule: R-LIM-04
#[test]
fn too_many_requests_of_a_user_are_slowed_and_the_limit_is_reported() {
    let server = Server::with(&[
        ("rate_limits", "true"),
        // Three at once, one of them for the token.
        ("requests_per_minute", "18"),
    ]);
    let first = server.read(ARTICLE).expect(200);
    assert_eq!(first.header("ratelimit-policy"), Some("\"user\";q=18;w=60"));
    assert!(
        first
            .header("ratelimit")
            .unwrap()
            .starts_with("\"user\";r=1;t="),
        "{first:?}"
    );
    let _ = server.read(ARTICLE).expect(200);
    let slowed = soon_refused(|| server.read(ARTICLE));
    assert_eq!(slowed.refusal().1, "too_many_requests");
    let seconds: u64 = slowed.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    let _ = server.get(ARTICLE).by(SHOP2).send().expect(200);
}

/// A request for the token of a customer, with the right credentials.
fn customer_token(server: &Server, query: &str) -> Exchange {
    let request = server.post(&format!("/www/token{query}"));
    request.basic(SHOP1.name, SHOP1.password).send()
}

// rule: D-AUT-11
#[test]
fn a_token_of_one_customer_names_it_and_never_a_shop_by_mistake() {
    let server = Server::start();
    let token = customer_token(&server, "?debinr=10007").expect(200);
    golden(&server, "token-of-customer", &token);
    let refused = |query: &str| {
        let refused = customer_token(&server, query);
        refused.refused(400, "malformed");
        assert_eq!(refused.json()["info"]["parameter"], "debinr", "{query}");
    };
    for query in [
        "?debinr=",
        "?debinr",
        "?DebiNr=%20",
        "?debinr=99999",
        "?debinr=100070000",
        "?debinr=10001&debinr=10007",
    ] {
        refused(query);
    }
    // Who has no password learns of no customer.
    for query in ["?debinr=10007", "?debinr=99999"] {
        let wrong = server.post(&format!("/www/token{query}"));
        wrong
            .basic(SHOP1.name, "wrong")
            .send()
            .refused(401, "invalid_client");
    }
}

// rule: D-AUT-11, D-AUT-12
#[test]
fn a_token_of_one_customer_is_used_and_ended_like_any_other() {
    let server = Server::start();
    let token = server.customer_token(SHOP1, "10007");
    let get = |path: &str| server.get(path).bearer(&token).send();
    let own = get(ARTICLE).expect(200).data();
    assert_eq!(own, server.data(&format!("{ARTICLE}?debinr=10007")));
    assert_ne!(own, server.data(ARTICLE));
    let addresses = get("/www/adressen").expect(200).json();
    assert_eq!(addresses, get("/www/adressen?debinr=10007").json());
    let body = json!({"Positionen": [{"ArtNr": "BU-1001", "Menge": 1}]});
    let order = server
        .post("/www/auftrag")
        .bearer(&token)
        .json(&body)
        .send();
    let order = order.expect(201).number("AuftNr");
    let read = get(&format!("/www/auftrag/{order}")).expect(200).data();
    assert_eq!(read["GrundDaten"]["KundNr"], "10007");
    let others = json!({"GrundDaten": {"KundNr": "10001"}, "Positionen": body["Positionen"]});
    let _ = server.send("POST", "/www/auftrag", &others).expect(201);
    let listed = get("/www/auftrag").expect(200).json();
    let named = get("/www/auftrag?debinr=10007").json();
    assert_eq!(listed["data"], named["data"]);
    assert_eq!(
        (&listed["count"], &listed["data"][0]["AuftNr"]),
        (&json!(1), &json!(order))
    );
    let again = server.post("/www/token?debinr=10007").bearer(&token).send();
    again.refused(403, "insufficient_scope");

    let listed = server.get("/admin/users/shop1/tokens").by(ADMIN).send();
    let listed = listed.expect(200).json();
    let tokens = listed["data"].as_array().unwrap();
    assert!(tokens.iter().any(|token| token["debinr"] == "10007"));
    let trail = |user: &str| {
        let path = format!("/admin/audit?user={user}&record=Auftrag%20{order}");
        let trail = server.get(&path).by(ADMIN).send().expect(200).json();
        trail["data"].as_array().unwrap().clone()
    };
    let [entry] = trail("shop1").try_into().unwrap();
    assert_eq!(entry["user"], "shop1:10007");
    assert_eq!(trail("shop1:10007"), [entry]);
    for other in ["shop", "shop1:1000", "shop1:10008"] {
        assert_eq!(trail(other), [] as [serde_json::Value; 0]);
    }

    let other = server.customer_token(SHOP1, "10007");
    let ended = server.post("/www/token/revoke").bearer(&token).send();
    let _ = ended.expect(204);
    assert_eq!(get(ARTICLE).refusal(), refused());
    let body = json!({"password": "another password"});
    let changed = server.put("/admin/users/shop1/password").by(ADMIN);
    let _ = changed.json(&body).send().expect(200);
    assert_eq!(
        server.get(ARTICLE).bearer(&other).send().refusal(),
        refused()
    );
}

// rule: D-AUT-15
#[test]
fn a_shop_gets_tokens_of_its_customers_with_its_own_token() {
    let server = Server::start();
    let made = |token: &str, query: &str| {
        let request = server.post(&format!("/www/token{query}"));
        request.bearer(token).send_unchecked()
    };
    let text = |made: Exchange| made.json()["access_token"].as_str().unwrap().to_owned();
    let status = |token: &str| server.get(ARTICLE).bearer(token).send().status;
    let shop = server.new_token(SHOP1);
    let own = text(made(&shop, "?debinr=10007").expect(200));
    let other = server.customer_token(SHOP1, "10005");
    assert_eq!((status(&own), status(&other)), (200, 200));
    made(&shop, "").refused(401, "invalid_client");
    made(&own, "?debinr=10007").refused(403, "insufficient_scope");
    made("nothing", "?debinr=10007").refused(401, "invalid_token");
    let _ = server
        .post("/www/token/revoke")
        .bearer(&shop)
        .send()
        .expect(204);
    made(&shop, "?debinr=10007").refused(401, "invalid_token");
    assert_eq!((status(&own), status(&other)), (401, 200));
}

// rule: D-AUT-12, R-LIM-04
#[test]
fn customers_do_not_use_up_the_requests_of_their_shop_nor_its_logins() {
    let server = Server::with(&[
        ("rate_limits", "true"),
        ("token_requests_per_minute", "2"),
        // Four at once.
        ("requests_per_minute", "24"),
    ]);
    // All from one address, as by the back end of a shop: four requests of the user.
    let tokens: Vec<String> = (10_001..10_005)
        .map(|customer| server.customer_token(SHOP1, &customer.to_string()))
        .collect();
    soon_refused(|| customer_token(&server, "?debinr=10005")).refused(429, "too_many_requests");
    for token in &tokens {
        let get = || server.get(ARTICLE).bearer(token).send();
        for _ in 0..4 {
            let _ = get().expect(200);
        }
        soon_refused(get).refused(429, "too_many_requests");
    }
}
