//! CSV: a header line with field names, then rows of one kind.
//!
//! A name with a dot addresses a nested object (`KontaktAdr.OrtName`), `attributes.NAME` the attribute of that
//! name. The separator is `;` when the header line contains one, else `,` or a tab. Empty fields count as absent.

use erp_core::Problem;
use erp_core::codes::Language;
use erp_core::erp::ImportRow;
use erp_core::import::{Row, RowKind};
use erp_core::json::{Digits, Json, Object};
use erp_core::problem::{Code, Path};
use erp_core::wire::{Field, Kind, Schema};
use serde_json::json;

use super::bad_rows::BadRow;

// rule: D-IMP-01
/// Passes every row to `take` until it returns `false`.
pub(super) fn rows(
    bytes: &[u8],
    kind: RowKind,
    language: Language,
    take: &mut impl FnMut(Result<ImportRow, BadRow>) -> bool,
) {
    let path = Path::ROOT.member(kind.as_str());
    objects(bytes, kind, &mut |object| {
        take(object.and_then(|(line, object)| {
            let row = Row::read_kind(kind, &object, &path, language);
            let row = row.map_err(|problems| BadRow {
                line,
                problems: problems.into_vec(),
            })?;
            Ok(ImportRow { line, row })
        }))
    });
}

/// Passes every row to `take` as the JSON object of the equivalent NDJSON line, with its line number.
pub(super) fn objects(
    bytes: &[u8],
    kind: RowKind,
    take: &mut impl FnMut(Result<(usize, Json), BadRow>) -> bool,
) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator(bytes))
        .flexible(false)
        .from_reader(bytes);
    let names = match reader.headers() {
        Ok(names) => names.clone(),
        Err(error) => {
            take(Err(unreadable(1, &error)));
            return;
        }
    };
    let problems: Vec<Problem> = names
        .iter()
        .filter_map(|name| {
            let message = unknown(kind.schema(), name.trim())?;
            Some(Problem::new(name, Code::UnknownMember, message))
        })
        .collect();
    if !problems.is_empty() {
        // One error for the column instead of one for each of its rows.
        take(Err(BadRow { line: 1, problems }));
        return;
    }
    for record in reader.records() {
        let row = match record {
            Ok(record) => {
                let line = record.position().map_or(0, csv::Position::line);
                object(
                    &names,
                    &record,
                    usize::try_from(line).unwrap_or(usize::MAX),
                    kind,
                )
            }
            Err(error) => {
                let line = error.position().map_or(0, csv::Position::line);
                Err(unreadable(
                    usize::try_from(line).unwrap_or(usize::MAX),
                    &error,
                ))
            }
        };
        if !take(row) {
            return;
        }
    }
}

// rule: D-IMP-09
/// The error for an unknown column name, with a suggestion.
fn unknown(schema: &Schema, name: &str) -> Option<String> {
    if name.starts_with("attributes.") {
        return None;
    }
    let (outer, inner) = match name.split_once('.') {
        Some((outer, inner)) => (outer, Some(inner)),
        None => (name, None),
    };
    let kind = schema.field(outer).map(|field| field.kind);
    match (kind, inner) {
        (Some(_), None) => return None,
        (Some(Kind::Object(nested)), Some(inner)) => return unknown(nested, inner),
        (Some(_), Some(_)) => return Some(format!("`{outer}` is no object")),
        (None, _) => {}
    }
    let likeness = |field: &Field| strsim::jaro_winkler(field.wire, outer);
    let nearest = schema.fields.iter();
    let nearest = nearest.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    Some(match nearest.filter(|field| likeness(field) > 0.8) {
        Some(field) => format!("there is no column `{outer}`; is `{}` meant?", field.wire),
        None => format!("there is no column `{outer}`"),
    })
}

fn separator(bytes: &[u8]) -> u8 {
    let first = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    [b';', b'\t']
        .into_iter()
        .find(|separator| first.contains(separator))
        .unwrap_or(b',')
}

fn unreadable(line: usize, error: &csv::Error) -> BadRow {
    let message = match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("{len} fields, the first line names {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "the line is not UTF-8".to_owned(),
        _ => "the line is not CSV".to_owned(),
    };
    BadRow::new(line, Code::Malformed, message)
}

fn object(
    names: &csv::StringRecord,
    record: &csv::StringRecord,
    line: usize,
    kind: RowKind,
) -> Result<(usize, Json), BadRow> {
    let mut body = Object::new();
    for (name, field) in names
        .iter()
        .zip(record)
        .filter(|(_, field)| !field.trim().is_empty())
    {
        set(&mut body, kind.schema(), name.trim(), field.trim()).map_err(|message| BadRow {
            line,
            problems: vec![Problem::new(name, Code::Malformed, message)],
        })?;
    }
    Ok((line, Json::Object(body)))
}

