//! Every endpoint, name, state, numbered sentence and limit of the interface document has a rule in `RULES.md`.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use erp_core::tables::ALL_TABLES;

    use crate::page::{assert_none, page, quoted, root, rows};

    #[test]
    fn every_endpoint_of_the_interface_document_is_named() {
        let Some(interface) = interface() else {
            return;
        };
        let page = page("docs/RULES.md");
        let headings = interface
            .lines()
            .filter_map(|line| line.strip_prefix("### "));
        let methods = ["GET ", "POST ", "PUT ", "PATCH ", "DELETE "];
        let endpoints =
            headings.filter(|heading| methods.iter().any(|method| heading.starts_with(method)));
        let endpoints: Vec<&str> = endpoints
            .map(|heading| heading.split(" (").next().unwrap())
            .collect();
        assert!(endpoints.len() >= 19, "{endpoints:?}");
        let missing: Vec<String> = endpoints
            .iter()
            .filter(|endpoint| !page.lines().any(|line| line == format!("### `{endpoint}`")))
            .map(|endpoint| format!("`{endpoint}` has no section"))
            .collect();
        assert_none(&missing);
    }

    /// The interface document; `None` if it is not next to the checkout.
    fn interface() -> Option<String> {
        std::fs::read_to_string(root().join("../shared/spec/interface.md")).ok()
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

    /// The names in backticks, without the types after them.
    fn names(text: &str) -> BTreeSet<String> {
        const TYPES: [&str; 7] = [
            "char", "int", "lifetime", "response", "shape", "string", "varchar",
        ];
        let words = quoted(text).into_iter().flat_map(words);
        words
            .filter(|word| word.len() > 1 && !TYPES.contains(word))
            .map(str::to_owned)
            .collect()
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
        let Some(interface) = interface() else {
            return;
        };
        let page = page("docs/RULES.md");
        let mut wrong = Vec::new();
        for heading in section(&interface, "## Endpoints").lines() {
            let Some(heading) = heading.strip_prefix("### ") else {
                continue;
            };
            let endpoint = heading.split(" (").next().unwrap();
            let rules = section(&page, &format!("### `{endpoint}`"));
            let known: BTreeSet<&str> = words(rules).chain(fields_of_records(rules)).collect();
            let wanted = names(section(&interface, &format!("### {heading}")));
            assert!(rules.contains("| R-"), "{endpoint}");
            wrong.extend(
                wanted
                    .iter()
                    .filter(|name| !known.contains(name.as_str()))
                    .map(|name| format!("`{endpoint}`: `{name}` has no rule")),
            );
        }
        assert_none(&wrong);
    }

    #[test]
    fn every_state_and_numbered_sentence_has_a_rule() {
        let Some(interface) = interface() else {
            return;
        };
        let page = page("docs/RULES.md");
        let sources: Vec<&str> = rows(&page, "R-").iter().map(|row| row[1]).collect();
        let is_named = |sentence: &str| {
            let parts = sources.iter().flat_map(|source| source.split(", "));
            parts.into_iter().any(|part| part == sentence)
        };
        let mut wanted = Vec::new();
        for name in ["Authentication", "Events", "Errors", "Limits"] {
            let lines = section(&interface, &format!("## {name}")).lines();
            let numbers = lines.filter_map(|line| line.split_once(". ")?.0.parse::<u32>().ok());
            wanted.extend(numbers.map(|number| format!("{name} {number}")));
        }
        assert_eq!(wanted.len(), 14, "{wanted:?}");
        let states = section(&interface, "## States and transitions");
        let transitions = states.lines().filter(|line| line.starts_with('|')).count() - 2;
        assert_eq!(transitions, 4);
        let own = section(&page, "## States and transitions");
        for row in 1..=transitions {
            let is_there = own.contains(&format!("States, row {row}"));
            wanted.extend((!is_there).then(|| format!("States, row {row}")));
        }
        let missing: Vec<String> = wanted
            .into_iter()
            .filter(|sentence| !is_named(sentence))
            .collect();
        assert_none(&missing);
    }
}
