//! CSV: a header line with field names, then rows of one kind.
//!
//! A name with a dot addresses a nested object (`KontaktAdr.OrtName`), `attributes.NAME` the attribute of that
//! name. The separator is `;` when the header line contains one, else a tab or `,`. Empty fields count as absent, and so do
//! rows and columns without any text, which spreadsheets leave behind.

use std::collections::BTreeSet;
use std::ops::Range;

use erp_core::codes::Language;
use erp_core::erp::ImportRow;
use erp_core::import::{InvalidRow, Row, RowKind};
use erp_core::internal::json::Digits;
use erp_core::internal::wire::{Kind, Schema};
use erp_core::json::{Json, Object};
use erp_core::sentence::Sentence;
use erp_core::{Code, Path, Problem, Problems};
use serde_json::json;

use super::columns::{Names, kind_with};
use super::number::{Form, Written};
use super::{invalid, unreadable};

/// Passes every row to `take` until it returns `false`.
pub(super) fn rows(
    bytes: &[u8],
    (kind, form): (RowKind, Option<Form>),
    language: Language,
    take: &mut impl FnMut(ImportRow) -> bool,
) {
    let path = Path::ROOT.member(kind.as_str());
    objects(bytes, (kind, form), &mut |object| {
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
    (kind, form): (RowKind, Option<Form>),
    take: &mut impl FnMut(Result<Parsed, ImportRow>) -> bool,
) {
    let bytes = without_mark(bytes);
    let mut file = CsvFile {
        bytes,
        separator: separator(bytes),
        read: 0,
        line: 1,
    };
    let mut reader = reader(bytes);
    let names = reader.headers().cloned();
    let (_, names) = file.record(names, reader.position());
    let names = match names {
        Ok(names) => names,
        Err(message) => {
            take(Err(unreadable(NAMES, message)));
            return;
        }
    };
    let mut columns = match columns(&names, kind) {
        Ok(columns) => columns,
        Err(problems) => {
            // One error for the column instead of one for each of its rows.
            take(Err(invalid(NAMES, problems)));
            return;
        }
    };
    if file.separator != b',' {
        find_forms(bytes, form, &mut columns);
    }
    let mut record = csv::StringRecord::new();
    loop {
        let is_read = match reader.read_record(&mut record) {
            Ok(false) => return,
            is_read => is_read,
        };
        let (line, is_read) = file.record(is_read, reader.position());
        let row = match is_read {
            Ok(_) if record.iter().all(|field| field.trim().is_empty()) => continue,
            Ok(_) => {
                let (object, problems) = object(&columns, &record, kind);
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

/// A column of a file.
struct Column {
    /// Where its fields are in a row; empty for one without a name.
    path: String,
    numbers: Numbers,
}

/// How the numbers of a column are written.
#[derive(Clone, Copy)]
enum Numbers {
    /// With a point before the decimals: `,` separates the columns.
    Plain,
    /// As spreadsheets do, in this form where it is known.
    Marked(Option<Form>),
}

// rule: D-IMP-09
/// The columns, or those that are unknown or given twice. They are reported once, for the first line, and the file is
/// not read further.
fn columns(names: &csv::StringRecord, kind: RowKind) -> Result<Vec<Column>, Vec<Problem>> {
    let known = Names::of(kind);
    let (mut seen, mut columns, mut problems) = (BTreeSet::new(), Vec::new(), Vec::new());
    for name in names.iter().map(str::trim) {
        let path = match known.path(name) {
            _ if name.is_empty() => String::new(),
            Ok(path) if !seen.insert(path.clone()) => {
                let message = sentence!("import.column_twice", name = path);
                problems.push(Problem::new(name, Code::Contradiction, message));
                path
            }
            Ok(path) => path,
            Err(message) => {
                problems.push(Problem::new(name, Code::UnknownMember, message));
                String::new()
            }
        };
        if problems.len() == BAD_COLUMNS {
            break;
        }
        let numbers = Numbers::Plain;
        columns.push(Column { path, numbers });
    }
    if problems.is_empty() {
        Ok(columns)
    } else {
        Err(problems)
    }
}

// rule: D-IMP-11
/// Finds out which mark stands before the decimals of each column: what the importer says, else what its numbers show.
fn find_forms(bytes: &[u8], form: Option<Form>, columns: &mut [Column]) {
    // A column without a number that shows it, one form, or both.
    let mut shown: Vec<Option<Option<Form>>> = vec![form.map(Some); columns.len()];
    if form.is_none() {
        for record in reader(bytes).records().flatten() {
            for (field, shown) in record.iter().zip(&mut shown) {
                let form = Written::read(field.trim()).and_then(|number| number.form());
                if let Some(form) = form {
                    let same = shown.is_none_or(|shown| shown == Some(form));
                    *shown = Some(same.then_some(form));
                }
            }
        }
    }
    for (column, shown) in columns.iter_mut().zip(shown) {
        column.numbers = Numbers::Marked(shown.flatten());
    }
}

/// The only kind of rows that the columns fit.
pub(super) fn kind_of(bytes: &[u8]) -> Result<RowKind, Sentence> {
    let names = reader(without_mark(bytes)).headers().cloned();
    let names = names.unwrap_or_default();
    let columns = names.iter().map(str::trim).filter(|name| !name.is_empty());
    kind_with(columns.take(BAD_COLUMNS))
}

/// The paths of the columns.
pub(super) fn paths(bytes: &[u8], kind: RowKind) -> BTreeSet<String> {
    let names = reader(without_mark(bytes)).headers().cloned();
    let columns = columns(&names.unwrap_or_default(), kind).unwrap_or_default();
    columns.into_iter().map(|column| column.path).collect()
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    let mut reader = csv::ReaderBuilder::new();
    reader.delimiter(separator(bytes)).from_reader(bytes)
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
        _ => sentence!("import.not_csv"),
    }
}

fn object(columns: &[Column], record: &csv::StringRecord, kind: RowKind) -> (Json, Problems) {
    let mut body = Object::new();
    let mut problems = Problems::new();
    let fields = columns.iter().zip(record.iter().map(str::trim));
    for (Column { path, numbers }, field) in fields.filter(|(_, field)| !field.is_empty()) {
        // A field of the wrong form is text: what the row names is read all the same.
        if let Err(message) = set(&mut body, kind.schema(), path, (field, *numbers)) {
            problems.push(Problem::new(path, Code::Malformed, message));
        }
    }
    (Json::Object(body), problems)
}

/// Sets a field at the path of its column, with the JSON type from its table.
fn set(
    body: &mut Object,
    schema: &Schema,
    name: &str,
    (field, numbers): (&str, Numbers),
) -> Result<(), Sentence> {
    if name.is_empty() {
        return Err(sentence!("import.unnamed", field));
    }
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
            Json::Object(object) => set(object, nested, inner, (field, numbers)),
            _ => Err(sentence!("header.key_twice", name = outer)),
        };
    }
    let text = || Json::String(field.to_owned());
    let value = match schema.field(name).map(|field| field.kind) {
        Some(Kind::Int | Kind::TinyInt | Kind::Float | Kind::Money) => number(field, numbers),
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

fn number(field: &str, numbers: Numbers) -> Result<Json, Sentence> {
    let plain = || Digits::parse(field).map(Json::Number);
    let number = match (numbers, Written::read(field)) {
        (Numbers::Plain, written) => match (plain(), written) {
            (None, Some(_)) => return Err(sentence!("import.comma", field)),
            (plain, _) => return plain.ok_or_else(|| sentence!("import.no_number", field)),
        },
        // With an exponent, for example.
        (_, None) => return plain().ok_or_else(|| sentence!("import.no_number", field)),
        (_, Some(Written::Sure(number, _))) => number,
        (
            Numbers::Marked(known),
            Some(Written::Unsure {
                form,
                decimal,
                whole,
            }),
        ) => match known {
            Some(known) if known == form => decimal,
            Some(_) => whole,
            None => {
                let decimal = decimal.trim_end_matches('0').trim_end_matches('.');
                return Err(sentence!("import.unsure", field, decimal, whole));
            }
        },
    };
    let number = Digits::parse(&number).map(Json::Number);
    number.ok_or_else(|| sentence!("import.no_number", field))
}

/// Spreadsheets write the words in capitals.
fn truth(field: &str) -> Result<Json, Sentence> {
    match field.to_lowercase().as_str() {
        "true" | "j" | "1" | "wahr" | "ja" => Ok(Json::Bool(true)),
        "false" | "n" | "0" | "falsch" | "nein" => Ok(Json::Bool(false)),
        _ => Err(sentence!("import.no_truth", field)),
    }
}

#[cfg(test)]
mod tests {
    use erp_core::import::PriceRow;

    use super::*;

    fn read(kind: RowKind, text: &str) -> Vec<ImportRow> {
        let mut read = Vec::new();
        rows(
            text.as_bytes(),
            (kind, None),
            Language::GERMAN,
            &mut |row| {
                read.push(row);
                true
            },
        );
        read
    }

    /// The first rows as NDJSON has them, or the English sentences of what is wrong.
    fn objects_of(kind: RowKind, form: Option<Form>, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        objects(text.as_bytes(), (kind, form), &mut |object| {
            let Ok((_, object, problems)) = object else {
                panic!("a row that is no CSV")
            };
            let problems = problems.as_slice().iter();
            let wrong: Vec<String> = problems.map(|one| one.message.english()).collect();
            found.push(match wrong.as_slice() {
                [] => json!(object).to_string(),
                wrong => wrong.join("; "),
            });
            true
        });
        found
    }

    // rule: D-IMP-11
    #[test]
    fn a_column_shows_how_its_numbers_are_written() {
        let prices = |separator: &str, form, prices: &[&str]| {
            let rows = prices.iter().map(|price| format!("A{separator}{price}\n"));
            let head = format!("ArtNr{separator}PreisList\n");
            let found = objects_of(RowKind::Price, form, &(head + &rows.collect::<String>()));
            let found = found.into_iter().map(|row| {
                let number = row.strip_prefix("{\"ArtNr\":\"A\",\"PreisList\":");
                number.map_or(row.clone(), |number| {
                    number.trim_end_matches('}').to_owned()
                })
            });
            found.collect::<Vec<String>>()
        };
        let marked = ["12,50", "1.250", "1'250.00", "1 250,5", "7"];
        assert_eq!(
            prices(";", None, &["12,50", "1.250", "7", "1.250,5", "0,125"]),
            ["12.5", "1250", "7", "1250.5", "0.125"]
        );
        assert_eq!(prices("\t", None, &["1.250", "12.5"]), ["1.25", "12.5"]);
        assert_eq!(
            prices(";", None, &["1.250", "1.250.000"]),
            ["1250", "1250000"]
        );
        for (separator, form, number, sentence) in [
            (
                ";",
                None,
                "1.250",
                "`1.250` can mean 1.25 or 1250, and no other",
            ),
            (
                ";",
                None,
                "1,000",
                "`1,000` can mean 1 or 1000, and no other",
            ),
            (";", Some(Form::Comma), "1.250", "1250"),
            (";", Some(Form::Comma), "1,250", "1.25"),
            (";", Some(Form::Point), "1.250", "1.25"),
            (";", None, "1e3", "1000"),
            (",", None, "1.250", "1.25"),
            (
                ",",
                None,
                "\"12,50\"",
                "`12,50` is no number where `,` separates",
            ),
            (
                ",",
                None,
                "1'250.00",
                "`1'250.00` is no number where `,` separates",
            ),
            (",", None, "x", "`x` is no number; numbers are written like"),
            (
                ";",
                None,
                "12,5x",
                "`12,5x` is no number; numbers are written like",
            ),
        ] {
            let found = prices(separator, form, &[number]).remove(0);
            assert!(found.starts_with(sentence), "{number}: {found}");
        }
        // Where a column shows both forms, nothing says which one an unclear number has.
        let found = prices(";", None, &marked);
        assert_eq!([&found[0], &found[2], &found[4]], ["12.5", "1250.0", "7"]);
        assert!(found[1].starts_with("`1.250` can mean"), "{found:?}");
    }

    #[test]
    fn columns_have_german_names_and_spreadsheets_leave_empty_ones_behind() {
        let text = "Artikelnummer;Bezeichnung;Lagerort;;\nA;Größe;;;\n;;;;\n";
        let bad = problems(RowKind::Article, text);
        assert_eq!(bad.len(), 1, "{bad:?}");
        let text = "Artikelnummer;Bezeichnung;;\nA;Größe;;\n;;;\n";
        let found = objects_of(RowKind::Article, None, text);
        assert_eq!(found, [r#"{"ArtBez":"Größe","ArtNr":"A"}"#]);
        let beside = text.replace("Größe;;", "Größe;x;");
        let found = objects_of(RowKind::Article, None, &beside);
        assert_eq!(found, ["`x` stands in a column without a name"]);
        let stock = "Artikel;Lagerort;Standort;Menge;Freigegeben\nA;H;1;3;WAHR\nA;H;1;3;nein\n";
        let found = objects_of(RowKind::Stock, None, stock);
        let of = |released| {
            format!(
                r#"{{"ArtNr":"A","Freigegeben":{released},"LagerBestand":3,"LagerOrt":"H","StaoNr":1}}"#
            )
        };
        assert_eq!(found, [of("true"), of("false")]);
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
        let csv = "ArtNr;ArtBezeichnun;Preis.Wert;attributes.FARBE;Xyzzy;ArtBez.Lang; ArtNr\n1;a;b;c;d;e;1\n2;a;b;c;d;e;2\n";
        let bad = problems(RowKind::Article, csv);
        let [(1, bad)] = bad.as_slice() else {
            panic!("one row: {bad:?}")
        };
        let reported: Vec<_> = bad.iter().map(|one| one.message.english()).collect();
        assert_eq!(
            reported,
            [
                "there is no column `ArtBezeichnun`; is `Artikelbezeichnung` meant?",
                "there is no column `Preis.Wert`; is `Preis für` meant?",
                "there is no column `Xyzzy`",
                "`ArtBez` is no object",
                "the column `ArtNr` is given twice",
            ]
        );
    }
}
