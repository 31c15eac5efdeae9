//! Batch queue: jobs that arrive while all workers are busy go to the database together in one statement.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub(super) struct BatchQueue<J> {
    state: Mutex<QueueState<J>>,
    most_workers: usize,
}

#[derive(Debug)]
struct QueueState<J> {
    waiting: VecDeque<J>,
    workers: usize,
}

/// Permit of one running worker; dropping it frees the worker slot.
pub(super) struct Worker<'a, J> {
    line: &'a BatchQueue<J>,
    left: bool,
}

impl<J> BatchQueue<J> {
    pub(super) const fn new(most_workers: usize) -> Self {
        Self {
            state: Mutex::new(QueueState {
                waiting: VecDeque::new(),
                workers: 0,
            }),
            most_workers,
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job. Returns `true` when the caller must start a worker with [`BatchQueue::worker`]; its slot is taken already.
    pub(super) fn join(&self, job: J) -> bool {
        let mut state = self.state();
        state.waiting.push_back(job);
        let begin = state.workers < self.most_workers;
        if begin {
            state.workers += 1;
        }
        begin
    }

    /// Permit for work that bypasses the queue; `None` when all worker slots are taken or jobs are queued. The holder
    /// must call [`Worker::leave`].
    pub(super) fn alone(&self) -> Option<Worker<'_, J>> {
        let mut state = self.state();
        let free = state.waiting.is_empty() && state.workers < self.most_workers;
        if free {
            state.workers += 1;
        }
        drop(state);
        free.then(|| self.worker())
    }

    /// The permit for a worker that [`BatchQueue::join`] or [`Worker::leave`] asked the caller to start.
    pub(super) const fn worker(&self) -> Worker<'_, J> {
        Worker {
            line: self,
            left: false,
        }
    }
}

impl<J> Worker<'_, J> {
    /// Takes the first job and all later ones for which `fits` returns `true`. Returns an empty list when the queue is
    /// empty; the worker must then end, its slot is free.
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
            // Freed under the same lock: a job added afterwards sees the free slot and starts a worker.
            state.workers = state.workers.saturating_sub(1);
            self.left = true;
        }
        taken
    }

    /// Ends the worker. Returns `true` when jobs were queued meanwhile and the caller must start a worker; the slot
    /// passes on to that worker.
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
        let line = BatchQueue::new(1);
        assert!(line.join(1));
        assert!(!line.join(2) && !line.join(3) && !line.join(5));
        let mut worker = line.worker();
        let odd = |number: &i32| number % 2 == 1;
        assert_eq!(worker.next(odd), [1, 3, 5]);
        // The first job is always taken.
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
