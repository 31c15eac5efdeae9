//! Invoices with the verdicts of the official artefacts.

use std::path::Path;

use serde_json::{Value, json};

/// The folder of the project's own cases; its README describes their form.
pub const OWN_INVOICE_CASES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../erp-core/zugferd/check/tests/verdicts"
);

/// An invoice and what the official artefacts say of it.
pub struct InvoiceCase {
    /// Base and kind.
    pub name: String,
    /// The document.
    pub xml: Vec<u8>,
    /// The verdict of each set, by the set's name.
    pub verdicts: Value,
    /// The rules of each set on which two processors of the official artefacts disagree.
    pub disputed: Value,
}

/// All cases of a folder; those on the structure of UBL alone are in a file of their own, which may be missing.
///
/// # Panics
/// If a case is not as the README describes.
#[must_use]
#[expect(clippy::expect_used, reason = "only tests call it")]
pub fn invoice_cases(folder: &Path) -> Vec<InvoiceCase> {
    let all = std::fs::read_to_string(folder.join("cases.jsonl")).expect("cases.jsonl");
    let of_ubl = std::fs::read_to_string(folder.join("ubl-cases.jsonl")).unwrap_or_default();
    let lines = all.lines().chain(of_ubl.lines());
    lines
        .map(|line| case(folder, &serde_json::from_str(line).expect("JSON")))
        .collect()
}

#[expect(clippy::expect_used, reason = "only tests call it")]
fn case(folder: &Path, case: &Value) -> InvoiceCase {
    let text = |name: &str| case.get(name).and_then(Value::as_str);
    let name = text("name").expect("name").to_owned();
    let base = format!("bases/{}.xml", text("base").expect("base"));
    let mut xml = std::fs::read_to_string(folder.join(base)).expect("a base");
    let edits = case.get("edits").and_then(Value::as_array).expect("edits");
    for edit in edits {
        let part = |place: usize| edit.get(place).and_then(Value::as_str).expect("an edit");
        let (old, new) = (part(0), part(1));
        assert_eq!(xml.matches(old).count(), 1, "{name}: `{old}`");
        xml = xml.replacen(old, new, 1);
    }
    let field = |name: &str| case.get(name).unwrap_or(&Value::Null);
    let structure = field("verdict");
    let verdicts = match field("verdicts") {
        // Where two readers of the schema disagree there is no verdict.
        Value::Null if structure.get("disputed").is_some() => json!({}),
        Value::Null => json!({"ubl21": structure}),
        verdicts => verdicts.clone(),
    };
    InvoiceCase {
        xml: encoded(&xml, text("encoding").unwrap_or("utf-8")),
        verdicts,
        disputed: field("disputed").clone(),
        name,
    }
}

#[expect(clippy::expect_used, clippy::panic, reason = "only tests call it")]
fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    let with_mark = || format!("\u{feff}{text}");
    let byte = |letter: char| u8::try_from(u32::from(letter)).expect("a letter of Latin 1");
    match encoding {
        "utf-8" => text.as_bytes().to_vec(),
        "utf-8-bom" => with_mark().into_bytes(),
        "utf-16le-bom" => with_mark()
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect(),
        "utf-16be-bom" => with_mark()
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect(),
        "iso-8859-1" => text.chars().map(byte).collect(),
        other => panic!("{other}"),
    }
}
