//! Building blocks of the document (schemas, responses, components), each convertible to JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Builder of a schema.
#[derive(Clone, Debug)]
pub(crate) struct Object(Map<String, Value>);

impl Object {
    pub(crate) fn new() -> Self {
        Self::with_type("object")
    }

    pub(crate) fn with_type(kind: impl Into<Value>) -> Self {
        Self(Map::new()).with("type", kind)
    }

    pub(crate) fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.0.insert(keyword.to_owned(), value.into());
        self
    }

    pub(crate) fn get(&self, keyword: &str) -> Option<&Value> {
        self.0.get(keyword)
    }

    pub(crate) fn property(mut self, name: &str, schema: impl Into<Value>) -> Self {
        let members = self.0.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(members) = members {
            members.insert(name.to_owned(), schema.into());
        }
        self
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

pub(crate) fn header(schema: Object, about: &str) -> Map<String, Value> {
    Map::from_iter([
        ("description".to_owned(), about.into()),
        ("schema".to_owned(), schema.into()),
    ])
}

#[derive(Debug)]
pub(crate) struct ResponseObject {
    about: String,
    headers: Map<String, Value>,
    content: Map<String, Value>,
    links: Map<String, Value>,
}

impl ResponseObject {
    pub(crate) fn new(about: &str) -> Self {
        Self {
            about: about.to_owned(),
            headers: Map::new(),
            content: Map::new(),
            links: Map::new(),
        }
    }

    pub(crate) fn add_header(&mut self, name: &str, header: Map<String, Value>) {
        self.headers.insert(name.to_owned(), header.into());
    }

    /// Adds a media type with its schema and example.
    pub(crate) fn add_content(&mut self, media_type: &str, content: Value) {
        self.content.insert(media_type.to_owned(), content);
    }

    pub(crate) fn add_link(&mut self, operation: &str, link: Value) {
        self.links.insert(operation.to_owned(), link);
    }
}

impl From<ResponseObject> for Value {
    fn from(response: ResponseObject) -> Self {
        let parts = [
            ("headers", response.headers),
            ("content", response.content),
            ("links", response.links),
        ];
        let parts = parts.into_iter().filter(|(_, part)| !part.is_empty());
        let mut value: Map<String, Value> = parts
            .map(|(name, part)| (name.to_owned(), part.into()))
            .collect();
        value.insert("description".to_owned(), response.about.into());
        value.into()
    }
}

/// Named parts that the document refers to.
#[derive(Debug, Default)]
pub(crate) struct Components(BTreeMap<&'static str, Map<String, Value>>);

impl Components {
    pub(crate) fn add_schema(self, name: &str, schema: Object) -> Self {
        self.add("schemas", name, schema.into())
    }

    pub(crate) fn add_schemas(mut self, mut schemas: Map<String, Value>) -> Self {
        self.0.entry("schemas").or_default().append(&mut schemas);
        self
    }

    pub(crate) fn response(self, name: &str, response: ResponseObject) -> Self {
        self.add("responses", name, response.into())
    }

    pub(crate) fn add_security_scheme(self, name: &str, scheme: Value) -> Self {
        self.add("securitySchemes", name, scheme)
    }

    fn add(mut self, kind: &'static str, name: &str, value: Value) -> Self {
        let of_kind = self.0.entry(kind).or_default();
        of_kind.insert(name.to_owned(), value);
        self
    }
}

impl From<Components> for Value {
    fn from(components: Components) -> Self {
        json!(components.0)
    }
}
