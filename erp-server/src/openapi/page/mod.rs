//! The document as one HTML page. It can be read without scripts; its own script adds a filter, requests and samples.

mod guides;
mod html;
mod types;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use html::HtmlPage;
use types::counted;

/// The page looks like the console.
const STYLE: &str = concat!(
    include_str!("../../../console/style.css"),
    include_str!("page.css")
);
const SCRIPT: &str = include_str!("page.js");

/// Content security policy: only the page's own style and script, which may send requests to this server. Under it
/// RapiDoc (0.9 MB), Redoc (1.1 MB) and Scalar (3.6 MB) lack their styles; Swagger UI (1.9 MB) works without its
/// pictures, and axe finds 150 faults in it. So the page is our own.
pub(crate) static POLICY: LazyLock<String> = LazyLock::new(|| {
    let digest = |text| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
});

/// HTTP methods in display order.
const METHODS: [&str; 6] = ["get", "post", "put", "patch", "delete", "options"];

const HEAD: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
    <meta name=\"color-scheme\" content=\"light dark\"><title>erp: the REST interface</title><style>";

const ICON: &str = include_str!("../../../console/icon.svg");

/// Renders the page. `order` lists the tags in display order.
pub(crate) fn render(document: &Value, order: &[&str]) -> String {
    let mut page = HtmlPage(String::with_capacity(512 * 1024));
    page.raw(HEAD);
    page.raw(STYLE);
    page.raw("</style></head><body><a class=\"skip\" href=\"#main\">Skip to the content</a>");
    page.raw("<header><p class=\"brand\"><span class=\"icon\" aria-hidden=\"true\">");
    page.raw(ICON);
    page.raw("</span>REST interface</p></header><div class=\"shell\">");
    let operations = operations(document);
    page.contents(document, &operations, order);
    page.raw("<main id=\"main\"><div class=\"intro\"><h1>The REST interface of erp</h1>");
    page.prose(text(document, "/info/description"));
    page.raw("<p>For tools: <a href=\"openapi.json\">openapi.json</a> (OpenAPI 3.1).</p></div>");
    page.guides(&operations);
    for tag in order {
        page.group(document, tag, &operations);
    }
    page.failures(document);
    page.records(document, &operations);
    page.raw("</main></div><script type=\"module\">");
    page.raw(SCRIPT);
    page.raw("</script></body></html>\n");
    page.0
}

struct PageOperation<'a> {
    path: &'a str,
    method: &'a str,
    operation: &'a Value,
    is_webhook: bool,
}

impl PageOperation<'_> {
    fn id(&self) -> &str {
        text(self.operation, "/operationId")
    }

    fn is_of(&self, tag: &str) -> bool {
        text(self.operation, "/tags/0") == tag
    }
}

fn operations(document: &Value) -> Vec<PageOperation<'_>> {
    let paths = members(document, "/paths").map(|item| (item, false));
    let webhooks = members(document, "/webhooks").map(|item| (item, true));
    let mut places = Vec::new();
    for ((path, item), is_webhook) in paths.chain(webhooks) {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                places.push(PageOperation {
                    path,
                    method,
                    operation,
                    is_webhook,
                });
            }
        }
    }
    places
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn members<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let object: Option<&Map<String, Value>> = value.pointer(pointer).and_then(Value::as_object);
    object
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

fn entries<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// The records in what an operation takes and returns, those in other records included.
fn records_of<'a>(document: &'a Value, part: &'a Value) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut parts = vec![part];
    while let Some(part) = parts.pop() {
        let name = text(part, "/$ref").strip_prefix("#/components/schemas/");
        if let Some(name) = name.filter(|name| found.insert(*name)) {
            parts.extend(document.pointer(&format!("/components/schemas/{name}")));
        }
        match part {
            Value::Object(members) => parts.extend(members.values()),
            Value::Array(entries) => parts.extend(entries),
            _ => {}
        }
    }
    found
}

fn is_required(parameter: &Value) -> bool {
    parameter.get("required") == Some(&Value::Bool(true))
}

