//! Checks every XML of a folder and prints, for each rule, how many documents break it and how many keep it, and for
//! each rule set the time that a document takes. A rule that no document breaks is not listed.
//!
//! `cargo run --release -p erp-invoice-check --example check_rules -- FOLDER`
#![expect(
    clippy::disallowed_methods,
    reason = "the example reads files and measures time; the library does not"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use erp_invoice_check::{CheckLimits, Report, check};

type Failure = Box<dyn std::error::Error>;

/// What the documents of one kind, those with the same rule sets, came to.
#[derive(Default)]
struct Kind {
    documents: u32,
    bytes: usize,
    time: Duration,
}

/// What the documents that a rule set judges came to.
#[derive(Default)]
struct RuleSet {
    /// Documents that all rules have a verdict on.
    decided: u32,
    /// Documents with a rule that cannot be judged.
    undecided: u32,
    /// By rule and severity, the decided documents that break it.
    broken: BTreeMap<(String, String), u32>,
}

impl RuleSet {
    fn take(&mut self, report: &Report, name: &str) {
        let findings = report.findings.iter();
        let of_set = findings.filter(|finding| finding.is_of(name));
        let rules: BTreeSet<_> = of_set
            .map(|finding| (finding.rule.clone(), format!("{:?}", finding.severity)))
            .collect();
        // `ERP-VALUE` and `ERP-LIMIT` say that the verdict is open.
        if rules.iter().any(|(rule, _)| rule.starts_with("ERP-")) {
            self.undecided += 1;
            return;
        }
        self.decided += 1;
        for rule in rules {
            *self.broken.entry(rule).or_default() += 1;
        }
    }
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("name a folder with invoices")?;
    let mut sets: BTreeMap<&str, RuleSet> = BTreeMap::new();
    let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
    for file in files(&folder)? {
        let xml = std::fs::read(&file)?;
        let (report, time) = measure(&xml);
        for name in &report.rules {
            sets.entry(name).or_default().take(&report, name);
        }
        let kind = kinds.entry(report.rules.join(" + ")).or_default();
        kind.documents += 1;
        kind.bytes += xml.len();
        kind.time += time;
    }
    println!("rule set\trule\tseverity\tbroken by\tkept by");
    for (name, set) in &sets {
        for ((rule, severity), broken) in &set.broken {
            let kept = set.decided - broken;
            println!("{name}\t{rule}\t{severity}\t{broken}\t{kept}");
        }
    }
    for (name, set) in &sets {
        println!(
            "{name}: {} documents are decided, {} cannot be; {} rules are broken",
            set.decided,
            set.undecided,
            set.broken.len()
        );
    }
    for (name, kind) in &kinds {
        println!(
            "{}: {} documents of {} bytes take {:?} each",
            if name.is_empty() { "no rules" } else { name },
            kind.documents,
            kind.bytes / kind.documents.max(1) as usize,
            kind.time / kind.documents.max(1)
        );
    }
    Ok(())
}

/// The report, and the shortest of three times.
fn measure(xml: &[u8]) -> (Report, Duration) {
    let run = || {
        let start = Instant::now();
        let report = check(xml, &CheckLimits::DEFAULT);
        (report, start.elapsed())
    };
    let (report, first) = run();
    let others = [run().1, run().1];
    (report, others.into_iter().fold(first, Duration::min))
}

/// The XML files of a folder, sorted.
fn files(folder: &str) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "xml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
