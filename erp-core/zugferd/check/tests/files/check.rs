//! Holds the check of invoices against the verdicts of the official artefacts on real files and mutants of them.
//!
//! The files are not part of the project: without them the test says so and passes.

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use erp_invoice_check::{Finding, Report};
    use serde_json::Value;

    use crate::verdicts::{SETS, folder, report, severity, verdicts};

    /// The rules of the standard for each syntax.
    const EN_16931: [&str; 2] = ["EN 16931 CII 1.3.16", "EN 16931 UBL 1.3.16"];

    /// Rule and severity to the places, which are sorted.
    type Findings = BTreeMap<(String, String), Vec<String>>;

    fn texts(value: &Value) -> impl Iterator<Item = &str> {
        let items = value.as_array().into_iter().flatten();
        items.filter_map(Value::as_str)
    }

    fn official(verdict: &Value) -> Findings {
        let mut findings = Findings::new();
        for finding in verdict["findings"].as_array().expect("findings") {
            let text = |name: &str| finding[name].as_str().expect(name).to_owned();
            let mut places: Vec<String> = texts(&finding["at"]).map(str::to_owned).collect();
            places.sort();
            findings.insert((text("rule"), text("severity")), places);
        }
        findings
    }

    /// What the rules of the standard found.
    fn of_standard(report: &Report) -> impl Iterator<Item = &Finding> {
        let findings = report.findings.iter();
        findings.filter(|finding| EN_16931.iter().any(|rules| finding.is_of(rules)))
    }

    fn ours(report: &Report) -> Findings {
        let mut findings = Findings::new();
        for finding in of_standard(report) {
            let key = (finding.rule.clone(), severity(finding).to_owned());
            findings.entry(key).or_default().push(finding.path.clone());
        }
        findings.values_mut().for_each(|places| places.sort());
        findings
    }

    /// The rules that cannot be judged, with their places.
    fn aborts(report: &Report) -> Vec<String> {
        let aborts = of_standard(report).filter(|finding| finding.rule == "ERP-VALUE");
        let mut aborts: Vec<_> = aborts
            .map(|finding| {
                let rule = finding
                    .en
                    .split(' ')
                    .nth(2)
                    .expect("The rule BR-… cannot be judged");
                format!("{rule} {}", finding.path)
            })
            .collect();
        aborts.sort();
        aborts
    }

    fn official_aborts(verdict: &Value) -> Vec<String> {
        let aborts = verdict["aborted"].as_array().into_iter().flatten();
        let text = |abort: &Value, name: &str| abort[name].as_str().expect("text").to_owned();
        let mut aborts: Vec<_> = aborts
            .map(|abort| format!("{} {}", text(abort, "rule"), text(abort, "at")))
            .collect();
        aborts.sort();
        aborts
    }

    #[test]
    fn verdicts_are_those_of_the_official_artefacts() {
        for set in SETS {
            let differences = differences(&folder(set));
            let count = differences.len();
            assert!(count == 0, "{set}, {count}:\n{}", differences.join("\n"));
        }
    }

    fn differences(folder: &Path) -> Vec<String> {
        let mut differences = Vec::new();
        for verdict in verdicts(folder) {
            let (file, official_verdict) = (&verdict["file"], &verdict["en16931"]);
            let report = report(folder, &verdict);
            let counted = report.fatal + report.warnings + report.information;
            assert!(report.findings.len() == counted, "{file}");
            if !EN_16931.iter().any(|rules| report.rules.contains(rules)) {
                continue;
            }
            let (aborts, theirs) = (aborts(&report), official_aborts(official_verdict));
            if aborts != theirs {
                differences.push(format!(
                    "{file}: aborts: ours {aborts:?}, official {theirs:?}"
                ));
            }
            let (mut ours, mut official) = (ours(&report), official(official_verdict));
            ours.retain(|(rule, _), _| rule != "ERP-VALUE");
            for disputed in texts(&official_verdict["disputed"]) {
                ours.retain(|(rule, _), _| rule != disputed);
                official.retain(|(rule, _), _| rule != disputed);
            }
            for (key, places) in &ours {
                if official.get(key) != Some(places) {
                    let theirs = official.get(key);
                    differences.push(format!(
                        "{file}: {key:?}: ours {places:?}, official {theirs:?}"
                    ));
                }
            }
            for (key, places) in &official {
                if !ours.contains_key(key) {
                    differences.push(format!("{file}: {key:?}: ours none, official {places:?}"));
                }
            }
        }
        differences
    }
}
