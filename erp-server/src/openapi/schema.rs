//! Converts the wire tables to schemas: one component per record, with the wire names of its fields.

use erp_core::import::RowKind;
use erp_core::internal::response::Article;
use erp_core::internal::tables::{ALL_TABLES, Direction};
use erp_core::internal::wire::{Field, Kind, Record, Rule, Schema as Table};
use serde_json::{Value, json};

use super::object::Object;
use super::rules;

/// Records with other required fields in one context: the same table under another component name.
const VARIANTS: [(&str, &Table, Direction); 1] =
    [("SingleArticle", Article::SCHEMA, Direction::Response)];

pub(crate) fn records(lifetime_as_text: bool) -> Object {
    let tables = ALL_TABLES
        .iter()
        .map(|table| (table.schema.name, table.schema, table.direction));
    let mut components = Object::default();
    for (name, table, side) in tables.chain(VARIANTS) {
        let record = record(name, table, side, lifetime_as_text);
        components.add("schemas", name, record);
    }
    let meaning = "A row of an import: an object with one member, which names its kind";
    let mut line = Object::new().description(meaning);
    for kind in RowKind::ALL {
        let name = format!("{ROW}{}", kind.as_str());
        let table = kind.schema();
        line = line.property(kind.as_str(), about(table.meaning, named(&name)));
        add_row(&mut components, &name, table);
    }
    let line = line.with("minProperties", 1).with("maxProperties", 1);
    components.add("schemas", LINE, line);
    components
}

/// The component of any row of an import.
const LINE: &str = "ImportRow";

/// How the names of the records in rows begin; behind it is a kind of rows, or the name of a record in one.
const ROW: &str = "Row";

/// Adds the record of a row with those in it.
fn add_row(components: &mut Object, name: &str, table: &Table) {
    components.add(
        "schemas",
        name,
        record(name, table, Direction::Request, false),
    );
    for field in table.fields {
        if let Kind::Object(inner) | Kind::List(inner) = field.kind {
            add_row(components, &row_name(inner), inner);
        }
    }
}

fn row_name(table: &Table) -> String {
    format!("{ROW}{}", table.name.trim_end_matches(ROW))
}

fn record(name: &str, table: &Table, side: Direction, lifetime_as_text: bool) -> Object {
    let mut schema = Object::new();
    for field in table.fields {
        let is_required = rules::is_required(name, field);
        if is_required {
            schema = schema.required(field.wire);
        }
        let member = Member {
            side,
            is_required,
            is_of_row: name.starts_with(ROW),
            is_nullable: side == Direction::Request && !is_required,
            lifetime_as_text,
        };
        schema = schema.property(field.wire, member.schema(field));
    }
    match name {
        "AddressBody" | "RowAddress" => schema = rules::company_or_name(schema),
        "ErrorInfo" => schema = rules::details(schema),
        _ => {}
    }
    schema
}

struct Member {
    side: Direction,
    is_required: bool,
    is_of_row: bool,
    /// Whether `null` is allowed and means absent.
    is_nullable: bool,
    lifetime_as_text: bool,
}

impl Member {
    fn schema(&self, field: &Field) -> Value {
        match field.kind {
            Kind::Object(table) => self.object(field, table),
            Kind::List(table) => self.list(field, named(&self.name_of(table))),
            Kind::Texts => self.list(field, text().into()),
            _ => self.value(field).into(),
        }
    }

    fn name_of(&self, table: &Table) -> String {
        if self.is_of_row {
            row_name(table)
        } else {
            table.name.to_owned()
        }
    }

    fn object(&self, field: &Field, table: &Table) -> Value {
        let name = named(&self.name_of(table));
        let about = field.meaning.trim();
        if self.is_nullable {
            json!({"anyOf": [name, {"type": "null"}], "description": about})
        } else {
            self::about(about, name)
        }
    }

    fn list(&self, field: &Field, entry: Value) -> Value {
        let mut list = self
            .simple("array")
            .with("items", entry)
            .description(field.meaning.trim());
        if self.side == Direction::Request {
            list = list.with("maxItems", field.most);
            if !self.is_nullable {
                list = list.with("minItems", 1);
            }
        }
        list.into()
    }

