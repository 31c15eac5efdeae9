//! Compares `GLOSSARY.md` with the wire tables, and the wire tables with the interface document.
//!
//! `UPDATE_GLOSSARY=1 cargo test -p erp-core --test documents glossary` rewrites the glossary.

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write;
    use std::path::Path;

    use erp_core::tables::ALL_TABLES;
    use erp_core::wire::{Field, Kind, Schema};

    const GLOSSARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/GLOSSARY.md");
    const INTERFACE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/spec/interface.md"
    );

    const PREFACE: &str = "\
# Glossary

Every name on the wire with its name in Rust, and its meaning where the name in Rust does not say it. The records with types, lengths
and required fields are in the OpenAPI document, which `/docs` on the server shows. Written from the tables in `src/wire` by
`UPDATE_GLOSSARY=1 cargo test -p erp-core --test documents glossary`; the same test fails when the two differ.

";

    /// The field tables of the interface document in order: a word in the line before the table, and the record.
    const TABLES: &[(&str, &str)] = &[
        ("`GrundDaten`", "OrderHeader"),
        ("orders and offers", "OrderAddress"),
        ("`Positionen`", "Position"),
        ("`MWSTRekapitulation`", "TaxRecapEntry"),
        ("`Zahlung`", "Payment"),
        ("`GrundDaten` of an offer", "OfferHeader"),
        ("Customer (Kunden)", "Customer"),
        ("Article (Artikel)", "Article"),
        ("`Verpackungen`", "PackagingUnit"),
        ("`Preis`", "PriceTier"),
        ("`Bestand`", "StockEntry"),
        ("response of the address endpoints", "AddressRecord"),
        ("overrides the customer address", "AddressBody"),
        ("Article media record", "MediaRecord"),
        ("Body:", "ZugferdBody"),
    ];

    /// The sections that describe a body in prose: the number of fields they declare with a type, and the records of
    /// the body.
    const BODIES: &[(&str, usize, &[&str])] = &[
        (
            "POST /www/auftrag ",
            20,
            &["OrderBodyHeader", "PositionBody", "PaymentBody"],
        ),
        ("PUT /www/auftrag ", 2, &["ConversionBodyHeader"]),
        (
            "POST /www/offerte ",
            5,
            &["OfferBodyHeader", "OfferPositionBody"],
        ),
        (
            "PATCH /www/offerte?",
            6,
            &["OfferChangeBodyHeader", "PositionChangeBody"],
        ),
        ("POST /www/kunden ", 11, &["CustomerBodyHeader"]),
        ("PATCH /www/adressen/", 1, &["AddressPatchBody"]),
    ];

    struct Table<'a> {
        before: &'a str,
        rows: Vec<(&'a str, &'a str)>,
    }

    fn glossary() -> String {
        let mut names = BTreeMap::<_, Vec<String>>::new();
        for field in ALL_TABLES.iter().flat_map(|table| table.schema.fields) {
            let name = (field.wire.to_lowercase(), field.wire, field.rust);
            let meanings = names.entry(name).or_default();
            let meaning = meaning(field);
            if !meaning.is_empty() && !meanings.contains(&meaning) {
                meanings.push(meaning);
            }
        }
        let mut text = PREFACE.to_owned();
        for ((_, wire, rust), meanings) in names {
            let colon = if meanings.is_empty() { "" } else { ": " };
            writeln!(text, "- {wire} ({rust}){colon}{}", meanings.join("; ")).unwrap();
        }
        text
    }

    /// The meaning of a field in every record that has it; empty if its Rust name is enough.
    fn meaning(field: &Field) -> String {
        let words: Vec<&str> = field.meaning.split_whitespace().collect();
        let words = words.join(" ");
        let common = words.split("; ").next().unwrap_or_default();
        let common = common.trim_end_matches('.');
        let says_it = common.to_lowercase().replace('-', " ") == field.rust.replace('_', " ");
        if says_it {
            String::new()
        } else {
            common.to_owned()
        }
    }

    /// Every `| Field | Type | ...` table of the document.
    fn tables(document: &str) -> Vec<Table<'_>> {
        let mut tables = Vec::new();
        let mut before = "";
        let mut lines = document.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("| Field | Type |") {
                let rows = lines
                    .by_ref()
                    .take_while(|line| line.starts_with('|'))
                    .skip(1);
                let rows = rows.map(|row| {
                    let mut cells = row.split('|').map(str::trim).skip(1);
                    (cells.next().unwrap(), cells.next().unwrap())
                });
                tables.push(Table {
                    before,
                    rows: rows.collect(),
                });
            } else if !line.trim().is_empty() {
                before = line;
            }
        }
        tables
    }

    fn schema(name: &str) -> &'static Schema {
        let mut schemas = ALL_TABLES.iter().map(|table| table.schema);
        let found = schemas.find(|schema| schema.name == name);
        found.unwrap_or_else(|| panic!("no record `{name}`"))
    }

    fn is_declared_as(kind: &Kind, declared: &str) -> bool {
        match kind {
            Kind::DateTime => matches!(declared, "char(20)" | "string"),
            Kind::Text => matches!(declared, "string" | "text"),
            Kind::Bool => matches!(declared, "bool" | "boolean"),
            Kind::List(_) => declared == "list",
            other => other.to_string() == declared,
        }
    }

    // rule: R-RES-20
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the test reads its switch and writes the document, the core does neither"
    )]
    fn the_glossary_says_what_the_tables_say() {
        if std::env::var_os("UPDATE_GLOSSARY").is_some() {
            std::fs::write(GLOSSARY, glossary()).unwrap();
        }
        let written = std::fs::read_to_string(GLOSSARY).unwrap();
        let first = written
            .lines()
            .zip(glossary().lines().map(str::to_owned).collect::<Vec<_>>())
            .find(|(written, made)| written != made);
        assert_eq!(
            first, None,
            "the glossary is old; run with UPDATE_GLOSSARY=1"
        );
        assert_eq!(written.len(), glossary().len());
    }

    // rule: R-RES-01, R-RES-06, R-RES-10, R-RES-12, R-RES-21
    #[test]
    fn the_tables_are_those_of_the_interface_document() {
        if !Path::new(INTERFACE).exists() {
            println!("skipped: the interface document is not next to this checkout");
            return;
        }
        let document = std::fs::read_to_string(INTERFACE).unwrap();
        let tables = tables(&document);
        assert_eq!(tables.len(), TABLES.len());
        for (table, (before, name)) in tables.iter().zip(TABLES) {
            assert!(table.before.contains(before), "{name}: `{}`", table.before);
            let mut fields = schema(name).fields.iter();
            for (wire, declared) in &table.rows {
                let field = fields
                    .find(|field| field.wire == *wire)
                    .unwrap_or_else(|| panic!("{name}: `{wire}` is missing or out of order"));
                assert!(
                    is_declared_as(&field.kind, declared),
                    "{name}.{wire} is declared {declared}, not {}",
                    field.kind
                );
            }
        }
    }

    /// The `name type` pairs in a section's description of the body.
    fn declarations(section: &str) -> Vec<(&str, &str)> {
        let lines = section.lines().skip(1);
        let described = lines
            .filter(|line| !line.starts_with("Query"))
            .filter_map(|line| line.split("Response:").next())
            .filter_map(|line| line.rsplit("Body:").next());
        let mut pairs = Vec::new();
        for line in described {
            let separators = |c: char| c.is_whitespace() || "`{},;".contains(c);
            let words = || line.split(separators).filter(|word| !word.is_empty());
            for (name, declared) in words().zip(words().skip(1)) {
                let declared = declared.trim_end_matches(['.', ':']);
                let known = ["int", "tinyint", "float", "money", "string"].contains(&declared)
                    || declared.starts_with("varchar(")
                    || declared.starts_with("char(");
                if known {
                    pairs.push((name.rsplit('.').next().unwrap(), declared));
                }
            }
        }
        pairs
    }

    // rule: R-RES-20, R-END-30, R-END-31, R-END-42
    #[test]
    fn the_bodies_are_those_of_the_interface_document() {
        if !Path::new(INTERFACE).exists() {
            println!("skipped: the interface document is not next to this checkout");
            return;
        }
        let document = std::fs::read_to_string(INTERFACE).unwrap();
        for (heading, count, records) in BODIES {
            let section = document
                .split("\n### ")
                .find(|s| s.starts_with(heading))
                .unwrap();
            let declared = declarations(section);
            assert_eq!(declared.len(), *count, "{heading}{declared:?}");
            for (wire, declared) in declared {
                let mut found = records
                    .iter()
                    .filter_map(|record| schema(record).field(wire));
                assert!(
                    found.any(|field| is_declared_as(&field.kind, declared)),
                    "{heading}: `{wire}` {declared}"
                );
            }
        }
    }

    // rule: R-END-69
    #[test]
    fn a_patch_of_an_address_has_the_types_of_the_address_record() {
        let record = schema("AddressRecord");
        let patch = schema("AddressPatchBody").fields;
        assert_eq!(patch.len(), 16);
        for field in patch.iter().filter(|field| field.wire != "AdrSprache") {
            let whole = record.field(field.wire).unwrap();
            assert_eq!(
                field.kind.to_string(),
                whole.kind.to_string(),
                "{}",
                field.wire
            );
        }
    }

    // rule: R-RES-20
    #[test]
    fn every_field_has_a_meaning() {
        for schema in ALL_TABLES.iter().map(|table| table.schema) {
            for field in schema.fields {
                assert!(
                    field.meaning.trim().len() > 2,
                    "{}.{}",
                    schema.name,
                    field.wire
                );
            }
        }
    }
}
