//! `DELETE /www/log`, `GET /admin/log`.

use std::str::FromStr;

use serde_json::{Value, json};
use tracing::Level;

use super::app::{Admin, Operation, Shared};
use super::paging;
use crate::openapi::schema::one_of;
use crate::web::{ApiError, ApiRequest, ApiResponse, Caller as _, Result};

/// Maximum number of lines per response: all that are kept.
const MOST_LINES: u32 = 1_000;

async fn delete(app: Shared, user: Admin, _: ApiRequest) -> Result<ApiResponse> {
    if let Some(log) = app.log.as_ref().cloned() {
        let name = user.name().into_owned();
        let deleted = tokio::task::spawn_blocking(move || log.delete_all(&name)).await;
        deleted.map_err(ApiError::internal)?.map_err(|error| {
            ApiError::internal(format!("the log files could not be deleted: {error}"))
        })?;
    }
    Ok(ApiResponse::no_content())
}

/// `GET /admin/log?limit=&level=`: the last lines, newest first. Admins only.
async fn tail(app: Shared, _: Admin, request: ApiRequest) -> Result<ApiResponse> {
    let query = request.query()?;
    let limit = paging::limit(&query, MOST_LINES)?;
    let level = query.parsed::<Severity>("level", 20)?;
    let level = level.map_or(Level::TRACE, |severity| severity.0);
    let lines = match &app.log {
        Some(log) => log.last(limit, level),
        None => Vec::new(),
    };
    let lines: Vec<Value> = lines.iter().map(|line| object_of(line)).collect();
    ApiResponse::json(&json!({"data": lines}))
}

/// A line as the object that was written, without the module of the program that wrote it.
fn object_of(line: &str) -> Value {
    match serde_json::from_str(line) {
        Ok(Value::Object(mut fields)) => {
            fields.remove("target");
            fields.into()
        }
        _ => json!({"message": line}),
    }
}

struct Severity(Level);

impl FromStr for Severity {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "error" => Ok(Self(Level::ERROR)),
            "warn" => Ok(Self(Level::WARN)),
            "info" => Ok(Self(Level::INFO)),
            "debug" => Ok(Self(Level::DEBUG)),
            _ => Err("`error`, `warn`, `info` or `debug`"),
        }
    }
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::delete("/www/log", "deleteLog")
            .by(delete)
            .answers_nothing(204),
        Operation::get("/admin/log", "readLog")
            .by(tail)
            .limited(MOST_LINES)
            .query("level", one_of(["error", "warn", "info", "debug", ""]))
            .answers_with(200),
    ]
}
