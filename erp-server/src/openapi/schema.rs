//! The wire tables as schemas: one component for each record, its members by their wire names.

use erp_core::limits::PAYMENTS_PER_DOCUMENT;
use erp_core::limits::POSITIONS_PER_DOCUMENT;
use erp_core::wire::{
    ALL_SCHEMAS, AddressesBody, Article, Direction, Field, Kind, Record, Schema as Table,
};
use salvo_oapi::schema::{
    AnyOf, Array, BasicType, KnownFormat, Object, Ref, Schema, SchemaFormat, SchemaType,
};
use salvo_oapi::{Components, RefOr};
use serde_json::json;

use super::rules;

/// Records of the core that the HTTP interface does not send.
const NOT_SENT: [&str; 1] = ["OfferNumberAnswer"];

/// Records that have other required members in one place; the same table under a name of its own.
const VARIANTS: [(&str, &Table, Direction); 2] = [
    (
        "CustomerAddressesBody",
        AddressesBody::SCHEMA,
        Direction::Request,
    ),
    ("SingleArticle", Article::SCHEMA, Direction::Response),
];

/// Every record of the interface as a component.
pub(super) fn records(lifetime_as_text: bool) -> Components {
    let tables = ALL_SCHEMAS
        .iter()
        .map(|(table, side)| (table.name, *table, *side));
    let mut components = Components::new();
    for (name, table, side) in tables.chain(VARIANTS) {
        if !NOT_SENT.contains(&name) {
            let record = record(name, table, side, lifetime_as_text);
            components.schemas.insert(name, record);
        }
    }
    components
}

fn record(name: &str, table: &Table, side: Direction, lifetime_as_text: bool) -> Object {
    let mut schema = Object::with_type(BasicType::Object);
    for field in table.fields {
        let is_required = rules::required(name).contains(&field.wire);
        if is_required {
            schema = schema.required(field.wire);
        }
        let place = Place {
            component: name,
            side,
            is_nullable: side == Direction::Request && !is_required,
            lifetime_as_text,
        };
        schema = schema.property(field.wire, place.member(field));
    }
    match name {
        "AddressBody" => schema = rules::company_or_name(schema),
        "ErrorInfo" => schema = rules::details(schema),
        _ => {}
    }
    schema
}

/// Where a member stands.
struct Place<'a> {
    component: &'a str,
    side: Direction,
    /// `null` is the same as absent.
    is_nullable: bool,
    lifetime_as_text: bool,
}

impl Place<'_> {
    fn member(&self, field: &Field) -> RefOr<Schema> {
        match field.kind {
            Kind::Object(table) => self.object(field, table),
            Kind::List(table) => self.list(field, Ref::from_schema_name(table.name).into()),
            Kind::Texts => self.list(field, text().into()),
            _ => self.value(field).into(),
        }
    }

    fn object(&self, field: &Field, table: &Table) -> RefOr<Schema> {
        let name = match (self.component, table.name) {
            ("CustomerBody", "AddressesBody") => "CustomerAddressesBody",
            (_, name) => name,
        };
        let reference = Ref::from_schema_name(name).description(field.meaning.trim());
        if !self.is_nullable {
            return RefOr::Ref(reference);
        }
        let null = Object::with_type(BasicType::Null);
        RefOr::Type(Schema::AnyOf(
            AnyOf::new()
                .item(Ref::from_schema_name(name))
                .item(null)
                .description(field.meaning.trim()),
        ))
    }

    fn list(&self, field: &Field, entry: RefOr<Schema>) -> RefOr<Schema> {
        let mut list = Array::new()
            .items(entry)
            .description(field.meaning.trim())
            .schema_type(self.typed(BasicType::Array));
        if self.side == Direction::Request {
            list = list.max_items(match field.wire {
                "Zahlung" => PAYMENTS_PER_DOCUMENT,
                _ => POSITIONS_PER_DOCUMENT,
            });
            if !self.is_nullable {
                list = list.min_items(1);
            }
        }
        RefOr::Type(Schema::Array(list))
    }

    fn value(&self, field: &Field) -> Object {
        let schema = match field.kind {
            Kind::Varchar(limit) | Kind::Char(limit) => {
                self.simple(BasicType::String).max_length(limit)
            }
            Kind::DateTime => self.time(),
            Kind::Int if field.wire == "expires_in" && self.lifetime_as_text => {
                self.simple(BasicType::String).pattern("^[0-9]+$")
            }
            Kind::Int => self.whole(i32::MIN, i32::MAX),
            Kind::TinyInt => self.whole(0, i32::from(u8::MAX)),
            Kind::Float | Kind::Money => self.simple(BasicType::Number),
            Kind::Bool => self.simple(BasicType::Boolean),
            _ => self.simple(BasicType::String),
        };
        let schema = schema.description(field.meaning.trim());
        match self.side {
            Direction::Request => rules::of_body(self.component, field.wire, schema),
            Direction::Response => rules::of_answer(self.component, field.wire, schema),
        }
    }

    /// Bodies may also hold a day, or nothing in an empty text, so their times have no `format`.
    fn time(&self) -> Object {
        let schema = self.simple(BasicType::String);
        match self.side {
            Direction::Request => schema.pattern(TIME).add_extension("examples", json!(TIMES)),
            Direction::Response => schema.format(SchemaFormat::KnownFormat(KnownFormat::DateTime)),
        }
    }

    fn whole(&self, lowest: i32, highest: i32) -> Object {
        let schema = self.simple(BasicType::Integer);
        let schema = schema.format(SchemaFormat::KnownFormat(KnownFormat::Int32));
        match self.side {
            Direction::Request => schema.minimum(lowest).maximum(highest),
            Direction::Response => schema,
        }
    }

    fn simple(&self, kind: BasicType) -> Object {
        Object::with_type(self.typed(kind))
    }

    fn typed(&self, kind: BasicType) -> SchemaType {
        if self.is_nullable {
            SchemaType::from_iter([kind, BasicType::Null])
        } else {
            kind.into()
        }
    }
}

