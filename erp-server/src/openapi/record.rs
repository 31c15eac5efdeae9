//! Schemas of records that are Rust types: `#[derive(Serialize, JsonSchema)]` says once what is sent, what it is called
//! and, in the comments of its fields, what it means.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// The schema of a type, and the components that it refers to by name.
pub(crate) fn schema_of<T: JsonSchema>() -> (Value, Map<String, Value>) {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .with_transform(RecursiveTransform(simplify));
    let mut generator = settings.into_generator();
    let mut schema = generator.subschema_for::<T>();
    for transform in generator.transforms_mut() {
        transform.transform(&mut schema);
    }
    (schema.to_value(), generator.take_definitions(true))
}

/// Removes what generators of clients do not know, and makes some words more exact.
fn simplify(schema: &mut Schema) {
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    let format = keywords.get("format").and_then(Value::as_str);
    match format {
        Some("uint8" | "uint16") => keywords.insert("format".to_owned(), "int32".into()),
        Some("uint" | "uint32" | "uint64") => keywords.insert("format".to_owned(), "int64".into()),
        Some("double") => keywords.remove("format"),
        _ => None,
    };
    if let Some(Value::String(text)) = keywords.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    let required = keywords.get("required").cloned().unwrap_or_default();
    let is_required = |name: &String| {
        let mut names = required.as_array().into_iter().flatten();
        names.any(|required| required == name)
    };
    if let Some(Value::Object(properties)) = keywords.get_mut("properties") {
        let optional = properties.iter_mut().filter(|(name, _)| !is_required(name));
        optional.for_each(|(_, schema)| remove_null(schema));
    }
}

/// A member that is left out when it has no value is never `null`.
fn remove_null(schema: &mut Value) {
    let Some(kind) = schema.get_mut("type") else {
        return;
    };
    let mut types = kind.as_array().into_iter().flatten();
    let only = types.find(|name| *name != "null").cloned();
    if let Some(only) = only {
        *kind = only;
    }
}
