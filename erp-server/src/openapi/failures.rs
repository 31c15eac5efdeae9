//! Error responses: one component per status, with the body the server generates.

use erp_core::sentence::Locale;
use erp_core::{Code, Problems};
use salvo::http::StatusCode;
use serde_json::{Value, json};

use super::headers::{self, always, header};
use super::object::{Object, content};
use super::rows;
use super::schema::{named, one_of, text};
use crate::web::ApiError;

/// Status, component name and cause.
const FAILURES: &str = include_str!("failures.tsv");

fn failures() -> impl Iterator<Item = (u16, &'static str, &'static str)> {
    rows(FAILURES).filter_map(|[status, name, about]| Some((status.parse().ok()?, name, about)))
}

pub(crate) fn reference(status: u16) -> Option<Object> {
    let (_, name, _) = failures().find(|(number, ..)| *number == status)?;
    let reference = format!("#/components/responses/{name}");
    Some(Object::default().with("$ref", reference))
}

pub(crate) fn add_to(components: &mut Object) {
    for (status, name, about) in failures() {
        components.add("responses", name, response(status, about));
    }
}

fn response(status: u16, about: &str) -> Object {
    let example = example(status);
    let body = serde_json::from_slice(&example.to_bytes(Locale::English)).unwrap_or(Value::Null);
    let mut response = Object::default().description(about);
    response.add(
        "content",
        "application/json",
        content(named("ErrorBody"), body),
    );
    headers::common(&mut response);
    let language = header(one_of(Locale::WORDS), "The language of the sentences");
    let language = language.with("required", true).with("example", "en");
    response.add("headers", "Content-Language", language);
    let mut add = |name, field: Object| response.add("headers", name, field);
    match status {
        401 => {
            let about = "The scheme that is wanted";
            let scheme = always(about).with("example", "Bearer realm=\"erp\"");
            add("WWW-Authenticate", scheme);
        }
        415 => {
            let about = "The content coding that is read; absent when another thing is wrong";
            add("Accept-Encoding", header(text(), about));
        }
        416 => add("Content-Range", always("The length of the file")),
        429 | 503 => add(
            "Retry-After",
            always("Seconds to wait").with("example", "1"),
        ),
        _ => {}
    }
    // The others are decided before the user is known.
    if ![401, 414, 431].contains(&status) {
        for field in &headers::RATE {
            field.add_to(&mut response);
        }
    }
    response
}

/// An example error of this status, created like those of the server.
fn example(status: u16) -> ApiError {
    match status {
        400 => {
            let allowed = sentence!("allowed.whole", least = 0, most = i32::MAX);
            ApiError::parameter("limit", "-1", allowed)
        }
        401 => ApiError::token_refused(),
        403 => ApiError::insufficient_scope(&["admin"]),
        404 => {
            let thing = sentence!("thing.order");
            ApiError::not_found(sentence!("thing.numbered", thing, number = 100_099))
        }
        408 => ApiError::request_timeout(),
        409 => ApiError::conflict(sentence!("wire.mismatch")).with_info(
            "mismatch",
            json!([{"subject": "price_list", "offer": "STANDARD", "customer": "HANDEL"}]),
        ),
        410 => ApiError::stand_expired(),
        412 => ApiError::precondition_failed(),
        413 => ApiError::too_large(1_048_576),
        414 => ApiError::uri_too_long(8_192),
        415 => ApiError::unsupported_media_type(sentence!("body.media_type", given = "text/xml")),
        416 => ApiError::range_not_satisfiable(12_529),
        422 => ApiError::invalid(problems()),
        429 => ApiError::too_many_requests(6),
        431 => ApiError::headers_too_large(65_536),
        500 => ApiError::internal(""),
        503 => ApiError::unavailable(""),
        other => ApiError::from_status(
            StatusCode::from_u16(other).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        ),
    }
}

fn problems() -> Problems {
    let mut problems = Problems::new();
    let too_long = sentence!("too_long", length = 81, limit = 80);
    problems.add_limit("GrundDaten.AuftBez", Code::TooLong, 80, too_long);
    problems.missing("Positionen[2].ArtNr");
    problems
}
