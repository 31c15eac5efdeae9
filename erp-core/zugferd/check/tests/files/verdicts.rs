//! The recorded verdicts of the official tools on real files and mutants of them.
//!
//! The files are not part of the project: without them the tests that need them say so and pass.

#![cfg(test)]

use std::path::{Path, PathBuf};

use erp_invoice_check::{CheckLimits, Finding, Report, Severity, check};
use serde_json::Value;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data");

/// The folders with `verdicts.jsonl` of a syntax: CII and UBL.
pub(crate) const SETS: [&str; 2] = ["en16931", "ubl"];

/// The folder of a set; the variable `VERDICTS` may name another one of the same form.
pub(crate) fn folder(set: &str) -> PathBuf {
    std::env::var_os("VERDICTS").map_or_else(|| Path::new(DATA).join(set), PathBuf::from)
}

pub(crate) fn verdicts(folder: &Path) -> Vec<Value> {
    let Ok(lines) = std::fs::read_to_string(folder.join("verdicts.jsonl")) else {
        println!("skipped: the verdicts on invoices are not here");
        return Vec::new();
    };
    let lines = lines.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// Our report on the file of a verdict.
#[expect(
    clippy::disallowed_methods,
    reason = "the test reads documents; the library does not"
)]
pub(crate) fn report(folder: &Path, verdict: &Value) -> Report {
    let file = verdict["file"].as_str().expect("file");
    let xml = std::fs::read(folder.join(file)).expect(file);
    check(&xml, &CheckLimits::DEFAULT)
}

pub(crate) const fn severity(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Fatal => "fatal",
        Severity::Warning => "warning",
        Severity::Information => "information",
    }
}
