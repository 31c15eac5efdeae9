//! CSV: a header line with field names, then rows of one kind.
//!
//! A name with a dot addresses a nested object (`KontaktAdr.OrtName`), `attributes.NAME` the attribute of that
//! name. The separator is `;` when the header line contains one, else `,` or a tab. Empty fields count as absent.

use std::collections::BTreeSet;
use std::ops::Range;

use erp_core::codes::Language;
use erp_core::erp::ImportRow;
use erp_core::import::{InvalidRow, Row, RowKind};
use erp_core::internal::json::Digits;
use erp_core::internal::wire::{Field, Kind, Schema};
use erp_core::json::{Json, Object};
use erp_core::sentence::Sentence;
use erp_core::{Code, Path, Problem, Problems};
use serde_json::json;

use super::{invalid, unreadable};

/// Passes every row to `take` until it returns `false`.
pub(super) fn rows(
    bytes: &[u8],
    kind: RowKind,
    language: Language,
    take: &mut impl FnMut(ImportRow) -> bool,
) {
    let path = Path::ROOT.member(kind.as_str());
    objects(bytes, kind, &mut |object| {
        let row = object.map(|(line, object, problems)| {
            let row = match Row::read_kind(kind, &object, &path, language) {
                Ok(row) if problems.is_empty() => row,
                row => InvalidRow::of_kind(kind, &object, all(kind, problems, row.err())).into(),
            };
            ImportRow { line, row }
        });
        take(row.unwrap_or_else(|unreadable| unreadable))
    });
}

/// The problems of the fields as text and of the row without them: what it lacks for that is no problem of its own.
fn all(kind: RowKind, mut fields: Problems, row: Option<Problems>) -> Problems {
    let mut of_row = row.unwrap_or_default();
    of_row.retain(|problem| {
        let member = problem.path.strip_prefix(kind.as_str());
        let member = member.and_then(|path| path.strip_prefix('.'));
        let mut known = fields.as_slice().iter();
        !known.any(|field| Some(field.path.as_str()) == member)
    });
    fields.merge(of_row);
    fields
}

/// An object, its line number, and the fields that could not be read.
type Parsed = (usize, Json, Problems);

/// Passes every row to `take` as the JSON object of the equivalent NDJSON line.
pub(super) fn objects(
    bytes: &[u8],
    kind: RowKind,
    take: &mut impl FnMut(Result<Parsed, ImportRow>) -> bool,
) {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut file = CsvFile {
        bytes,
        separator: separator(bytes),
        read: 0,
        line: 1,
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(file.separator)
        .flexible(false)
        .from_reader(bytes);
    let names = reader.headers().cloned();
    let (_, names) = file.record(names, reader.position());
    let names = match names {
        Ok(names) => names,
        Err(message) => {
            take(Err(unreadable(NAMES, message)));
            return;
        }
    };
    let problems = problems_of(&names, kind);
    if !problems.is_empty() {
        // One error for the column instead of one for each of its rows.
        take(Err(invalid(NAMES, problems)));
        return;
    }
    let mut record = csv::StringRecord::new();
    loop {
        let is_read = match reader.read_record(&mut record) {
            Ok(false) => return,
            is_read => is_read,
        };
        let (line, is_read) = file.record(is_read, reader.position());
        let row = match is_read {
            Ok(_) => {
                let (object, problems) = object(&names, &record, kind);
                Ok((line, object, problems))
            }
            Err(message) => Err(unreadable(line, message)),
        };
        if !take(row) {
            return;
        }
    }
}

/// The line that names the columns. No row has this number.
pub(super) const NAMES: usize = 1;

/// What the reader does not tell: in which line a record begins, behind `\r\n` and empty lines, and whether its quotes
/// are closed.
struct CsvFile<'a> {
    bytes: &'a [u8],
    separator: u8,
    /// The bytes that are read, and the line behind them.
    read: usize,
    line: usize,
}