    fn value(&self, field: &Field) -> Object {
        let schema = match field.kind {
            Kind::Varchar(limit) | Kind::Char(limit) => self.simple("string").max_length(limit),
            Kind::DateTime => self.time(),
            Kind::Int if field.rule == Rule::Lifetime && self.lifetime_as_text => {
                self.simple("string").pattern("^[0-9]+$")
            }
            Kind::Int => self.whole(i32::MIN, i32::MAX),
            Kind::TinyInt => self.whole(0, i32::from(u8::MAX)),
            Kind::Float | Kind::Money => self.simple("number"),
            Kind::Bool => self.simple("boolean"),
            _ => self.simple("string"),
        };
        let schema = schema.description(field.meaning.trim());
        rules::constrained(field, self.side, self.is_required, schema)
    }

    /// Request fields may also be a date or an empty string, so their times have no `format`.
    fn time(&self) -> Object {
        let schema = self.simple("string");
        match self.side {
            Direction::Request => schema.pattern(TIME).with("examples", json!(TIMES)),
            Direction::Response => schema.format("date-time"),
        }
    }

    fn whole(&self, lowest: i32, highest: i32) -> Object {
        let schema = self.simple("integer");
        let schema = schema.format("int32");
        match self.side {
            Direction::Request => schema.minimum(lowest).maximum(highest),
            Direction::Response => schema,
        }
    }

    fn simple(&self, kind: &str) -> Object {
        if self.is_nullable {
            Object::with_type([kind, "null"])
        } else {
            Object::with_type(kind)
        }
    }
}

/// RFC 3339 time, a date, or an empty string.
const TIME: &str = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2}))?)? *$";

const TIMES: [&str; 2] = ["2026-06-01T10:00:00Z", "2026-06-01"];

pub(crate) fn text() -> Object {
    Object::with_type("string")
}

pub(crate) fn text_of(most: usize) -> Object {
    text().max_length(most)
}

/// A query string value without control characters.
pub(crate) fn plain(most: usize) -> Object {
    text_of(most).pattern(r"^[^\x00-\x1f\x7f-\x9f]*$")
}

/// A text of a body, which may have tabs and line ends.
pub(crate) fn written(most: usize) -> Object {
    text_of(most).pattern(r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$")
}

/// The same as [`plain`], with at least one non-blank character.
pub(crate) fn filled(most: usize) -> Object {
    text_of(most)
        .min_length(1)
        .pattern(r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$")
}

pub(crate) fn one_of<const N: usize>(texts: [&str; N]) -> Object {
    text().enum_values(texts)
}

/// An integer from 0 to `most`.
pub(crate) fn count(most: u32) -> Object {
    Object::with_type("integer").minimum(0).maximum(most)
}

/// A non-negative 64-bit integer.
pub(crate) fn whole() -> Object {
    Object::with_type("integer").format("int64").minimum(0)
}

pub(crate) fn flag() -> Object {
    Object::with_type("boolean")
}

pub(crate) fn or_null(schema: Object) -> Object {
    match schema.get("type").cloned() {
        Some(Value::String(kind)) => schema.with("type", [kind.as_str(), "null"]),
        _ => schema,
    }
}

pub(crate) fn bytes() -> Object {
    text().format("binary")
}

/// Lines of JSON, each a row of an import.
pub(crate) fn lines_of_rows() -> Object {
    text()
        .description(
            "One row per line. One that removes (`Loeschen`) needs only what names the record.",
        )
        .with("contentMediaType", "application/x-ndjson")
        .with("contentSchema", named(LINE))
}

pub(crate) fn named(name: &str) -> Value {
    json!({"$ref": reference(name)})
}

fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

pub(crate) fn list_of(name: &str) -> Value {
    Object::with_type("array").with("items", named(name)).into()
}

pub(crate) fn list(entry: Object) -> Value {
    Object::with_type("array").with("items", entry).into()
}

pub(crate) fn about(text: &str, schema: impl Into<Value>) -> Value {
    let mut schema = schema.into();
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), text.into());
    }
    schema
}

/// `{"data": ...}`
pub(crate) fn data(payload: Value) -> Value {
    let object = Object::new().member("data", "What was asked for", payload);
    object.into()
}

/// `{"count": ..., "success": ..., "data": ...}`
pub(crate) fn counted(payload: Value) -> Value {
    Object::new()
        .member("count", "How many entries there are", whole())
        .member("success", "Whether something was found or done", flag())
        .member("data", "What was asked for", payload)
        .into()
}

const MOMENT: &str = r"^([0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$";

/// An optional time in a query. Uses a pattern, because client generators cannot handle a choice of strings.
pub(crate) fn moment() -> Object {
    text_of(64).pattern(MOMENT)
}
