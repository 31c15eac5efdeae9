//! `/admin/import`, `/admin/export`, `/admin/auftrag`.

use erp_core::import::RowKind;
use serde_json::{Value, json};

use super::headers::{ATTACHMENT, ETAG};
use super::operation::{Described, example};
use super::schema::{bytes, data, named, object, one_of, text, text_of, whole};

pub(super) fn operations() -> Vec<Described> {
    vec![
        import(),
        Described::get("/admin/export", "exportData", "All data as lines of the import")
            .about("Company, tax codes, articles, prices, stock, customers and media as rows that `POST /admin/import` reads, then orders (`Auftrag`) and offers (`Offerte`), which an import reads over. Each line is one record as it was at some moment of the answer. Media rows name their files by SHA-256; the files are not part of it.")
            .admin()
            .answers_file(200, "One JSON object a line", &[("application/x-ndjson", bytes())])
            .tells(&[200], &[ATTACHMENT]),
        Described::put(
            "/admin/auftrag/{AuftNr}/status",
            "setOrderStatus",
            "Move an order on",
        )
        .admin()
        .place("AuftNr", "Order number", text_of(10), json!("100001"))
        .fails(&[409])
        .json_body_of(
            object([(
                "AuftStatus",
                one_of(["N", "O", "A"])
                    .description("The next status: N to O, O to A, N to A")
                    .into(),
            )])
            .into(),
            json!({"AuftStatus": "O"}),
        )
        .answers(
            200,
            "The order",
            data(named("Order")),
            example(include_str!("examples/order.json")),
        )
        .tells(&[200], &[ETAG]),
    ]
}

fn import() -> Described {
    let row = r#"{"Artikel": {"ArtNr": "A-100", "ArtBez": "Locher", "AnLager": "J"}}"#;
    let counted = |about: &str| whole().description(about).into();
    let kind = text().enum_values(RowKind::ALL.map(RowKind::as_str));
    Described::post(
        "/admin/import",
        "importMasterData",
        "Import master data, all or nothing",
    )
    .admin()
    .query_like(
        "kind",
        "The kind of the rows of a CSV body",
        kind,
        json!("Artikel"),
    )
    .query(
        "dry_run",
        "Check the rows and count what would change, without writing anything",
        one_of(["true", "false", ""]),
    )
    .body([
        ("application/x-ndjson", text(), json!(row)),
        (
            "text/csv",
            text(),
            Value::from("ArtNr;ArtBez;AnLager\nA-100;Locher;J\n"),
        ),
    ])
    .or_no_body()
    .fails(&[422])
    .answers(
        200,
        "What became of the rows",
        data(
            object([
                ("rows", counted("All rows: the sum of the other counts")),
                ("added", counted("Rows that created a record")),
                ("changed", counted("Rows that changed a record")),
                ("removed", counted("Rows that removed a record")),
                ("unchanged", counted("Rows that changed nothing")),
                ("skipped", counted("Rows of orders and offers, which are skipped")),
            ])
            .into(),
        ),
        json!({"data": {"rows": 1, "added": 1, "changed": 0, "removed": 0, "unchanged": 0, "skipped": 0}}),
    )
}
