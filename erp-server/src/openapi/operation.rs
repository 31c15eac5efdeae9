//! Builder of an operation: its handler, parameters, bodies and responses. What people read of them is in a table.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use salvo::http::Method;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::failures;
use super::headers::{self, HeaderDoc};
use super::object::{Object, content};
use super::record::schema_of;
use super::schema::{count, named, text, text_of};
use crate::web::{ApiError, ApiRequest, ApiResponse, Application, Authorized, Resource};

/// Error statuses of every operation: timeout, URL or header too long, internal error, overload.
const ANYWHERE: [u16; 5] = [408, 414, 431, 500, 503];

/// Additional error statuses of operations with a token.
const WITH_TOKEN: [u16; 2] = [401, 429];

/// Additional error statuses of operations with a JSON body.
const WITH_JSON: [u16; 4] = [400, 413, 415, 422];

/// Pattern of `If-Match`: entity tags or `*`.
const ENTITY_TAGS: &str = r#"^(\*|((W/)?"[!#-~]*")?( *, *((W/)?"[!#-~]*")?)*)$"#;

/// Texts and examples by the id of the operation, and under `*` those of parameters that several have. An example may
/// be a `$ref` to another in the table.
static TEXTS: LazyLock<Value> = LazyLock::new(|| example(include_str!("operations.json")));