impl CsvFile<'_> {
    /// The next record with its line, or what is wrong with it; it ends before `end`.
    fn record<T>(
        &mut self,
        record: csv::Result<T>,
        end: &csv::Position,
    ) -> (usize, Result<T, Sentence>) {
        let end = usize::try_from(end.byte()).unwrap_or(usize::MAX);
        let start = self.bytes.iter().skip(self.read);
        let empty = start.take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let start = self.read + empty.count();
        let line = self.line_of(start);
        let unclosed = self.unclosed_quote(start..end);
        let unclosed = unclosed.map(|quote| self.line_of(quote));
        (self.read, self.line) = (end, self.line_of(end));
        let Some(quote) = unclosed else {
            return (line, record.map_err(|error| not_csv(&error)));
        };
        (quote, Err(sentence!("import.unclosed")))
    }

    fn line_of(&self, place: usize) -> usize {
        let byte = |at: usize| self.bytes.get(at).copied();
        let ends = (self.read..place).filter(|at| match byte(*at) {
            Some(b'\r') => byte(at + 1) != Some(b'\n'),
            byte => byte == Some(b'\n'),
        });
        self.line + ends.count()
    }

    /// The quote that opens a field of a record, and that no quote before a separator closes. The reader would take what
    /// follows, up to the next quote in any row, as part of the field.
    fn unclosed_quote(&self, record: Range<usize>) -> Option<usize> {
        let (mut opened, mut is_closed, mut begins) = (None, false, true);
        for at in record {
            let byte = self.bytes.get(at).copied()?;
            match (opened, is_closed, byte) {
                (None, _, b'"') if begins => opened = Some(at),
                (None, _, byte) => begins = byte == self.separator,
                (Some(_), false, b'"') => is_closed = true,
                (Some(_), false, _) | (Some(_), true, b' ' | b'\r' | b'\n') => {}
                (Some(_), true, b'"') => is_closed = false,
                (Some(_), true, byte) if byte == self.separator => {
                    (opened, is_closed, begins) = (None, false, true);
                }
                (Some(_), true, _) => return opened,
            }
        }
        opened.filter(|_| !is_closed)
    }
}

/// Columns with a problem that are named. Each is compared with all that are known, and a file may have many.
const BAD_COLUMNS: usize = 1_000;

// rule: D-IMP-09
/// Columns that are unknown or given twice. They are reported once, for the first line, and the file is not read
/// further.
fn problems_of(names: &csv::StringRecord, kind: RowKind) -> Vec<Problem> {
    let mut seen = BTreeSet::new();
    let problem = |name: &str| {
        if let Some(message) = unknown(kind.schema(), name.trim()) {
            return Some(Problem::new(name, Code::UnknownMember, message));
        }
        let message = sentence!("import.column_twice", name = name.trim());
        let is_new = seen.insert(name.trim().to_owned());
        (!is_new).then(|| Problem::new(name, Code::Contradiction, message))
    };
    names.iter().filter_map(problem).take(BAD_COLUMNS).collect()
}

/// The error for an unknown column name, with a suggestion.
fn unknown(schema: &Schema, name: &str) -> Option<Sentence> {
    if name.starts_with("attributes.") {
        return None;
    }
    let parts = name.split_once('.');
    let (outer, inner) = parts.map_or((name, None), |(outer, inner)| (outer, Some(inner)));
    let kind = schema.field(outer).map(|field| field.kind);
    match (kind, inner) {
        (Some(_), None) => return None,
        (Some(Kind::Object(nested)), Some(inner)) => return unknown(nested, inner),
        (Some(_), Some(_)) => return Some(sentence!("import.no_object", name = outer)),
        (None, _) => {}
    }
    let likeness = |field: &Field| strsim::jaro_winkler(field.wire, outer);
    let nearest = schema.fields.iter();
    let nearest = nearest.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    Some(match nearest.filter(|field| likeness(field) > 0.8) {
        Some(field) => sentence!("import.meant", name = outer, nearest = field.wire),
        None => sentence!("import.no_column", name = outer),
    })
}

fn separator(bytes: &[u8]) -> u8 {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let mut others = [b';', b'\t'].into_iter();
    others.find(|other| first.contains(other)).unwrap_or(b',')
}

