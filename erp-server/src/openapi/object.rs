//! Builds the objects of the document: schemas, parameters, responses, components.

use serde_json::{Map, Value, json};

#[derive(Clone, Debug, Default)]
pub(crate) struct Object(Map<String, Value>);

impl Object {
    pub(crate) fn new() -> Self {
        Self::with_type("object")
    }

    pub(crate) fn with_type(kind: impl Into<Value>) -> Self {
        Self::default().with("type", kind)
    }

    pub(crate) fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.0.insert(keyword.to_owned(), value.into());
        self
    }

    /// Adds an example unless it is `null`.
    pub(crate) fn example(self, example: Value) -> Self {
        if example.is_null() {
            self
        } else {
            self.with("example", example)
        }
    }

    pub(crate) fn get(&self, keyword: &str) -> Option<&Value> {
        self.0.get(keyword)
    }

    /// Adds to one of its members, which is an object of named parts.
    pub(crate) fn add(&mut self, member: &str, name: &str, part: impl Into<Value>) {
        let parts = self.0.entry(member).or_insert_with(|| json!({}));
        if let Value::Object(parts) = parts {
            parts.insert(name.to_owned(), part.into());
        }
    }

    pub(crate) fn property(mut self, name: &str, schema: impl Into<Value>) -> Self {
        self.add("properties", name, schema);
        self
    }

    /// Adds a required property, with what it means.
    pub(crate) fn member(self, name: &str, about: &str, schema: impl Into<Value>) -> Self {
        let schema = super::schema::about(about, schema);
        self.property(name, schema).required(name)
    }

    pub(crate) fn required(mut self, name: &str) -> Self {
        let names = self.0.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(names) = names {
            names.push(name.into());
        }
        self
    }

    pub(crate) fn description(self, text: &str) -> Self {
        self.with("description", text)
    }

    pub(crate) fn enum_values<T: Into<Value>>(self, values: impl IntoIterator<Item = T>) -> Self {
        self.with("enum", Value::from_iter(values))
    }

    pub(crate) fn format(self, name: &str) -> Self {
        self.with("format", name)
    }

    pub(crate) fn pattern(self, pattern: impl Into<Value>) -> Self {
        self.with("pattern", pattern)
    }

    pub(crate) fn min_length(self, characters: usize) -> Self {
        self.with("minLength", characters)
    }

    pub(crate) fn max_length(self, characters: usize) -> Self {
        self.with("maxLength", characters)
    }

    pub(crate) fn minimum(self, number: impl Into<Value>) -> Self {
        self.with("minimum", number)
    }

    pub(crate) fn maximum(self, number: impl Into<Value>) -> Self {
        self.with("maximum", number)
    }
}

impl From<Object> for Value {
    fn from(schema: Object) -> Self {
        Self::Object(schema.0)
    }
}

pub(crate) fn content(schema: Value, example: Value) -> Object {
    Object::default().with("schema", schema).example(example)
}
