//! Requests and orders of the last hour, a point a minute, and their totals since the start. In memory only.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub const STEP_SECONDS: u64 = 60;

/// Points of an hour.
pub const POINTS: usize = 60;

/// Four groups of durations for each power of two of microseconds; the last one is for all longer than an hour.
const GROUPS: usize = 4 * 32;

/// Counts requests and orders by minute. Errors are 5xx; an order that is returned again for its `Idempotency-Key` does
/// not count.
pub struct History {
    started: Instant,
    state: Mutex<HistoryState>,
}

#[derive(Default)]
struct HistoryState {
    /// Responses by the first digit of their status.
    classes: [u64; 6],
    orders: u64,
    /// The minutes with a request, the newest last.
    minutes: VecDeque<Minute>,
}

/// A minute since the start.
struct Minute {
    number: u64,
    requests: u64,
    errors: u64,
    orders: u64,
    /// How many requests took how long.
    groups: [u32; GROUPS],
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedHistory {
    /// Responses 200 to 299 since the start.
    pub successes: u64,
    /// Responses 400 to 499 since the start.
    pub refusals: u64,
    /// Responses 500 to 599 since the start.
    pub failures: u64,
    /// Orders made since the start.
    pub orders: u64,
    /// The last hour, the oldest minute first; the last one is not over yet.
    pub hour: Vec<Point>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Requests with a response.
    pub requests: u64,
    /// Responses 500 to 599.
    pub errors: u64,
    /// Median time until the head of a response, to about a tenth; 0 without requests.
    pub median_micros: u64,
    pub orders: u64,
}

impl History {
    /// Nothing is counted yet.
    pub fn new() -> Self {
        Self {
            started: Instant::now(),
            state: Mutex::default(),
        }
    }

    pub fn request(&self, status: u16, took: Duration) {
        self.request_in(self.minute(), status, took);
    }

    pub fn order(&self) {
        let minute = self.minute();
        let mut state = self.state();
        state.orders += 1;
        if let Some(minute) = state.minute(minute) {
            minute.orders += 1;
        }
    }

    pub fn counted(&self) -> CountedHistory {
        self.counted_in(self.minute())
    }

    fn minute(&self) -> u64 {
        self.started.elapsed().as_secs() / STEP_SECONDS
    }

    fn state(&self) -> MutexGuard<'_, HistoryState> {
        // Counters stay usable even if a thread panicked while it held the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request_in(&self, minute: u64, status: u16, took: Duration) {
        let mut state = self.state();
        if let Some(class) = state.classes.get_mut(usize::from(status / 100)) {
            *class += 1;
        }
        let Some(minute) = state.minute(minute) else {
            return;
        };
        minute.requests += 1;
        minute.errors += u64::from(status >= 500);
        if let Some(group) = minute.groups.get_mut(group_of(took)) {
            *group += 1;
        }
    }

    fn counted_in(&self, now: u64) -> CountedHistory {
        let state = self.state();
        let class = |digit: usize| state.classes.get(digit).copied().unwrap_or_default();
        let newest = |back: usize| {
            let number = now.checked_sub(u64::try_from(back).ok()?)?;
            let minute = state.minutes.iter().find(|minute| minute.number == number);
            minute.map(Minute::point)
        };
        CountedHistory {
            successes: class(2),
            refusals: class(4),
            failures: class(5),
            orders: state.orders,
            hour: (0..POINTS)
                .rev()
                .map(|back| newest(back).unwrap_or_default())
                .collect(),
        }
    }
}

impl HistoryState {
    /// The minute with this number; `None` when it is too long ago.
    fn minute(&mut self, number: u64) -> Option<&mut Minute> {
        let newest = self.minutes.back().map(|minute| minute.number);
        if newest.is_none_or(|newest| newest < number) {
            if self.minutes.len() >= POINTS {
                self.minutes.pop_front();
            }
            self.minutes.push_back(Minute::new(number));
        }
        let mut minutes = self.minutes.iter_mut().rev();
        minutes.find(|minute| minute.number == number)
    }
}