fn scheme(operation: &Value) -> Option<&str> {
    let scheme = entries(operation, "security").next()?.as_object()?;
    scheme.keys().next().map(String::as_str)
}

impl HtmlPage {
    fn contents(&mut self, document: &Value, operations: &[PageOperation<'_>], order: &[&str]) {
        self.raw("<nav aria-label=\"Contents\"><details open><summary>Contents</summary>");
        self.raw("<details open><summary>Guides</summary><ul>");
        self.guide_links();
        self.raw("</ul></details>");
        for tag in order {
            self.raw("<details open>");
            self.element("summary", tag);
            self.raw("<ul>");
            for place in operations.iter().filter(|place| place.is_of(tag)) {
                let _ = write!(self.0, "<li><a href=\"#op-{}\" title=\"", place.id());
                self.text(place.path);
                self.raw("\">");
                if place.is_webhook {
                    self.route(place.method, place.path);
                } else {
                    self.method(place.method);
                    self.text(text(place.operation, "/summary"));
                }
                self.raw("</a></li>");
            }
            self.raw("</ul>");
            self.unfolded();
        }
        self.raw("<p><a href=\"#failures\">Errors</a></p>");
        self.folded("Records");
        self.raw("<ul>");
        for (name, _) in members(document, "/components/schemas") {
            self.raw("<li>");
            self.link("record", name, name);
            self.raw("</li>");
        }
        self.raw("</ul>");
        self.unfolded();
        self.unfolded();
        self.raw("</nav>");
    }

    fn group(&mut self, document: &Value, tag: &str, operations: &[PageOperation<'_>]) {
        self.raw("<section>");
        self.element("h2", tag);
        let about = entries(document, "tags").find(|entry| text(entry, "/name") == tag);
        self.element("p", about.map_or("", |about| text(about, "/description")));
        for place in operations.iter().filter(|place| place.is_of(tag)) {
            self.operation(place, operations);
        }
        self.raw("</section>");
    }

    fn operation(&mut self, place: &PageOperation<'_>, operations: &[PageOperation<'_>]) {
        let operation = place.operation;
        let _ = write!(self.0, "<section id=\"op-{}\"", place.id());
        self.raw(" class=\"pair\"");
        if !place.is_webhook {
            let _ = write!(self.0, " data-method=\"{}\" data-path=\"", place.method);
            self.text(place.path);
            self.raw("\"");
        }
        self.raw("><div>");
        self.element("h3", text(operation, "/summary"));
        self.raw("<p class=\"route\">");
        self.route(place.method, place.path);
        self.raw("</p>");
        self.prose(text(operation, "/description"));
        self.raw("<p class=\"hint\">");
        self.raw(match (place.is_webhook, scheme(operation)) {
            (true, _) => "Sent by the server.",
            (_, Some("bearer")) => "Needs a bearer token.",
            (_, Some(_)) => "Needs user name and password.",
            (_, None) => "Needs no token.",
        });
        self.raw("</p>");
        self.parameters(operation);
        if let Some(body) = operation.get("requestBody") {
            self.element("h4", "Body");
            self.content(body);
            if !place.is_webhook {
                // The script writes samples with the body.
                self.raw("<noscript>");
                self.examples("Example", body);
                self.raw("</noscript>");
            }
        }
        self.responses(operation, operations);
        self.raw("</div><div class=\"side\">");
        if let Some(body) = operation.get("requestBody").filter(|_| place.is_webhook) {
            self.examples("Message", body);
        }
        for (status, response) in members(operation, "/responses") {
            self.examples(&format!("Response {status}"), response);
        }
        self.raw("</div></section>");
    }

    fn parameters(&mut self, operation: &Value) {
        let mut list = entries(operation, "parameters").peekable();
        if list.peek().is_none() {
            return;
        }
        self.head("Parameters", &["Name", "Type", "Meaning"]);
        for parameter in list {
            let place = text(parameter, "/in");
            self.row(text(parameter, "/name"), place, is_required(parameter));
            self.type_cell(parameter.get("schema").unwrap_or(&Value::Null));
            self.element("td", text(parameter, "/description"));
            self.raw("</tr>");
        }
        self.foot();
    }

    fn responses(&mut self, operation: &Value, operations: &[PageOperation<'_>]) {
        self.element("h4", "Responses");
        for (status, response) in members(operation, "/responses") {
            let reference = text(response, "/$ref");
            if reference.is_empty() {
                self.element(
                    "h5",
                    &format!("{status}: {}", text(response, "/description")),
                );
                self.headers(response);
                self.content(response);
                self.next(response, operations);
            }
        }
        self.raw("<p>Errors:");
        for (status, response) in members(operation, "/responses") {
            let name = text(response, "/$ref").rsplit('/').next();
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                self.raw(" ");
                self.link("failure", name, status);
            }
        }
        self.raw("</p>");
    }

    fn next(&mut self, response: &Value, operations: &[PageOperation<'_>]) {
        let links = members(response, "/links").map(|(_, link)| text(link, "/operationId"));
        let next = links.filter_map(|id| operations.iter().find(|place| place.id() == id));
        self.list("Next", next);
    }

    fn headers(&mut self, response: &Value) {
        let mut list = members(response, "/headers").peekable();
        if list.peek().is_none() {
            return;
        }
        self.folded("Header fields");
        self.head("Header fields", &["Name", "Meaning"]);
        for (name, header) in list {
            self.row(name, "", false);
            self.element("td", text(header, "/description"));
            self.raw("</tr>");
        }
        self.foot();
        self.unfolded();
    }

    fn content(&mut self, holder: &Value) {
        for (media_type, content) in members(holder, "/content") {
            self.raw("<div class=\"content\">");
            self.code(media_type);
            self.raw(": ");
            self.kind(content.get("schema").unwrap_or(&Value::Null));
            self.raw("</div>");
        }
    }

    fn examples(&mut self, title: &str, holder: &Value) {
        for (_, content) in members(holder, "/content") {
            if let Some(example) = content.get("example") {
                self.element("h4", title);
                self.example(example);
            }
        }
    }

    fn failures(&mut self, document: &Value) {
        self.raw("<section id=\"failures\">");
        self.element("h2", "Errors");
        for (name, response) in members(document, "/components/responses") {
            let _ = write!(
                self.0,
                "<section id=\"failure-{name}\" class=\"pair\"><div>"
            );
            self.element("h3", name);
            self.element("p", text(response, "/description"));
            self.headers(response);
            self.content(response);
            self.raw("</div><div class=\"side\">");
            self.examples("Response", response);
            self.raw("</div></section>");
        }
        self.raw("</section>");
    }

    fn records(&mut self, document: &Value, operations: &[PageOperation<'_>]) {
        let uses: Vec<_> = operations
            .iter()
            .map(|place| (place, records_of(document, place.operation)))
            .collect();
        self.raw("<section id=\"records\">");
        self.element("h2", "Records");
        for (name, schema) in members(document, "/components/schemas") {
            let _ = write!(self.0, "<section id=\"record-{name}\">");
            self.element("h3", name);
            self.element("p", text(schema, "/description"));
            let users = uses.iter().filter(|(_, records)| records.contains(name));
            self.list("Used by", users.map(|(place, _)| *place));
            let count = members(schema, "/properties").count();
            self.folded(&counted(&count.to_string(), "field", count == 1));
            self.fields(schema);
            self.unfolded();
            self.raw("</section>");
        }
        self.raw("</section>");
    }

    /// Links to operations, if there are any.
    fn list<'a>(&mut self, title: &str, places: impl Iterator<Item = &'a PageOperation<'a>>) {
        let mut places = places.peekable();
        if places.peek().is_none() {
            return;
        }
        self.raw("<p class=\"users\">");
        self.text(title);
        for place in places {
            let _ = write!(self.0, " <a href=\"#op-{}\">", place.id());
            self.route(place.method, place.path);
            self.raw("</a>");
        }
        self.raw("</p>");
    }
}