/// RFC 3339, a day, or nothing.
const TIME: &str = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2}))?)? *$";

const TIMES: [&str; 2] = ["2026-06-01T10:00:00Z", "2026-06-01"];

/// A text.
pub(super) fn text() -> Object {
    Object::with_type(BasicType::String)
}

/// A text of at most so many characters.
pub(super) fn text_of(most: usize) -> Object {
    text().max_length(most)
}

/// A text of the query: without control characters.
pub(super) fn plain(most: usize) -> Object {
    text_of(most).pattern(r"^[^\x00-\x1f\x7f-\x9f]*$")
}

/// A text of the query that is more than blanks.
pub(super) fn filled(most: usize) -> Object {
    text_of(most)
        .min_length(1)
        .pattern(r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x20\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$")
}

/// One of some texts.
pub(super) fn one_of<const N: usize>(texts: [&str; N]) -> Object {
    text().enum_values(texts)
}

/// A whole number from 0 to `most`.
pub(super) fn count(most: usize) -> Object {
    Object::with_type(BasicType::Integer)
        .minimum(0)
        .maximum(most)
}

/// A whole number of 64 bits that is not below 0.
pub(super) fn whole() -> Object {
    Object::with_type(BasicType::Integer)
        .format(SchemaFormat::KnownFormat(KnownFormat::Int64))
        .minimum(0)
}

/// `true` or `false`.
pub(super) fn flag() -> Object {
    Object::with_type(BasicType::Boolean)
}

/// A time of an answer.
pub(super) fn time() -> Object {
    text().format(SchemaFormat::KnownFormat(KnownFormat::DateTime))
}

/// A value or `null`.
pub(super) fn or_null(schema: Object) -> Object {
    let SchemaType::Basic(kind) = schema.schema_type.clone() else {
        return schema;
    };
    schema.schema_type(SchemaType::from_iter([kind, BasicType::Null]))
}

/// The bytes of a file.
pub(super) fn bytes() -> Object {
    text().format(SchemaFormat::KnownFormat(KnownFormat::Binary))
}

/// A component.
pub(super) fn named(name: &str) -> RefOr<Schema> {
    RefOr::Ref(Ref::from_schema_name(name))
}

/// A list of a component.
pub(super) fn list_of(name: &str) -> RefOr<Schema> {
    RefOr::Type(Schema::Array(Array::new().items(named(name))))
}

/// A list of values.
pub(super) fn list(entry: Object) -> RefOr<Schema> {
    RefOr::Type(Schema::Array(Array::new().items(entry)))
}

/// An object of members that must all be there.
pub(super) fn object<const N: usize>(members: [(&str, RefOr<Schema>); N]) -> Object {
    members.into_iter().fold(
        Object::with_type(BasicType::Object),
        |object, (name, schema)| object.property(name, schema).required(name),
    )
}

/// `{"data": ...}`
pub(super) fn data(payload: RefOr<Schema>) -> RefOr<Schema> {
    object([("data", payload)]).into()
}

/// `{"count": ..., "success": ..., "data": ...}`
pub(super) fn counted(payload: RefOr<Schema>) -> RefOr<Schema> {
    let count = whole().description("How many entries there are");
    let success = flag().description("Whether something was found or done");
    object([
        ("count", count.into()),
        ("success", success.into()),
        ("data", payload),
    ])
    .into()
}
