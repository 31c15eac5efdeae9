//! The OpenAPI document of the server is pinned by a golden file, and its errors are compared with those of the server.
//!
//! `UPDATE_GOLDEN=1 cargo test -p erp-tests --test http openapi` writes `golden/openapi.json` and the tables of
//! `erp-server/docs/api.md`. `tests/openapi` uses the document with other tools.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use erp_core::internal::master::Right;
use erp_core::master::Role;
use erp_tests::bodies;
use erp_tests::exchange::Exchange;
use erp_tests::request::Request;
use erp_tests::server::{ADMIN, CLERK, EDITOR, Login, SHOP1, Server};
use erp_tests::{offers, orders};
use serde_json::{Value, json};

fn document(server: &Server) -> Value {
    server.get("/openapi.json").send().expect(200).json()
}

struct Operation<'a> {
    method: String,
    path: String,
    described: &'a Value,
}

impl Operation<'_> {
    /// The path with the examples of its parameters, or with numbers that do not exist.
    fn filled(&self, known: bool) -> String {
        let mut path = self.path.clone();
        for parameter in self.parameters("path") {
            let name = parameter["name"].as_str().unwrap();
            let example = match &parameter["example"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let value = if known { &example } else { "999999" };
            path = path.replace(&format!("{{{name}}}"), value);
        }
        path
    }

    /// The path with the required query parameters.
    fn target(&self, known: bool) -> String {
        let needed = self
            .parameters("query")
            .filter(|parameter| parameter["required"] == true);
        let needed: Vec<String> = needed
            .map(|parameter| {
                let example = parameter["example"].as_str().unwrap();
                let value = if known { example } else { "999999" };
                format!("{}={value}", parameter["name"].as_str().unwrap())
            })
            .collect();
        match needed.as_slice() {
            [] => self.filled(known),
            needed => format!("{}?{}", self.filled(known), needed.join("&")),
        }
    }

    fn parameters<'a>(&'a self, place: &'a str) -> impl Iterator<Item = &'a Value> {
        let list = self.described["parameters"].as_array();
        list.into_iter()
            .flatten()
            .filter(move |parameter| parameter["in"] == place)
    }

    fn id(&self) -> &str {
        self.described["operationId"].as_str().unwrap()
    }

    /// The roles that may use it.
    fn roles(&self) -> Vec<&str> {
        match self.described["x-roles"].as_array() {
            Some(roles) => roles.iter().filter_map(Value::as_str).collect(),
            None => Role::ALL.map(Role::as_str).to_vec(),
        }
    }

    fn has(&self, status: u16) -> bool {
        self.described["responses"]
            .get(status.to_string())
            .is_some()
    }

    fn json_body(&self) -> Option<&Value> {
        self.described
            .pointer("/requestBody/content/application~1json/example")
    }

    fn call<'s>(&self, server: &'s Server, path: &str) -> Request<'s> {
        server.call(&self.method, path)
    }

    /// A request with the example as body.
    fn whole<'s>(&self, server: &'s Server, path: &str, login: Login) -> Request<'s> {
        let request = self.call(server, path).by(login);
        match self.json_body() {
            Some(body) => request.json(body),
            None => request,
        }
    }

    /// Whether the path must name an existing resource.
    fn path_is_known(&self) -> bool {
        self.described["operationId"] != "setCompanyAttribute"
    }

    fn check(&self, exchange: &Exchange) {
        assert!(
            self.has(exchange.status),
            "{} {}: {exchange:?}",
            self.method,
            self.path
        );
    }
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(|(method, described)| Operation {
            method: method.to_ascii_uppercase(),
            path: path.clone(),
            described,
        })
    });
    operations.collect()
}

#[test]
fn the_document_is_the_golden_one() {
    let text = serde_json::to_string_pretty(&document(&Server::shared())).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/openapi.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    let lines = stored.lines().zip(text.lines()).enumerate();
    for (at, (golden, now)) in lines {
        assert_eq!(
            golden,
            now,
            "line {} of golden/openapi.json; UPDATE_GOLDEN=1 rewrites it",
            at + 1
        );
    }
    assert_eq!(stored.len(), text.len());
}