/// Sets a field at the path of its column, with the JSON type from its table.
fn set(body: &mut Object, schema: &Schema, name: &str, field: &str) -> Result<(), String> {
    if let Some(key) = name.strip_prefix("attributes.") {
        let list = body
            .entry("attributes".to_owned())
            .or_insert_with(|| Json::Array(Vec::new()));
        if let Json::Array(list) = list {
            list.push(json!({"PHKey": key, "Contents": field}).into());
        }
        return Ok(());
    }
    if let Some((outer, inner)) = name.split_once('.') {
        let nested = match schema.field(outer).map(|field| field.kind) {
            Some(Kind::Object(nested)) => nested,
            _ => return Err(format!("`{outer}` is no object")),
        };
        let object = body
            .entry(outer.to_owned())
            .or_insert_with(|| Json::Object(Object::new()));
        return match object {
            Json::Object(object) => set(object, nested, inner, field),
            _ => Err(format!("`{outer}` is given twice")),
        };
    }
    let value = match schema.field(name).map(|field| field.kind) {
        Some(Kind::Int | Kind::TinyInt | Kind::Float | Kind::Money) => number(field)?,
        Some(Kind::Bool) => truth(field)?,
        Some(Kind::Object(_) | Kind::List(_) | Kind::Texts) => {
            return Err(format!(
                "`{name}` holds objects, which a CSV field cannot; use NDJSON"
            ));
        }
        _ => Json::String(field.to_owned()),
    };
    body.insert(name.to_owned(), value);
    Ok(())
}

fn number(field: &str) -> Result<Json, String> {
    let number = Digits::parse(field).map(Json::Number);
    number.ok_or_else(|| format!("`{field}` is no number; numbers are written like `12.50`"))
}

fn truth(field: &str) -> Result<Json, String> {
    match field {
        "true" | "J" | "1" => Ok(Json::Bool(true)),
        "false" | "N" | "0" => Ok(Json::Bool(false)),
        _ => Err(format!("`{field}` is neither true nor false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: RowKind, text: &str) -> Result<Vec<ImportRow>, Vec<BadRow>> {
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        rows(text.as_bytes(), kind, Language::GERMAN, &mut |row| {
            match row {
                Ok(row) => good.push(row),
                Err(row) => bad.push(row),
            }
            true
        });
        if bad.is_empty() { Ok(good) } else { Err(bad) }
    }

    // rule: D-IMP-01
    #[test]
    fn fields_become_the_types_of_their_table() {
        let rows = read(
            RowKind::Price,
            "PreisListe;ArtNr;WaehrAbk;AbAnzahl;PreisList;Preisart;VPEinheit\nA;0012;CHF;1;12.50;N;\n",
        )
        .unwrap();
        let Row::Price { article, price, .. } = &rows[0].row else {
            panic!("a price")
        };
        assert_eq!(
            (
                article.as_str(),
                price.tier.price.to_string().as_str(),
                &price.unit
            ),
            ("0012", "12.50", &None)
        );
        assert_eq!(rows[0].line, 2);
    }

    #[test]
    fn dots_lead_into_objects_and_attributes() {
        let rows = read(
            RowKind::Customer,
            "KundNr,WaehrAbk,KontaktAdr.AdrSprache,KontaktAdr.AdrAnrede,KontaktAdr.AdrFirma,KontaktAdr.AdrAdresse1,\
             KontaktAdr.OrtLand,KontaktAdr.OrtName,KontaktAdr.OrtPLZ,attributes.KLASSE\n\
             10500,CHF,ger,0,\"Käse, Brot & Co\",Weg 1,CH,Zürich,8001,A\n",
        )
        .unwrap();
        let Row::Customer(customer) = &rows[0].row else {
            panic!("a customer")
        };
        assert_eq!(
            customer.contact.address.company.as_deref(),
            Some("Käse, Brot & Co")
        );
        assert_eq!(customer.attributes.get("KLASSE"), Some("A"));
    }

    // rule: D-IMP-01
    #[test]
    fn bad_rows_name_line_column_and_reason() {
        let bad = read(
            RowKind::Stock,
            "ArtNr,LagerOrt,StaoNr,LagerBestand\nA,B,x,1\nA,B,1\nA,,1,1\n",
        )
        .unwrap_err();
        let found: Vec<_> = bad
            .iter()
            .map(|row| {
                (
                    row.line,
                    row.problems[0].path.as_str(),
                    row.problems[0].message.as_str(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (
                    2,
                    "StaoNr",
                    "`x` is no number; numbers are written like `12.50`"
                ),
                (3, "", "3 fields, the first line names 4"),
                (4, "Bestand.LagerOrt", "this member is required"),
            ]
        );
    }

    // rule: D-IMP-09
    #[test]
    fn unknown_columns_are_reported_once() {
        let csv = "ArtNr;ArtBezeichnung;Preis.Wert;attributes.FARBE;Xyzzy;ArtBez.Lang\n1;a;b;c;d;e\n2;a;b;c;d;e\n";
        let bad = read(RowKind::Article, csv).unwrap_err();
        let [bad] = bad.as_slice() else {
            panic!("one row: {bad:?}")
        };
        let reported: Vec<_> = bad
            .problems
            .iter()
            .map(|one| one.message.as_str())
            .collect();
        assert_eq!(bad.line, 1);
        assert_eq!(
            reported,
            [
                "there is no column `ArtBezeichnung`; is `ArtBez` meant?",
                "there is no column `Preis`",
                "there is no column `Xyzzy`",
                "`ArtBez` is no object",
            ]
        );
    }
}
