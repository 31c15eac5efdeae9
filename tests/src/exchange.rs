//! A response as it was received, and checks that apply to every response.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use serde_json::Value;

/// The content type of every JSON response.
pub const JSON: &str = "application/json; charset=iso-8859-1";

/// Texts that would reveal implementation details to a client. No test sends any of them.
const INTERNALS: [&str; 16] = [
    "panicked",
    "src/",
    ".rs",
    "erp_core",
    "erp_server",
    "salvo",
    "hyper",
    "serde",
    "tokio",
    "sled",
    "postgres",
    "deadpool",
    "Option<",
    "Err(",
    "RUST_BACKTRACE",
    "<html",
];

/// A response together with the request it belongs to.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// Method and path of the request.
    pub request: String,
    /// `HTTP/1.1`
    pub version: String,
    /// The status code.
    pub status: u16,
    /// The reason phrase.
    pub reason: String,
    /// All header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The bytes of the body, without any transfer coding.
    pub body: Vec<u8>,
}

impl Exchange {
    /// Checks what holds for every response. The path of `folder` must not appear in it.
    pub fn check(&self, folder: &Path) {
        let at = format!("{}: {}", self.request, self.text());
        assert!(self.status < 500, "{at}");
        assert_eq!(self.header("api-version"), Some("1.0"), "{at}");
        let caching = if self.is_file() {
            "private, no-cache"
        } else {
            "no-store"
        };
        assert_eq!(self.header("cache-control"), Some(caching), "{at}");
        let id = self
            .header("x-request-id")
            .unwrap_or_else(|| panic!("{at}"));
        assert!(!id.is_empty() && id.is_ascii(), "{at}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(self.header(name), Some(value), "{at}");
        }
        let policy = self.header("content-security-policy");
        let policy = policy.unwrap_or_else(|| panic!("{at}"));
        assert!(policy.contains("default-src "), "{at}");
        assert_eq!(self.header("strict-transport-security"), None, "{at}");
        for name in ["server", "x-powered-by"] {
            assert_eq!(self.header(name), None, "{at}");
        }
        let vary = self.headers.iter().filter(|(name, _)| name == "vary");
        let by_language = vary.filter(|(_, value)| value.contains("accept-language"));
        let has_language = self.header("content-language").is_some();
        assert_eq!(by_language.count(), usize::from(has_language), "{at}");
        assert!(has_language || self.status < 400, "{at}");
        self.check_body(&at);
        if self.is_file() || self.is_invoice() || self.is_page() {
            return;
        }
        let told = String::from_utf8_lossy(&self.body);
        for word in INTERNALS.iter().copied().chain(folder.to_str()) {
            assert!(word.is_empty() || !told.contains(word), "`{word}` in {at}");
        }
    }

    /// Whether the response is a file of article media, or a 304 for one.
    fn is_file(&self) -> bool {
        self.request.contains("/www/artikelmediadaten/") && matches!(self.status, 200 | 206 | 304)
    }

    /// Checks a file: it can be cached, requested in ranges and saved, and the browser runs nothing in it.
    fn check_file(&self, at: &str) {
        assert!(
            self.header("etag").is_some_and(|tag| tag.starts_with('"')),
            "{at}"
        );
        assert!(self.header("last-modified").is_some(), "{at}");
        if self.status == 304 {
            assert!(
                self.body.is_empty() && self.header("content-type").is_none(),
                "{at}"
            );
            return;
        }
        assert_eq!(
            self.header("x-content-type-options"),
            Some("nosniff"),
            "{at}"
        );
        assert_eq!(self.header("accept-ranges"), Some("bytes"), "{at}");
        assert!(self.header("content-disposition").is_some(), "{at}");
        assert_eq!(self.header("content-encoding"), None, "{at}");
        assert_eq!(
            self.header("content-range").is_some(),
            self.status == 206,
            "{at}"
        );
        let length = self
            .header("content-length")
            .unwrap_or_else(|| panic!("{at}"));
        let head = self.request.starts_with("HEAD ");
        assert!(head || length == self.body.len().to_string(), "{at}");
        assert!(!head || self.body.is_empty(), "{at}");
    }

