//! One operation: what it takes and answers, in a few lines each.

use salvo::http::Method;
use salvo_oapi::schema::{Object, Schema};
use salvo_oapi::security::SecurityRequirement;
use salvo_oapi::{
    Content, Operation, Parameter, ParameterIn, PathItemType, RefOr, RequestBody, Required,
    Response,
};
use serde_json::{Value, json};

use super::failures;
use super::headers::{self, Told};
use super::schema::{named, text, text_of};

/// Statuses any answer may have: path, header fields, mistakes, overload.
const ANYWHERE: [u16; 5] = [408, 414, 431, 500, 503];

/// Statuses of what needs a token.
const WITH_TOKEN: [u16; 2] = [401, 429];

/// Statuses of what has a JSON body.
const WITH_JSON: [u16; 4] = [400, 413, 415, 422];

/// The revision of a record, or any.
const ENTITY_TAGS: &str = r#"^(\*|((W/)?"[!#-~]*")?( *, *((W/)?"[!#-~]*")?)*)$"#;

/// An operation of a path.
#[derive(Debug)]
pub(super) struct Described {
    pub(super) path: &'static str,
    pub(super) method: Method,
    pub(super) operation: Operation,
}

impl Described {
    pub(super) fn get(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::GET, path, id, summary)
    }

    pub(super) fn post(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::POST, path, id, summary)
    }

    pub(super) fn put(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::PUT, path, id, summary)
    }

    pub(super) fn patch(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::PATCH, path, id, summary)
    }

    pub(super) fn delete(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::DELETE, path, id, summary)
    }

    pub(super) fn options(path: &'static str, id: &str, summary: &str) -> Self {
        Self::new(Method::OPTIONS, path, id, summary).open()
    }

    /// An operation that needs a token.
    fn new(method: Method, path: &'static str, id: &str, summary: &str) -> Self {
        let operation = Operation::new()
            .operation_id(id)
            .summary(summary)
            .add_security(SecurityRequirement::new("bearer", [""; 0]));
        let described = Self {
            path,
            method,
            operation,
        };
        described.fails(&ANYWHERE).fails(&WITH_TOKEN)
    }

    /// What else is to be said.
    pub(super) fn about(mut self, text: &str) -> Self {
        self.operation = self.operation.description(text);
        self
    }

    /// Needs no token.
    pub(super) fn open(mut self) -> Self {
        self.operation.securities = Some(Vec::new());
        for status in WITH_TOKEN {
            self.operation.responses.remove(&status.to_string());
        }
        self
    }

    /// Needs user name and password.
    pub(super) fn with_credentials(mut self) -> Self {
        let basic = SecurityRequirement::new("basic", [""; 0]);
        self.operation.securities = Some(vec![basic]);
        self
    }

    /// Needs an admin.
    pub(super) fn admin(self) -> Self {
        self.fails(&[403])
    }

    /// Error answers beside those that come with everything else.
    pub(super) fn fails(mut self, statuses: &[u16]) -> Self {
        for status in statuses {
            if let Some(reference) = failures::reference(*status) {
                self.operation = self
                    .operation
                    .add_response(status.to_string(), RefOr::Ref(reference));
            }
        }
        self
    }

    /// A part of the path.
    pub(super) fn place(self, name: &str, about: &str, schema: Object, example: Value) -> Self {
        let place = Parameter::new(name)
            .location(ParameterIn::Path)
            .required(Required::True)
            .description(about)
            .schema(schema)
            .example(example);
        self.parameter(place).fails(&[404])
    }

    /// Whatever the path names is made when it is not there.
    pub(super) fn makes_its_place(mut self) -> Self {
        self.operation.responses.remove("404");
        self
    }

    /// A part of the query that may be left out.
    pub(super) fn query(self, name: &str, about: &str, schema: Object) -> Self {
        let parameter = Parameter::new(name)
            .location(ParameterIn::Query)
            .required(Required::False)
            .description(about)
            .schema(schema);
        self.parameter(parameter).fails(&[400])
    }

    /// A part of the query that may be left out, with an example.
    pub(super) fn query_like(
        self,
        name: &str,
        about: &str,
        schema: Object,
        example: Value,
    ) -> Self {
        let parameter = Parameter::new(name)
            .location(ParameterIn::Query)
            .required(Required::False)
            .description(about)
            .schema(schema)
            .example(example);
        self.parameter(parameter).fails(&[400])
    }

    /// A part of the query that must be there.
    pub(super) fn needs(self, name: &str, about: &str, schema: Object, example: Value) -> Self {
        let parameter = Parameter::new(name)
            .location(ParameterIn::Query)
            .required(Required::True)
            .description(about)
            .schema(schema.min_length(1))
            .example(example);
        self.parameter(parameter).fails(&[400])
    }

    /// A header field that may be left out.
    pub(super) fn header(self, name: &str, about: &str, schema: Object) -> Self {
        let parameter = Parameter::new(name)
            .location(ParameterIn::Header)
            .required(Required::False)
            .description(about)
            .schema(schema);
        self.parameter(parameter)
    }

    fn parameter(mut self, parameter: Parameter) -> Self {
        self.operation = self.operation.add_parameter(parameter);
        self
    }

    /// The `Idempotency-Key`, as every changing operation under `/www` takes it.
    pub(super) fn retry_safe(self) -> Self {
        let key = text_of(255).min_length(1).pattern("^[!#-~]+$");
        self.header(
            "Idempotency-Key",
            "Makes the request safe to be sent again: the first answer is kept for 24 hours",
            key,
        )
        .fails(&[400, 409, 422])
    }

    /// `If-Match`.
    pub(super) fn if_match(self) -> Self {
        self.header(
            "If-Match",
            "The `ETag` the record must still have, or `*`",
            text()
                .pattern(ENTITY_TAGS)
                .add_extension("examples", json!(["*", "\"r42\""])),
        )
        .fails(&[400, 412])
    }

    /// A JSON body.
    pub(super) fn json_body(self, record: &str, example: Value) -> Self {
        self.json_body_of(named(record), example)
    }

    /// A JSON body that no record describes.
    pub(super) fn json_body_of(mut self, schema: RefOr<Schema>, example: Value) -> Self {
        let body = RequestBody::new()
            .required(Required::True)
            .add_content("application/json", Content::new(schema).example(example));
        self.operation = self.operation.request_body(body);
        self.fails(&WITH_JSON)
    }

    /// A body of other types.
    pub(super) fn body<const N: usize>(mut self, types: [(&str, Object, Value); N]) -> Self {
        let body = types.into_iter().fold(
            RequestBody::new().required(Required::True),
            |body, (media_type, schema, example)| {
                let content = Content::new(schema);
                let content = if example.is_null() {
                    content
                } else {
                    content.example(example)
                };
                body.add_content(media_type, content)
            },
        );
        self.operation = self.operation.request_body(body);
        self.fails(&[400, 413, 415])
    }

    /// The body may be left out.
    pub(super) fn or_no_body(mut self) -> Self {
        if let Some(body) = &mut self.operation.request_body {
            body.required = Some(Required::False);
        }
        self
    }

    /// An answer with a JSON body.
    pub(super) fn answers(
        self,
        status: u16,
        about: &str,
        schema: RefOr<Schema>,
        example: Value,
    ) -> Self {
        let content = Content::new(schema).example(example);
        let response = Response::new(about).add_content("application/json", content);
        let response = match status {
            201 => headers::CONTENT_MD5.add_to(response),
            _ => response,
        };
        self.response(status, response)
    }

    /// An answer with bodies of other types.
    pub(super) fn answers_file(self, status: u16, about: &str, types: &[(&str, Object)]) -> Self {
        let response = types
            .iter()
            .fold(Response::new(about), |response, (media_type, schema)| {
                response.add_content(*media_type, Content::new(schema.clone()))
            });
        self.response(status, response)
    }

    /// An answer without a body.
    pub(super) fn answers_nothing(self, status: u16, about: &str) -> Self {
        self.response(status, Response::new(about))
    }

    fn response(mut self, status: u16, response: Response) -> Self {
        let mut response = headers::common(response);
        if self.operation.responses.contains_key("429") {
            for told in &headers::RATE {
                response = told.add_to(response);
            }
        }
        self.operation = self.operation.add_response(status.to_string(), response);
        self
    }

    /// Header fields of the answers with these statuses.
    pub(super) fn tells(mut self, statuses: &[u16], fields: &[Told]) -> Self {
        for status in statuses {
            let found = self.operation.responses.get_mut(&status.to_string());
            if let Some(RefOr::Type(response)) = found {
                *response = fields
                    .iter()
                    .fold(std::mem::take(response), |response, told| {
                        told.add_to(response)
                    });
            }
        }
        self
    }

    /// Says that a value of an answer is a parameter of another operation.
    pub(super) fn leads_to(
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
        let found = self.operation.responses.get_mut(&status.to_string());
        if let Some(RefOr::Type(response)) = found {
            // `salvo_oapi::Link` writes `operation_id`, which is no member of OpenAPI's links.
            let links = response.extensions.entry("links".to_owned());
            if let Value::Object(links) = links.or_insert_with(|| json!({})) {
                links.insert(operation.to_owned(), link);
            }
        }
        self
    }

    /// The method as the document names it.
    pub(super) fn item_type(&self) -> PathItemType {
        match self.method.as_str() {
            "POST" => PathItemType::Post,
            "PUT" => PathItemType::Put,
            "PATCH" => PathItemType::Patch,
            "DELETE" => PathItemType::Delete,
            "OPTIONS" => PathItemType::Options,
            _ => PathItemType::Get,
        }
    }
}

/// An example that stands in a file of `examples`.
pub(super) fn example(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}
