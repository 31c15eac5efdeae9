//! Holds the rules of Factur-X profiles and of XRechnung against the official verdicts on real files and mutants of
//! them.
//!
//! The files are not part of the project: without them the test says so and passes.

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use erp_invoice_check::{Finding, Report};
    use serde_json::Value;

    use crate::verdicts::{SETS, folder, report, severity, verdicts};

    const FACTUR_X: [&str; 1] = ["Factur-X 1.09"];
    /// The rules of XRechnung for each syntax.
    const XRECHNUNG: [&str; 2] = ["XRechnung 3.0.2 CII 2.5.0", "XRechnung 3.0.2 UBL 2.5.0"];
    const UNDECIDED: &str = "ERP-VALUE";

    /// Rule and severity to how often it is broken.
    type Counts = BTreeMap<(String, String), u64>;

    fn official(verdict: &Value) -> Counts {
        let mut counts = Counts::new();
        for finding in verdict["findings"].as_array().into_iter().flatten() {
            let text = |name: &str| finding[name].as_str().expect(name).to_owned();
            let count = finding["count"].as_u64().expect("count");
            counts.insert((text("rule"), text("severity")), count);
        }
        counts
    }

    /// What differs between the official verdict and ours by these rules.
    fn differences(verdict: &Value, report: &Report, sources: &[&str]) -> Option<String> {
        if verdict.is_null() {
            let mut rules = report.rules.iter();
            let is_judged = rules.any(|rules| sources.contains(rules));
            return is_judged.then(|| "ours only".to_owned());
        }
        let findings = report.findings.iter();
        let is_of = |finding: &&Finding| sources.iter().any(|source| finding.is_of(source));
        let ours: Vec<_> = findings.filter(is_of).collect();
        let undecided = ours.iter().find(|finding| finding.rule == UNDECIDED);
        match (verdict["status"].as_str(), undecided) {
            (Some("ok"), Some(finding)) => return Some(finding.en.clone()),
            (Some("ok"), None) => {}
            (_, undecided) => return undecided.is_none().then(|| verdict["message"].to_string()),
        }
        let mut counts = Counts::new();
        for finding in ours {
            assert!(
                !finding.en.contains(['{', '}']) && !finding.de.is_empty(),
                "{finding:?}"
            );
            *counts
                .entry((finding.rule.clone(), severity(finding).to_owned()))
                .or_default() += 1;
        }
        let mut official = official(verdict);
        (counts != official).then(|| {
            let ours = counts.clone();
            counts.retain(|key, count| official.get(key) != Some(count));
            official.retain(|key, count| ours.get(key) != Some(count));
            format!("ours {counts:?}, official {official:?}")
        })
    }

    #[test]
    fn profiles_and_xrechnung_are_judged_as_officially() {
        for set in SETS {
            let found = all_differences(&folder(set));
            let count = found.len();
            assert!(count == 0, "{set}, {count}:\n{}", found.join("\n"));
        }
    }

    fn all_differences(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for verdict in verdicts(folder) {
            // The record took the profile from the text before the first comment.
            if verdict["guideline"] == "ur" {
                continue;
            }
            let report = report(folder, &verdict);
            for (key, sources) in [("facturx", &FACTUR_X[..]), ("xrechnung", &XRECHNUNG)] {
                if let Some(differences) = differences(&verdict[key], &report, sources) {
                    found.push(format!("{} {key}: {differences}", verdict["file"]));
                }
            }
        }
        found
    }
}
