//! The API as an OpenAPI 3.1 document for tools, and as an HTML page for people.
//!
//! Schemas come from the wire tables of `erp_core::internal::wire`, from the types that are sent to admins (`record`) and, of error
//! bodies, from [`crate::web::ApiError`], so document and server cannot disagree. Operations are described with
//! [`operation::Described`], beside their handlers; what people read of them, texts and examples, is in `operations.json`.

mod failures;
pub(crate) mod headers;
pub(crate) mod object;
pub(crate) mod operation;
mod page;
mod record;
pub(crate) mod rules;
pub(crate) mod schema;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub(crate) use page::{POLICY, render};
pub(crate) use record::schema_of;

use object::Object;
use operation::Described;

use crate::web::Application;

const VERSION: &str = "1.0";

const ABOUT: &str = include_str!("about.txt").trim_ascii_end();

/// A section of the API: name, description, operations.
pub(crate) type Group<A> = (&'static str, &'static str, Vec<Described<A>>);

/// Requests of the server to receivers of events: name and description of the section, operations by event kind.
pub(crate) struct Webhooks {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) operations: Value,
    /// Components that they refer to.
    pub(crate) records: Map<String, Value>,
}

/// Builds the document. It avoids what generators of clients cannot read: `if`, `anyOf`, alternatives of texts,
/// ambiguous paths.
pub(crate) fn document<A: Application>(
    groups: Vec<Group<A>>,
    webhooks: Webhooks,
    mut components: Object,
) -> Value {
    let mut paths: BTreeMap<&str, BTreeMap<String, Value>> = BTreeMap::new();
    let mut records = webhooks.records;
    let mut tags = BTreeMap::new();
    let section = json!({"name": webhooks.name, "description": webhooks.about});
    tags.insert(webhooks.name, section);
    for (tag, about, operations) in groups {
        tags.insert(tag, json!({"name": tag, "description": about}));
        for mut described in operations {
            records.append(&mut described.records);
            let item = paths.entry(described.path).or_default();
            let method = described.method.as_str().to_ascii_lowercase();
            item.insert(method, described.tagged(tag));
        }
    }
    for (name, schema) in records {
        components.add("schemas", &name, schema);
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
        "webhooks": webhooks.operations,
        "components": Value::from(components),
    })
}

/// The components of every document: wire records, errors and ways to log in. With `lifetime_as_text` the token
/// lifetime is a string (setting `expires_in_as_string`).
pub(crate) fn components(lifetime_as_text: bool) -> Object {
    let mut components = schema::records(lifetime_as_text);
    failures::add_to(&mut components);
    for (name, about) in [
        ("bearer", "The `access_token` of `POST /www/token`"),
        (
            "basic",
            "User name and password, only for `POST /www/token`",
        ),
    ] {
        let scheme = json!({"type": "http", "scheme": name, "description": about});
        components.add("securitySchemes", name, scheme);
    }
    components
}

/// The rows of a table as text, whose columns tabs separate.
pub(crate) fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let rows = table.lines().map(|line| line.split('\t').collect());
    rows.filter_map(|columns: Vec<_>| columns.try_into().ok())
}
