//! Keeps `RULES.md`, `DECISIONS.md` and `PDF_A3.md` complete and true: every rule leads to code and tests that
//! are there, every decision is pinned or marked as planned, every sentence of the interface document about
//! endpoints, states, authentication, events, errors and limits has a rule, every clause of PDF/A that the code
//! knows has a row.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    const PLANNED: &str = "planned";
    const NOT_BUILT: &str = "## Not built yet";

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
    }

    fn page(name: &str) -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
    }

    /// The rows of a page's tables whose first cell begins like this.
    fn rows<'a>(page: &'a str, prefix: &str) -> Vec<Vec<&'a str>> {
        let tables = page.lines().filter(|line| line.starts_with('|'));
        let rows = tables.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect());
        rows.filter(|cells: &Vec<&str>| cells[0].starts_with(prefix))
            .collect()
    }

    /// The texts between backticks of a cell.
    fn quoted(cell: &str) -> Vec<&str> {
        cell.split('`').skip(1).step_by(2).collect()
    }

    /// The rules that are built, and those that are not.
    fn rules(page: &str) -> (Vec<Vec<&str>>, Vec<Vec<&str>>) {
        let (built, later) = page.split_once(NOT_BUILT).unwrap_or((page, ""));
        (rows(built, "R-"), rows(later, "R-"))
    }

    /// What is wrong with a place `path::symbol`; `None` when the file is there and names the symbol.
    fn wrong_place(place: &str, needle: impl Fn(&str) -> Vec<String>) -> Option<String> {
        let Some((path, symbol)) = place.split_once("::") else {
            return Some(format!("`{place}` is no `path::symbol`"));
        };
        let Ok(text) = std::fs::read_to_string(root().join(path)) else {
            return Some(format!("there is no file for `{place}`"));
        };
        let found = needle(symbol).iter().any(|needle| text.contains(needle));
        (!found || symbol.is_empty()).then(|| format!("`{path}` has no `{symbol}`"))
    }

    fn wrong_test(place: &str) -> Option<String> {
        wrong_place(place, |name| {
            vec![format!("fn {name}("), format!("fn {name}<")]
        })
        .or_else(|| (!is_marked_as_test(place)).then(|| format!("`{place}` is no test")))
    }

    fn is_marked_as_test(place: &str) -> bool {
        let (path, name) = place.split_once("::").unwrap();
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        let Some((before, _)) = text.split_once(&format!("fn {name}(")) else {
            return false;
        };
        let near: Vec<&str> = before.lines().rev().take(6).collect();
        // Tests inside `proptest!` may take arguments; all carry the attribute.
        near.iter()
            .any(|line| line.contains("#[test]") || line.contains("#[tokio::test"))
    }

    fn assert_none(wrong: &[String]) {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn ids_are_unique() {
        let (decisions, rules_page) = (page("docs/DECISIONS.md"), page("docs/RULES.md"));
        let (built, later) = rules(&rules_page);
        let decisions = rows(&decisions, "D-");
        assert!(decisions.len() > 150 && built.len() > 200);
        let mut seen = BTreeSet::new();
        let all = decisions.iter().chain(&built).chain(&later);
        let doubled: Vec<String> = all
            .filter(|row| !seen.insert(row[0]))
            .map(|row| row[0].to_owned())
            .collect();
        assert_none(&doubled);
    }

    #[test]
    fn every_row_has_all_its_cells() {
        let (decisions, rules_page) = (page("docs/DECISIONS.md"), page("docs/RULES.md"));
        let (built, later) = rules(&rules_page);
        let decisions = rows(&decisions, "D-");
        let count = |rows: &[Vec<&str>], cells: usize| -> Vec<String> {
            let odd = rows
                .iter()
                .filter(|row| row.len() != cells || row.iter().any(|cell| cell.is_empty()));
            odd.map(|row| format!("{}: {} cells", row[0], row.len()))
                .collect()
        };
        assert_none(&[count(&decisions, 4), count(&built, 5), count(&later, 3)].concat());
    }

    #[test]
    fn every_rule_leads_to_code_and_tests_that_are_there() {
        let page = page("docs/RULES.md");
        let (built, _) = rules(&page);
        let mut wrong = Vec::new();
        for row in &built {
            let (code, tests) = (quoted(row[3]), quoted(row[4]));
            if code.is_empty() || tests.is_empty() {
                wrong.push(format!("{}: needs code and a test", row[0]));
            }
            let code = code
                .iter()
                .filter_map(|place| wrong_place(place, |symbol| vec![symbol.to_owned()]));
            let tests = tests.iter().filter_map(|place| wrong_test(place));
            wrong.extend(code.chain(tests).map(|what| format!("{}: {what}", row[0])));
        }
        assert_none(&wrong);
    }

    #[test]
    fn every_decision_is_pinned_or_planned() {
        let page = page("docs/DECISIONS.md");
        let mut wrong = Vec::new();
        for row in rows(&page, "D-") {
            let tests = quoted(row[3]);
            if tests.is_empty() && row[3] != PLANNED {
                wrong.push(format!("{}: needs a test", row[0]));
            }
            let missing = tests.iter().filter_map(|place| wrong_test(place));
            wrong.extend(missing.map(|what| format!("{}: {what}", row[0])));
        }
        assert_none(&wrong);
    }

    #[test]
    fn every_decision_has_a_rule() {
        let (decisions, rules_page) = (page("docs/DECISIONS.md"), page("docs/RULES.md"));
        let (built, later) = rules(&rules_page);
        let names = |rows: &[Vec<&str>], id: &str| {
            rows.iter()
                .any(|row| row[1].split([',', ' ']).any(|source| source == id))
        };
        let mut wrong = Vec::new();
        for row in rows(&decisions, "D-") {
            let (id, planned) = (row[0], row[3] == PLANNED);
            if !names(if planned { &later } else { &built }, id) {
                let list = if planned { "not built yet" } else { "built" };
                wrong.push(format!("{id}: no rule among those {list}"));
            }
        }
        let known: BTreeSet<&str> = rows(&decisions, "D-").iter().map(|row| row[0]).collect();
        let sources = built
            .iter()
            .chain(&later)
            .flat_map(|row| row[1].split([',', ' ']));
        let unknown = sources.filter(|source| source.starts_with("D-") && !known.contains(source));
        wrong.extend(unknown.map(|source| format!("{source}: no such decision")));
        assert_none(&wrong);
    }

    /// The rows of the table of clauses: clause, what it asks, state, how, code, tests.
    fn clause_rows(page: &str) -> Vec<Vec<&str>> {
        rows(page, "6")
    }

    /// All files below a folder of the sources.
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else {
                found.push(path);
            }
        }
    }

    /// The clauses that a source names in literals: a 6, and more numbers with points between.
    fn clauses_of(text: &str) -> impl Iterator<Item = &str> {
        text.split('"').filter(|literal| {
            let mut parts = literal.split('.');
            let is_number = |part: &str| !part.is_empty() && part.parse::<u8>().is_ok();
            parts.next() == Some("6") && parts.all(is_number)
        })
    }

    #[test]
    fn every_clause_that_the_code_names_has_a_row() {
        let page = page("zugferd/PDF_A3.md");
        let rows = clause_rows(&page);
        let listed: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
        let mut files = Vec::new();
        sources(&root().join("erp-core/zugferd/src"), &mut files);
        let mut named = BTreeSet::new();
        for file in &files {
            let text = std::fs::read_to_string(file).unwrap();
            named.extend(clauses_of(&text).map(str::to_owned));
        }
        assert!(named.len() > 40, "{named:?}");
        let missing: Vec<String> = named
            .iter()
            .filter(|clause| !listed.contains(clause.as_str()))
            .map(|clause| format!("{clause} has no row"))
            .collect();
        assert_none(&missing);
        // And the other way round: what a row says is checked, the code names.
        let foreign: Vec<String> = rows
            .iter()
            .filter(|row| matches!(row[2], "checked" | "lifted") && !named.contains(row[0]))
            .map(|row| format!("{} is in no code", row[0]))
            .collect();
        assert_none(&foreign);
    }

    #[test]
    fn every_clause_leads_to_code_and_tests_that_are_there() {
        let page = page("zugferd/PDF_A3.md");
        let mut wrong = Vec::new();
        for row in clause_rows(&page) {
            let name = format!("{} ({})", row[0], row.get(1).unwrap_or(&""));
            if row.len() != 6 || row.iter().any(|cell| cell.is_empty()) {
                wrong.push(format!("{name}: {} cells", row.len()));
                continue;
            }
            let (code, tests) = (quoted(row[4]), quoted(row[5]));
            match row[2] {
                "met" | "checked" | "lifted" if code.is_empty() || tests.is_empty() => {
                    wrong.push(format!("{name}: needs code and a test"));
                }
                "input's duty" if row[3] == "-" => wrong.push(format!("{name}: needs a reason")),
                "met" | "checked" | "lifted" | "input's duty" => {}
                other => wrong.push(format!("{name}: `{other}` is no state")),
            }
            let code = code
                .iter()
                .filter_map(|place| wrong_place(place, |symbol| vec![symbol.to_owned()]));
            let tests = tests.iter().filter_map(|place| wrong_test(place));
            wrong.extend(code.chain(tests).map(|what| format!("{name}: {what}")));
        }
        assert_none(&wrong);
    }

    #[test]
    fn every_cure_is_told_as_one() {
        let page = page("zugferd/PDF_A3.md");
        let lifted: BTreeSet<&str> = clause_rows(&page)
            .iter()
            .filter(|row| row[2] == "lifted")
            .map(|row| row[0])
            .collect();
        let mut files = Vec::new();
        sources(&root().join("erp-core/zugferd/src/pdfa"), &mut files);
        let mut wrong = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let calls = text.split("add_curable(").skip(1);
            let clauses = calls.filter_map(|call| call.split('"').nth(1));
            let clauses = clauses.filter(|clause| clause.starts_with("6."));
            let untold = clauses.filter(|clause| !lifted.contains(clause));
            wrong.extend(untold.map(|clause| format!("{}: {clause}", file.display())));
        }
        assert_none(&wrong);
    }

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
            .filter(|endpoint| !page.contains(&format!("`{endpoint}`")))
            .map(|endpoint| format!("`{endpoint}` is not named"))
            .collect();
        assert_none(&missing);
    }

    /// The interface document. Where it does not lie beside the checkout there is nothing to compare with.
    fn interface() -> Option<String> {
        std::fs::read_to_string(root().join("../shared/spec/interface.md")).ok()
    }

    /// What stands under a heading, up to the next one of its level.
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

    /// The names between backticks, without the types that stand beside them.
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

    #[test]
    fn every_name_of_an_endpoint_has_a_rule() {
        let Some(interface) = interface() else {
            return;
        };
        let page = page("docs/RULES.md");
        let (built, later) = page.split_once(NOT_BUILT).unwrap_or((&page, ""));
        let mut wrong = Vec::new();
        for heading in section(&interface, "## Endpoints").lines() {
            let Some(heading) = heading.strip_prefix("### ") else {
                continue;
            };
            let endpoint = heading.split(" (").next().unwrap();
            if later.contains(&format!("`{endpoint}`")) {
                continue;
            }
            let rules = section(built, &format!("### `{endpoint}`"));
            let known: BTreeSet<&str> = words(rules).collect();
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
        let (built, later) = rules(&page);
        let sources: Vec<&str> = built.iter().chain(&later).map(|row| row[1]).collect();
        let is_named = |sentence: &str| {
            let parts = sources.iter().flat_map(|source| source.split(", "));
            parts.into_iter().any(|part| part.starts_with(sentence))
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

    #[test]
    fn links_between_the_pages_lead_somewhere() {
        let pages = [
            "README.md",
            "CHANGELOG.md",
            "erp-core/README.md",
            "erp-core/docs/ARCHITECTURE.md",
            "erp-core/docs/DECISIONS.md",
            "erp-core/docs/GLOSSARY.md",
            "erp-core/docs/RULES.md",
            "erp-core/zugferd/PDF_A3.md",
            "erp-core/zugferd/README.md",
            "erp-server/README.md",
            "erp-server/demo/README.md",
            "erp-server/docs/api.md",
            "erp-server/docs/backup.md",
            "erp-server/docs/benchmarks.md",
            "erp-server/docs/command-line.md",
            "erp-server/docs/e-invoices.md",
            "erp-server/docs/events.md",
            "erp-server/docs/getting-started.md",
            "erp-server/docs/import-export.md",
            "erp-server/docs/monitoring.md",
            "erp-server/docs/network.md",
            "erp-server/docs/operations.md",
            "erp-server/docs/settings.md",
            "erp-server/docs/several-servers.md",
            "erp-wasm/README.md",
            "examples/shop/README.md",
            "tests/README.md",
        ];
        let mut wrong = Vec::new();
        for page in pages {
            let path = root().join(page);
            let text = std::fs::read_to_string(&path).unwrap();
            let targets = text
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split(')').next());
            let here = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
            let files = here.map(|target| target.split('#').next().unwrap_or_default());
            let missing = files.filter(|file| !path.parent().unwrap().join(file).exists());
            wrong.extend(missing.map(|file| format!("{page}: `{file}` is not there")));
        }
        assert_none(&wrong);
    }

    #[test]
    fn the_map_of_the_house_names_every_module() {
        let map = page("docs/ARCHITECTURE.md");
        let mut missing = Vec::new();
        for folder in [
            "erp-core/src",
            "erp-core/src/erp",
            "erp-server/src",
            "erp-server/src/resources",
            "erp-server/src/web",
            "erp-server/src/store",
            "erp-server/src/observe",
        ] {
            for entry in std::fs::read_dir(root().join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
                if !["lib", "mod", "main", "tests"].contains(&stem.as_str())
                    && !map.contains(&format!("`{stem}`"))
                {
                    missing.push(format!("{folder}/{stem}"));
                }
            }
        }
        assert_none(&missing);
    }
}