// rule: R-AUT-03, D-AUT-14
#[test]
fn permissions_are_as_described() {
    // The operations are carried out by those who may, so this test needs a server of its own.
    let server = Server::with(&[("shop_may_cancel", "true")]);
    let document = document(&server);
    let mut operations = operations(&document);
    // The last one ends the tokens.
    operations.sort_by_key(|operation| operation.id() == "revokeToken");
    for operation in operations {
        let mut path = operation.target(true);
        if operation.id() == "exportData" {
            // An editor may export one record.
            path.push_str("?article=BU-1001");
        }
        if operation.id() == "forgetCustomer" {
            // Not the one that other operations are about.
            path = path.replace("10007", "10020");
        }
        let shown = format!("{} {path}", operation.method);
        let anonymous = operation.call(&server, &path).send();
        operation.check(&anonymous);
        let is_open = operation.described["security"] == json!([]);
        let refused = [401, 403].contains(&anonymous.status);
        assert_eq!(refused, !is_open, "{shown}");
        // The role is checked before the body.
        let ask = |token: &str| {
            let request = operation.call(&server, &path).bearer(token);
            // Some answer with a file, which is not checked as JSON.
            request.untyped_body(b"{").send_unchecked()
        };
        let roles = operation.roles();
        // A clerk gets no token of one customer.
        let refuses = roles.len() < Role::ALL.len() || operation.id() == "createToken";
        assert_eq!(operation.has(403), refuses, "{shown}");
        for (role, login) in [
            (Role::Shop, SHOP1),
            (Role::Clerk, CLERK),
            (Role::Editor, EDITOR),
            (Role::Admin, ADMIN),
        ] {
            let asked = ask(server.token(login));
            let may = roles.contains(&role.as_str());
            assert_eq!(asked.status != 403, may, "{shown} by {role:?}: {asked:?}");
            if !may {
                let named = format!("`{}`", roles.join("` or `"));
                asked.refused(403, "insufficient_scope");
                let told = asked.text();
                assert!(told.contains(&named), "{shown} by {role:?}: {told}");
            }
        }
        let of_shop = ["createCustomer", "processInvoice"].contains(&operation.id());
        let customer = ask(&server.customer_token(SHOP1, "10007"));
        let may = roles.contains(&"shop") && !of_shop;
        assert_eq!(customer.status != 403, may, "{shown} by a customer");
    }
}

