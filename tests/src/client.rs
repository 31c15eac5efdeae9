//! A client of the real server, which is another process.

use crate::process::Server;
use serde_json::Value;

/// A client of a running server, logged in as one user at a time.
pub struct Client {
    http: reqwest::Client,
    base: String,
    /// The token of the user.
    pub token: String,
}

impl Client {
    /// A client that is not logged in.
    #[must_use]
    pub fn new(server: &Server) -> Self {
        Self {
            http: reqwest::Client::new(),
            base: server.base_url(),
            token: String::new(),
        }
    }

    /// Logs in and returns the status; the token is used from now on.
    pub async fn log_in(&mut self, name: &str, password: &str) -> u16 {
        let request = self.http.post(format!("{}/www/token", self.base));
        let answer = request.basic_auth(name, Some(password)).send().await;
        let answer = answer.expect("a response");
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.expect("a response");
        if let Some(token) = body["access_token"].as_str() {
            token.clone_into(&mut self.token);
        }
        status
    }

    /// Sends a request and returns status and JSON.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> (u16, Value) {
        let method = reqwest::Method::from_bytes(method.as_bytes()).expect("a response");
        let request = self.http.request(method, format!("{}{path}", self.base));
        let mut request = request.bearer_auth(&self.token);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_owned());
        }
        let answer = request.send().await.expect("a response");
        let status = answer.status().as_u16();
        let bytes = answer.bytes().await.expect("a response");
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Sends a body and returns `data` of the response, which must have this status.
    pub async fn expect(&self, status: u16, call: &str, body: Option<&Value>) -> Value {
        let (method, path) = call.split_once(' ').expect("a response");
        let body = body.map(Value::to_string);
        let (found, mut answer) = self.send(method, path, &[], body.as_deref()).await;
        assert_eq!(found, status, "{call}: {answer}");
        answer["data"].take()
    }
}

/// Stops a server with SIGTERM and returns its output.
pub fn stop(mut server: Server) -> String {
    server.terminate();
    assert!(server.wait().success(), "{}", server.stderr());
    format!("{}{}", server.stdout(), server.stderr())
}
