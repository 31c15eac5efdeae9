//! Keeps `RULES.md` and `DECISIONS.md` complete and true: every rule has code and tests in the sources, and every
//! decision has a rule.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::page::{assert_none, page, rows};
    use crate::places::Places;

    #[test]
    fn ids_are_unique() {
        let (decisions, rules) = (page("docs/DECISIONS.md"), page("docs/RULES.md"));
        let (decisions, rules) = (rows(&decisions, "D-"), rows(&rules, "R-"));
        assert!(decisions.len() > 300 && rules.len() > 350);
        let mut seen = BTreeSet::new();
        let doubled: Vec<String> = decisions
            .iter()
            .chain(&rules)
            .filter(|row| !seen.insert(row[0]))
            .map(|row| row[0].to_owned())
            .collect();
        assert_none(&doubled);
    }

    #[test]
    fn every_row_has_all_its_cells() {
        let (decisions, rules) = (page("docs/DECISIONS.md"), page("docs/RULES.md"));
        let (decisions, rules) = (rows(&decisions, "D-"), rows(&rules, "R-"));
        let odd = decisions
            .iter()
            .chain(&rules)
            .filter(|row| row.len() != 3 || row.iter().any(|cell| cell.is_empty()));
        let odd: Vec<String> = odd
            .map(|row| format!("{}: {} cells", row[0], row.len()))
            .collect();
        assert_none(&odd);
    }

    #[test]
    fn every_rule_has_code_and_a_test() {
        let page = page("docs/RULES.md");
        let rules: BTreeSet<&str> = rows(&page, "R-").iter().map(|row| row[0]).collect();
        let places = Places::of_sources("rule");
        let mut wrong = places.wrong;
        for rule in &rules {
            let is_in = |places: &BTreeSet<String>| places.contains(*rule);
            wrong.extend((!is_in(&places.code)).then(|| format!("{rule}: no code names it")));
            wrong.extend((!is_in(&places.tests)).then(|| format!("{rule}: no test names it")));
        }
        let named = places.code.union(&places.tests);
        let unknown = named.filter(|id| !rules.contains(id.as_str()));
        wrong.extend(unknown.map(|id| format!("{id}: a comment names it, RULES.md does not")));
        assert_none(&wrong);
    }

    #[test]
    fn every_decision_has_a_rule() {
        let (decisions, rules) = (page("docs/DECISIONS.md"), page("docs/RULES.md"));
        let known: BTreeSet<&str> = rows(&decisions, "D-").iter().map(|row| row[0]).collect();
        let rules = rows(&rules, "R-");
        let sources: BTreeSet<&str> = rules
            .iter()
            .flat_map(|row| row[1].split([',', ' ']))
            .filter(|source| source.starts_with("D-"))
            .collect();
        let without = known
            .difference(&sources)
            .map(|id| format!("{id}: no rule"));
        let unknown = sources
            .difference(&known)
            .map(|id| format!("{id}: no such decision"));
        assert_none(&without.chain(unknown).collect::<Vec<String>>());
    }
}
