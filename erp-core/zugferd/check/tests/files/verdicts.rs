//! Holds the check of invoices against the verdicts of the official artefacts on the cases of `tests/verdicts`.
//!
//! The variable `VERDICTS` may name another folder of the same form, which is judged as well.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use erp_dev::{InvoiceCase, OWN_INVOICE_CASES, invoice_cases};
use erp_invoice_check::{CheckLimits, Finding, Report, Severity, check};
use serde_json::Value;

/// How often each rule is broken, by severity and rule.
type Counts = BTreeMap<(String, String), u64>;

/// Name of a case and set, to what is wrong.
type Wrong = BTreeMap<(String, String), String>;

fn own() -> PathBuf {
    PathBuf::from(OWN_INVOICE_CASES)
}

/// The rows of a table in the folder of the own cases, without the head.
fn rows(table: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(own().join(table)).expect(table);
    let lines = text.lines().skip(1);
    lines
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

/// The names that a report has for the rules of a set.
fn names(set: &str) -> &'static [&'static str] {
    match set {
        "en16931" => &["EN 16931 CII 1.3.16", "EN 16931 UBL 1.3.16"],
        "facturx" => &["Factur-X 1.09"],
        "xrechnung" => &["XRechnung 3.0.2 CII 2.5.0", "XRechnung 3.0.2 UBL 2.5.0"],
        other => panic!("{other}"),
    }
}

const fn severity(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Fatal => "fatal",
        Severity::Warning => "warning",
        Severity::Information => "information",
    }
}

/// What the report counts of a set; `None` if it did not judge by its rules.
fn ours(report: &Report, set: &str) -> Option<Counts> {
    let names = names(set);
    report.rules.iter().find(|rules| names.contains(rules))?;
    let mut counts = Counts::new();
    for finding in &report.findings {
        if names.iter().any(|name| finding.is_of(name)) {
            let key = (severity(finding).to_owned(), finding.rule.clone());
            *counts.entry(key).or_default() += 1;
        }
    }
    Some(counts)
}

fn official(verdict: &Value) -> Counts {
    let mut counts = Counts::new();
    for (severity, rules) in verdict["findings"].as_object().expect("findings") {
        for (rule, count) in rules.as_object().expect("rules") {
            let count = count.as_u64().expect("count");
            counts.insert((severity.clone(), rule.clone()), count);
        }
    }
    counts
}

/// What is wrong in the report by the rules of a set.
fn wrong_by_rules(report: &Report, set: &str, verdict: &Value, disputed: &Value) -> Option<String> {
    if verdict["status"] == "abort" {
        return report.valid.then(|| "accepted".to_owned());
    }
    let Some(mut ours) = ours(report, set) else {
        return Some("not judged".to_owned());
    };
    let mut official = official(verdict);
    for rule in disputed.as_array().into_iter().flatten() {
        ours.retain(|(_, id), _| rule != id);
        official.retain(|(_, id), _| rule != id);
    }
    (ours != official).then(|| {
        let both = ours.clone();
        ours.retain(|key, count| official.get(key) != Some(count));
        official.retain(|key, count| both.get(key) != Some(count));
        format!("ours {ours:?}, official {official:?}")
    })
}

/// What is wrong in the report by a set.
fn wrong(report: &Report, case: &InvoiceCase, set: &str) -> Option<String> {
    let verdict = &case.verdicts[set];
    match set {
        // The report is that of the schema of the profile.
        "d16b" if report.structure.starts_with("Factur-X") => None,
        "d16b" | "profile" | "ubl21" => {
            let mut findings = report.findings.iter();
            let is_valid = report.not_checked().is_none()
                && !findings.any(|finding| finding.rule == "ERP-STRUCTURE");
            (verdict["valid"] != is_valid).then(|| format!("ours {is_valid}, official {verdict}"))
        }
        "xml" => {
            let wanted = match verdict["status"].as_str() {
                Some("not-well-formed") => "ERP-XML",
                _ => "ERP-CII",
            };
            let first = report.not_checked().map(|finding| finding.rule.as_str());
            (first != Some(wanted)).then(|| format!("ours {first:?}, official {verdict}"))
        }
        rules => wrong_by_rules(report, rules, verdict, &case.disputed[set]),
    }
}

