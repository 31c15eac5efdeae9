//! `/admin/users`, `/admin/attributes` and `/admin/settings`: administration of a running server.

use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::orders::place;
use erp_tests::server::{ADMIN, CLERK, EDITOR, Login, SHOP1, Server};
use serde_json::{Value, json};

fn send(server: &Server, method: &str, path: &str, body: &Value) -> Exchange {
    server.call(method, path).by(ADMIN).json(body).send()
}

fn get(server: &Server, path: &str) -> Exchange {
    server.get(path).by(ADMIN).send()
}

fn add(server: &Server, body: &Value) -> Value {
    send(server, "POST", "/admin/users", body)
        .expect(201)
        .data()
}

/// Path and code of each problem in an error response.
fn problems(refused: &Exchange) -> Vec<(String, String)> {
    refused.refused(422, "invalid");
    let body = refused.json();
    let problems = body["info"]["problems"].as_array().unwrap();
    let text = |problem: &Value, name: &str| problem[name].as_str().unwrap().to_owned();
    problems
        .iter()
        .map(|problem| (text(problem, "path"), text(problem, "code")))
        .collect()
}

fn one(path: &str, code: &str) -> Vec<(String, String)> {
    vec![(path.to_owned(), code.to_owned())]
}

fn log_in(server: &Server, name: &str, password: &str) -> Exchange {
    server.post("/www/token").basic(name, password).send()
}

fn token(server: &Server, name: &str, password: &str) -> String {
    let response = log_in(server, name, password).expect(200).json();
    response["access_token"].as_str().unwrap().to_owned()
}

fn status_with(server: &Server, token: &str, path: &str) -> u16 {
    server.get(path).bearer(token).send().status
}

// rule: D-AUT-02
#[test]
fn a_user_is_added_with_a_password_that_is_shown_once_or_was_sent() {
    let server = Server::start();
    let anna = add(
        &server,
        &json!({"name": "anna", "restwebshop": "SHOP1", "role": "shop"}),
    );
    let password = anna["password"].as_str().unwrap();
    assert_eq!(password.len(), 22);
    assert_eq!(
        anna,
        json!({"name": "anna", "role": "shop", "restwebshop": "SHOP1", "password": password})
    );
    let own = add(
        &server,
        &json!({"name": "Chef Ö/1", "role": "admin", "password": "sehr geheim €"}),
    );
    assert_eq!(
        own,
        json!({"name": "Chef Ö/1", "role": "admin", "restwebshop": null})
    );
    let plain = add(&server, &json!({"name": "bert", "password": null}));
    assert_eq!(
        (&plain["role"], &plain["restwebshop"]),
        (&json!("shop"), &Value::Null)
    );
    let chef = token(&server, "Chef Ö/1", "sehr geheim €");
    assert_eq!(status_with(&server, &chef, "/admin/users"), 200);
    let anna = token(&server, "anna", password);
    assert_eq!(status_with(&server, &anna, "/www/artikel/BU-1001"), 200);
    let shown = get(&server, "/admin/users/anna").expect(200).data();
    assert_eq!(
        shown,
        json!({"name": "anna", "role": "shop", "restwebshop": "SHOP1", "tokens": 1})
    );
    let shown = get(&server, "/admin/users/Chef%20%C3%96%2F1").expect(200);
    assert_eq!(shown.data()["name"], "Chef Ö/1");
    let again = send(&server, "POST", "/admin/users", &json!({"name": "anna"}));
    again.refused(409, "conflict");
    let listed = get(&server, "/admin/users").expect(200);
    assert_eq!(listed.data().as_array().unwrap().len(), 6);
    for secret in [password, "argon2", "sehr geheim"] {
        assert!(!listed.text().contains(secret), "{}", listed.text());
    }
}

