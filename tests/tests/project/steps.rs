//! The steps of `tests/run`.

use std::process::Command;

/// A step that starts one short program after the other is at work, though none of them stays for long.
#[test]
fn programs_that_have_ended_count_as_work_of_their_step() {
    let script = r"
        . tests/steps/runner.sh
        bash -c 'for ((i = 0; i < 800000; i++)); do :; done'
        work_of $$ | awk '{ sum += $1 } END { print sum + 0 }'";
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", script]).current_dir(root).output();
    let output = output.expect("bash runs");
    let work = String::from_utf8_lossy(&output.stdout);
    let work: u64 = work.trim().parse().expect("the work is a number");
    assert!(work >= 20, "only {work} hundredths of a second");
}