fn not_csv(error: &csv::Error) -> Sentence {
    match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len: expected,
            len,
            ..
        } => sentence!("import.fields", len, expected),
        csv::ErrorKind::Utf8 { .. } => sentence!("import.line_not_utf8"),
        _ => sentence!("import.not_csv"),
    }
}

fn object(
    names: &csv::StringRecord,
    record: &csv::StringRecord,
    kind: RowKind,
) -> (Json, Problems) {
    let mut body = Object::new();
    let mut problems = Problems::new();
    let fields = names
        .iter()
        .map(str::trim)
        .zip(record.iter().map(str::trim));
    for (name, field) in fields.filter(|(_, field)| !field.is_empty()) {
        // A field of the wrong form is text: what the row names is read all the same.
        if let Err(message) = set(&mut body, kind.schema(), name, field) {
            problems.push(Problem::new(name, Code::Malformed, message));
        }
    }
    (Json::Object(body), problems)
}

/// Sets a field at the path of its column, with the JSON type from its table.
fn set(body: &mut Object, schema: &Schema, name: &str, field: &str) -> Result<(), Sentence> {
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
        let Some(Kind::Object(nested)) = schema.field(outer).map(|field| field.kind) else {
            return Err(sentence!("import.no_object", name = outer));
        };
        let object = body
            .entry(outer.to_owned())
            .or_insert_with(|| Json::Object(Object::new()));
        return match object {
            Json::Object(object) => set(object, nested, inner, field),
            _ => Err(sentence!("header.key_twice", name = outer)),
        };
    }
    let text = || Json::String(field.to_owned());
    let value = match schema.field(name).map(|field| field.kind) {
        Some(Kind::Int | Kind::TinyInt | Kind::Float | Kind::Money) => number(field),
        Some(Kind::Bool) => truth(field),
        Some(Kind::Object(_) | Kind::List(_) | Kind::Texts) => {
            Err(sentence!("import.objects", name))
        }
        _ => Ok(text()),
    };
    let (value, done) = match value {
        Ok(value) => (value, Ok(())),
        Err(message) => (text(), Err(message)),
    };
    body.insert(name.to_owned(), value);
    done
}

fn number(field: &str) -> Result<Json, Sentence> {
    let number = Digits::parse(field).map(Json::Number);
    number.ok_or_else(|| sentence!("import.no_number", field))
}

fn truth(field: &str) -> Result<Json, Sentence> {
    match field {
        "true" | "J" | "1" => Ok(Json::Bool(true)),
        "false" | "N" | "0" => Ok(Json::Bool(false)),
        _ => Err(sentence!("import.no_truth", field)),
    }
}

#[cfg(test)]
mod tests {
    use erp_core::import::PriceRow;

    use super::*;

    fn read(kind: RowKind, text: &str) -> Vec<ImportRow> {
        let mut read = Vec::new();
        rows(text.as_bytes(), kind, Language::GERMAN, &mut |row| {
            read.push(row);
            true
        });
        read
    }

    /// Line and problems of each row.
    fn problems(kind: RowKind, text: &str) -> Vec<(usize, Vec<Problem>)> {
        let read = read(kind, text).into_iter();
        read.map(|row| match row.row {
            Row::Invalid(invalid) => (row.line, invalid.problems),
            _ => (row.line, Vec::new()),
        })
        .collect()
    }

