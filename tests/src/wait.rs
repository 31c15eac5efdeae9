//! Waiting with a deadline.

use std::thread;
use std::time::{Duration, Instant};

/// A wait that takes longer has failed. Only a broken program reaches this limit, so it may be long: machines are slow,
/// and tests run at the same time.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Waits until a condition holds.
#[track_caller]
pub fn wait_until(what: &str, is_so: impl FnMut() -> bool) {
    wait_with(what, is_so, || thread::sleep(Duration::from_millis(10)));
}

/// The same without pauses, for a condition that holds only briefly.
#[track_caller]
pub fn spin_until(what: &str, is_so: impl FnMut() -> bool) {
    wait_with(what, is_so, thread::yield_now);
}

#[track_caller]
fn wait_with(what: &str, mut is_so: impl FnMut() -> bool, pause: impl Fn()) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "never: {what}");
        pause();
    }
}
