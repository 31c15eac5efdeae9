//! Checks `RULES.md` and `DECISIONS.md`: every rule has code and tests in the sources, and so has every decision that
//! no rule names.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::page::{assert_none, page, rows};
    use crate::places::Places;

    #[test]
    fn ids_are_unique() {
        let (decisions, rules) = (page("docs/DECISIONS.md"), page("docs/RULES.md"));
        let (decisions, rules) = (rows(&decisions, "D-"), rows(&rules, "R-"));
        assert!((130..=200).contains(&decisions.len()) && rules.len() > 200);
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
        // A decision may do without a reason.
        let odd_decisions = decisions.iter().filter(|row| !(2..=3).contains(&row.len()));
        let odd_rules = rules.iter().filter(|row| row.len() != 3);
        let all = decisions.iter().chain(&rules);
        let odd = all.filter(|row| row.iter().any(|cell| cell.is_empty()));
        let odd = odd.chain(odd_decisions).chain(odd_rules);
        let odd: Vec<String> = odd
            .map(|row| format!("{}: {} cells", row[0], row.len()))
            .collect();
        assert_none(&odd);
    }

    #[test]
    fn every_rule_and_decision_has_code_and_a_test() {
        let (decisions, rules) = (page("docs/DECISIONS.md"), page("docs/RULES.md"));
        let (decisions, rules) = (rows(&decisions, "D-"), rows(&rules, "R-"));
        let words = rules.iter().flat_map(|row| row[2].split([',', ';', ' ']));
        let named: BTreeSet<&str> = words.filter(|word| word.starts_with("D-")).collect();
        let decisions: BTreeSet<&str> = decisions.iter().map(|row| row[0]).collect();
        let rules: BTreeSet<&str> = rules.iter().map(|row| row[0]).collect();
        let places = Places::of_sources("rule");
        let mut wrong = places.wrong;
        for id in rules.iter().chain(decisions.difference(&named)) {
            let is_in = |places: &BTreeSet<String>| places.contains(*id);
            wrong.extend((!is_in(&places.code)).then(|| format!("{id}: no code names it")));
            wrong.extend((!is_in(&places.tests)).then(|| format!("{id}: no test names it")));
        }
        let is_known = |id: &str| rules.contains(id) || decisions.contains(id);
        let in_comments = places.code.union(&places.tests).map(String::as_str);
        let unknown = in_comments.chain(named).filter(|id| !is_known(id));
        wrong.extend(unknown.map(|id| format!("{id}: no rule and no decision")));
        assert_none(&wrong);
    }
}