// rule: D-AUT-02
#[test]
fn a_user_changes_at_once_and_only_in_what_is_named() {
    let server = Server::start();
    let body = json!({"name": "anna", "restwebshop": "SHOP1", "password": "sehr geheim"});
    let _ = add(&server, &body);
    let anna = token(&server, "anna", "sehr geheim");
    let change = |body: Value| send(&server, "PUT", "/admin/users/anna", &body);
    assert_eq!(status_with(&server, &anna, "/admin/users"), 403);
    let changed = change(json!({"role": "admin"})).expect(200).data();
    assert_eq!(
        changed,
        json!({"name": "anna", "role": "admin", "restwebshop": "SHOP1"})
    );
    // Another role ends the tokens.
    assert_eq!(status_with(&server, &anna, "/admin/users"), 401);
    let anna = token(&server, "anna", "sehr geheim");
    assert_eq!(status_with(&server, &anna, "/admin/users"), 200);
    let changed = change(json!({"role": "shop", "restwebshop": null}));
    assert_eq!(
        changed.expect(200).data(),
        json!({"name": "anna", "role": "shop", "restwebshop": null})
    );
    assert_eq!(status_with(&server, &anna, "/admin/users"), 401);
    let changed = change(json!({"restwebshop": " SHOP2 "})).expect(200).data();
    assert_eq!(changed["restwebshop"], "SHOP2");
    let changed = change(json!({"restwebshop": ""})).expect(200).data();
    assert_eq!(changed["restwebshop"], Value::Null);
    // An empty change changes nothing.
    assert_eq!(change(json!({})).expect(200).data(), changed);
    assert_eq!(problems(&change(json!(1))), one("", "wrong_type"));
    assert_eq!(
        problems(&change(json!({"role": "root"}))),
        one("role", "unknown_value")
    );
    let unknown = send(
        &server,
        "PUT",
        "/admin/users/nobody",
        &json!({"role": "shop"}),
    );
    unknown.refused(404, "not_found");
}

#[test]
fn a_new_password_ends_the_tokens_and_is_shown_once_when_it_was_generated() {
    let server = Server::start();
    let body = json!({"name": "anna", "password": "sehr geheim"});
    let _ = add(&server, &body);
    let before = token(&server, "anna", "sehr geheim");
    let set = |body: Value| send(&server, "PUT", "/admin/users/anna/password", &body);
    let made = set(json!({})).expect(200).data();
    let password = made["password"].as_str().unwrap();
    assert_eq!(made, json!({"name": "anna", "password": password}));
    assert_eq!(status_with(&server, &before, "/www/artikel"), 401);
    assert_eq!(log_in(&server, "anna", "sehr geheim").status, 401);
    let _ = token(&server, "anna", password);
    let sent = set(json!({"password": "auch geheim"})).expect(200).data();
    assert_eq!(sent, json!({"name": "anna"}));
    let _ = token(&server, "anna", "auch geheim");
    assert_eq!(
        problems(&set(json!({"password": "kurz"}))),
        one("password", "malformed")
    );
    assert_eq!(problems(&set(json!("geheim genug"))), one("", "wrong_type"));
    let unknown = send(&server, "PUT", "/admin/users/x/password", &json!({}));
    assert_eq!(unknown.status, 404);
}

// rule: D-AUT-16
#[test]
fn users_of_the_office_change_their_own_password() {
    let server = Server::with(&[("rate_limits", "true"), ("token_requests_per_minute", "3")]);
    let anna = json!({"name": "anna", "role": "clerk", "password": "das erste Kennwort"});
    let _ = add(&server, &anna);
    let first = token(&server, "anna", "das erste Kennwort");
    let other = token(&server, "anna", "das erste Kennwort");
    let change = |token: &str, body: Value| {
        let request = server.put("/admin/me/password").bearer(token);
        request.json(&body).send()
    };
    let wrong = change(
        &first,
        json!({"old": "das falsche Kennwort", "new": "das zweite Kennwort"}),
    );
    assert_eq!(problems(&wrong.expect(422)), one("old", "contradiction"));
    let short = change(&first, json!({"old": "das erste Kennwort", "new": "kurz"}));
    assert_eq!(problems(&short.expect(422)), one("new", "malformed"));
    let none = change(&first, json!({})).expect(422);
    assert_eq!(problems(&none).len(), 2);
    let right = json!({"old": "das erste Kennwort", "new": "das zweite Kennwort"});
    let _ = change(&first, right.clone()).expect(204);
    // All tokens end, the asking one too, and only the new password logs in.
    for token in [&first, &other] {
        assert_eq!(status_with(&server, token, "/admin/me"), 401);
    }
    let _ = log_in(&server, "anna", "das erste Kennwort").expect(401);
    let token = token(&server, "anna", "das zweite Kennwort");
    // A shop has no password to change here; wrong ones are failed logins.
    let shop = server.put("/admin/me/password").by(SHOP1).json(&right);
    let _ = shop.send().expect(403);
    let tries: Vec<u16> = (0..4)
        .map(|_| change(&token, right.clone()).status)
        .collect();
    assert!(tries.contains(&422) && tries.contains(&429), "{tries:?}");
}

