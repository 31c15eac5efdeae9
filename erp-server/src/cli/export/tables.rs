//! The files of `erp-server export --tables`: one for each kind of rows, and the statements by which DuckDB reads them as tables
//! whose columns have the same types whatever the rows hold.

use std::fmt::Write as _;

use erp_core::import::RowKind;
use erp_core::internal::master::ForgottenCustomer;
use erp_core::internal::response::{Invoice, Offer, Order};
use erp_core::internal::wire::{Kind, Record, Schema, view};

pub(super) const STATEMENTS: &str = "tables.sql";

/// Members that rows have beside those of their tables.
const NOTE: (&str, &str) = ("note", "VARCHAR");

/// The name of each table, which is that of its file too, with the members of its rows.
fn tables() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let master = RowKind::ALL.map(|kind| (kind.as_str(), kind.schema()));
    let documents = [
        ("Auftrag", <Order as Record<view::Response>>::SCHEMA),
        ("Offerte", <Offer as Record<view::Response>>::SCHEMA),
        ("Rechnung", <Invoice as Record<view::Response>>::SCHEMA),
    ];
    let all = master.into_iter().chain(documents);
    all.map(|(name, schema)| {
        let mut columns = columns(schema);
        if name == "Auftrag" {
            columns.push((NOTE.0, NOTE.1.to_owned()));
        }
        if name == RowKind::Customer.as_str() {
            let more = self::columns(<ForgottenCustomer as Record<view::Row>>::SCHEMA);
            for (column, kind) in more {
                if columns.iter().all(|(known, _)| *known != column) {
                    columns.push((column, kind));
                }
            }
        }
        (name, columns)
    })
    .collect()
}

fn columns(schema: &Schema) -> Vec<(&'static str, String)> {
    let fields = schema.fields.iter();
    fields
        .filter(|field| field.wire != "Loeschen")
        .map(|field| (field.wire, type_of(field.kind)))
        .collect()
}

/// Amounts have at most six decimal places, and sums more digits than a 64-bit number.
fn type_of(kind: Kind) -> String {
    let word = match kind {
        Kind::Int | Kind::TinyInt => "BIGINT",
        Kind::Float | Kind::Money => "DECIMAL(38, 6)",
        Kind::Bool => "BOOLEAN",
        Kind::DateTime => "TIMESTAMP",
        Kind::Object(schema) => return structure(schema),
        Kind::List(schema) => return format!("{}[]", structure(schema)),
        Kind::Texts => "VARCHAR[]",
        _ => "VARCHAR",
    };
    word.to_owned()
}

fn structure(schema: &Schema) -> String {
    let members = columns(schema).into_iter();
    let members: Vec<String> = members
        .map(|(name, kind)| format!("\"{name}\" {kind}"))
        .collect();
    format!("STRUCT({})", members.join(", "))
}

pub(super) fn names() -> Vec<&'static str> {
    tables().into_iter().map(|(name, _)| name).collect()
}

pub(super) fn file_of(table: &str) -> String {
    format!("{table}.ndjson")
}

/// The statements that make a table of each file.
pub(super) fn statements() -> String {
    let mut text =
        String::from("-- Tables of this export. In this folder: duckdb -init tables.sql\n");
    for (table, columns) in tables() {
        let file = file_of(table);
        let _ = write!(
            text,
            "\nCREATE OR REPLACE TABLE \"{table}\" AS SELECT * FROM read_json('{file}', format = 'newline_delimited', columns = {{"
        );
        for (at, (name, kind)) in columns.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(text, "{comma}\n  \"{name}\": '{kind}'");
        }
        text.push_str("\n});\n");
    }
    text
}
