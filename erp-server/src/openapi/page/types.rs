//! Types of fields: names, limits, values, and the fields of records.

use std::fmt::Write as _;

use serde_json::Value;

use super::html::Page;
use super::{entries, members, text};

/// More values of a field than these are folded.
const FEW_VALUES: usize = 12;

/// Limits of a type with the words before them.
const BOUNDS: [(&str, &str); 10] = [
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

impl Page {
    /// The fields of a record.
    pub(super) fn fields(&mut self, schema: &Value) {
        self.head("Fields", &["Name", "Required", "Type", "Meaning"]);
        for (name, member) in members(schema, "/properties") {
            let is_required = entries(schema, "required").any(|entry| entry == name);
            self.row(name);
            self.element("td", yes_or_no(is_required));
            self.type_cell(member);
            self.element("td", text(member, "/description"));
            self.raw("</tr>");
        }
        self.foot();
    }

    pub(super) fn type_cell(&mut self, schema: &Value) {
        self.raw("<td>");
        self.kind(schema);
        self.raw("</td>");
    }

    /// The type of a schema with its limits; records as links.
    pub(super) fn kind(&mut self, schema: &Value) {
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
        self.values(schema);
    }

    /// A nested object schema without a name.
    fn inner(&mut self, schema: &Value) {
        self.raw("{ ");
        for (name, member) in members(schema, "/properties") {
            self.code(name);
            self.raw(": ");
            self.kind(member);
            self.raw(" ");
        }
        self.raw("}");
    }

    fn bounds(&mut self, schema: &Value) {
        for (name, words) in BOUNDS {
            if let Some(bound) = schema.get(name) {
                let _ = write!(self.0, ", {words}");
                self.text(&shown(bound));
            }
        }
    }

    /// The values a field may have.
    fn values(&mut self, schema: &Value) {
        let values = entries(schema, "enum").filter(|value| !value.is_null());
        let values: Vec<String> = values.map(ToString::to_string).collect();
        match values.len() {
            0 => {}
            1..=FEW_VALUES => {
                self.raw(": ");
                self.text(&values.join(", "));
            }
            count => {
                self.folded(&format!("{count} values"));
                self.text(&values.join(", "));
                self.unfolded();
            }
        }
    }
}

pub(super) const fn yes_or_no(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

fn shown(bound: &Value) -> String {
    bound
        .as_str()
        .map_or_else(|| bound.to_string(), str::to_owned)
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