#[test]
fn tokens_are_listed_without_their_hashes_and_end_together() {
    let server = Server::start();
    let body = json!({"name": "anna", "password": "sehr geheim"});
    let _ = add(&server, &body);
    let path = "/admin/users/anna/tokens";
    assert_eq!(
        get(&server, path).expect(200).json(),
        json!({"count": 0, "data": []})
    );
    let tokens = [(); 3].map(|()| token(&server, "anna", "sehr geheim"));
    let listed = get(&server, path).expect(200);
    assert_eq!(listed.json()["count"], 3);
    for entry in listed.data().as_array().unwrap() {
        assert_eq!(entry.as_object().unwrap().len(), 3, "{entry}");
        assert_eq!(entry["id"].as_str().unwrap().len(), 8, "{entry}");
        let time = |name: &str| {
            let text = entry[name].as_str().unwrap();
            text.parse::<jiff::Timestamp>().unwrap()
        };
        let lifetime = time("issued_at").duration_until(time("expires_at"));
        assert_eq!(lifetime.as_secs(), 3_600, "{entry}");
    }
    assert!(tokens.iter().all(|token| !listed.text().contains(token)));
    let ended = server.delete(path).by(ADMIN).send().expect(200).data();
    assert_eq!(ended, json!({"revoked": 3}));
    for token in &tokens {
        assert_eq!(status_with(&server, token, "/www/artikel"), 401);
    }
    assert_eq!(get(&server, path).expect(200).json()["count"], 0);
    for method in ["GET", "DELETE"] {
        let unknown = server.call(method, "/admin/users/x/tokens").by(ADMIN);
        assert_eq!(unknown.send().status, 404, "{method}");
    }
}

// rule: D-IMP-05
#[test]
fn an_attribute_of_the_company_changes_alone() {
    let server = Server::start();
    let path = "/admin/attributes";
    let before = get(&server, path).expect(200).data();
    let set = |name: &str, contents: &str| {
        let path = format!("{path}/{name}");
        send(&server, "PUT", &path, &json!({"Contents": contents}))
    };
    let stored = set("rest_AUFT", "1").expect(200).data();
    assert_eq!(stored, json!({"PHKey": "rest_AUFT", "Contents": "1"}));
    let _ = set("Gr%C3%B6%C3%9Fe%2F1", "ä €").expect(200);
    let listed = get(&server, path).expect(200).data();
    let has = |name: &str, contents: &str| {
        let wanted = json!({"PHKey": name, "Contents": contents});
        listed.as_array().unwrap().contains(&wanted)
    };
    assert!(has("rest_AUFT", "1") && has("Größe/1", "ä €"), "{listed}");
    let remove = |name: &str| {
        let path = format!("{path}/{name}");
        server.delete(&path).by(ADMIN).send()
    };
    let _ = remove("Gr%C3%B6%C3%9Fe%2F1").expect(204);
    remove("nothing").refused(404, "not_found");
    let _ = remove("REST_Auft").expect(204);
    let rest = |list: &Value| {
        let list = list.as_array().unwrap().iter();
        let others = list.filter(|entry| entry["PHKey"] != "REST_Auft");
        others.cloned().collect::<Vec<Value>>()
    };
    let after = get(&server, path).expect(200).data();
    assert_eq!(rest(&after), rest(&before), "the others stay");
    for (name, body, path, code) in [
        ("A", json!({}), "Contents", "required"),
        (
            "A",
            json!({"Contents": "x".repeat(201)}),
            "Contents",
            "too_long",
        ),
        ("A", json!({"Contents": 1}), "Contents", "wrong_type"),
        ("A", json!([]), "", "wrong_type"),
        (
            "1234567890123",
            json!({"Contents": ""}),
            "PHKey",
            "malformed",
        ),
        ("%20A", json!({"Contents": ""}), "PHKey", "malformed"),
    ] {
        let refused = send(&server, "PUT", &format!("/admin/attributes/{name}"), &body);
        assert_eq!(problems(&refused), one(path, code), "{name} {body}");
    }
}

