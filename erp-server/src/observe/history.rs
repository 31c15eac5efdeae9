//! Requests and orders of the last hour, a point a minute, and their totals since the start. In memory only.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use crate::lock::lock;

const STEP_SECONDS: u64 = 60;

const POINTS: usize = 60;

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

struct Minute {
    number: u64,
    requests: u64,
    errors: u64,
    orders: u64,
    /// How many requests took how long.
    groups: [u32; GROUPS],
}

/// What was counted since the start, and in the last hour.
#[derive(Debug)]
pub(crate) struct CountedHistory {
    pub(crate) requests: RequestStats,
    pub(crate) orders: u64,
    pub(crate) hour: LastHour,
}

// Comments of these two would be in the description of the interface.

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct RequestStats {
    /// Successes.
    #[serde(rename = "2xx")]
    successes: u64,
    /// Refused requests.
    #[serde(rename = "4xx")]
    refusals: u64,
    /// Failures of the server.
    #[serde(rename = "5xx")]
    failures: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct LastHour {
    /// Seconds of one number.
    step_seconds: u64,
    /// Requests.
    requests: Vec<u64>,
    /// Failures of the server.
    errors: Vec<u64>,
    /// Median duration in microseconds.
    #[serde(rename = "p50Micros")]
    median_micros: Vec<u64>,
    /// Orders made.
    orders: Vec<u64>,
}

impl History {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            state: Mutex::default(),
        }
    }

    pub(crate) fn request(&self, status: u16, took: Duration) {
        self.request_in(self.minute(), status, took);
    }

    pub(crate) fn order(&self) {
        let minute = self.minute();
        let mut state = lock(&self.state);
        state.orders += 1;
        if let Some(minute) = state.minute(minute) {
            minute.orders += 1;
        }
    }

    pub(crate) fn counted(&self) -> CountedHistory {
        self.counted_in(self.minute())
    }

    fn minute(&self) -> u64 {
        self.started.elapsed().as_secs() / STEP_SECONDS
    }

    fn request_in(&self, minute: u64, status: u16, took: Duration) {
        let mut state = lock(&self.state);
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
        let state = lock(&self.state);
        let class = |digit: usize| state.classes.get(digit).copied().unwrap_or_default();
        let minutes: Vec<Option<&Minute>> = (0..POINTS)
            .rev()
            .map(|back| {
                let number = now.checked_sub(u64::try_from(back).ok()?)?;
                state.minutes.iter().find(|minute| minute.number == number)
            })
            .collect();
        let column = |of: fn(&Minute) -> u64| {
            let numbers = minutes.iter().map(|minute| minute.map_or(0, of));
            numbers.collect()
        };
        CountedHistory {
            requests: RequestStats {
                successes: class(2),
                refusals: class(4),
                failures: class(5),
            },
            orders: state.orders,
            hour: LastHour {
                step_seconds: STEP_SECONDS,
                requests: column(|minute| minute.requests),
                errors: column(|minute| minute.errors),
                median_micros: column(Minute::median),
                orders: column(|minute| minute.orders),
            },
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

    /// Median time until the head of a response, to about a tenth; 0 without requests.
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
        let RequestStats {
            successes,
            refusals,
            failures,
        } = counted.requests;
        assert_eq!((successes, refusals, failures), (2, 1, 1));
        let hour = counted.hour;
        assert_eq!(hour.requests.len(), POINTS);
        let point = |back: usize| {
            let at = POINTS - 1 - back;
            (hour.requests[at], hour.errors[at], hour.median_micros[at])
        };
        assert_eq!(point(0), (0, 0, 0));
        let (requests, errors, median) = point(1);
        assert_eq!((requests, errors), (3, 1));
        assert!((108..=132).contains(&median), "{median}");
        assert_eq!(point(6).0, 1);
        assert_eq!(hour.requests.iter().sum::<u64>(), 4);
        // An hour later only the totals are left.
        let later = history.counted_in(6 + 60);
        assert_eq!(later.hour.requests, [0; POINTS]);
        assert_eq!(later.requests.successes, 2);
    }

    #[test]
    fn the_history_does_not_grow() {
        let history = History::new();
        for minute in 0..200 {
            history.request_in(minute, 200, micros(1));
        }
        assert_eq!(lock(&history.state).minutes.len(), POINTS);
        // A request that ends late does not bring an old minute back.
        history.request_in(3, 200, micros(1));
        assert_eq!(lock(&history.state).minutes.len(), POINTS);
        assert_eq!(history.counted_in(199).hour.requests, [1; POINTS]);
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
        assert_eq!(counted.hour.orders.iter().sum::<u64>(), 1);
    }
}
