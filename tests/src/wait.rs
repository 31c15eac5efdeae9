//! Waiting with a deadline.

use std::thread;
use std::time::{Duration, Instant};

/// What takes longer than this has failed. It is reached by what is broken alone, so it may be long: machines are
/// slow, and tests run beside each other.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Waits until something is so.
///
/// # Panics
/// When it is not before the deadline.
#[track_caller]
pub fn wait_until(what: &str, is_so: impl FnMut() -> bool) {
    wait_with(what, is_so, || thread::sleep(Duration::from_millis(10)));
}

/// The same without a pause, for a moment that is soon over.
///
/// # Panics
/// When it is not before the deadline.
#[track_caller]
pub fn spin_until(what: &str, is_so: impl FnMut() -> bool) {
    wait_with(what, is_so, thread::yield_now);
}

#[track_caller]
fn wait_with(what: &str, mut is_so: impl FnMut() -> bool, pause: impl Fn()) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        pause();
    }
}
