//! Reads the JSON of responses for display.

use std::io::{IsTerminal as _, stdout};

use jiff::Timestamp;
use serde_json::Value;

/// The entries of a list.
pub(super) fn entries(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A time from a response: on a terminal rounded to seconds, elsewhere exact.
pub(super) fn shown_time(value: &Value, field: &str) -> String {
    let text = shown(value, field);
    match text.parse::<Timestamp>() {
        Ok(at) if stdout().is_terminal() => at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        _ => text,
    }
}

/// A field of a response for display; an absent or `null` one is a dash.
pub(super) fn shown(value: &Value, field: &str) -> String {
    match value.get(field) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
