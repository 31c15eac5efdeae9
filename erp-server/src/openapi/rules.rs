//! What the wire tables say of values besides type and length, and the required fields of components that are another form
//! of a table.

use erp_core::internal::tables::Direction;
use erp_core::internal::wire::{Field, Rule, Spelling};
use serde_json::json;

use super::object::Object;
use super::rows;

/// Required fields of components that are another form of a table; those of all others are in the tables.
/// A token of one customer may leave out that customer and its terms.
pub(crate) const OTHER_FORMS: &[(&str, &[&str])] = &[
    (
        "SingleArticle",
        &[
            "ArtNr", "AnLager", "WUSTSatz", "WaehrAbk", "HatVPE", "links",
        ],
    ),
    ("OrderBody", &["Positionen"]),
    ("OrderBodyHeader", &[]),
    ("ConversionBodyHeader", &["OffertNr"]),
    ("CustomerBody", &["Adressen"]),
    ("CustomerBodyHeader", &[]),
];

pub(super) fn is_required(component: &str, field: &Field) -> bool {
    let other = OTHER_FORMS.iter().find(|(name, _)| *name == component);
    other.map_or(field.required, |(_, members)| members.contains(&field.wire))
}

/// What the table says of a value besides its type.
pub(super) fn constrained(
    field: &Field,
    side: Direction,
    is_required: bool,
    schema: Object,
) -> Object {
    let is_sent_to_us = side == Direction::Request;
    let schema = match (field.rule, field.spelling) {
        (Rule::YesNo, _) => return schema.enum_values(["J", "N"]),
        (_, Spelling::Words(words)) => return schema.enum_values(words.iter().copied()),
        (Rule::OneZero, _) => return schema.minimum(0).maximum(1),
        (Rule::Salutation, _) => return schema.minimum(0).maximum(2),
        // The interface says 36 of those in documents, which are copies of longer ones.
        _ if !is_sent_to_us && field.wire.starts_with("AdrAdresse") => {
            return schema.max_length(60);
        }
        _ if !is_sent_to_us => return schema,
        (_, Spelling::Letters(letters)) => return code(schema, is_required, letters),
        _ => schema,
    };
    match field.rule {
        Rule::Quantity => amount(schema).with("exclusiveMinimum", 0),
        Rule::ChangedQuantity | Rule::Amount => amount(schema).minimum(0),
        Rule::Percent => schema.minimum(0).maximum(100),
        Rule::Stock => {
            let most = erp_core::limits::STOCK_BELOW;
            let schema = schema.with("exclusiveMaximum", most);
            schema.with(
                "exclusiveMinimum",
                i64::try_from(most).map_or(0, |most| -most),
            )
        }
        Rule::Natural => schema.minimum(0),
        Rule::Positive => schema.minimum(1),
        Rule::Digits => schema.pattern("^[1-9][0-9]* *$"),
        Rule::Processing => schema.enum_values(["C", "N"]),
        Rule::Colour => schema.pattern("^(#[0-9A-Fa-f]{6})? *$"),
        Rule::Base64 => schema.with("contentEncoding", "base64"),
        // A string of blanks counts as missing.
        _ if is_required && is_text(&schema) => schema.min_length(1).pattern(r"\S"),
        _ => schema,
    }
}

/// An address requires one of two fields. Described as text, because client generators do not support `if` and
/// `then`.
pub(crate) fn company_or_name(schema: Object) -> Object {
    schema.description("An address. Without `AdrFirma` it needs an `AdrName`.")
}

/// The error details that only the HTTP interface has: name, type, meaning.
const DETAILS: &str = include_str!("details.tsv");

/// Adds them, and the checks of `/health/ready`.
pub(crate) fn details(mut schema: Object) -> Object {
    for [name, kind, about] in rows(DETAILS) {
        let detail = Object::with_type(kind).description(about);
        schema = match kind {
            "integer" => schema.property(name, detail.format("int64")),
            _ => schema.property(name, detail),
        };
    }
    let checks = Object::new()
        .description("The checks of `/health/ready` and what they found (status 503)")
        .with("additionalProperties", Object::with_type("string"));
    schema.property("checks", checks)
}

/// An amount or quantity within its limit, with at most six fraction digits.
fn amount(schema: Object) -> Object {
    schema.with("exclusiveMaximum", erp_core::limits::AMOUNT_BELOW)
}

/// A code of letters in either case, with optional trailing blanks.
fn code(schema: Object, is_required: bool, letters: usize) -> Object {
    let letters = format!("[A-Za-z]{{{letters}}}");
    let pattern = if is_required {
        format!("^{letters} *$")
    } else {
        format!("^({letters})? *$")
    };
    schema.pattern(pattern)
}

fn is_text(schema: &Object) -> bool {
    schema.get("type") == Some(&json!("string"))
}
