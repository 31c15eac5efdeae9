//! Rules for dependencies: the lists in `deny.toml`, checked only with cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use toml::Table;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn lists() -> Table {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    text.parse().unwrap()
}

/// Every package the workspace is built from, for every target.
fn packages() -> Vec<Value> {
    let done = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--all-features",
            "--locked",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let metadata: Value = serde_json::from_slice(&done.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn name_of(package: &Value) -> String {
    format!(
        "{} {}",
        package["name"].as_str().unwrap(),
        package["version"].as_str().unwrap()
    )
}

/// Whether a licence expression can be satisfied with the allowed licences.
fn is_met(expression: &str, allowed: &[&str]) -> bool {
    // Before SPDX expressions, `/` stood for `OR`.
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (met, rest) = any_of(&words, allowed);
    assert!(rest.is_empty(), "`{expression}` is not understood");
    met
}

fn any_of<'a>(words: &'a [&'a str], allowed: &[&str]) -> (bool, &'a [&'a str]) {
    let (mut met, mut rest) = all_of(words, allowed);
    while let ["OR", more @ ..] = rest {
        let (other, remaining) = all_of(more, allowed);
        (met, rest) = (met || other, remaining);
    }
    (met, rest)
}

fn all_of<'a>(words: &'a [&'a str], allowed: &[&str]) -> (bool, &'a [&'a str]) {
    let (mut met, mut rest) = single(words, allowed);
    while let ["AND", more @ ..] = rest {
        let (other, remaining) = single(more, allowed);
        (met, rest) = (met && other, remaining);
    }
    (met, rest)
}

fn single<'a>(words: &'a [&'a str], allowed: &[&str]) -> (bool, &'a [&'a str]) {
    match words {
        ["(", inner @ ..] => match any_of(inner, allowed) {
            (met, [")", rest @ ..]) => (met, rest),
            (_, rest) => panic!("a bracket is not closed before {rest:?}"),
        },
        [licence, "WITH", exception, rest @ ..] => {
            let whole = format!("{licence} WITH {exception}");
            (
                allowed.contains(&whole.as_str()) || allowed.contains(licence),
                rest,
            )
        }
        [licence, rest @ ..] => (allowed.contains(licence), rest),
        [] => panic!("an expression ends too early"),
    }
}

#[test]
fn expressions_are_understood() {
    let allowed = ["MIT", "Apache-2.0", "Unicode-3.0"];
    for met in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for unmet in [
        "GPL-3.0",
        "MIT AND LGPL-2.1",
        "(MIT OR Apache-2.0) AND MPL-2.0",
        "MIT AND (GPL-2.0 OR GPL-3.0)",
    ] {
        assert!(!is_met(unmet, &allowed), "{unmet}");
    }
}

#[test]
fn every_licence_is_permissive() {
    let lists = lists();
    let allowed: Vec<&str> = lists["licenses"]["allow"]
        .as_array()
        .unwrap()
        .iter()
        .map(|licence| licence.as_str().unwrap())
        .collect();
    for copyleft in ["GPL", "MPL", "EPL", "CDDL", "EUPL", "SSPL"] {
        assert!(
            !allowed.iter().any(|licence| licence.contains(copyleft)),
            "{copyleft}"
        );
    }
    let packages = packages();
    assert!(
        packages.len() > 100,
        "{} packages are not all",
        packages.len()
    );
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| {
            !package["license"]
                .as_str()
                .is_some_and(|licence| is_met(licence, &allowed))
        })
        .map(|package| format!("{}: {}", name_of(package), package["license"]))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn the_large_dependencies_are_there_once() {
    let lists = lists();
    let single = lists["bans"]["deny"].as_array().unwrap();
    let names: Vec<&str> = single
        .iter()
        .map(|entry| entry["crate"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"tokio") && names.contains(&"salvo"));
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let packages = packages();
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        if names.contains(&name) {
            versions
                .entry(name)
                .or_default()
                .push(package["version"].as_str().unwrap());
        }
    }
    let doubled: Vec<_> = versions
        .iter()
        .filter(|(_, versions)| versions.len() > 1)
        .collect();
    assert!(doubled.is_empty(), "{doubled:?}");
    assert!(versions.contains_key("tokio"));
}

/// The crates of some packages, each with its features.
fn crates_of(selection: &[&str]) -> BTreeSet<String> {
    let done = Command::new(env!("CARGO"))
        .args([
            "tree", "--locked", "--prefix", "none", "--format", "{p}|{f}",
        ])
        .args(selection)
        .current_dir(root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let lines = String::from_utf8(done.stdout).unwrap();
    let lines = lines.lines().map(|line| line.trim_end_matches(" (*)"));
    let crates = lines.filter(|line| line.contains('|'));
    crates.map(str::to_owned).collect()
}

/// If a test dependency enables more features of a shared crate than the server does, the server is built twice, with
/// everything that depends on that crate. Therefore the server must enable the same features.
#[test]
fn tests_and_the_server_share_one_build() {
    let server = crates_of(&["--package", "erp-server", "--edges", "normal,no-proc-macro"]);
    let all = crates_of(&["--workspace", "--edges", "normal,build,dev,no-proc-macro"]);
    assert!(server.len() > 100, "{server:#?}");
    let apart: Vec<&String> = server.difference(&all).collect();
    assert!(apart.is_empty(), "{apart:#?}");
}

#[test]
fn every_source_is_the_registry_or_this_workspace() {
    for package in packages() {
        let source = package["source"].as_str();
        assert!(
            source.is_none_or(|source| source.starts_with("registry+")),
            "{}",
            name_of(&package)
        );
    }
}

#[test]
fn ignored_advisories_have_a_date_and_a_reason() {
    let lists = lists();
    for entry in lists["advisories"]["ignore"].as_array().unwrap() {
        let (date, reason) = entry["reason"].as_str().unwrap().split_once(": ").unwrap();
        assert!(date.parse::<jiff::civil::Date>().is_ok(), "{entry}");
        assert!(reason.len() > 20, "{entry}");
        let id = entry["id"].as_str().unwrap();
        assert!(id.starts_with("RUSTSEC-"), "{id}");
    }
}

#[test]
fn nothing_for_a_browser_depends_on_the_server() {
    let packages = packages();
    for name in ["erp-core", "erp-wasm"] {
        let package = packages
            .iter()
            .find(|package| package["name"] == name)
            .unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let dependency = dependency["name"].as_str().unwrap();
            assert!(
                !["sled", "salvo", "tokio", "erp-server"].contains(&dependency),
                "{name} needs {dependency}"
            );
        }
    }
}
