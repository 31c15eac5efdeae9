//! Builder of an operation: its handler, parameters, bodies and responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use salvo::http::Method;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::failures;
use super::headers::{self, HeaderDoc};
use super::object::{Object, content};
use super::record::schema_of;
use super::schema::{count, moment, named, text, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, Application, Authorized, Resource};

/// Error statuses of every operation: timeout, URL or header too long, internal error, overload.
const ANYWHERE: [u16; 5] = [408, 414, 431, 500, 503];

/// Additional error statuses of operations with a token.
const WITH_TOKEN: [u16; 2] = [401, 429];

/// Additional error statuses of operations with a JSON body.
const WITH_JSON: [u16; 4] = [400, 413, 415, 422];

/// Pattern of `If-Match`: entity tags or `*`.
const ENTITY_TAGS: &str = r#"^(\*|((W/)?"[!#-~]*")?( *, *((W/)?"[!#-~]*")?)*)$"#;

pub(crate) struct Described<A: Application> {
    pub(crate) path: &'static str,
    pub(crate) method: Method,
    pub(crate) resource: Resource<A>,
    /// Id, summary, description.
    texts: Vec<(&'static str, String)>,
    /// The alternatives; without one the operation is open.
    security: &'static [&'static str],
    /// The roles that may use it; empty for all.
    roles: Vec<&'static str>,
    parameters: Vec<Value>,
    body: Option<Object>,
    responses: BTreeMap<u16, Object>,
    /// Components that bodies refer to.
    pub(crate) records: Map<String, Value>,
}