// rule: D-AUT-14
#[test]
fn a_user_is_told_what_the_role_may_do() {
    let server = Server::shared();
    let document = document(&server);
    for login in [CLERK, EDITOR, ADMIN] {
        let told = server.get("/admin/me").by(login).send().expect(200).data();
        assert_eq!(told["name"], login.name);
        let role = told["role"].as_str().unwrap();
        assert_eq!(
            role, login.name,
            "these logins have the names of their roles"
        );
        let told: BTreeSet<&str> = told["may"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let all = operations(&document);
        let allowed = all.iter().filter(|operation| {
            operation.described["security"] != json!([]) && operation.roles().contains(&role)
        });
        assert_eq!(told, allowed.map(Operation::id).collect(), "{role}");
    }
}

/// The table of rights in the documentation.
fn table_of_rights() -> String {
    let head = format!(
        "| right | `{}` |\n",
        Role::ALL.map(Role::as_str).join("` | `")
    );
    let line = format!("|---|{}\n", "---|".repeat(Role::ALL.len()));
    let rows = Right::ALL.map(|right| {
        let marks = Role::ALL.map(|role| if role.may(right) { "yes" } else { "" });
        format!("| {} | {} |\n", right.about(), marks.join(" | "))
    });
    head + &line + &rows.concat()
}

/// Methods of each path, and what they do.
type Rows<'a> = BTreeMap<&'a str, (Vec<&'a str>, Vec<&'a str>)>;

/// A table of the endpoints of each set of roles, the largest sets first.
fn tables_of_endpoints(document: &Value) -> String {
    let mut tables: BTreeMap<(Reverse<usize>, String), Rows<'_>> = BTreeMap::new();
    let operations = operations(document);
    for operation in &operations {
        let roles = operation.roles();
        let head = match operation.described["security"] == json!([]) {
            true => "without a token".to_owned(),
            false => format!("`{}`", roles.join("`, `")),
        };
        let table = tables.entry((Reverse(roles.len()), head)).or_default();
        let (methods, texts) = table.entry(&operation.path).or_default();
        methods.push(&operation.method);
        texts.push(operation.described["summary"].as_str().unwrap());
    }
    let tables = tables.iter().map(|((_, head), paths)| {
        let rows = paths.iter().map(|(path, (methods, texts))| {
            let methods = methods.join("`, `");
            format!("| `{methods} {path}` | {} |\n", texts.join("; "))
        });
        format!(
            "\n| {head} | what |\n|---|---|\n{}",
            rows.collect::<String>()
        )
    });
    tables.collect()
}

// rule: D-AUT-14
#[test]
fn the_documentation_has_the_endpoints_and_the_rights() {
    let tables = tables_of_endpoints(&document(&Server::shared())) + "\n" + &table_of_rights();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../erp-server/docs/api.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once("<!-- endpoints -->\n").unwrap();
    let (_, after) = rest.split_once("\n<!-- end of endpoints -->").unwrap();
    let expected =
        format!("{before}<!-- endpoints -->\n{tables}\n<!-- end of endpoints -->{after}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &expected).unwrap();
    } else {
        assert_eq!(page, expected, "UPDATE_GOLDEN=1 rewrites docs/api.md");
    }
}

#[test]
fn refused_bodies_are_as_described() {
    let server = Server::with(&[("json_body_bytes", "4096"), ("zugferd_body_bytes", "4096")]);
    let document = document(&server);
    let mut seen = 0;
    for operation in operations(&document) {
        if operation.json_body().is_none() {
            continue;
        }
        seen += 1;
        let path = operation.target(true);
        let send = |content_type: &str, body: &[u8]| {
            let request = operation.call(&server, &path).by(ADMIN);
            let exchange = request.body(content_type, body).send();
            operation.check(&exchange);
            exchange.status
        };
        let long = format!("{{\"x\": \"{}\"}}", "x".repeat(5_000));
        let shown = format!("{} {path}", operation.method);
        assert_eq!(send("text/xml", b"{}"), 415, "{shown}");
        assert_eq!(
            send("application/json; charset=utf-7", b"{}"),
            415,
            "{shown}"
        );
        assert_eq!(send("application/json", b"{"), 400, "{shown}");
        assert_eq!(send("application/json", long.as_bytes()), 413, "{shown}");
        assert_eq!(send("application/json", b"[]"), 422, "{shown}");
    }
    assert!(seen >= 9, "{seen}");
}

#[test]
fn unknown_numbers_and_bad_queries_are_as_described() {
    let server = Server::shared();
    let document = document(&server);
    for operation in operations(&document) {
        let shown = format!("{} {}", operation.method, operation.path);
        // An operation that creates a resource under any name cannot have an unknown name.
        if operation.parameters("path").next().is_some() && operation.path_is_known() {
            let path = operation.target(false);
            let path = if operation.path == "/www/artikelmediadaten/{IDKey}" {
                format!("{}?type=Bild", operation.filled(false))
            } else {
                path
            };
            let exchange = operation.whole(&server, &path, ADMIN).send();
            operation.check(&exchange);
            assert_eq!(exchange.status, 404, "{shown}: {exchange:?}");
        }
        for parameter in operation.parameters("query") {
            // A parameter may not be repeated.
            let name = parameter["name"].as_str().unwrap();
            let path = format!("{}?{name}=1&{name}=1", operation.filled(true));
            let exchange = operation.whole(&server, &path, ADMIN).send();
            operation.check(&exchange);
            assert_eq!(exchange.status, 400, "{shown} {name}: {exchange:?}");
            if parameter["required"] == true {
                let exchange = operation
                    .whole(&server, &operation.filled(true), ADMIN)
                    .send();
                assert_eq!(exchange.status, 400, "{shown} without {name}");
            }
        }
    }
}

/// Places where a value differs from its schema: missing required fields, unknown fields, wrong types.
fn misfits(document: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = document.pointer(&reference[1..]).unwrap();
        return misfits(document, schema, value, place);
    }
    let mut found = Vec::new();
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        _ => false,
    };
    if !fits {
        found.push(format!("{place} is {value}"));
    }
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{place}.{name} is missing"));
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let place = format!("{place}.{name}");
        match schema["properties"].get(name) {
            Some(schema) => found.extend(misfits(document, schema, member, &place)),
            None => found.push(format!("{place} is not described")),
        }
    }
    let entries = value.as_array().into_iter().flatten();
    found.extend(entries.flat_map(|entry| misfits(document, &schema["items"], entry, place)));
    found
}

// rule: D-PRI-19
#[test]
fn documents_are_as_described_with_cash_rounding_too() {
    let server = Server::with(&[("cash_rounding", "0.05")]);
    let document = document(&server);
    // 5.70 at 8.1 % is 6.16, paid as 6.15.
    let body = bodies::order("10006", json!([{"ArtNr": "BU-1002", "Menge": 1}]));
    let order = orders::place(&server, &body).expect(201);
    let order = server.read(&format!("/www/auftrag/{}", order.number("AuftNr")));
    let made = offers::make(&server, &body);
    let offer = made.number("OffertNr");
    let read = offers::read(&server, &offer);
    let change = json!({"Positionen": [{"PosNr": 1, "Menge": 3}]});
    let changed = offers::change(&server, &format!("OffertNr={offer}"), &change);
    for (path, method, exchange) in [
        ("/www/auftrag/{AuftNr}", "get", order),
        ("/www/offerte", "post", made),
        ("/www/offerte", "get", read),
        ("/www/offerte", "patch", changed),
    ] {
        let last = exchange.data()["Positionen"]
            .as_array()
            .unwrap()
            .last()
            .cloned();
        assert_eq!(
            last.unwrap()["PosNr"],
            0,
            "{method} {path} has a rounding position"
        );
        let response = &document["paths"][path][method]["responses"][exchange.status.to_string()];
        let schema = &response["content"]["application/json"]["schema"];
        let misfits = misfits(&document, schema, &exchange.json(), "");
        assert_eq!(misfits, Vec::<String>::new(), "{method} {path}");
    }
}

