//! Work that waits in a line, so that what came together goes to the database together.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Jobs that wait, and how many workers take them.
#[derive(Debug)]
pub(super) struct Line<J> {
    state: Mutex<State<J>>,
    most_workers: usize,
}

#[derive(Debug)]
struct State<J> {
    waiting: VecDeque<J>,
    workers: usize,
}

/// A worker's place; it is free again when this goes.
pub(super) struct Worker<'a, J> {
    line: &'a Line<J>,
    left: bool,
}

impl<J> Line<J> {
    pub(super) const fn new(most_workers: usize) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                workers: 0,
            }),
            most_workers,
        }
    }

    fn state(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job; answers whether a worker is to begin, who then calls [`Line::worker`].
    pub(super) fn join(&self, job: J) -> bool {
        let mut state = self.state();
        state.waiting.push_back(job);
        let begin = state.workers < self.most_workers;
        if begin {
            state.workers = state.workers.saturating_add(1);
        }
        begin
    }

    /// A worker's place for somebody who does a job without waiting in the line; `None` when all places are
    /// taken or others wait. Whoever has it calls [`Worker::leave`].
    pub(super) fn alone(&self) -> Option<Worker<'_, J>> {
        let mut state = self.state();
        let free = state.waiting.is_empty() && state.workers < self.most_workers;
        if free {
            state.workers = state.workers.saturating_add(1);
        }
        drop(state);
        free.then(|| self.worker())
    }

    /// The place of a worker that was told to begin.
    pub(super) const fn worker(&self) -> Worker<'_, J> {
        Worker {
            line: self,
            left: false,
        }
    }
}

impl<J> Worker<'_, J> {
    /// The first job and all behind it that `fits` says go with it; none when nobody waits, and then the
    /// worker is to end.
    pub(super) fn next(&mut self, mut fits: impl FnMut(&J) -> bool) -> Vec<J> {
        let mut state = self.line.state();
        let mut taken = Vec::new();
        let mut left = VecDeque::new();
        for job in std::mem::take(&mut state.waiting) {
            if fits(&job) || taken.is_empty() {
                taken.push(job);
            } else {
                left.push_back(job);
            }
        }
        state.waiting = left;
        if taken.is_empty() {
            // Under the same lock, so that nobody joins a line that was just left.
            state.workers = state.workers.saturating_sub(1);
            self.left = true;
        }
        taken
    }
}

impl<J> Worker<'_, J> {
    /// Gives the place up. Somebody may have joined the line meanwhile: answers whether a worker is to begin
    /// in its stead.
    pub(super) fn leave(mut self) -> bool {
        let mut state = self.line.state();
        let successor = !state.waiting.is_empty();
        if !successor {
            state.workers = state.workers.saturating_sub(1);
        }
        drop(state);
        self.left = true;
        successor
    }
}

impl<J> Drop for Worker<'_, J> {
    fn drop(&mut self) {
        if !self.left {
            let mut state = self.line.state();
            state.workers = state.workers.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_goes_together_and_nobody_is_left_without_a_worker() {
        let line = Line::new(1);
        assert!(line.join(1));
        assert!(!line.join(2) && !line.join(3) && !line.join(5));
        let mut worker = line.worker();
        let odd = |number: &i32| number % 2 == 1;
        assert_eq!(worker.next(odd), [1, 3, 5]);
        // The first goes in any case.
        assert_eq!(worker.next(odd), [2]);
        assert!(worker.next(odd).is_empty());
        drop(worker);
        assert!(line.join(7), "the next one begins again");
        drop(line.worker());
        assert!(line.join(8), "a worker that was lost has left its place");
        assert!(line.alone().is_none(), "others wait");
        assert_eq!(line.worker().next(odd), [7]);
        assert_eq!(line.worker().next(odd), [8]);
        let alone = line.alone().unwrap();
        assert!(line.alone().is_none(), "there is one place");
        assert!(!line.join(9));
        assert!(alone.leave(), "who joined meanwhile needs a worker");
        assert_eq!(line.worker().next(odd), [9]);
        assert!(!line.alone().unwrap().leave());
    }
}
