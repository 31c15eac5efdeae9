//! Reads the JSON of responses for display.

use jiff::Timestamp;
use serde_json::Value;

use super::time::readable;

pub(super) fn entries(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn shown_time(value: &Value, field: &str) -> String {
    let text = shown(value, field);
    match text.parse::<Timestamp>() {
        Ok(at) => readable(at),
        Err(_) => text,
    }
}

pub(super) fn with(mut object: Value, field: &str, value: impl Into<Value>) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(field.to_owned(), value.into());
    }
    object
}

pub(super) fn shown_fields<const N: usize>(value: &Value, fields: [&str; N]) -> [String; N] {
    fields.map(|field| shown(value, field))
}

/// A field of a response for display; an absent or `null` one is a dash.
pub(super) fn shown(value: &Value, field: &str) -> String {
    match value.get(field) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
