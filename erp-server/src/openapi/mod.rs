//! The interface as an OpenAPI 3.1 document, for tools, and as a page, for people.
//!
//! Records come from the wire tables of `erp_core::wire`, error bodies from [`crate::http::ApiError`], so
//! document and server cannot tell different lengths or codes. Operations stand here, one file per
//! resource; a test compares them with [`crate::api::routes`] in both directions.

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
mod offers;
mod operation;
mod orders;
mod page;
mod rules;
mod schema;
mod token;
mod users;
mod zugferd;

use std::sync::LazyLock;

use erp_core::wire::json;
use salvo_oapi::security::{Http, HttpAuthScheme, SecurityScheme};
use salvo_oapi::{Components, Info, License, OpenApi, PathItem, Tag};
use serde_json::Value;

pub use page::POLICY;

use operation::Described;

/// The version of the interface (decisions, section 14).
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

/// A part of the interface: its name, what it is about, its operations.
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

/// The document. With `lifetime_as_text` the lifetime of a token is a text (setting `expires_in_as_string`).
#[must_use]
pub fn document(lifetime_as_text: bool) -> OpenApi {
    let info = Info::new("erp", VERSION)
        .description(ABOUT)
        .license(License::new("MIT OR Apache-2.0").identifier("MIT OR Apache-2.0"));
    let mut document = OpenApi::with_info(info);
    document.components = components(lifetime_as_text);
    document.servers.insert(salvo_oapi::Server::new("/"));
    document.tags.insert(
        Tag::new(events::WEBHOOKS)
            .description("What receivers of events get; signed, without a token"),
    );
    for (tag, about, operations) in groups() {
        document.tags.insert(Tag::new(tag).description(about));
        for described in operations {
            let kind = described.item_type();
            let operation = described.operation.add_tag(tag);
            document
                .paths
                .insert(described.path, PathItem::new(kind, operation));
        }
    }
    document
}

fn components(lifetime_as_text: bool) -> Components {
    let bearer =
        Http::new(HttpAuthScheme::Bearer).description("The `access_token` of `POST /www/token`");
    let basic = Http::new(HttpAuthScheme::Basic)
        .description("User name and password, only for `POST /www/token`");
    let records = audit::records(events::records(schema::records(lifetime_as_text)));
    failures::add_to(company::records(users::records(records)))
        .add_security_scheme("bearer", SecurityScheme::Http(bearer))
        .add_security_scheme("basic", SecurityScheme::Http(basic))
}

/// The document as the server sends it.
#[derive(Debug)]
pub struct Description {
    /// JSON in ASCII.
    pub json: Vec<u8>,
    /// A page of HTML without scripts.
    pub page: Vec<u8>,
}

impl Description {
    fn of(lifetime_as_text: bool) -> Self {
        let document = document(lifetime_as_text);
        let mut value = serde_json::to_value(&document).unwrap_or(Value::Null);
        // `salvo_oapi::OpenApi` has no webhooks.
        if let Some(members) = value.as_object_mut() {
            members.insert("webhooks".to_owned(), events::webhooks());
        }
        let order: Vec<&str> = groups().iter().map(|(name, _, _)| *name).collect();
        let order = [order.as_slice(), &[events::WEBHOOKS]].concat();
        Self {
            json: json::to_ascii(&value).unwrap_or_default(),
            page: page::render(&value, &order).into_bytes(),
        }
    }
}

/// The document in both forms, made once.
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
