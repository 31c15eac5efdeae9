//! The document as one HTML page without scripts and external resources.

use std::fmt::Write as _;
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

const STYLE: &str = "\
:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}\
body{margin:0 auto;max-width:70rem;padding:1rem}\
nav ul{columns:18rem;list-style:none;padding:0}\
section section{border-top:1px solid #8888;margin-top:2rem}\
table{border-collapse:collapse;width:100%}\
caption{text-align:left;font-weight:600;padding:.5rem 0}\
th,td{border-bottom:1px solid #8886;padding:.25rem .5rem;text-align:left;vertical-align:top}\
code,pre{font:.9em/1.4 ui-monospace,monospace}\
pre{overflow:auto;max-height:24rem;padding:.5rem;border:1px solid #8886}\
.table,.wide{overflow-x:auto}";

/// Content security policy: only the page's own style is allowed.
pub(crate) static POLICY: LazyLock<String> = LazyLock::new(|| {
    let digest = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    )
});

/// HTTP methods in display order.
const METHODS: [&str; 6] = ["get", "post", "put", "patch", "delete", "options"];

// rule: D-REQ-25
/// Renders the page. `order` lists the tags in display order.
pub(crate) fn render(document: &Value, order: &[&str]) -> String {
    let mut page = Page(String::with_capacity(256 * 1024));
    page.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    page.raw("<title>erp: the REST interface</title><style>");
    page.raw(STYLE);
    page.raw("</style></head><body><header><h1>The REST interface of erp</h1>");
    page.prose(text(document, "/info/description"));
    page.raw("<p>For tools: <a href=\"openapi.json\">openapi.json</a> (OpenAPI 3.1).</p></header>");
    let operations = operations(document);
    page.contents(document, &operations, order);
    page.raw("<main>");
    for tag in order {
        page.group(document, tag, &operations);
    }
    page.failures(document);
    page.records(document);
    page.raw("</main></body></html>\n");
    page.0
}

/// An operation with its path and method.
struct Place<'a> {
    path: &'a str,
    method: &'a str,
    operation: &'a Value,
}

impl Place<'_> {
    fn id(&self) -> &str {
        text(self.operation, "/operationId")
    }

    fn is_of(&self, tag: &str) -> bool {
        text(self.operation, "/tags/0") == tag
    }
}

