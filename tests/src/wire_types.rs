//! The resources of the interface as TypeScript types, for the npm package: one source, the tables in
//! `erp_core::internal::wire`.

use std::fmt::Write as _;

use erp_core::Code;
use erp_core::internal::tables::{ALL_TABLES, Direction};
use erp_core::internal::wire::{Field, Kind, Schema};

/// The text of `erp-wasm/npm/src/wire.ts`.
#[must_use]
pub fn wire_types() -> String {
    let mut text = String::from(
        "// Made from the tables of the interface by `cargo run -p erp-tests --example wire_types`.\n\n",
    );
    text.push_str(
        "/** The stable codes of problems. They only ever grow. */\nexport type ProblemCode =\n",
    );
    let codes: Vec<String> = Code::ALL
        .iter()
        .map(|code| format!("  | \"{code}\""))
        .collect();
    text.push_str(&codes.join("\n"));
    text.push_str(";\n");
    for table in ALL_TABLES {
        text.push_str(&interface(table.schema, table.direction));
    }
    text
}

/// A response type has its required fields and never `null`. The members of a body are optional, because clients fill
/// them in step by step.
fn interface(schema: &Schema, side: Direction) -> String {
    let mut text = format!(
        "\n/** {} */\nexport interface {} {{\n",
        schema.meaning.trim(),
        schema.name
    );
    for field in schema.fields {
        let (mark, null) = match side {
            Direction::Request => ("?", " | null"),
            Direction::Response if field.required => ("", ""),
            Direction::Response => ("?", ""),
        };
        let _ = writeln!(
            text,
            "  /** {}{} */\n  {}{mark}: {}{null};",
            field.meaning.trim(),
            bound(field),
            field.wire,
            type_of(&field.kind)
        );
    }
    text.push_str("}\n");
    text
}

fn bound(field: &Field) -> String {
    match field.kind {
        Kind::Varchar(limit) | Kind::Char(limit) => format!(" At most {limit} characters."),
        _ => String::new(),
    }
}

fn type_of(kind: &Kind) -> String {
    match kind {
        Kind::Int | Kind::TinyInt | Kind::Float | Kind::Money => "number".to_owned(),
        Kind::Bool => "boolean".to_owned(),
        Kind::Object(schema) => schema.name.to_owned(),
        Kind::List(schema) => format!("{}[]", schema.name),
        Kind::Texts => "string[]".to_owned(),
        _ => "string".to_owned(),
    }
}
