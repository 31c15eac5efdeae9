//! Counts waiting commits: limits their number, and detects that none succeeds any more.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Measures how long commits have been waiting while none succeeds, and limits how many wait.
#[derive(Debug)]
pub(super) struct StuckCommits {
    limit: Duration,
    most: usize,
    state: Mutex<StuckState>,
}

#[derive(Debug)]
struct StuckState {
    waiting: usize,
    /// Time of the last successful commit, or of the first commit that started waiting.
    since: Instant,
}

pub(super) struct Waiting<'a>(&'a StuckCommits);

impl StuckCommits {
    /// At most `most` commits wait. They count as stuck when none has succeeded for `limit`.
    pub(super) fn new(limit: Duration, most: usize) -> Self {
        let state = StuckState {
            waiting: 0,
            since: Instant::now(),
        };
        Self {
            limit,
            most,
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> MutexGuard<'_, StuckState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a commit; `None` when too many wait already.
    pub(super) fn begin(&self) -> Option<Waiting<'_>> {
        let mut state = self.state();
        if state.waiting >= self.most {
            return None;
        }
        if state.waiting == 0 {
            state.since = Instant::now();
        }
        state.waiting += 1;
        Some(Waiting(self))
    }

    /// Without waiting commits this is `false`: an idle server is ready.
    pub(super) fn is_stuck(&self) -> bool {
        let state = self.state();
        state.waiting > 0 && state.since.elapsed() >= self.limit
    }
}

impl Waiting<'_> {
    /// The database has decided about the commit.
    pub(super) fn went_through(self) {
        self.0.state().since = Instant::now();
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.waiting = state.waiting.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_stuck_while_they_wait_and_none_goes_through() {
        let commits = StuckCommits::new(Duration::ZERO, 2);
        assert!(!commits.is_stuck(), "none waits");
        let (one, other) = (commits.begin().unwrap(), commits.begin().unwrap());
        assert!(commits.begin().is_none(), "no more than two wait");
        assert!(commits.is_stuck());
        drop(one);
        assert!(commits.is_stuck(), "the other still waits");
        drop(other);
        assert!(!commits.is_stuck());
        let patient = StuckCommits::new(Duration::from_secs(3_600), 2);
        let waiting = patient.begin().unwrap();
        assert!(!patient.is_stuck(), "it has only begun to wait");
        patient.state().since = Instant::now() - Duration::from_secs(7_200);
        assert!(patient.is_stuck());
        patient.begin().unwrap().went_through();
        assert!(!patient.is_stuck(), "another one went through");
        drop(waiting);
    }
}