fn operations(document: &Value) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    for (path, item) in members(document, "/paths").chain(members(document, "/webhooks")) {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                places.push(Place {
                    path,
                    method,
                    operation,
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

// rule: D-WEB-05, D-WEB-06
struct Page(String);

impl Page {
    fn raw(&mut self, html: &str) {
        self.0.push_str(html);
    }

    fn text(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '<' => self.raw("&lt;"),
                '>' => self.raw("&gt;"),
                '&' => self.raw("&amp;"),
                '"' => self.raw("&quot;"),
                other => self.0.push(other),
            }
        }
    }

    /// Text with code in backticks.
    fn inline(&mut self, text: &str) {
        for (at, part) in text.split('`').enumerate() {
            let is_code = at % 2 == 1;
            if is_code {
                self.raw("<code>");
            }
            self.text(part);
            if is_code {
                self.raw("</code>");
            }
        }
    }

    /// Paragraphs, and lists of lines that start with `- `.
    fn prose(&mut self, text: &str) {
        for block in text.split("\n\n").filter(|block| !block.is_empty()) {
            if block.starts_with("- ") {
                self.raw("<ul>");
                for line in block.split('\n') {
                    self.raw("<li>");
                    self.inline(line.trim_start_matches("- "));
                    self.raw("</li>");
                }
                self.raw("</ul>");
            } else {
                self.element("p", block);
            }
        }
    }

    fn element(&mut self, name: &str, text: &str) {
        let _ = write!(self.0, "<{name}>");
        self.inline(text);
        let _ = write!(self.0, "</{name}>");
    }

    fn link(&mut self, prefix: &str, name: &str, shown: &str) {
        let _ = write!(self.0, "<a href=\"#{prefix}-{name}\">");
        self.text(shown);
        self.raw("</a>");
    }

    fn contents(&mut self, document: &Value, operations: &[Place<'_>], order: &[&str]) {
        self.raw("<nav aria-label=\"Contents\"><h2>Contents</h2>");
        for tag in order {
            self.element("h3", tag);
            self.raw("<ul>");
            for place in operations.iter().filter(|place| place.is_of(tag)) {
                self.raw("<li>");
                let shown = format!("{} {}", place.method.to_uppercase(), place.path);
                self.link("op", place.id(), &shown);
                self.raw("</li>");
            }
            self.raw("</ul>");
        }
        self.element("h3", "Records");
        self.raw("<ul>");
        for (name, _) in members(document, "/components/schemas") {
            self.raw("<li>");
            self.link("record", name, name);
            self.raw("</li>");
        }
        self.raw("</ul><p>");
        self.raw("<a href=\"#failures\">Errors</a></p></nav>");
    }

    fn group(&mut self, document: &Value, tag: &str, operations: &[Place<'_>]) {
        self.raw("<section>");
        self.element("h2", tag);
        let about = entries(document, "tags").find(|entry| text(entry, "/name") == tag);
        self.element("p", about.map_or("", |about| text(about, "/description")));
        for place in operations.iter().filter(|place| place.is_of(tag)) {
            self.operation(place);
        }
        self.raw("</section>");
    }

    fn operation(&mut self, place: &Place<'_>) {
        let operation = place.operation;
        let _ = write!(self.0, "<section id=\"op-{}\">", place.id());
        let title = format!("`{} {}`", place.method.to_uppercase(), place.path);
        self.element("h3", &title);
        self.element("p", text(operation, "/summary"));
        self.prose(text(operation, "/description"));
        let scheme = entries(operation, "security").next();
        let scheme = scheme
            .and_then(Value::as_object)
            .and_then(|schemes| schemes.keys().next());
        self.element(
            "p",
            match scheme.map(String::as_str) {
                Some("bearer") => "Needs a bearer token.",
                Some(_) => "Needs user name and password.",
                None => "Needs no token.",
            },
        );
        self.parameters(operation);
        if let Some(body) = operation.get("requestBody") {
            self.element("h4", "Body");
            self.content(body);
        }
        self.responses(operation);
        self.raw("</section>");
    }

    fn parameters(&mut self, operation: &Value) {
        let mut list = entries(operation, "parameters").peekable();
        if list.peek().is_none() {
            return;
        }
        self.head("Parameters", &["Name", "In", "Required", "Type", "Meaning"]);
        for parameter in list {
            self.raw("<tr><th scope=\"row\"><code>");
            self.text(text(parameter, "/name"));
            self.raw("</code></th>");
            self.element("td", text(parameter, "/in"));
            let is_required = parameter.get("required") == Some(&Value::Bool(true));
            self.element("td", if is_required { "yes" } else { "no" });
            self.raw("<td>");
            self.kind(parameter.get("schema").unwrap_or(&Value::Null));
            self.raw("</td>");
            self.element("td", text(parameter, "/description"));
            self.raw("</tr>");
        }
        self.foot();
    }

    fn responses(&mut self, operation: &Value) {
        self.element("h4", "Answers");
        for (status, response) in members(operation, "/responses") {
            let reference = text(response, "/$ref");
            if reference.is_empty() {
                self.element(
                    "h5",
                    &format!("{status}: {}", text(response, "/description")),
                );
                self.headers(response);
                self.content(response);
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

    fn headers(&mut self, response: &Value) {
        self.head("Header fields", &["Name", "Meaning"]);
        for (name, header) in members(response, "/headers") {
            self.raw("<tr><th scope=\"row\"><code>");
            self.text(name);
            self.raw("</code></th>");
            self.element("td", text(header, "/description"));
            self.raw("</tr>");
        }
        self.foot();
    }

    /// Media types with their schema and example.
    fn content(&mut self, holder: &Value) {
        for (media_type, content) in members(holder, "/content") {
            self.raw("<p><code>");
            self.text(media_type);
            self.raw("</code>: ");
            self.kind(content.get("schema").unwrap_or(&Value::Null));
            self.raw("</p>");
            if let Some(example) = content.get("example") {
                self.example(example);
            }
        }
    }

    fn example(&mut self, example: &Value) {
        self.raw("<details><summary>Example</summary><pre tabindex=\"0\">");
        let written = match example {
            Value::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).unwrap_or_default(),
        };
        self.text(&written);
        self.raw("</pre></details>");
    }

    fn failures(&mut self, document: &Value) {
        self.raw("<section id=\"failures\">");
        self.element("h2", "Errors");
        for (name, response) in members(document, "/components/responses") {
            let _ = write!(self.0, "<section id=\"failure-{name}\">");
            self.element("h3", name);
            self.element("p", text(response, "/description"));
            self.headers(response);
            self.content(response);
            self.raw("</section>");
        }
        self.raw("</section>");
    }

    fn records(&mut self, document: &Value) {
        self.raw("<section id=\"records\">");
        self.element("h2", "Records");
        for (name, schema) in members(document, "/components/schemas") {
            let _ = write!(self.0, "<section id=\"record-{name}\">");
            self.element("h3", name);
            self.members(schema);
            self.raw("</section>");
        }
        self.raw("</section>");
    }

    fn members(&mut self, schema: &Value) {
        self.head("Members", &["Name", "Required", "Type", "Meaning"]);
        for (name, member) in members(schema, "/properties") {
            self.raw("<tr><th scope=\"row\"><code>");
            self.text(name);
            self.raw("</code></th>");
            let is_required = entries(schema, "required").any(|entry| entry == name);
            self.element("td", if is_required { "yes" } else { "no" });
            self.raw("<td>");
            self.kind(member);
            self.raw("</td>");
            self.element("td", text(member, "/description"));
            self.raw("</tr>");
        }
        self.foot();
    }

    fn head(&mut self, caption: &str, columns: &[&str]) {
        self.raw("<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"");
        self.text(caption);
        self.raw("\"><table><caption>");
        self.text(caption);
        self.raw("</caption><thead><tr>");
        for column in columns {
            self.raw("<th scope=\"col\">");
            self.text(column);
            self.raw("</th>");
        }
        self.raw("</tr></thead><tbody>");
    }

    fn foot(&mut self) {
        self.raw("</tbody></table></div>");
    }

    /// The type of a schema with its limits; records as links.
    fn kind(&mut self, schema: &Value) {
        let reference = text(schema, "/$ref").rsplit('/').next().unwrap_or_default();
        if !reference.is_empty() {
            return self.link("record", reference, reference);
        }
        if let Some(choice) = entries(schema, "anyOf").next() {
            return self.kind(choice);
        }
        match type_of(schema) {
            "array" => {
                self.raw("list of ");
                self.kind(schema.get("items").unwrap_or(&Value::Null));
            }
            "object" => self.inner(schema),
            name => self.text(name),
        }
        self.bounds(schema);
    }

    /// A nested object schema without a name.
    fn inner(&mut self, schema: &Value) {
        self.raw("{ ");
        for (name, member) in members(schema, "/properties") {
            self.raw("<code>");
            self.text(name);
            self.raw("</code>: ");
            self.kind(member);
            self.raw(" ");
        }
        self.raw("}");
    }

    fn bounds(&mut self, schema: &Value) {
        let named = [
            ("format", ""),
            ("minLength", "at least characters: "),
            ("maxLength", "at most characters: "),
            ("minItems", "at least entries: "),
            ("maxItems", "at most entries: "),
            ("minimum", "from "),
            ("exclusiveMinimum", "above "),
            ("maximum", "to "),
            ("exclusiveMaximum", "below "),
            ("contentEncoding", ""),
        ];
        for (name, words) in named {
            if let Some(bound) = schema.get(name) {
                let bound = bound
                    .as_str()
                    .map_or_else(|| bound.to_string(), str::to_owned);
                let _ = write!(self.0, ", {words}");
                self.text(&bound);
            }
        }
        let values: Vec<String> = entries(schema, "enum")
            .filter(|value| !value.is_null())
            .map(|value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), |text| format!("\"{text}\""))
            })
            .collect();
        if !values.is_empty() {
            self.raw(": ");
            self.text(&values.join(", "));
        }
    }
}

/// The type other than `null`.
fn type_of(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter_map(Value::as_str);
            names.find(|name| *name != "null").unwrap_or_default()
        }
        _ => "anything",
    }
}