pub(crate) struct Described<A: Application> {
    pub(crate) path: &'static str,
    pub(crate) method: Method,
    pub(crate) resource: Resource<A>,
    id: &'static str,
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
    pub(crate) fn get(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::GET, path, id)
    }

    pub(crate) fn post(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::POST, path, id)
    }

    pub(crate) fn put(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::PUT, path, id)
    }

    pub(crate) fn patch(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::PATCH, path, id)
    }

    pub(crate) fn delete(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::DELETE, path, id)
    }

    pub(crate) fn options(path: &'static str, id: &'static str) -> Self {
        Self::new(Method::OPTIONS, path, id).without_token()
    }

    /// An operation that requires a token.
    fn new(method: Method, path: &'static str, id: &'static str) -> Self {
        let described = Self {
            path,
            method,
            resource: Resource::described(),
            id,
            security: &["bearer"],
            roles: Vec::new(),
            parameters: Vec::new(),
            body: None,
            responses: BTreeMap::new(),
            records: Map::new(),
        };
        described.fails(&ANYWHERE).fails(&WITH_TOKEN)
    }

    /// What the table says of a parameter, a body or a response; `null` if it does not.
    fn text(&self, part: &str, name: &str, member: &str) -> Value {
        let of = |id| TEXTS.get(id)?.get(part)?.get(name);
        let entry = of(self.id).or_else(|| of("*"));
        let text = entry.and_then(|entry| entry.get(member));
        let other = text.and_then(|text| text.get("$ref")?.as_str());
        let text = other.and_then(|place| TEXTS.pointer(place)).or(text);
        text.cloned().unwrap_or_default()
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
    pub(crate) fn id_for(&self, role: &str) -> Option<&'static str> {
        let is_allowed = self.roles.is_empty() || self.roles.contains(&role);
        (!self.security.is_empty() && is_allowed).then_some(self.id)
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

    pub(crate) fn place(self, name: &'static str, schema: Object) -> Self {
        self.parameter((name, "path", true), schema).fails(&[404])
    }

    /// For an operation that creates a missing resource: removes the status 404.
    pub(crate) fn makes_its_place(mut self) -> Self {
        self.responses.remove(&404);
        self
    }

    pub(crate) fn query(self, name: &'static str, schema: Object) -> Self {
        self.parameter((name, "query", false), schema).fails(&[400])
    }

    /// Adds the parameter that says how many entries a page may have.
    pub(crate) fn limited(self, most: u32) -> Self {
        self.query("limit", count(most).minimum(1))
    }

    pub(crate) fn needs(self, name: &'static str, schema: Object) -> Self {
        let schema = schema.min_length(1);
        self.parameter((name, "query", true), schema).fails(&[400])
    }

    pub(crate) fn header(self, name: &'static str, schema: Object) -> Self {
        self.parameter((name, "header", false), schema)
    }

    fn parameter(
        mut self,
        (name, place, is_required): (&'static str, &str, bool),
        schema: Object,
    ) -> Self {
        let parameter = Object::default()
            .with("name", name)
            .with("in", place)
            .with("required", is_required)
            .with("schema", schema)
            .with("description", self.text("parameters", name, "description"))
            .example(self.text("parameters", name, "example"));
        self.parameters.push(parameter.into());
        if place == "query" {
            let method = self.method.clone();
            self.resource = self.resource.with_parameter(method, name);
        }
        self
    }

    /// Adds the header `Idempotency-Key`.
    pub(crate) fn retry_safe(self) -> Self {
        let key = text_of(255).min_length(1).pattern("^[ -~]*[!#-~][ -~]*$");
        self.header("Idempotency-Key", key).fails(&[400, 409, 422])
    }

    pub(crate) fn if_match(self) -> Self {
        let tags = text().pattern(ENTITY_TAGS);
        let tags = tags.with("examples", json!(["*", "\"r42\""]));
        self.header("If-Match", tags).fails(&[400, 412])
    }

    /// Adds the `ETag` of a response and what the conditions of reading it lead to. Their headers are those of HTTP: as
    /// parameters they would be arguments of each method of a generated client.
    pub(crate) fn with_tag(self, tag: HeaderDoc) -> Self {
        self.answers_nothing(304)
            .fails(&[400, 412])
            .response_headers(&[200, 304], &[tag])
    }

    pub(crate) fn json_body(self, record: &str) -> Self {
        self.json_body_of(named(record))
    }

    /// Sets a JSON body of a record that only this operation has.
    pub(crate) fn json_body_as(self, record: &str, schema: Object) -> Self {
        self.component(record, schema).json_body(record)
    }

    pub(crate) fn component(mut self, name: &str, schema: impl Into<Value>) -> Self {
        self.records.insert(name.to_owned(), schema.into());
        self
    }

    pub(crate) fn json_body_of(self, schema: impl Into<Value>) -> Self {
        self.with_body([("application/json", schema.into())])
            .fails(&WITH_JSON)
    }

    /// Sets a body of other media types.
    pub(crate) fn body<const N: usize>(self, types: [(&str, Object); N]) -> Self {
        let types = types.map(|(media_type, schema)| (media_type, schema.into()));
        self.with_body(types).fails(&[400, 413, 415])
    }

    fn with_body<const N: usize>(mut self, types: [(&str, Value); N]) -> Self {
        let mut body = Object::default().with("required", true);
        for (media_type, schema) in types {
            let example = self.text("requestBody", media_type, "example");
            body.add("content", media_type, content(schema, example));
        }
        self.body = Some(body);
        self
    }

    pub(crate) fn or_no_body(mut self) -> Self {
        self.body = self.body.map(|body| body.with("required", false));
        self
    }

    /// Adds a response whose JSON body is a `T`.
    pub(crate) fn answers_as<T: JsonSchema>(mut self, status: u16) -> Self {
        let (schema, records) = schema_of::<T>();
        self.records.extend(records);
        self.answers(status, schema)
    }

    /// Adds a response whose JSON body has the schema of the table.
    pub(crate) fn answers_with(self, status: u16) -> Self {
        let schema = self.text("responses", &status.to_string(), "schema");
        self.answers(status, schema)
    }

    pub(crate) fn answers(self, status: u16, schema: impl Into<Value>) -> Self {
        let example = self.text("responses", &status.to_string(), "example");
        let content = content(schema.into(), example);
        let mut response = self.described(status);
        response.add("content", "application/json", content);
        if status == 201 {
            headers::CONTENT_MD5.add_to(&mut response);
            headers::LOCATION.add_to(&mut response);
        }
        self.response(status, response)
    }

    /// Adds a response with other media types.
    pub(crate) fn answers_file(mut self, status: u16, types: &[(&str, Object)]) -> Self {
        self = self.answers_nothing(status);
        for (media_type, schema) in types {
            self = self.or_file(status, media_type, schema.clone());
        }
        self
    }

    /// Adds a media type to a response.
    pub(crate) fn or_file(mut self, status: u16, media_type: &str, schema: Object) -> Self {
        if let Some(response) = self.responses.get_mut(&status) {
            response.add("content", media_type, content(schema.into(), Value::Null));
        }
        self
    }

    pub(crate) fn answers_nothing(self, status: u16) -> Self {
        let response = self.described(status);
        self.response(status, response)
    }

    fn described(&self, status: u16) -> Object {
        let about = self.text("responses", &status.to_string(), "description");
        Object::default().with("description", about)
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
        let text = |name| TEXTS.get(self.id)?.get(name)?.as_str();
        let mut operation = Object::default()
            .with("tags", [tag])
            .with("operationId", self.id)
            .with("summary", text("summary"));
        let mut about = Vec::from_iter(text("description").map(str::to_owned));
        if !self.roles.is_empty() {
            about.push(format!("Roles: {}.", self.roles.join(", ")));
            operation = operation.with("x-roles", self.roles);
        }
        if !about.is_empty() {
            operation = operation.description(&about.join(" "));
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
