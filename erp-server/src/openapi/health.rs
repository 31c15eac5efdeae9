//! `/health`, `/openapi.json`, `/docs`: endpoints without a token.

use serde_json::json;

use super::object::Object;
use super::operation::Described;
use super::schema::{data, object, one_of, text};

pub(super) fn operations() -> Vec<Described> {
    let health = |path, id| {
        Described::get(path, id, "Whether the server answers")
            .open()
            .answers(
                200,
                "It does",
                data(object([("status", one_of(["ok"]).into())]).into()),
                json!({"data": {"status": "ok"}}),
            )
    };
    vec![
        health("/health", "readHealth"),
        health("/health/live", "readLiveness"),
        Described::get("/health/ready", "readReadiness", "Whether the server should get requests")
            .about("503 names the checks that failed in `info.checks`.")
            .open()
            .answers(
                200,
                "It should",
                data(
                    object([
                        ("status", one_of(["ready"]).into()),
                        (
                            "checks",
                            object([
                                ("store", one_of(["ok", "failed"]).into()),
                                ("disk", one_of(["ok", "failed"]).into()),
                                ("serving", one_of(["ok", "failed"]).into()),
                            ])
                            .into(),
                        ),
                    ])
                    .into(),
                ),
                json!({"data": {"status": "ready", "checks": {"store": "ok", "disk": "ok", "serving": "ok"}}}),
            ),
        Described::get("/openapi.json", "readDescription", "This document")
            .open()
            .answers(
                200,
                "OpenAPI 3.1",
                Object::new().into(),
                json!({"openapi": "3.1.0"}),
            ),
        Described::get("/docs", "readDocumentation", "This document as a page")
            .open()
            .answers_file(200, "The page", &[("text/html", text())]),
    ]
}
