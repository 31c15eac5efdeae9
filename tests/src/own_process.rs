//! Tests that run once more in a process of their own: for what a process has only once, as its log, or
//! what would disturb other tests, as a file system that is full.

use std::process::Command;

/// Set in the process that was started for one test.
const CHILD: &str = "ERP_TEST_OWN_PROCESS";

/// The command that runs one test of this binary and nothing else. `module` is the test's `module_path!()`.
///
/// # Panics
/// When the running program does not know its own path.
#[must_use]
pub fn only(module: &str, test: &str) -> Command {
    let program = std::env::current_exe().expect("a test knows its own path");
    let mut command = Command::new(program);
    command
        .arg(full_name(module, test))
        .args(["--exact", "--nocapture", "--test-threads=1"]);
    command
}

/// Runs `body` in a process of its own. It is called by the test `test` of the module `module`.
///
/// # Panics
/// When the body panics, or when there is no such test.
pub fn in_own_process(module: &str, test: &str, body: impl FnOnce()) {
    if std::env::var_os(CHILD).is_some() {
        body();
        return;
    }
    let output = only(module, test)
        .env(CHILD, "1")
        .output()
        .expect("the test starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert!(text.contains("1 passed"), "no test {test}: {text}{errors}");
}

/// The name as the test runner knows it: the path inside the binary.
fn full_name(module: &str, test: &str) -> String {
    match module.split_once("::") {
        Some((_, inside)) => format!("{inside}::{test}"),
        None => test.to_owned(),
    }
}
