//! Requests over the socket with a real HTTP client.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use serde_json::Value;

use crate::exchange::Exchange;
use crate::server::{Login, SHOP1, Server};

/// A request that is not sent yet.
#[derive(Clone)]
pub struct Request<'a> {
    server: &'a Server,
    method: Method,
    path: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Option<Vec<u8>>,
}

impl Server {
    /// A request of any method; `path` starts with a slash, or is a full URL as in a link.
    pub fn call(&self, method: &str, path: &str) -> Request<'_> {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        Request {
            server: self,
            method,
            path: path.to_owned(),
            headers: Vec::new(),
            body: None,
        }
    }

    /// `GET`
    pub fn get(&self, path: &str) -> Request<'_> {
        self.call("GET", path)
    }

    /// `POST`
    pub fn post(&self, path: &str) -> Request<'_> {
        self.call("POST", path)
    }

    /// `PUT`
    pub fn put(&self, path: &str) -> Request<'_> {
        self.call("PUT", path)
    }

    /// `PATCH`
    pub fn patch(&self, path: &str) -> Request<'_> {
        self.call("PATCH", path)
    }

    /// `DELETE`
    pub fn delete(&self, path: &str) -> Request<'_> {
        self.call("DELETE", path)
    }

    /// Reads a path as the first shop.
    pub fn read(&self, path: &str) -> Exchange {
        self.get(path).by(SHOP1).send()
    }

    /// The `data` of a path that the first shop may read.
    pub fn data(&self, path: &str) -> Value {
        self.read(path).expect(200).data()
    }

    /// Sends a body as the first shop.
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Exchange {
        self.call(method, path).by(SHOP1).json(body).send()
    }
}

impl Request<'_> {
    /// Adds the bearer token of the login.
    #[must_use]
    pub fn by(self, login: Login) -> Self {
        let token = self.server.token(login).to_owned();
        self.bearer(&token)
    }

    /// Adds a bearer token.
    #[must_use]
    pub fn bearer(self, token: &str) -> Self {
        self.header(AUTHORIZATION.as_str(), format!("Bearer {token}").as_bytes())
    }

    /// Adds Basic credentials in UTF-8.
    #[must_use]
    pub fn basic(self, name: &str, password: &str) -> Self {
        let coded = STANDARD.encode(format!("{name}:{password}"));
        self.header(AUTHORIZATION.as_str(), format!("Basic {coded}").as_bytes())
    }

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: &str, value: &[u8]) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
        self.headers.push((
            name,
            HeaderValue::from_bytes(value).expect("a header value"),
        ));
        self
    }

    /// Sets a JSON body in UTF-8.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        let bytes = serde_json::to_vec(body).expect("a JSON value");
        self.body("application/json", &bytes)
    }

    /// Sets a body.
    #[must_use]
    pub fn body(mut self, content_type: &str, bytes: &[u8]) -> Self {
        self.body = Some(bytes.to_vec());
        self.header(CONTENT_TYPE.as_str(), content_type.as_bytes())
    }

    /// Sets a body without a content type.
    #[must_use]
    pub fn untyped_body(mut self, bytes: &[u8]) -> Self {
        self.body = Some(bytes.to_vec());
        self
    }

    /// Sends the request and checks what holds for every response of the server.
    pub fn send(self) -> Exchange {
        let folder = self.server.folder();
        let exchange = self.send_unchecked();
        exchange.check(&folder);
        exchange
    }

    /// Sends the request without these checks, where the server may also return that it is busy.
    pub fn send_unchecked(self) -> Exchange {
        let address = self.server.address();
        let url = if self.path.starts_with('/') {
            format!("http://{address}{}", self.path)
        } else {
            self.path.clone()
        };
        let shown = format!("{} {}", self.method, self.path);
        let mut request = self.server.client().request(self.method.clone(), url);
        for (name, value) in self.headers {
            request = request.header(name, value);
        }
        if let Some(body) = self.body {
            request = request.body(body);
        }
        self.server.wait(async {
            let response = request
                .send()
                .await
                .unwrap_or_else(|error| panic!("{shown}: {error}"));
            let status = response.status();
            let headers = response.headers().iter();
            let headers = headers.map(|(name, value)| {
                let value = value
                    .to_str()
                    .unwrap_or_else(|_| panic!("{shown}: {name} is no ASCII"));
                (name.as_str().to_owned(), value.to_owned())
            });
            Exchange {
                request: shown.clone(),
                version: format!("{:?}", response.version()),
                status: status.as_u16(),
                reason: status.canonical_reason().unwrap_or_default().to_owned(),
                headers: headers.collect(),
                body: response
                    .bytes()
                    .await
                    .unwrap_or_else(|error| panic!("{shown}: {error}"))
                    .to_vec(),
            }
        })
    }
}