impl<A: Application> Described<A> {
    pub(crate) fn get(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::GET, path, id, summary)
    }

    pub(crate) fn post(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::POST, path, id, summary)
    }

    pub(crate) fn put(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::PUT, path, id, summary)
    }

    pub(crate) fn patch(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::PATCH, path, id, summary)
    }

    pub(crate) fn delete(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::DELETE, path, id, summary)
    }

    pub(crate) fn options(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::OPTIONS, path, id, summary).without_token()
    }

    /// An operation that requires a token.
    fn new(method: Method, path: &'static str, id: &str, summary: &str) -> Self {
        let described = Self {
            path,
            method,
            resource: Resource::described(),
            texts: vec![
                ("operationId", id.to_owned()),
                ("summary", summary.to_owned()),
            ],
            security: &["bearer"],
            roles: Vec::new(),
            parameters: Vec::new(),
            body: None,
            responses: BTreeMap::new(),
            records: Map::new(),
        };
        described.fails(&ANYWHERE).fails(&WITH_TOKEN)
    }

    pub(crate) fn about(mut self, text: &str) -> Self {
        self.texts.push(("description", text.to_owned()));
        self
    }

    /// Sets the handler. Its second argument says who may call it, and so whether others are refused.
    pub(crate) fn by<F, U, T>(mut self, handler: F) -> Self
    where
        F: Fn(Arc<A>, U, ApiRequest) -> T + Send + Sync + 'static,
        U: Authorized<A::User>,
        T: Future<Output = Result<ApiResponse, ApiError>> + Send + 'static,
    {
        self.resource = self.resource.by(self.method.clone(), handler);
        self.roles = U::roles();
        self.fails(if U::REFUSES { &[403] } else { &[] })
    }

    /// Sets a handler that requires no token.
    pub(crate) fn open<F, T>(mut self, handler: F) -> Self
    where
        F: Fn(Arc<A>, ApiRequest) -> T + Send + Sync + 'static,
        T: Future<Output = Result<ApiResponse, ApiError>> + Send + 'static,
    {
        self.resource = self.resource.open(self.method.clone(), handler);
        self.without_token()
    }

    /// The operation's id, unless it is public or the role may not use it.
    pub(crate) fn id_for(&self, role: &str) -> Option<&str> {
        let is_allowed = self.roles.is_empty() || self.roles.contains(&role);
        let (_, id) = self.texts.first()?;
        (!self.security.is_empty() && is_allowed).then_some(id)
    }

    fn without_token(mut self) -> Self {
        self.security = &[];
        for status in WITH_TOKEN {
            self.responses.remove(&status);
        }
        self
    }

    /// Requires user name and password, or a token that the handler checks.
    pub(crate) fn with_credentials(mut self) -> Self {
        self.security = &["basic", "bearer"];
        self.fails(&WITH_TOKEN)
    }

    /// Sets what holds for every method of the path, such as its time limit.
    pub(crate) fn of_path(mut self, set: impl FnOnce(Resource<A>) -> Resource<A>) -> Self {
        self.resource = set(self.resource);
        self
    }

    /// Adds error statuses specific to this operation.
    pub(crate) fn fails(mut self, statuses: &[u16]) -> Self {
        for status in statuses {
            let reference = failures::reference(*status);
            self.responses
                .extend(reference.map(|reference| (*status, reference)));
        }
        self
    }

    pub(crate) fn place(
        self,
        name: &'static str,
        about: &str,
        schema: Object,
        example: Value,
    ) -> Self {
        self.parameter((name, "path", true), about, schema, example)
            .fails(&[404])
    }

    /// For an operation that creates a missing resource: removes the status 404.
    pub(crate) fn makes_its_place(mut self) -> Self {
        self.responses.remove(&404);
        self
    }

    pub(crate) fn query(self, name: &'static str, about: &str, schema: Object) -> Self {
        self.parameter((name, "query", false), about, schema, Value::Null)
            .fails(&[400])
    }

    /// Adds an optional query parameter with an example.
    pub(crate) fn query_like(
        self,
        name: &'static str,
        about: &str,
        schema: Object,
        example: Value,
    ) -> Self {
        self.parameter((name, "query", false), about, schema, example)
            .fails(&[400])
    }

    pub(crate) fn query_time(self, name: &'static str, about: &str) -> Self {
        self.query_like(name, about, moment(), json!("2026-06-01T10:00:00Z"))
    }

    pub(crate) fn query_limit(self, most: u32) -> Self {
        let about = "How many, default 100";
        self.query_like("limit", about, count(most).minimum(1), json!(10))
    }

    pub(crate) fn needs(
        self,
        name: &'static str,
        about: &str,
        schema: Object,
        example: Value,
    ) -> Self {
        let schema = schema.min_length(1);
        self.parameter((name, "query", true), about, schema, example)
            .fails(&[400])
    }

    pub(crate) fn header(self, name: &'static str, about: &str, schema: Object) -> Self {
        self.parameter((name, "header", false), about, schema, Value::Null)
    }

    fn parameter(
        mut self,
        (name, place, is_required): (&'static str, &str, bool),
        about: &str,
        schema: Object,
        example: Value,
    ) -> Self {
        let parameter = Object::default()
            .with("name", name)
            .with("in", place)
            .with("required", is_required)
            .with("schema", schema)
            .description(about)
            .example(example);
        self.parameters.push(parameter.into());
        if place == "query" {
            let method = self.method.clone();
            self.resource = self.resource.with_parameter(method, name);
        }
        self
    }

    /// Adds the header `Idempotency-Key`, for every changing operation under `/www`.
    pub(crate) fn retry_safe(self) -> Self {
        self.idempotency_key(
            "Makes the request safe to be sent again: the first response is kept for 24 hours",
        )
    }

    /// Adds the header `Idempotency-Key` with its own description.
    pub(crate) fn idempotency_key(self, about: &str) -> Self {
        let key = text_of(255).min_length(1).pattern("^[ -~]*[!#-~][ -~]*$");
        self.header("Idempotency-Key", about, key)
            .fails(&[400, 409, 422])
    }

    pub(crate) fn if_match(self) -> Self {
        self.header(
            "If-Match",
            "The `ETag` the record must still have, or `*`",
            text()
                .pattern(ENTITY_TAGS)
                .with("examples", json!(["*", "\"r42\""])),
        )
        .fails(&[400, 412])
    }

    /// Adds the `ETag` of a response and what the conditions of reading it lead to. Their headers are those of HTTP: as
    /// parameters they would be arguments of each method of a generated client.
    pub(crate) fn with_tag(self, tag: HeaderDoc) -> Self {
        self.answers_nothing(304, "`If-None-Match` names the `ETag`: the client has it")
            .fails(&[400, 412])
            .response_headers(&[200, 304], &[tag])
    }

    pub(crate) fn json_body(self, record: &str, example: Value) -> Self {
        self.json_body_of(named(record), example)
    }

    /// Sets a JSON body of a record that only this operation has.
    pub(crate) fn json_body_as(self, record: &str, schema: Object, example: Value) -> Self {
        self.component(record, schema).json_body(record, example)
    }

    pub(crate) fn component(mut self, name: &str, schema: impl Into<Value>) -> Self {
        self.records.insert(name.to_owned(), schema.into());
        self
    }

    pub(crate) fn json_body_of(self, schema: Value, example: Value) -> Self {
        self.with_body([("application/json", content(schema, example))])
            .fails(&WITH_JSON)
    }

    /// Sets a body of other media types.
    pub(crate) fn body<const N: usize>(self, types: [(&str, Object, Value); N]) -> Self {
        let types = types
            .map(|(media_type, schema, example)| (media_type, content(schema.into(), example)));
        self.with_body(types).fails(&[400, 413, 415])
    }

    fn with_body<const N: usize>(mut self, types: [(&str, Object); N]) -> Self {
        let mut body = Object::default().with("required", true);
        for (media_type, content) in types {
            body.add("content", media_type, content);
        }
        self.body = Some(body);
        self
    }

    pub(crate) fn or_no_body(mut self) -> Self {
        self.body = self.body.map(|body| body.with("required", false));
        self
    }

    /// Adds a response whose JSON body is a `T`.
    pub(crate) fn answers_as<T: JsonSchema>(
        mut self,
        status: u16,
        about: &str,
        example: Value,
    ) -> Self {
        let (schema, records) = schema_of::<T>();
        self.records.extend(records);
        self.answers(status, about, schema, example)
    }

    pub(crate) fn answers(self, status: u16, about: &str, schema: Value, example: Value) -> Self {
        let mut response = Object::default().description(about);
        response.add("content", "application/json", content(schema, example));
        if status == 201 {
            headers::CONTENT_MD5.add_to(&mut response);
            headers::LOCATION.add_to(&mut response);
        }
        self.response(status, response)
    }

    /// Adds a media type to the response of status 200.
    pub(crate) fn or_file(mut self, media_type: &str, schema: Object) -> Self {
        if let Some(response) = self.responses.get_mut(&200) {
            response.add("content", media_type, content(schema.into(), Value::Null));
        }
        self
    }

    /// Adds a response with other media types.
    pub(crate) fn answers_file(self, status: u16, about: &str, types: &[(&str, Object)]) -> Self {
        let mut response = Object::default().description(about);
        for (media_type, schema) in types {
            let content = content(schema.clone().into(), Value::Null);
            response.add("content", media_type, content);
        }
        self.response(status, response)
    }

    pub(crate) fn answers_nothing(self, status: u16, about: &str) -> Self {
        self.response(status, Object::default().description(about))
    }

    fn response(mut self, status: u16, mut response: Object) -> Self {
        headers::common(&mut response);
        if self.responses.contains_key(&429) {
            for field in &headers::RATE {
                field.add_to(&mut response);
            }
        }
        self.responses.insert(status, response);
        self
    }

    pub(crate) fn response_headers(mut self, statuses: &[u16], fields: &[HeaderDoc]) -> Self {
        for status in statuses {
            if let Some(response) = self.responses.get_mut(status) {
                fields.iter().for_each(|field| field.add_to(response));
            }
        }
        self
    }

    /// Adds a link: a value of a response is a parameter of another operation.
    pub(crate) fn leads_to(
        mut self,
        status: u16,
        operation: &str,
        parameter: &str,
        pointer: &str,
    ) -> Self {
        let link = json!({
            "operationId": operation,
            "parameters": {parameter: format!("$response.body#{pointer}")},
        });
        if let Some(response) = self.responses.get_mut(&status) {
            response.add("links", operation, link);
        }
        self
    }

    pub(crate) fn tagged(self, tag: &str) -> Value {
        let mut operation = Object::default().with("tags", [tag]);
        for (name, text) in self.texts {
            operation = operation.with(name, text);
        }
        if !self.roles.is_empty() {
            let roles = format!("Roles: {}.", self.roles.join(", "));
            let about = operation.get("description").and_then(Value::as_str);
            let about = about.map_or_else(|| roles.clone(), |about| format!("{about} {roles}"));
            operation = operation.description(&about).with("x-roles", self.roles);
        }
        if !self.parameters.is_empty() {
            operation = operation.with("parameters", self.parameters);
        }
        if let Some(body) = self.body {
            operation = operation.with("requestBody", body);
        }
        for (status, response) in self.responses {
            operation.add("responses", &status.to_string(), response);
        }
        let security = self.security.iter().map(|name| json!({*name: []}));
        operation
            .with("security", Value::from_iter(security))
            .into()
    }
}

/// Parses an example, or a schema, from its file.
pub(crate) fn example(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}
