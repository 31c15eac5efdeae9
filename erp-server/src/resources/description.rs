//! `GET /openapi.json`, `GET /docs`: the description of the whole interface.

use std::sync::{Arc, LazyLock};

use erp_core::internal::json::to_ascii;
use salvo::http::header::{CONTENT_SECURITY_POLICY, LOCATION};
use salvo::http::{HeaderValue, StatusCode};
use serde_json::Value;

use super::app::{App, Operation, Shared};
use super::{RESOURCES, events};
use crate::openapi::object::Object;
use crate::openapi::schema::text;
use crate::openapi::{self, Group, POLICY, rows};
use crate::web::{
    ApiError, ApiRequest, ApiResponse, JSON, Method, Resource, Result, Routes, StaticBody,
};

/// The section of what the office does.
pub(super) const ADMINISTRATION: &str = "Administration";

/// The sections in the order of the page, with what they are about.
const SECTIONS: &str = include_str!("sections.tsv");

/// Makes `/` lead to the page, for servers without files of their own there.
pub fn lead_to_page(routes: Routes<App>) -> Routes<App> {
    routes.files(Box::new(|path| {
        let home = || Resource::default().open(Method::GET, home);
        path.is_empty().then(home)
    }))
}

async fn home(_: Shared, _: ApiRequest) -> Result<ApiResponse> {
    // Relative, because a proxy may serve the server below a path.
    let location = HeaderValue::from_static("docs");
    let response = ApiResponse::no_content().status(StatusCode::TEMPORARY_REDIRECT);
    Ok(response.header(LOCATION, location))
}

async fn document(app: Shared, _: ApiRequest) -> Result<ApiResponse> {
    Ok(ApiResponse::shared(JSON, Arc::clone(&of(&app).json)))
}

async fn page(app: Shared, _: ApiRequest) -> Result<ApiResponse> {
    let policy = HeaderValue::try_from(POLICY.as_str()).map_err(ApiError::internal)?;
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    Ok(ApiResponse::shared(html, Arc::clone(&of(&app).page))
        .header(CONTENT_SECURITY_POLICY, policy))
}

fn of(app: &Shared) -> &'static Description {
    description(app.options.expires_in_as_string)
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/openapi.json", "readDescription")
            .open(document)
            .answers(200, Object::new()),
        Operation::get("/docs", "readDocumentation")
            .open(page)
            .answers_file(200, &[("text/html", text())]),
    ]
}

pub(super) fn groups() -> Vec<Group<App>> {
    let group = |[name, about]: [&'static str; 2]| {
        let resources = RESOURCES.iter().filter(|(section, _)| *section == name);
        let operations = resources.flat_map(|(_, operations)| operations());
        (name, about, operations.collect())
    };
    rows(SECTIONS).map(group).collect()
}

/// The document as the server sends it.
#[derive(Debug)]
pub(super) struct Description {
    /// JSON in ASCII.
    pub(super) json: Arc<StaticBody>,
    pub(super) page: Arc<StaticBody>,
}

impl Description {
    fn of(lifetime_as_text: bool) -> Self {
        let webhooks = events::webhooks();
        let sections = rows(SECTIONS).map(|[name, _]| name);
        let order: Vec<&str> = sections.chain([webhooks.name]).collect();
        let components = openapi::components(lifetime_as_text);
        let value: Value = openapi::document(groups(), webhooks, components);
        Self {
            json: StaticBody::new(to_ascii(&value).unwrap_or_default()),
            page: StaticBody::new(openapi::render(&value, &order).into_bytes()),
        }
    }
}

/// The document in both forms, built once.
pub(super) fn description(lifetime_as_text: bool) -> &'static Description {
    static AS_NUMBER: LazyLock<Description> = LazyLock::new(|| Description::of(false));
    static AS_TEXT: LazyLock<Description> = LazyLock::new(|| Description::of(true));
    if lifetime_as_text {
        &AS_TEXT
    } else {
        &AS_NUMBER
    }
}
