//! Tests that need something a machine may not have: a program, a database, a right.

/// Reports that a test is skipped, and why.
pub fn skipped(reason: &str) {
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "cannot run: {reason}"
    );
    println!("skipped: {reason}");
}
