//! The facts of the interface document are served, and have rules in `RULES.md`.
//!
//! `interface.tsv` has them: group, what it is of, name, declared type. Groups: `endpoint` (the name is its status of
//! success); `parameter`, `body`, `response` (members of JSON) and `value` (words) of endpoints; `field` of records in
//! their order; `state`; other `name`; numbered `sentence`.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use erp_core::internal::tables::ALL_TABLES;
    use serde_json::Value;

    use crate::page::{Fact, assert_none, facts, files, page, quoted, rows};

    /// The description of the interface, which a test of HTTP holds against the server's.
    struct Served(Value);

    impl Served {
        fn new() -> Self {
            Self(serde_json::from_str(&page("../tests/golden/openapi.json")).unwrap())
        }

        /// The description of an endpoint, for example of `GET /www/offerte?OffertNr={OffertNr}`.
        fn operation(&self, endpoint: &str) -> &Value {
            let (method, path) = endpoint.split_once(' ').unwrap();
            let path = path.split('?').next().unwrap();
            &self.0["paths"][path][method.to_lowercase()]
        }

        /// The descriptions of a member of this name, at any depth.
        fn members<'a>(&'a self, value: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
            if let Some(reference) = value["$ref"].as_str() {
                let target = self.0.pointer(reference.trim_start_matches('#')).unwrap();
                return self.members(target, name, found);
            }
            found.extend(value["properties"].get(name));
            match value {
                Value::Object(parts) => parts
                    .values()
                    .for_each(|part| self.members(part, name, found)),
                Value::Array(parts) => parts
                    .iter()
                    .for_each(|part| self.members(part, name, found)),
                _ => {}
            }
        }

        fn is_served(&self, fact: &Fact) -> bool {
            let name = &fact.name;
            let operation = || self.operation(&fact.of);
            let mut found = Vec::new();
            match fact.group.as_str() {
                "field" => {
                    let record = &self.0["components"]["schemas"][&fact.of];
                    found.extend(record["properties"].get(name));
                }
                "parameter" => {
                    let parameters = operation()["parameters"].as_array().unwrap().iter();
                    let named = parameters.filter(|parameter| parameter["name"] == **name);
                    found.extend(named.map(|parameter| &parameter["schema"]));
                }
                "body" => self.members(&operation()["requestBody"], name, &mut found),
                "response" => self.members(&operation()["responses"], name, &mut found),
                _ => return words(&operation().to_string()).any(|word| word == name),
            }
            let declared = match (fact.of.as_str(), name.as_str()) {
                // D-ANS-10
                ("OrderAddress", "AdrAdresse1" | "AdrAdresse2") => "varchar(60)",
                _ => &fact.declared,
            };
            found.iter().any(|schema| is_declared_as(schema, declared))
        }
    }

    fn is_declared_as(schema: &Value, declared: &str) -> bool {
        let schema = schema["anyOf"].get(0).unwrap_or(schema);
        let types = match &schema["type"] {
            Value::Array(types) => types.as_slice(),
            one => std::slice::from_ref(one),
        };
        let is = |name: &str| types.contains(&name.into());
        match declared {
            "" => true,
            "int" | "tinyint" => is("integer"),
            "float" | "money" => is("number"),
            "bool" | "boolean" => is("boolean"),
            "list" => is("array"),
            // Dates: more forms of ISO 8601 are read.
            "string" | "text" | "char(20)" => is("string"),
            record if record.starts_with(char::is_uppercase) => {
                let target = schema["$ref"].as_str().unwrap_or_default();
                target.ends_with(&format!("/{record}"))
            }
            text => {
                let length = text.trim_end_matches(')').rsplit('(').next().unwrap();
                let length: usize = length.parse().unwrap();
                let words = schema["enum"]
                    .as_array()
                    .map(|all| all.iter().map(|word| word.as_str().unwrap().len()));
                let longest = words.and_then(Iterator::max);
                is("string")
                    && longest.map_or(schema["maxLength"] == length, |longest| longest <= length)
            }
        }
    }

    // rule: R-RES-20, R-END-30, R-END-31, R-END-42
    #[test]
    fn every_name_is_served_with_its_type() {
        let served = Served::new();
        let groups = ["parameter", "body", "response", "value", "field"];
        let facts = groups.map(facts).into_iter().flatten();
        let missing = facts.filter(|fact| !served.is_served(fact));
        let missing = missing.map(|fact| format!("{fact:?} is not served"));
        assert_none(&missing.collect::<Vec<_>>());
    }

    #[test]
    fn every_endpoint_has_a_section_and_is_served() {
        let (page, served) = (page("docs/RULES.md"), Served::new());
        let mut wrong = Vec::new();
        for Fact { of, name, .. } in facts("endpoint") {
            if !page.lines().any(|line| line == format!("### `{of}`")) {
                wrong.push(format!("`{of}` has no section"));
            }
            let responses = served.operation(&of)["responses"].as_object();
            if !responses.is_some_and(|all| name.is_empty() || all.contains_key(&name)) {
                wrong.push(format!("`{of}` is not served with status `{name}`"));
            }
        }
        assert_none(&wrong);
    }

    #[test]
    fn every_state_is_served() {
        let served = Served::new();
        for Fact { of, name, .. } in facts("state") {
            let mut fields = Vec::new();
            served.members(&served.0["components"]["schemas"], &of, &mut fields);
            let mut values = fields.iter().filter_map(|field| field["enum"].as_array());
            assert!(
                values.any(|values| values.contains(&name.as_str().into())),
                "{of} {name}"
            );
        }
    }

    #[test]
    fn every_other_name_is_in_the_code() {
        let files = ["erp-core/src", "erp-server/src"].map(|folder| files(folder, &[".rs"]));
        let texts = files.into_iter().flatten().map(std::fs::read_to_string);
        let texts: Vec<String> = texts.map(Result::unwrap).collect();
        for Fact { of, name, .. } in facts("name") {
            let forms = [format!("\"{name}\""), format!("`{name}`")];
            let is_named = |text: &String| forms.iter().any(|form| text.contains(form));
            assert!(texts.iter().any(is_named), "{of} {name}");
        }
    }

    /// The text under a heading, up to the next one of its level.
    fn section<'a>(page: &'a str, heading: &str) -> &'a str {
        let level = heading.split(' ').next().unwrap();
        let rest = page
            .split_once(&format!("\n{heading}\n"))
            .unwrap_or_else(|| panic!("no `{heading}`"))
            .1;
        let ends = (2..=level.len()).filter_map(|count| {
            let begin = format!("\n{} ", "#".repeat(count));
            rest.find(&begin)
        });
        ends.min().map_or(rest, |end| rest.split_at(end).0)
    }

    fn words(text: &str) -> impl Iterator<Item = &str> {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        text.split(move |character| !is_part(character))
            .filter(|word| word.starts_with(char::is_alphabetic))
    }

    /// The wire names of the fields of the records named in a text.
    fn fields_of_records(text: &str) -> impl Iterator<Item = &str> {
        let records = quoted(text);
        let schemas = ALL_TABLES.iter().map(|table| table.schema);
        let named = schemas.filter(move |schema| records.contains(&schema.name));
        named.flat_map(|schema| schema.fields.iter().map(|field| field.wire))
    }

    #[test]
    fn every_name_of_an_endpoint_has_a_rule() {
        let page = page("docs/RULES.md");
        let mut wrong = Vec::new();
        let groups = ["parameter", "body", "response", "value"];
        for Fact { of, name, .. } in groups.map(facts).into_iter().flatten() {
            let rules = section(&page, &format!("### `{of}`"));
            let known: BTreeSet<&str> = words(rules).chain(fields_of_records(rules)).collect();
            if !known.contains(name.as_str()) {
                wrong.push(format!("`{of}`: `{name}` has no rule"));
            }
        }
        assert_none(&wrong);
    }

    #[test]
    fn every_numbered_sentence_has_a_rule() {
        let page = page("docs/RULES.md");
        let rows = rows(&page, "R-");
        let sentences = facts("sentence").into_iter();
        let sentences = sentences.map(|Fact { of, name, .. }| format!("{of} {name}"));
        let missing =
            sentences.filter(|sentence| !rows.iter().any(|row| row[1].contains(sentence)));
        assert_none(&missing.collect::<Vec<String>>());
    }
}