    #[test]
    fn fields_become_the_types_of_their_table() {
        let rows = read(
            RowKind::Price,
            "PreisListe;ArtNr;WaehrAbk;AbAnzahl;PreisList;Preisart;VPEinheit\nA;0012;CHF;1;12.50;N;\n",
        );
        let Row::Price(PriceRow { article, price, .. }) = &rows[0].row else {
            panic!("a price")
        };
        assert_eq!(
            (
                article.as_str(),
                price.price.to_string().as_str(),
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
        );
        let Row::Customer(customer) = &rows[0].row else {
            panic!("a customer")
        };
        assert_eq!(
            customer.contact.address.company.as_deref(),
            Some("Käse, Brot & Co")
        );
        assert_eq!(customer.attributes.get("KLASSE"), Some("A"));
    }

    #[test]
    fn bad_rows_name_line_column_and_reason() {
        let bad = problems(
            RowKind::Stock,
            "ArtNr,LagerOrt,StaoNr,LagerBestand\nA,B,x,1\nA,B,1\nA,,1,1\n",
        );
        let found: Vec<_> = bad
            .iter()
            .map(|(line, problems)| match problems.as_slice() {
                [only] => (*line, only.path.as_str(), only.message.english()),
                several => panic!("{several:?}"),
            })
            .collect();
        let expected = [
            (
                2,
                "StaoNr",
                "`x` is no number; numbers are written like `12.50`",
            ),
            (3, "", "3 fields, the first line names 4"),
            (4, "Bestand.LagerOrt", "this member is required"),
        ];
        let expected = expected.map(|(line, path, message)| (line, path, message.to_owned()));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_row_has_its_line_behind_any_line_end_and_empty_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let text =
                "ArtNr;LagerOrt;StaoNr;LagerBestand\n\nA;B;x;1\nA;\"B\nC\";1;1\n\n\nA;B;1\nA;B;x;1";
            let bad = problems(RowKind::Stock, &text.replace('\n', end));
            let lines: Vec<_> = bad.iter().map(|(line, bad)| (*line, bad.len())).collect();
            assert_eq!(lines, [(3, 1), (4, 0), (8, 1), (9, 1)], "{end:?}");
        }
    }

    #[test]
    fn a_quote_that_is_not_closed_swallows_no_rows() {
        for (text, line) in [
            (
                "A-1;\"3 Zoll;J\nA-2;Hefter;J\nA-3;\"5 Zoll;J\nA-4;Stift;J\n",
                2,
            ),
            ("A-1;x;J\nA-2;x;\"J\nA-3;x;J\n", 3),
            ("A-1;\"x\ny\";J\nA-2;\"x\" y;J\n", 4),
        ] {
            let bad = problems(RowKind::Article, &format!("ArtNr;ArtBez;AnLager\n{text}"));
            let bad: Vec<_> = bad.iter().filter(|(_, bad)| !bad.is_empty()).collect();
            let [(found, problems)] = bad.as_slice() else {
                panic!("{bad:?}")
            };
            assert_eq!(*found, line, "{text}");
            assert!(
                problems[0].message.english().contains("not closed"),
                "{problems:?}"
            );
        }
        let whole =
            "ArtNr;ArtBez;AnLager\nA-1;3\" lang;J\nA-2;\"5\"\" lang; rot\" ;J\nA-3;\"\";J\n";
        let bad = problems(RowKind::Article, whole);
        assert!(bad.iter().all(|(_, bad)| bad.is_empty()), "{bad:?}");
        assert_eq!(bad.len(), 3);
        let names = problems(RowKind::Article, "ArtNr;\"ArtBez\nA-1;x\n");
        assert_eq!(
            names.first().map(|(line, bad)| (*line, bad.len())),
            Some((1, 1))
        );
    }

    // rule: D-IMP-09
    #[test]
    fn a_header_stops_at_a_thousand_unknown_columns() {
        let csv = "Xyzzy;".repeat(400_000) + "ArtNr\n";
        let bad = problems(RowKind::Article, &csv);
        assert_eq!(
            bad.first().map(|(line, bad)| (*line, bad.len())),
            Some((1, 1_000))
        );
    }

    #[test]
    fn unknown_columns_are_reported_once() {
        let csv = "ArtNr;ArtBezeichnung;Preis.Wert;attributes.FARBE;Xyzzy;ArtBez.Lang; ArtNr\n1;a;b;c;d;e;1\n2;a;b;c;d;e;2\n";
        let bad = problems(RowKind::Article, csv);
        let [(1, bad)] = bad.as_slice() else {
            panic!("one row: {bad:?}")
        };
        let reported: Vec<_> = bad.iter().map(|one| one.message.english()).collect();
        assert_eq!(
            reported,
            [
                "there is no column `ArtBezeichnung`; is `ArtBez` meant?",
                "there is no column `Preis`",
                "there is no column `Xyzzy`",
                "`ArtBez` is no object",
                "the column `ArtNr` is given twice",
            ]
        );
    }
}