#[test]
fn error_responses_have_the_headers_in_the_document() {
    let server = Server::with(&[
        ("rate_limits", "true"),
        // Two at once, one of them for the token.
        ("requests_per_minute", "12"),
    ]);
    let document = document(&server);
    let coded = server.post("/www/auftrag").by(SHOP1).json(&json!({}));
    let coded = coded.header("content-encoding", b"gzip").send().expect(415);
    // On a slow machine a few more may have become available in the meantime.
    let limited = (0..10)
        .map(|_| server.read("/www/artikel/BU-1001"))
        .find(|read| read.status == 429);
    let limited = limited.expect("a request too many");
    for (name, exchange) in [
        ("UnsupportedMediaType", coded),
        ("TooManyRequests", limited),
    ] {
        let described = &document["components"]["responses"][name]["headers"];
        let described: Vec<String> = described
            .as_object()
            .unwrap()
            .keys()
            .map(|name| name.to_ascii_lowercase())
            .collect();
        for sent in [
            "ratelimit",
            "ratelimit-policy",
            "retry-after",
            "accept-encoding",
        ] {
            assert_eq!(
                described.iter().any(|name| name == sent),
                exchange.header(sent).is_some(),
                "{name} {sent}"
            );
        }
    }
}

#[test]
fn conditions_are_as_described() {
    let server = Server::with(&[("shop_may_cancel", "true")]);
    let document = document(&server);
    let order = bodies::order("10006", json!([{"ArtNr": "BU-1001", "Menge": 3}]));
    assert_eq!(orders::place(&server, &order).number("AuftNr"), "100001");
    let offer = json!({"Positionen": [{"ArtNr": "BU-1001", "Menge": 3}]});
    let offer = server.send("POST", "/www/offerte", &offer).expect(201);
    let mut seen = [0, 0];
    for operation in operations(&document) {
        let names: Vec<&str> = operation
            .parameters("header")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        let path = operation
            .target(true)
            .replace("100001", &offer.number("OffertNr"));
        if names.contains(&"Idempotency-Key") {
            seen[0] += 1;
            let request = operation.whole(&server, &path, SHOP1);
            let exchange = request.header("idempotency-key", b"").send();
            operation.check(&exchange);
            assert_eq!(exchange.status, 400, "{} {path}", operation.method);
        }
        if names.contains(&"If-Match") {
            seen[1] += 1;
            let caller = if path.starts_with("/admin/") {
                ADMIN
            } else {
                SHOP1
            };
            let request = operation.whole(&server, &path, caller);
            let exchange = request.header("if-match", b"\"r999999\"").send();
            operation.check(&exchange);
            assert_eq!(
                exchange.status, 412,
                "{} {path}: {exchange:?}",
                operation.method
            );
        }
    }
    assert!(seen[0] >= 8 && seen[1] >= 4, "{seen:?}");
}

#[test]
fn the_page_needs_no_token_and_may_load_nothing() {
    let server = Server::shared();
    let page = server.get("/docs").send().expect(200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(
        page.text()
            .contains("<h3>Place an order</h3><p class=\"route\">")
    );
    assert_eq!(page.header("ratelimit"), None);
}

#[test]
fn the_page_says_limits_in_words_and_where_a_record_is_used() {
    let page = Server::shared().get("/docs").send().expect(200).text();
    for words in [
        "<td>text, 1 to 255 characters</td>",
        "<td>text, at most 8 characters</td>",
        "<td>whole number, 1 to 1000</td>",
        "<td>whole number, at least 0</td>",
        "<td>date and time</td>",
        "<summary>1 field</summary>",
    ] {
        assert!(page.contains(words), "{words}");
    }
    for words in [
        "at least characters",
        ">1 fields<",
        " 1 characters",
        "to 2147483647</td>",
        "int64",
    ] {
        assert!(!page.contains(words), "{words}");
    }
    let header = page.split("id=\"record-OrderBodyHeader\"").nth(1).unwrap();
    let header = header.split("</section>").next().unwrap();
    assert!(header.contains("Used by <a href=\"#op-createOrder\">"));
    assert!(!header.contains("#op-readArticle"));
}
