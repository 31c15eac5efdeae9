//! Reads the documents and the sources.

use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A document by its path relative to this crate.
pub(crate) fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The rows of a document's tables whose first cell starts with `prefix`.
pub(crate) fn rows<'a>(page: &'a str, prefix: &str) -> Vec<Vec<&'a str>> {
    let tables = page.lines().filter(|line| line.starts_with('|'));
    let rows = tables.map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect());
    rows.filter(|cells: &Vec<&str>| cells[0].starts_with(prefix))
        .collect()
}

pub(crate) fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// All files in a folder of the repository with one of these extensions, without build results.
pub(crate) fn files(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&root().join(folder), endings, &mut found);
    found.sort_unstable();
    found
}

fn collect(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap_or_default();
        if path.is_dir() {
            if !["target", "node_modules"].contains(&name) {
                collect(&path, endings, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// A row of `interface.tsv`.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) group: String,
    pub(crate) of: String,
    pub(crate) name: String,
    /// The declared type; empty if there is none.
    pub(crate) declared: String,
}

/// The facts of the interface document of one group, in its order.
pub(crate) fn facts(group: &str) -> Vec<Fact> {
    let table = page("tests/documents/interface.tsv");
    let rows = table.lines().skip(1).map(|line| {
        let mut cells = line.split('\t').map(str::to_owned);
        let mut next = || cells.next().unwrap();
        Fact {
            group: next(),
            of: next(),
            name: next(),
            declared: next(),
        }
    });
    let facts: Vec<_> = rows.filter(|fact| fact.group == group).collect();
    assert!(!facts.is_empty(), "{group}");
    facts
}

pub(crate) fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
