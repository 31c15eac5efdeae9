//! Compares `GLOSSARY.md` with the wire tables, and the wire tables with the facts of the interface document.
//!
//! `UPDATE_GLOSSARY=1 cargo test -p erp-core --test documents glossary` rewrites the glossary.

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write;

    use erp_core::internal::tables::ALL_TABLES;
    use erp_core::internal::wire::{Field, Kind, Schema};

    use crate::page::facts;

    const GLOSSARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/GLOSSARY.md");
    /// The list of names, below a head that is written by hand.
    fn glossary(head: &str) -> String {
        let mut names = BTreeMap::<_, Vec<String>>::new();
        for field in ALL_TABLES.iter().flat_map(|table| table.schema.fields) {
            let name = (field.wire.to_lowercase(), field.wire, field.rust);
            let meanings = names.entry(name).or_default();
            let meaning = meaning(field);
            if !meaning.is_empty() && !meanings.contains(&meaning) {
                meanings.push(meaning);
            }
        }
        let mut text = format!("{head}\n");
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

    fn schema(name: &str) -> &'static Schema {
        let mut schemas = ALL_TABLES.iter().map(|table| table.schema);
        let found = schemas.find(|schema| schema.name == name);
        found.unwrap_or_else(|| panic!("no record `{name}`"))
    }

    fn is_declared_as(kind: &Kind, declared: &str) -> bool {
        match kind {
            _ if declared.is_empty() => true,
            Kind::DateTime => matches!(declared, "char(20)" | "string"),
            Kind::Text => matches!(declared, "string" | "text"),
            Kind::Bool => matches!(declared, "bool" | "boolean"),
            Kind::List(_) | Kind::Texts => declared == "list",
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
        let written = std::fs::read_to_string(GLOSSARY).unwrap();
        let (head, _) = written.split_once("\n- ").unwrap();
        let made = glossary(head);
        if std::env::var_os("UPDATE_GLOSSARY").is_some() {
            std::fs::write(GLOSSARY, made).unwrap();
            return;
        }
        let mut lines = written.lines().zip(made.lines());
        let first = lines.find(|(written, made)| written != made);
        assert_eq!(
            first, None,
            "the glossary is old; run with UPDATE_GLOSSARY=1"
        );
        assert_eq!(written.len(), made.len());
    }

    // rule: R-RES-01, R-RES-06, R-RES-10, R-RES-12, R-RES-21
    #[test]
    fn the_records_are_those_of_the_interface_document() {
        let facts = facts("field");
        for record in facts.chunk_by(|left, right| left.of == right.of) {
            let mut fields = schema(&record[0].of).fields.iter();
            for fact in record {
                let field = fields.find(|field| field.wire == fact.name);
                let field = field.unwrap_or_else(|| panic!("{fact:?} is missing or out of order"));
                assert!(
                    is_declared_as(&field.kind, &fact.declared),
                    "{fact:?} is {}",
                    field.kind
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