    fn check_body(&self, at: &str) {
        if self.is_file() {
            self.check_file(at);
            return;
        }
        if self.body.is_empty() {
            let head = self.request.starts_with("HEAD ");
            let is_empty = head || [204, 304].contains(&self.status);
            assert!(is_empty, "an empty body: {at}");
            assert!(head || self.header("content-type").is_none(), "{at}");
            return;
        }
        if self.header("content-encoding").is_some() {
            return;
        }
        if let Some(length) = self.header("content-length") {
            assert_eq!(length, self.body.len().to_string(), "{at}");
        }
        if self.status == 201 {
            assert!(self.header("content-length").is_some(), "{at}");
            assert_eq!(
                self.header("content-md5"),
                Some(STANDARD.encode(Md5::digest(&self.body)).as_str()),
                "{at}"
            );
            let place = self.header("location").unwrap_or_else(|| panic!("{at}"));
            assert!(place.starts_with("http"), "{place}: {at}");
        }
        if self.is_invoice() || self.is_page() {
            return;
        }
        assert_eq!(self.header("content-type"), Some(JSON), "{at}");
        assert!(self.body.is_ascii(), "{at}");
        let json: Value =
            serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {at}"));
        if self.status >= 400 {
            let members: Vec<&str> = json
                .as_object()
                .map(|body| body.keys().map(String::as_str).collect())
                .unwrap_or_default();
            assert_eq!(members, ["error", "error_description", "info"], "{at}");
            assert!(
                json["error"].is_string()
                    && json["error_description"].is_string()
                    && json["info"].is_object(),
                "{at}"
            );
        }
    }

    /// Whether it is the documentation page.
    fn is_page(&self) -> bool {
        let html = self.header("content-type") == Some("text/html; charset=utf-8");
        self.request.ends_with(" /docs") && html
    }

    /// Whether it is an e-invoice or the report on one: its bytes come from the client, not from the server.
    fn is_invoice(&self) -> bool {
        let types = [
            "application/pdf",
            "application/xml",
            "text/html; charset=utf-8",
        ];
        self.status == 200
            && self
                .header("content-type")
                .is_some_and(|found| types.contains(&found))
    }

    /// Returns the response if it has this status.
    #[must_use]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}: {}", self.request, self.text());
        self
    }

    /// The value of a header field; several fields with the same name are joined.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self
            .headers
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str());
        let first = values.next()?;
        assert_eq!(values.next(), None, "{}: `{name}` twice", self.request);
        Some(first)
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{}: {error}: {}", self.request, self.text()))
    }

    /// The payload, `data`.
    #[must_use]
    pub fn data(&self) -> Value {
        self.json()["data"].take()
    }

    /// A string in `data`, for example a new number.
    #[must_use]
    pub fn number(&self, name: &str) -> String {
        let data = self.data();
        data[name]
            .as_str()
            .unwrap_or_else(|| panic!("no `{name}` in {data}"))
            .to_owned()
    }

    /// Status and code of an error.
    #[must_use]
    pub fn refusal(&self) -> (u16, String) {
        (
            self.status,
            self.json()["error"].as_str().unwrap_or_default().to_owned(),
        )
    }

    /// Checks that the request was refused with this status and code.
    #[track_caller]
    pub fn refused(&self, status: u16, code: &str) {
        let wanted = (status, code.to_owned());
        assert_eq!(self.refusal(), wanted, "{}: {}", self.request, self.text());
    }

    /// Path and code of every problem of a 422.
    #[must_use]
    pub fn problems(&self) -> Vec<(String, String)> {
        let json = self.json();
        let text =
            |problem: &Value, name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        let list = json["info"]["problems"].as_array();
        list.into_iter()
            .flatten()
            .map(|problem| (text(problem, "path"), text(problem, "code")))
            .collect()
    }

    /// The response as in HTTP/1.1: status line, sorted header fields, an empty line, the body.
    #[must_use]
    pub fn wire(&self) -> String {
        let mut lines: Vec<String> = self
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect();
        lines.sort();
        format!(
            "{} {} {}\n{}\n{}",
            self.version,
            self.status,
            self.reason,
            lines.concat(),
            self.text()
        )
    }
}

/// Problems in the form of [`Exchange::problems`].
#[must_use]
pub fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(path, code)| ((*path).to_owned(), (*code).to_owned()))
        .collect()
}
