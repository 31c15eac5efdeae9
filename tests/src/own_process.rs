//! Tests that run in a separate process: because they use something that a process has only once, like its log, or
//! because they would disturb other tests, for example with a full file system.

use std::process::Command;

/// Set in the process that was started for one test.
const CHILD: &str = "ERP_TEST_OWN_PROCESS";

/// The command that runs only one test of this binary. `module` is the test's `module_path!()`.
#[must_use]
pub fn only(module: &str, test: &str) -> Command {
    let program = std::env::current_exe().expect("a test knows its own path");
    let mut command = Command::new(program);
    command
        .arg(full_name(module, test))
        .args(["--exact", "--nocapture", "--test-threads=1"]);
    command
}

/// Runs `body` in a separate process. The caller is the test `test` of the module `module`.
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

/// The name that the test runner uses: the path inside the binary.
fn full_name(module: &str, test: &str) -> String {
    match module.split_once("::") {
        Some((_, inside)) => format!("{inside}::{test}"),
        None => test.to_owned(),
    }
}
