//! The steps of `tests/run`.

use std::process::Command;

use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A step that starts one short program after the other is at work, though none of them stays for long.
#[test]
fn programs_that_have_ended_count_as_work_of_their_step() {
    let script = r"
        . tests/steps/runner.sh
        bash -c 'for ((i = 0; i < 800000; i++)); do :; done'
        work_of $$ | awk '{ sum += $1 } END { print sum + 0 }'";
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", script]).current_dir(ROOT).output();
    let output = output.expect("bash runs");
    let work = String::from_utf8_lossy(&output.stdout);
    let work: u64 = work.trim().parse().expect("the work is a number");
    assert!(work >= 20, "only {work} hundredths of a second");
}

/// A file of tests that no step names would never run.
#[test]
fn every_file_of_tests_belongs_to_a_step() {
    let mut cargo = Command::new(env!("CARGO"));
    let words = "metadata --no-deps --locked --format-version 1".split(' ');
    let output = cargo.args(words).current_dir(ROOT).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let targets = packages.flat_map(|package| package["targets"].as_array().unwrap());
    let tests = targets.filter(|target| target["kind"][0] == "test");
    let names: Vec<&str> = tests.map(|test| test["name"].as_str().unwrap()).collect();
    assert!(names.len() > 15, "{names:?}");
    let read = |file: &str| std::fs::read_to_string(format!("{ROOT}/{file}")).unwrap();
    let steps = read("tests/run") + &read("tests/steps/rust.sh");
    for name in names {
        let named = format!("--test {name}");
        let mut found = steps.match_indices(&named);
        let is_there =
            found.any(|(at, _)| !steps[at + named.len()..].starts_with(char::is_alphanumeric));
        assert!(is_there, "no step has {named}");
    }
}