fn judged(cases: &[InvoiceCase]) -> Wrong {
    let mut all = Wrong::new();
    for case in cases {
        let report = check(&case.xml, &CheckLimits::DEFAULT);
        let counted = report.fatal + report.warnings + report.information;
        assert_eq!(report.findings.len(), counted, "{}", case.name);
        for set in case.verdicts.as_object().expect("verdicts").keys() {
            let wrong = wrong(&report, case, set);
            all.extend(wrong.map(|wrong| ((case.name.clone(), set.clone()), wrong)));
        }
    }
    all
}

#[test]
fn every_case_is_judged_as_by_the_official_artefacts() {
    let cases = invoice_cases(&own());
    assert!(cases.len() >= 1440, "{}", cases.len());
    let mut found = judged(&cases);
    let mut listed = BTreeSet::new();
    for row in rows("differences.tsv") {
        assert!(row.len() == 3 && !row[2].is_empty(), "{row:?}");
        listed.insert((row[0].clone(), row[1].clone()));
    }
    let right: Vec<_> = listed
        .iter()
        .filter(|key| !found.contains_key(key))
        .collect();
    assert!(
        right.is_empty(),
        "judged right, take them out of the list: {right:?}"
    );
    found.retain(|key, _| !listed.contains(key));
    if let Some(folder) = std::env::var_os("VERDICTS") {
        found.extend(judged(&invoice_cases(Path::new(&folder))));
    }
    let lines: Vec<_> = found
        .iter()
        .map(|((name, set), wrong)| format!("{name}\t{set}\t{wrong}"))
        .collect();
    assert!(lines.is_empty(), "{}:\n{}", lines.len(), lines.join("\n"));
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test reads documents; the library does not"
)]
fn the_bases_keep_every_rule() {
    let files = std::fs::read_dir(own().join("bases")).expect("bases");
    let mut count = 0;
    for file in files {
        let path = file.expect("a file").path();
        let report = check(
            &std::fs::read(&path).expect("a base"),
            &CheckLimits::DEFAULT,
        );
        assert_eq!(report.findings, [], "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 22);
}

/// How `coverage.tsv` names the rules of a set that judged a case.
fn table_name(set: &str, verdicts: &Value) -> String {
    let is_ubl = !verdicts["ubl21"].is_null();
    let syntax = if is_ubl { "ubl" } else { "cii" };
    match set {
        "en16931" => format!("en-{syntax}"),
        "xrechnung" => format!("xr-{syntax}"),
        _ => format!("fx-{}", verdicts[set]["profile"].as_str().expect("profile")),
    }
}

#[test]
fn every_rule_is_broken_by_as_many_cases_as_the_table_says() {
    let mut broken = BTreeMap::<(String, String), usize>::new();
    for case in invoice_cases(&own()) {
        for set in ["en16931", "facturx", "xrechnung"] {
            let verdict = &case.verdicts[set];
            if verdict["findings"].is_object() {
                let rules: BTreeSet<_> = official(verdict)
                    .into_keys()
                    .map(|(_, rule)| rule)
                    .collect();
                let name = table_name(set, &case.verdicts);
                for rule in rules {
                    *broken.entry((name.clone(), rule)).or_default() += 1;
                }
            }
        }
    }
    let mut unknown = broken.clone();
    for row in rows("coverage.tsv") {
        let key = (row[0].clone(), row[1].clone());
        let count = broken.get(&key).copied().unwrap_or_default();
        assert_eq!(row[3], count.to_string(), "{key:?}");
        let reason = row.get(6).is_some_and(|reason| !reason.is_empty());
        assert!(
            count > 0 || reason,
            "{key:?} has neither a case nor a reason"
        );
        unknown.remove(&key);
    }
    assert!(unknown.is_empty(), "{unknown:?}");
}
