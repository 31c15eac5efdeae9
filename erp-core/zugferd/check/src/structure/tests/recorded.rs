//! The recorded verdicts of the official schemas, and the tables of these schemas.
//!
//! They are not part of the project: without them the tests say so and pass.
#![expect(
    clippy::disallowed_methods,
    reason = "the tests read documents; the library does not"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use super::first_fault;
use crate::structure::Schema;
use crate::structure::tables::{SchemaPart, Type, types};
use crate::structure::values::Value;
use crate::{CheckLimits, check};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data");

/// The folder with the recorded structures; the variable `STRUCTURE` may name another one of the same form.
fn structures() -> PathBuf {
    let data = || Path::new(DATA).join("structure");
    std::env::var_os("STRUCTURE").map_or_else(data, PathBuf::from)
}

/// The verdicts of a folder, each with its document.
fn verdicts(folder: &Path) -> Vec<(Json, Vec<u8>)> {
    let Ok(lines) = std::fs::read_to_string(folder.join("verdicts.jsonl")) else {
        println!("skipped: the verdicts on structures are not here");
        return Vec::new();
    };
    let lines = lines.lines();
    lines
        .map(|line| {
            let verdict: Json = serde_json::from_str(line).expect("JSON");
            let file = verdict["file"].as_str().expect("file");
            let xml = std::fs::read(folder.join(file)).expect(file);
            (verdict, xml)
        })
        .collect()
}

fn schema(profile: &Json) -> Option<Schema> {
    Some(match profile.as_str()? {
        "minimum" => Schema::Minimum,
        "basicwl" => Schema::BasicWithoutLines,
        "basic" => Schema::Basic,
        "extended" => Schema::Extended,
        "en16931" => return None,
        other => panic!("{other}"),
    })
}

/// Line, path and kind of the first fault in a recorded verdict.
fn official(verdict: &Json) -> Option<(usize, String, &str)> {
    let kind = verdict["kind"].as_str()?;
    if kind == "root" {
        return Some((0, String::new(), kind));
    }
    let line = verdict["line"].as_u64().expect("line");
    let at = verdict["at"].as_str().expect("at");
    Some((usize::try_from(line).expect("line"), at.to_owned(), kind))
}

