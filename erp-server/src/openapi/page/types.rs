//! Types of fields: names, limits, values, and the fields of records.

use serde_json::Value;

use super::html::HtmlPage;
use super::{entries, members, text};

/// More values of a field than these are folded.
const FEW_VALUES: usize = 12;

impl HtmlPage {
    pub(super) fn fields(&mut self, schema: &Value) {
        self.head("Fields", &["Name", "Type", "Meaning"]);
        for (name, member) in members(schema, "/properties") {
            let is_required = entries(schema, "required").any(|entry| entry == name);
            self.row(name, "", is_required);
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
            _ => self.raw(words(schema)),
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
        let bound = |name| schema.get(name).map(shown);
        let number = |name| {
            schema
                .get(name)
                .filter(|number| !is_of_machine(number))
                .map(shown)
        };
        let after = |words, name| bound(name).map(|bound| format!("{words}{bound}"));
        let bounds = [
            range(bound("minLength"), bound("maxLength"), "character"),
            range(bound("minItems"), bound("maxItems"), "item"),
            range(number("minimum"), number("maximum"), ""),
            after("above ", "exclusiveMinimum"),
            after("below ", "exclusiveMaximum"),
            bound("contentEncoding").map(|encoding| format!("as {encoding}")),
        ];
        for bound in bounds.into_iter().flatten() {
            self.raw(", ");
            self.text(&bound);
        }
    }

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

fn words(schema: &Value) -> &'static str {
    match (type_of(schema), text(schema, "/format")) {
        ("string", "date-time") => "date and time",
        ("string", "binary") => "file",
        ("string", _) => "text",
        ("integer", _) => "whole number",
        ("number", _) => "number",
        ("boolean", _) => "true or false",
        ("null", _) => "nothing",
        _ => "anything",
    }
}

/// Whether a bound of a number is that of the machine's own numbers, which tells a reader nothing.
fn is_of_machine(bound: &Value) -> bool {
    let widest = u64::from(i32::MAX.unsigned_abs());
    bound
        .as_i64()
        .is_some_and(|bound| bound.unsigned_abs() >= widest)
}

fn shown(bound: &Value) -> String {
    bound
        .as_str()
        .map_or_else(|| bound.to_string(), str::to_owned)
}

/// How many there may be, with the word of what is counted.
fn range(least: Option<String>, most: Option<String>, of: &str) -> Option<String> {
    let count = match (&least, &most) {
        (Some(least), Some(most)) if least == most => most.clone(),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => return None,
    };
    if of.is_empty() {
        return Some(count);
    }
    let is_one = most.or(least).is_some_and(|last| last == "1");
    Some(counted(&count, of, is_one))
}

/// A number with a word, whose plural has an `s`.
pub(super) fn counted(count: &str, of: &str, is_one: bool) -> String {
    let plural = if is_one { "" } else { "s" };
    format!("{count} {of}{plural}")
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
