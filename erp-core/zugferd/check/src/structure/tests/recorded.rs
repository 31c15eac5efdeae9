//! The verdicts of the official schemas on the cases of `tests/verdicts`, and the tables of these schemas.

use std::collections::BTreeMap;
use std::path::Path;

use erp_dev::{OWN_INVOICE_CASES, invoice_cases};
use serde_json::Value as Json;

use super::first_fault;
use crate::facturx::Profile;
use crate::structure::Schema;
use crate::structure::tables::{SchemaPart, Type};
use crate::structure::values::Value;

fn schema(profile: &Json) -> Option<Schema> {
    Some(match profile.as_str()? {
        "minimum" => Schema::FacturX(Profile::Minimum),
        "basicwl" => Schema::FacturX(Profile::BasicWithoutLines),
        "basic" => Schema::FacturX(Profile::Basic),
        "en16931" => Schema::FacturX(Profile::En16931),
        "extended" => Schema::FacturX(Profile::Extended),
        other => panic!("{other}"),
    })
}

/// Line and kind of the first fault in a verdict.
fn official(verdict: &Json) -> Option<(usize, &str)> {
    let kind = verdict["kind"].as_str()?;
    let line = verdict["line"].as_u64().expect("line");
    Some((usize::try_from(line).expect("line"), kind))
}

#[test]
fn the_first_fault_is_that_of_the_official_schema() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    let differences = Path::new(OWN_INVOICE_CASES).join("differences.tsv");
    let differences = std::fs::read_to_string(differences).expect("differences");
    let mut cases = invoice_cases(Path::new(OWN_INVOICE_CASES));
    if let Some(folder) = std::env::var_os("VERDICTS") {
        cases.extend(invoice_cases(Path::new(&folder)));
    }
    for case in cases {
        let of_profile = schema(&case.verdicts["profile"]["name"]);
        let of_profile = of_profile.map(|schema| (schema, "profile"));
        let others = [(Schema::D16B, "d16b"), (Schema::Ubl, "ubl21")];
        for (schema, set) in others.into_iter().chain(of_profile) {
            let verdict = &case.verdicts[set];
            if verdict.is_null() || differences.contains(&format!("{}\t{set}\t", case.name)) {
                continue;
            }
            count += 1;
            let ours = first_fault(&case.xml, schema);
            let ours = ours.as_ref().map(|(line, _, kind)| (*line, *kind));
            if ours != official(verdict) {
                let name = &case.name;
                wrong.push(format!("{name} {schema:?}: {ours:?}, official {verdict}"));
            }
        }
    }
    assert!(count > 1800, "{count}");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The rows of each type.
type Facts = BTreeMap<String, Vec<Vec<String>>>;

fn facts(name: &str) -> Facts {
    let file = Path::new(OWN_INVOICE_CASES).join(format!("schemas/{name}.tsv"));
    let text = std::fs::read_to_string(file).expect(name);
    let mut facts = Facts::new();
    for line in text.lines().skip(1) {
        let mut row = line.split('\t').map(str::to_owned);
        let of = row.next().expect("type");
        facts.entry(of).or_default().push(row.collect());
    }
    facts
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
        note if note.starts_with("default=") || note.starts_with("namespace=") => String::new(),
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
    // The element of any name in an extension has no type.
    if name.is_empty() {
        return assert_eq!(ours.name, "*");
    }
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
            compare(
                facts,
                &row[5],
                part.kind(schema).expect("type"),
                schema,
                known,
            );
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
        ("minimum", Schema::FacturX(Profile::Minimum)),
        ("basicwl", Schema::FacturX(Profile::BasicWithoutLines)),
        ("basic", Schema::FacturX(Profile::Basic)),
        ("en16931", Schema::FacturX(Profile::En16931)),
        ("extended", Schema::FacturX(Profile::Extended)),
        ("ubl", Schema::Ubl),
    ] {
        let facts = facts(file);
        let document = schema.types().first().expect("document");
        let mut known = Known::new();
        let roots = facts["#root"].iter().map(|row| (&*row[2], &*row[5]));
        assert!(
            roots
                .clone()
                .map(|(name, _)| name)
                .eq(document.children.iter().map(|part| part.name))
        );
        for ((_, name), part) in roots.zip(&document.children) {
            compare(
                &facts,
                name,
                part.kind(schema).expect("type"),
                schema,
                &mut known,
            );
        }
        // All but the line that names the root.
        let missing: Vec<_> = facts
            .keys()
            .filter(|name| !known.contains_key(*name))
            .collect();
        assert_eq!(missing, ["#root"], "{file}");
    }
}