#[test]
fn the_settings_are_those_the_server_runs_with() {
    let server = Server::with(&[("token_lifetime_seconds", "1234")]);
    // Only this response may contain the data folder.
    let response = server.get("/admin/settings").by(ADMIN).send_unchecked();
    let settings = response.expect(200).data();
    let find = |name: &str| {
        let mut settings = settings.as_array().unwrap().iter();
        settings.find(|setting| setting["name"] == name).unwrap()
    };
    assert_eq!(
        find("token_lifetime_seconds"),
        &json!({"name": "token_lifetime_seconds", "value": "1234", "default": "3600", "unit": "seconds"})
    );
    assert_eq!(find("base_url")["value"], Value::Null);
    let folder = server.folder().join("data").display().to_string();
    assert_eq!(find("data_dir")["value"], folder);
    let described = erp_server::config::Settings::describe();
    assert_eq!(settings.as_array().unwrap().len(), described.len());
}

// rule: D-AUT-14
#[test]
fn an_editor_imports_all_but_the_company_and_exports_one_record() {
    let server = Server::start();
    let import = |login: Login, query: &str, row: Value| {
        let path = format!("/admin/import{query}");
        let request = server.post(&path).by(login);
        request
            .body("application/x-ndjson", row.to_string().as_bytes())
            .send()
    };
    let article = json!({"Artikel": {"ArtNr": "E-1", "ArtBez": "Locher", "AnLager": "N"}});
    import(CLERK, "", article.clone()).refused(403, "insufficient_scope");
    import(CLERK, "?dry_run=1", article.clone()).refused(403, "insufficient_scope");
    let tried = import(EDITOR, "?dry_run=1", article.clone()).expect(200);
    assert_eq!(tried.data()["added"], 1);
    let _ = import(EDITOR, "", article).expect(200);
    let company = server.get("/admin/export?company=true").by(ADMIN);
    let company = company.send_unchecked().expect(200);
    let row: Value = serde_json::from_str(company.text().lines().next().unwrap()).unwrap();
    assert!(row["Firma"].is_object(), "{row}");
    for query in ["", "?dry_run=1"] {
        let refused = import(EDITOR, query, row.clone());
        refused.refused(403, "insufficient_scope");
        assert!(refused.text().contains("`admin`"), "{}", refused.text());
        let _ = import(ADMIN, query, row.clone()).expect(200);
    }
    let export = |login: Login, query: &str| {
        let path = format!("/admin/export{query}");
        server.get(&path).by(login).send_unchecked()
    };
    for query in ["?article=E-1", "?customer=10001", "?company=true"] {
        assert_eq!(export(EDITOR, query).status, 200, "{query}");
        export(CLERK, query).refused(403, "insufficient_scope");
    }
    export(EDITOR, "").refused(403, "insufficient_scope");
    // The audit trail names the editor.
    let trail = get(&server, "/admin/audit?user=editor").expect(200).text();
    assert!(trail.contains("E-1"), "{trail}");
}

// rule: D-AUT-14
#[test]
fn who_may_not_order_gets_no_token_of_a_customer() {
    let server = Server::start();
    for login in [CLERK, EDITOR] {
        assert_eq!(status_with(&server, server.token(login), "/admin/me"), 200);
        let asked = server.post("/www/token?debinr=10007");
        let refused = asked.basic(login.name, login.password).send();
        refused.refused(403, "insufficient_scope");
    }
    // A wrong password is told first.
    let asked = server.post("/www/token?debinr=10007");
    asked
        .basic(CLERK.name, "falsch-und-lang")
        .send()
        .refused(401, "invalid_client");
    let body = json!({"name": "anna", "password": "sehr geheim", "role": "admin"});
    let _ = add(&server, &body);
    let page = server
        .post("/www/token?debinr=10007")
        .basic("anna", "sehr geheim");
    let page = page.send().expect(200).json();
    let page = page["access_token"].as_str().unwrap();
    assert_eq!(status_with(&server, page, "/www/kunden/10007"), 200);
    let role = |role: &str| send(&server, "PUT", "/admin/users/anna", &json!({"role": role}));
    for to in ["clerk", "editor", "shop"] {
        let _ = role(to).expect(200);
        assert_eq!(status_with(&server, page, "/www/kunden/10007"), 401);
        let own = token(&server, "anna", "sehr geheim");
        let of_user = if to == "shop" { 403 } else { 200 };
        assert_eq!(status_with(&server, &own, "/admin/orders"), of_user, "{to}");
    }
}