#[test]
fn the_first_fault_is_that_of_the_official_schema() {
    let mut wrong = Vec::new();
    for (verdict, xml) in verdicts(&structures()) {
        let of_profile = schema(&verdict["profile"]).map(|schema| (schema, "profile_xsd"));
        for (schema, name) in [(Schema::D16B, "d16b")].into_iter().chain(of_profile) {
            let (ours, official) = (first_fault(&xml, schema), official(&verdict[name]));
            if ours != official && verdict[name]["disputed"].is_null() {
                let file = &verdict["file"];
                wrong.push(format!(
                    "{file} {schema:?}: {ours:?}, official {official:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

// rule: D-ZUG-11
#[test]
fn the_report_has_the_verdict_of_the_schema_of_the_guideline() {
    for (verdict, xml) in verdicts(&structures()) {
        let name = match schema(&verdict["profile"]) {
            Some(_) => "profile_xsd",
            None => "d16b",
        };
        let report = check(&xml, &CheckLimits::DEFAULT);
        let mut findings = report.findings.iter();
        let is_valid = report.structure != "not checked"
            && !findings.any(|finding| finding.rule == super::super::STRUCTURE);
        let official = &verdict[name]["valid"];
        assert_eq!(is_valid, *official, "{}", verdict["file"]);
        assert!(is_valid || !report.valid, "{}", verdict["file"]);
    }
}

#[test]
fn the_verdicts_on_invoices_with_business_rules_are_those_of_d16b() {
    for (verdict, xml) in verdicts(&Path::new(DATA).join("en16931")) {
        let is_valid = first_fault(&xml, Schema::D16B).is_none();
        assert_eq!(verdict["xsd_d16b"], is_valid, "{}", verdict["file"]);
    }
}

/// The rows of each type.
type Facts = BTreeMap<String, Vec<Vec<String>>>;

fn facts(name: &str) -> Option<Facts> {
    let file = structures().join(format!("facts/{name}.tsv"));
    let text = std::fs::read_to_string(file).ok()?;
    let mut facts = Facts::new();
    for line in text.lines().skip(1) {
        let mut row = line.split('\t').map(str::to_owned);
        let of = row.next().expect("type");
        facts.entry(of).or_default().push(row.collect());
    }
    Some(facts)
}

/// What a row says: name, how often, and what an attribute must be.
fn of_row(row: &[String]) -> (String, (u32, u32), String) {
    let [_, _, name, least, most, _, note] = row else {
        panic!("{row:?}")
    };
    let most = match most.as_str() {
        "*" => u32::MAX,
        most => most.parse().expect("most"),
    };
    let note = match note.as_str() {
        "minLength=1,maxLength=3" => "1..3".to_owned(),
        note if note.starts_with("default=") => String::new(),
        note => note.replace("fixed", ""),
    };
    let name = name.trim_start_matches('@').trim_start_matches("ram:");
    (name.to_owned(), (least.parse().expect("least"), most), note)
}

fn of_part(part: &SchemaPart, schema: Schema) -> Option<(String, (u32, u32), String)> {
    let often = part.often(schema)?;
    Some((part.name.to_owned(), often, part.facet.to_owned()))
}

/// Compares a type, and those of its parts that are not compared yet.
fn compare(facts: &Facts, name: &str, ours: &'static Type, schema: Schema, known: &mut Known) {
    if let Some(known) = known.insert(name.to_owned(), ours) {
        assert!(std::ptr::eq(known, ours), "{schema:?} {name}");
        return;
    }
    let Some(rows) = facts.get(name) else {
        assert_eq!(ours.text, Value::of(name), "{schema:?} {name}");
        assert!(ours.text.is_some(), "{schema:?} {name}");
        return;
    };
    let of_model = |model: &'static str| rows.iter().filter(move |row| row[0] == model);
    let children: Vec<_> = of_model("sequence").chain(of_model("choice")).collect();
    let attributes: Vec<_> = of_model("attribute").collect();
    for (rows, parts) in [(children, &ours.children), (attributes, &ours.attributes)] {
        let theirs: Vec<_> = rows.iter().map(|row| of_row(row)).collect();
        let found: Vec<_> = parts
            .iter()
            .filter_map(|part| of_part(part, schema))
            .collect();
        assert_eq!(found, theirs, "{schema:?} {name}");
        let parts = parts.iter().filter(|part| part.often(schema).is_some());
        for (row, part) in rows.iter().zip(parts) {
            compare(facts, &row[5], part.kind().expect("type"), schema, known);
        }
    }
    let text = of_model("simple").next().map(|row| row[5].as_str());
    assert_eq!(ours.text, text.and_then(Value::of), "{schema:?} {name}");
    let is_choice = of_model("choice").next().is_some();
    assert_eq!(ours.is_choice, is_choice, "{schema:?} {name}");
    let is_empty = of_model("empty").next().is_some();
    assert_eq!(ours.is_empty(schema), is_empty, "{schema:?} {name}");
}

type Known = BTreeMap<String, &'static Type>;

#[test]
fn the_tables_say_what_the_official_schemas_say() {
    for (file, schema) in [
        ("d16b", Schema::D16B),
        ("minimum", Schema::Minimum),
        ("basicwl", Schema::BasicWithoutLines),
        ("basic", Schema::Basic),
        ("extended", Schema::Extended),
    ] {
        let Some(facts) = facts(file) else {
            println!("skipped: the tables of the schemas are not here");
            return;
        };
        let root = types().first().expect("root");
        let mut known = Known::new();
        compare(
            &facts,
            "rsm:CrossIndustryInvoiceType",
            root,
            schema,
            &mut known,
        );
        // All but the line that names the root.
        let missing: Vec<_> = facts
            .keys()
            .filter(|name| !known.contains_key(*name))
            .collect();
        assert_eq!(missing, ["#root"], "{file}");
    }
}
