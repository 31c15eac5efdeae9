//! `DELETE /www/log`, and what the log must not contain. A process has one log, so each test runs in a separate
//! process.

use erp_tests::bodies;
use erp_tests::golden::golden;
use erp_tests::own_process::in_own_process;
use erp_tests::server::{ADMIN, SHOP1, SHOP2, Server};
use serde_json::{Value, json};

fn lines(server: &Server) -> Vec<Value> {
    let text = server.log_text();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect()
}

/// Typical requests of a shop, with mistakes that put secrets in the wrong places.
fn a_day(server: &Server) {
    let _ = server
        .post("/www/token")
        .basic(SHOP1.name, "falsches-Kennwort")
        .send()
        .expect(401);
    let _ = server
        .post("/www/token")
        .basic("eindringling", SHOP1.password)
        .send()
        .expect(401);
    let _ = server.read("/www/artikel?debinr=10007&limit=3").expect(200);
    let _ = server
        .read(&format!(
            "/www/artikel/BU-1001?access_token={}",
            server.token(SHOP1)
        ))
        .expect(200);
    let _ = server
        .get("/www/artikel/BU-1001")
        .bearer("abgelaufenes-token")
        .send()
        .expect(401);
    let created = server
        .send("POST", "/www/kunden", &bodies::full_customer())
        .expect(201);
    let _ = server
        .send(
            "POST",
            "/www/auftrag",
            &bodies::full_order(&created.number("DebiNr")),
        )
        .expect(201);
    let mut wrong = bodies::full_customer();
    wrong["Adressen"]["KontaktAdr"]["OrtLand"] = json!("Bärengasse");
    let _ = server.send("POST", "/www/kunden", &wrong).expect(422);
    let _ = server
        .post("/www/kunden")
        .by(SHOP1)
        .body("application/json", b"{\"Strasse\": \"Geheimgasse 7")
        .send()
        .expect(400);
    let _ = server.read("/www/nirgends").expect(404);
    let _ = server
        .post("/admin/import")
        .by(SHOP1)
        .body("text/csv", b"x")
        .send()
        .expect(403);
}

fn assert_no_secret(server: &Server, log: &str) {
    let secrets = [
        SHOP1.password,
        ADMIN.password,
        "falsches-Kennwort",
        server.token(SHOP1),
        "abgelaufenes-token",
        "Bärengasse",
        "Rue contact",
        "Rue delivery",
        "Geheimgasse",
        "example.ch",
        "Façade",
        "+41 21",
        "debinr=",
        "access_token",
        "argon2",
    ];
    for secret in secrets {
        assert!(!log.contains(secret), "`{secret}` is in the log: {log}");
    }
}

// rule: R-END-26, R-AUT-03
#[test]
fn only_an_admin_deletes_the_log() {
    in_own_process(module_path!(), "only_an_admin_deletes_the_log", || {
        let server = Server::with_log(&[("log_level", "trace")]);
        a_day(&server);
        let before = server.log_text();
        let refused = server.delete("/www/log").by(SHOP2).send();
        golden(&server, "log-refused", &refused);
        refused.refused(403, "insufficient_scope");
        server
            .delete("/www/log")
            .send()
            .refused(401, "invalid_token");
        assert!(
            server.log_text().starts_with(&before),
            "the log was touched"
        );

        let deleted = server.delete("/www/log").by(ADMIN).send().expect(204);
        golden(&server, "log-deleted", &deleted);
        let first = lines(&server).into_iter().next().expect("one line");
        assert_eq!(
            (&first["message"], &first["user"]),
            (&json!("log files deleted"), &json!(ADMIN.name))
        );
        assert!(
            first["timestamp"]
                .as_str()
                .unwrap()
                .parse::<jiff::Timestamp>()
                .unwrap()
                >= server.started()
        );
        assert!(
            !server.log_text().contains("/www/kunden"),
            "{}",
            server.log_text()
        );
        let after = lines(&server);
        assert!(after.len() <= 2, "{after:?}");
    });
}