// rule: D-AUT-14
#[test]
fn a_clerk_reads_and_moves_orders_of_all_shops() {
    let server = Server::start();
    server.import(r#"{"Artikel": {"ArtNr": "E-2", "ArtBez": "Nicht im Laden", "AnLager": "N"}}"#);
    let body = bodies::order("10001", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
    let order = place(&server, &body).expect(201).number("AuftNr");
    let read = |path: &str| server.get(path).by(CLERK).send();
    // Without a shop a clerk sees what an admin sees.
    for path in ["/www/artikel/E-2", "/www/kunden/10001", "/admin/stats"] {
        assert_eq!(read(path).status, 200, "{path}");
    }
    let own = format!("/www/auftrag/{order}");
    assert_eq!(read(&own).status, 200);
    let put = |path: &str, body: Value| server.put(path).by(CLERK).json(&body).send();
    let note = format!("/admin/auftrag/{order}/note");
    let _ = put(&note, json!({"note": "ruft zurück"})).expect(200);
    let status = format!("/admin/auftrag/{order}/status");
    let _ = put(&status, json!({"AuftStatus": "O"})).expect(200);
    let many = server.post("/admin/orders/status").by(CLERK);
    let many = many.json(&json!({"status": "S", "orders": [order]})).send();
    assert_eq!(many.expect(200).data()[0]["outcome"], "changed");
    let trail = get(&server, "/admin/audit?user=clerk").expect(200).text();
    assert!(trail.contains(&order), "{trail}");
    // Nothing is ordered by a clerk.
    let refused = server.post("/www/auftrag").by(CLERK).json(&body).send();
    refused.refused(403, "insufficient_scope");
    assert!(
        refused.text().contains("`shop` or `admin`"),
        "{}",
        refused.text()
    );
}

// rule: D-AUT-14
#[test]
fn clerks_and_editors_copy_offers_and_turn_them_into_orders() {
    let server = Server::start();
    for login in [CLERK, EDITOR] {
        let post = |body: &Value| server.post("/www/offerte").by(login).json(body);
        let body = bodies::order("10006", json!([{"ArtNr": "BU-1004", "Menge": 1}]));
        let offer = post(&body).send().expect(201).number("OffertNr");
        let body = json!({"GrundDaten": {"KundNr": "10006", "OffertNr": offer}});
        let put = || {
            server
                .put("/www/auftrag")
                .by(login)
                .header("idempotency-key", b"once")
                .json(&body)
        };
        let order = put().send().expect(201).number("AuftNr");
        assert_eq!(put().send().expect(201).number("AuftNr"), order);
        let trail = get(&server, &format!("/admin/audit?user={}", login.name))
            .expect(200)
            .text();
        for record in [format!("Offerte {offer}"), format!("Auftrag {order}")] {
            assert!(trail.contains(&record), "{trail}");
        }
        let listed = server
            .get("/www/offerten?debinr=10006&limit=1")
            .by(login)
            .send();
        let listed = listed.expect(200).data()[0].clone();
        assert_eq!(
            (&listed["AuftNr"], &listed["Name"]),
            (&json!(order), &json!("Schule am See"))
        );
        let change = server
            .patch(&format!("/www/offerte?OffertNr={offer}"))
            .by(login);
        change
            .json(&json!({}))
            .send()
            .refused(403, "insufficient_scope");
        // A token of one customer is only for who may do all that a shop does.
        let token = server.post("/www/token?debinr=10006").by(login).send();
        assert_eq!(token.status, 403);
    }
}
