//! Holds the rules of Factur-X profiles and of XRechnung against the official verdicts on real files and mutants of
//! them.
//!
//! The files are not part of the project: without them the test says so and passes.

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use erp_invoice_check::Report;
    use serde_json::Value;

    use crate::verdicts::{folder, report, severity, verdicts};

    const FACTUR_X: &str = "Factur-X 1.09";
    const XRECHNUNG: &str = "XRechnung 3.0.2 CII 2.5.0";
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
    fn differences(verdict: &Value, report: &Report, source: &str) -> Option<String> {
        if verdict.is_null() {
            return report
                .rules
                .contains(&source)
                .then(|| "ours only".to_owned());
        }
        let findings = report.findings.iter();
        let ours: Vec<_> = findings.filter(|finding| finding.is_of(source)).collect();
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
        let folder = folder();
        let mut found = Vec::new();
        for verdict in verdicts(&folder) {
            // The record took the profile from the text before the first comment.
            if verdict["guideline"] == "ur" {
                continue;
            }
            let report = report(&folder, &verdict);
            for (key, source) in [("facturx", FACTUR_X), ("xrechnung", XRECHNUNG)] {
                if let Some(differences) = differences(&verdict[key], &report, source) {
                    found.push(format!("{} {key}: {differences}", verdict["file"]));
                }
            }
        }
        assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
    }
}