#[test]
fn the_last_lines_are_those_of_the_file() {
    in_own_process(
        module_path!(),
        "the_last_lines_are_those_of_the_file",
        || {
            let server = Server::with_log(&[("log_level", "trace")]);
            a_day(&server);
            let tail = |query: &str| {
                let path = format!("/admin/log?{query}");
                let response = server.get(&path).by(ADMIN).send().expect(200);
                response.data().as_array().unwrap().clone()
            };
            let last = tail("limit=200");
            assert!(last.len() > 10, "{last:?}");
            let mut file = lines(&server);
            for line in &mut file {
                line.as_object_mut().unwrap().remove("target");
            }
            // Lines that were written in the meantime are only in the file.
            let begin = file
                .iter()
                .position(|line| *line == last[last.len() - 1])
                .unwrap();
            let end = file.iter().rposition(|line| *line == last[0]).unwrap();
            let newest_first: Vec<Value> = file[begin..=end].iter().rev().cloned().collect();
            assert_eq!(last, newest_first);
            assert_no_secret(&server, &json!(last).to_string());
            assert_eq!(tail("limit=3").len(), 3);
            assert!(
                tail("level=info")
                    .iter()
                    .all(|line| line["level"] == "INFO" || line["level"] == "WARN")
            );
            tracing::warn!(target: "erp_server", number = 7, "a warning of the test");
            assert_eq!(tail("level=warn&limit=1")[0]["number"], 7);
            assert!(tail("level=error").is_empty());
            for query in ["level=loud", "limit=0", "limit=1001"] {
                let refused = server.get(&format!("/admin/log?{query}")).by(ADMIN).send();
                refused.refused(400, "malformed");
            }
            let _ = server.delete("/www/log").by(ADMIN).send().expect(204);
            let left = tail("limit=200");
            assert!(left.len() <= 2, "{left:?}");
            assert_eq!(left[left.len() - 1]["message"], "log files deleted");
        },
    );
}

// rule: R-END-26
#[test]
fn a_missing_log_can_be_deleted() {
    in_own_process(module_path!(), "a_missing_log_can_be_deleted", || {
        let server = Server::with_log(&[("log_level", "trace")]);
        // Twice, and after the files were removed.
        let _ = server.delete("/www/log").by(ADMIN).send().expect(204);
        std::fs::remove_dir_all(server.folder().join("data").join("log")).unwrap();
        let _ = server.delete("/www/log").by(ADMIN).send().expect(204);
        assert_eq!(lines(&server)[0]["user"], ADMIN.name);
        assert!(!server.log_text().contains(server.token(ADMIN)));
        let _ = server.delete("/www/log").by(SHOP1).send().expect(403);
    });
}

// rule: D-AUT-16
#[test]
fn a_refused_login_is_logged_with_the_user_and_the_network() {
    in_own_process(
        module_path!(),
        "a_refused_login_is_logged_with_the_user_and_the_network",
        || {
            let server = Server::with_log(&[]);
            for (name, password) in [
                (SHOP1.name, "falsches-Kennwort"),
                ("mein-Passwort", SHOP1.password),
            ] {
                let request = server.post("/www/token").basic(name, password);
                let _ = request.send().expect(401);
            }
            let body = json!({"old": "falsches-Kennwort", "new": "ein neues Kennwort"});
            let request = server.put("/admin/me/password").by(ADMIN).json(&body);
            let _ = request.send().expect(422);
            let lines = lines(&server);
            let refused = lines
                .iter()
                .filter(|line| line["message"] == "login refused");
            let refused: Vec<_> = refused
                .map(|line| (&line["user"], &line["address"]))
                .collect();
            let network = &json!("127.0.0.0/24");
            let users = [json!(SHOP1.name), json!("unknown"), json!(ADMIN.name)];
            let expected: Vec<_> = users.iter().map(|user| (user, network)).collect();
            assert_eq!(refused, expected);
            let log = server.log_text();
            for secret in ["mein-Passwort", "falsches-Kennwort", "ein neues Kennwort"] {
                assert!(!log.contains(secret), "{secret}");
            }
        },
    );
}
