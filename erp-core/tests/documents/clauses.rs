//! Checks `PDF_A3.md`: every clause that the code names has a row, and every row has code and tests.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::page::{assert_none, files, page, rows};
    use crate::places::Places;

    /// The rows of the table of clauses: clause, requirement, state, how.
    fn clause_rows(page: &str) -> Vec<Vec<&str>> {
        rows(page, "6")
    }

    /// The clauses in string literals of a source: a 6, followed by more numbers separated by dots.
    fn clauses_of(text: &str) -> impl Iterator<Item = &str> {
        text.split('"').filter(|literal| {
            let mut parts = literal.split('.');
            let is_number = |part: &str| !part.is_empty() && part.parse::<u8>().is_ok();
            parts.next() == Some("6") && parts.all(is_number)
        })
    }

    /// The source folders that name clauses.
    const SOURCES: [&str; 2] = ["erp-core/zugferd/src", "erp-core/zugferd/pdfa/src"];

    /// The clauses that the sources name in literals.
    fn named() -> BTreeSet<String> {
        let texts = SOURCES
            .iter()
            .flat_map(|folder| files(folder, &[".rs"]))
            .map(|file| std::fs::read_to_string(file).unwrap());
        let named = texts.flat_map(|text| clauses_of(&text).map(str::to_owned).collect::<Vec<_>>());
        named.collect()
    }

    #[test]
    fn every_clause_that_the_code_names_has_a_row() {
        let page = page("zugferd/PDF_A3.md");
        let listed: BTreeSet<&str> = clause_rows(&page).iter().map(|row| row[0]).collect();
        let named = named();
        assert!(named.len() > 40, "{named:?}");
        let missing = named
            .iter()
            .filter(|clause| !listed.contains(clause.as_str()))
            .map(|clause| format!("{clause} has no row"));
        assert_none(&missing.collect::<Vec<String>>());
    }

    // rule: R-ZUG-11
    #[test]
    fn every_row_has_code_and_a_test() {
        let page = page("zugferd/PDF_A3.md");
        let rows = clause_rows(&page);
        let named = named();
        let places = Places::of_sources("clause");
        let mut wrong = places.wrong;
        for row in &rows {
            let name = format!("{} ({})", row[0], row.get(1).unwrap_or(&""));
            if row.len() != 4 || row.iter().any(|cell| cell.is_empty()) {
                wrong.push(format!("{name}: {} cells", row.len()));
                continue;
            }
            let has_code = match row[2] {
                "checked" | "repaired" if named.contains(row[0]) => true,
                "checked" | "repaired" | "met" => places.code.contains(row[0]),
                "input's duty" => row[3] != "-",
                other => {
                    wrong.push(format!("{name}: `{other}` is no state"));
                    continue;
                }
            };
            wrong.extend((!has_code).then(|| format!("{name}: no code, or no reason")));
            let has_test = row[2] == "input's duty" || places.tests.contains(row[0]);
            wrong.extend((!has_test).then(|| format!("{name}: no test names it")));
        }
        let listed: BTreeSet<&str> = rows.iter().map(|row| row[0]).collect();
        let comments = places.code.union(&places.tests);
        let unknown = comments.filter(|clause| !listed.contains(clause.as_str()));
        wrong.extend(unknown.map(|clause| format!("{clause}: a comment names it, no row does")));
        assert_none(&wrong);
    }

    #[test]
    fn every_fix_is_in_the_table() {
        let page = page("zugferd/PDF_A3.md");
        let repaired: BTreeSet<&str> = clause_rows(&page)
            .iter()
            .filter(|row| row[2] == "repaired")
            .map(|row| row[0])
            .collect();
        let (mut fixes, mut wrong) = (0, Vec::new());
        for file in files("erp-core/zugferd/pdfa/src", &[".rs"]) {
            let text = std::fs::read_to_string(&file).unwrap();
            let calls = text.split("add_repairable(").skip(1);
            let clauses = calls.filter_map(|call| call.split('"').nth(1));
            for clause in clauses.filter(|clause| clause.starts_with("6.")) {
                fixes += 1;
                if !repaired.contains(clause) {
                    wrong.push(format!("{}: {clause}", file.display()));
                }
            }
        }
        assert!(fixes >= 10, "{fixes}");
        assert_none(&wrong);
    }
}