impl Minute {
    const fn new(number: u64) -> Self {
        Self {
            number,
            requests: 0,
            errors: 0,
            orders: 0,
            groups: [0; GROUPS],
        }
    }

    fn point(&self) -> Point {
        Point {
            requests: self.requests,
            errors: self.errors,
            median_micros: self.median(),
            orders: self.orders,
        }
    }

    fn median(&self) -> u64 {
        let half = self.requests.div_ceil(2);
        let mut seen = 0_u64;
        for (group, count) in self.groups.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= half && half > 0 {
                return middle_of(group);
            }
        }
        0
    }
}

/// The group of a duration: the power of two of its microseconds, and the two digits after the first one.
fn group_of(took: Duration) -> usize {
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
    let power = micros.ilog2();
    let quarter = match power.checked_sub(2) {
        Some(shift) => micros >> shift,
        None => micros << (2_u32.saturating_sub(power)),
    };
    let group = u64::from(power)
        .saturating_mul(4)
        .saturating_add(quarter & 3);
    usize::try_from(group).map_or(GROUPS - 1, |group| group.min(GROUPS - 1))
}

/// The middle of a group, in microseconds.
fn middle_of(group: usize) -> u64 {
    let (power, quarter) = (group / 4, group % 4);
    let begin = u64::try_from(4_usize.saturating_add(quarter)).unwrap_or_default();
    // A quarter is an eighth wide on each side of its middle.
    let eighths = begin.saturating_mul(2).saturating_add(1);
    (eighths << power) / 8
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn micros(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    #[test]
    fn an_hour_has_a_point_for_each_minute() {
        let history = History::new();
        history.request_in(0, 200, micros(100));
        history.request_in(5, 201, micros(100));
        history.request_in(5, 503, micros(3_000));
        history.request_in(5, 404, micros(120));
        let counted = history.counted_in(6);
        assert_eq!(
            (counted.successes, counted.refusals, counted.failures),
            (2, 1, 1)
        );
        assert_eq!(counted.hour.len(), POINTS);
        assert_eq!(counted.hour[POINTS - 1], Point::default());
        let point = counted.hour[POINTS - 2];
        assert_eq!((point.requests, point.errors), (3, 1));
        assert!((108..=132).contains(&point.median_micros), "{point:?}");
        assert_eq!(counted.hour[POINTS - 7].requests, 1);
        assert_eq!(
            counted.hour.iter().map(|point| point.requests).sum::<u64>(),
            4
        );
        // An hour later only the totals are left.
        let later = history.counted_in(6 + 60);
        assert!(later.hour.iter().all(|point| *point == Point::default()));
        assert_eq!(later.successes, 2);
    }

    #[test]
    fn the_history_does_not_grow() {
        let history = History::new();
        for minute in 0..200 {
            history.request_in(minute, 200, micros(1));
        }
        assert_eq!(history.state().minutes.len(), POINTS);
        // A request that ends late does not bring an old minute back.
        history.request_in(3, 200, micros(1));
        assert_eq!(history.state().minutes.len(), POINTS);
        assert!(
            history
                .counted_in(199)
                .hour
                .iter()
                .all(|point| point.requests == 1)
        );
    }

    #[test]
    fn a_median_is_right_to_about_a_tenth() {
        for micro in [1, 2, 3, 7, 10, 99, 1_000, 123_456, 30_000_000] {
            let middle = middle_of(group_of(micros(micro)));
            let off = middle.abs_diff(micro);
            assert!(off * 100 <= micro * 13 + 100, "{micro}: {middle}");
        }
        assert_eq!(group_of(Duration::MAX), GROUPS - 1);
        assert_eq!(group_of(Duration::ZERO), 0);
    }

    #[test]
    fn orders_are_counted() {
        let history = History::new();
        history.order();
        let counted = history.counted();
        assert_eq!(counted.orders, 1);
        assert_eq!(
            counted.hour.iter().map(|point| point.orders).sum::<u64>(),
            1
        );
    }
}
