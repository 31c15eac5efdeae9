//! The API as an OpenAPI 3.1 document for tools, and as an HTML page for people.
//!
//! Record schemas come from the wire tables of `erp_core::wire` and error bodies from [`crate::web::ApiError`], so
//! document and server cannot disagree on lengths or codes. Operations are defined here, one file per resource; a test
//! compares them with [`crate::api::routes`] in both directions.

mod addresses;
mod admin;
mod articles;
mod audit;
mod backup;
mod company;
mod customers;
mod events;
mod failures;
mod headers;
mod health;
mod log;
mod media;
mod object;
mod offers;
mod operation;
mod orders;
mod page;
mod rules;
mod schema;
mod token;
mod users;
mod zugferd;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use erp_core::wire::json::to_ascii;
use serde_json::{Value, json};

pub use page::POLICY;

use crate::web::StaticBody;

use object::Components;
use operation::Described;

/// The API version (decisions, section 14).
const VERSION: &str = "1.0";

const ABOUT: &str = "\
The REST interface of a business system: orders, offers, customers, articles, addresses, media and e-invoices. \
Members have the German names of the interface document.

- Get a token with `POST /www/token` and send it as `Authorization: Bearer`.
- JSON answers are pure ASCII. Amounts and quantities are JSON numbers with at most six fraction digits; read \
them as decimals. Members without a value are left out.
- In bodies `null`, an empty text and an absent member mean the same. Unknown members are ignored unless the \
server is set to refuse them. Lengths count Unicode characters; texts hold no control characters but tabs and line ends.
- Every error on every path is `{\"error\", \"error_description\", \"info\"}`.
- `HEAD` works where `GET` does, and `OPTIONS` on every path. A method that a path does not know is 405 with `Allow`.
- Under `/www` a request with an `Idempotency-Key` can be sent again after a lost answer.";

/// A section of the API: name, description, operations.
type Group = (&'static str, &'static str, Vec<Described>);

fn groups() -> Vec<Group> {
    let administration = [
        admin::operations(),
        media::admin(),
        users::operations(),
        company::operations(),
        backup::operations(),
        log::operations(),
    ];
    vec![
        ("Token", "Logging in and out", token::operations()),
        (
            "Artikel",
            "Articles with prices and stock",
            articles::operations(),
        ),
        (
            "Artikelmedia",
            "Pictures and texts of articles",
            media::operations(),
        ),
        ("Kunden", "Customers", customers::operations()),
        (
            "Adressen",
            "Addresses of customers",
            addresses::operations(),
        ),
        ("Offerte", "Offers and templates", offers::operations()),
        ("Auftrag", "Orders", orders::operations()),
        ("Zugferd", "E-invoices", zugferd::operations()),
        (
            "Administration",
            "What admins do",
            administration.into_iter().flatten().collect(),
        ),
        (
            "Events",
            "Receivers of events, and the events (admins)",
            events::operations(),
        ),
        (
            "Audit",
            "Who changed which records (admins)",
            audit::operations(),
        ),
        (
            "Server",
            "Health and description; without a token",
            health::operations(),
        ),
    ]
}

/// Builds the document. With `lifetime_as_text` the token lifetime is a string (setting `expires_in_as_string`).
fn document(lifetime_as_text: bool) -> Value {
    let mut paths: BTreeMap<&str, BTreeMap<String, Value>> = BTreeMap::new();
    let mut tags = BTreeMap::new();
    let about = "What receivers of events get; signed, without a token";
    let webhooks = json!({"name": events::WEBHOOKS, "description": about});
    tags.insert(events::WEBHOOKS, webhooks);
    for (tag, about, operations) in groups() {
        tags.insert(tag, json!({"name": tag, "description": about}));
        for described in operations {
            let item = paths.entry(described.path).or_default();
            let method = described.method.as_str().to_ascii_lowercase();
            item.insert(method, described.tagged(tag));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "erp",
            "version": VERSION,
            "description": ABOUT,
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": tags.into_values().collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": events::webhooks(),
        "components": Value::from(components(lifetime_as_text)),
    })
}

fn components(lifetime_as_text: bool) -> Components {
    let scheme = |scheme, about| json!({"type": "http", "scheme": scheme, "description": about});
    let bearer = scheme("bearer", "The `access_token` of `POST /www/token`");
    let basic = scheme(
        "basic",
        "User name and password, only for `POST /www/token`",
    );
    let records = audit::records(events::records(schema::records(lifetime_as_text)));
    failures::add_to(company::records(users::records(records)))
        .add_security_scheme("bearer", bearer)
        .add_security_scheme("basic", basic)
}

/// The document as the server sends it.
#[derive(Debug)]
pub struct Description {
    /// JSON in ASCII.
    pub json: Arc<StaticBody>,
    /// HTML page without scripts.
    pub page: Arc<StaticBody>,
}

impl Description {
    fn of(lifetime_as_text: bool) -> Self {
        let value = document(lifetime_as_text);
        let order: Vec<&str> = groups().iter().map(|(name, _, _)| *name).collect();
        let order = [order.as_slice(), &[events::WEBHOOKS]].concat();
        Self {
            json: StaticBody::new(to_ascii(&value).unwrap_or_default()),
            page: StaticBody::new(page::render(&value, &order).into_bytes()),
        }
    }
}

/// The document in both forms, built once.
#[must_use]
pub fn description(lifetime_as_text: bool) -> &'static Description {
    static AS_NUMBER: LazyLock<Description> = LazyLock::new(|| Description::of(false));
    static AS_TEXT: LazyLock<Description> = LazyLock::new(|| Description::of(true));
    if lifetime_as_text {
        &AS_TEXT
    } else {
        &AS_NUMBER
    }
}

#[cfg(test)]
mod tests;
