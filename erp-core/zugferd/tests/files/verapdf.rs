//! PDF/A: what is reported on every PDF file of the project, against the verdicts of veraPDF.
//!
//! `tests/fixtures/verapdf/verdicts.tsv` has the verdicts by SHA-256. `differences.tsv` has the files that are judged
//! otherwise, and those without a verdict: what is reported, and the reason.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use erp_zugferd::{Limits, inspect};
use sha2::{Digest as _, Sha256};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The folders with PDF files of the project.
const FOLDERS: [&str; 3] = ["erp-server/console", "tests/fixtures", "tests/fuzz/corpus"];

/// The rows of a table without comments and head.
fn rows(name: &str) -> Vec<Vec<String>> {
    let path = format!("{ROOT}/tests/fixtures/verapdf/{name}");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    lines.skip(1).map(cells).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pdf") {
            found.push(path);
        }
    }
}

/// Clauses as the tables write them: each once, sorted.
fn written<'a>(clauses: impl Iterator<Item = &'a str>) -> String {
    let mut clauses: Vec<_> = clauses.collect();
    clauses.sort_unstable();
    clauses.dedup();
    match clauses.is_empty() {
        true => "-".to_owned(),
        false => clauses.join(" "),
    }
}

/// The clauses that veraPDF found broken; `None` if it has no verdict.
fn official(verdict: &str, rules: &str) -> Option<String> {
    let rules = rules.split(' ').filter(|rule| *rule != "-");
    let clauses = rules.map(|rule| rule.split('/').next().unwrap());
    (verdict != "error").then(|| written(clauses))
}

/// The clauses that are reported, with `refused` for a file that is not read, `unchecked` for one that is not judged
/// to its end.
fn ours(pdf: &[u8]) -> String {
    let Ok(report) = inspect(pdf, &Limits::DEFAULT) else {
        return "refused".to_owned();
    };
    let clauses = report.pdfa_faults.iter().map(|fault| {
        let (_, clause) = fault.rsplit_once("clause ").expect("a clause");
        clause.trim_end_matches(')')
    });
    written(clauses.chain(report.pdfa_unchecked.iter().map(|_| "unchecked")))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the core reads no files, this test does"
)]
fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

// clause: 6.1.2, 6.1.3, 6.1.7.1, 6.1.7.2, 6.1.13, 6.2.4.3, 6.2.8, 6.2.11.4.1, 6.3.2, 6.5.1, 6.6.2.1, 6.6.4, 6.8
#[test]
fn pdfa_is_judged_as_by_verapdf() {
    let mut verdicts = BTreeMap::new();
    for row in rows("verdicts.tsv") {
        let [file, sum, _, verdict, rules, ..] = &row[..] else {
            panic!("{row:?}")
        };
        let verdict = official(verdict, rules);
        verdicts.insert(sum.clone(), (file.clone(), verdict));
    }
    let mut differences = BTreeMap::new();
    for row in rows("differences.tsv") {
        let [file, ours, reason] = &row[..] else {
            panic!("{row:?}")
        };
        assert!(!reason.is_empty(), "{file}");
        differences.insert(file.clone(), ours.clone());
    }
    let mut files = Vec::new();
    for folder in FOLDERS {
        collect(&Path::new(ROOT).join(folder), &mut files);
    }
    let mut wrong = Vec::new();
    for path in files {
        let pdf = read(&path);
        let sum = Sha256::digest(&pdf);
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        let file = path.strip_prefix(ROOT).unwrap().display().to_string();
        let verdict = verdicts.remove(&sum).and_then(|(_, verdict)| verdict);
        let listed = differences.remove(&file);
        if listed.is_some() && listed == verdict {
            wrong.push(format!("{file}: judged as by veraPDF, take it out"));
        }
        let (ours, wanted) = (Some(ours(&pdf)), listed.or_else(|| verdict.clone()));
        if ours != wanted {
            wrong.push(format!(
                "{file}: {ours:?}, not {wanted:?}; veraPDF {verdict:?}"
            ));
        }
    }
    wrong.extend(
        verdicts
            .into_values()
            .map(|(file, _)| format!("{file}: not there, or changed")),
    );
    wrong.extend(
        differences
            .into_keys()
            .map(|file| format!("{file}: not there")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
