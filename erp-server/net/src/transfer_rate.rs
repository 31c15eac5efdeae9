//! Minimum transfer rate for slow clients: the remaining time shrinks while waiting and grows with every byte.

use std::time::Duration;

use tokio::time::Instant;

/// This many bytes earn a client one more second for its pauses.
const LEAST_BYTES_PER_SECOND: u64 = 1_024;

/// Remaining time credit of one client. It may be silent for at most `most` in total, and must transfer
/// [`LEAST_BYTES_PER_SECOND`] in the long run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferRate {
    most: Duration,
    left: Duration,
    waiting_since: Option<Instant>,
}

impl TransferRate {
    pub(crate) const fn new(most: Duration) -> Self {
        Self {
            most,
            left: most,
            waiting_since: None,
        }
    }

    /// Starts or continues waiting for the client. Returns the time when its credit runs out.
    pub(crate) fn wait(&mut self, now: Instant) -> Instant {
        self.spend(now);
        self.waiting_since = Some(now);
        now + self.left
    }

    pub(crate) fn rest(&mut self, now: Instant) {
        self.spend(now);
        self.waiting_since = None;
    }

    /// Records bytes received or sent, which extend the credit.
    pub(crate) fn moved(&mut self, bytes: usize, now: Instant) {
        self.spend(now);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let micros = bytes.saturating_mul(1_000_000) / LEAST_BYTES_PER_SECOND;
        let earned = self.left.saturating_add(Duration::from_micros(micros));
        self.left = earned.min(self.most);
    }

    fn spend(&mut self, now: Instant) {
        if let Some(since) = self.waiting_since {
            self.left = self
                .left
                .saturating_sub(now.saturating_duration_since(since));
            self.waiting_since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: Duration = Duration::from_secs(10);

    #[test]
    fn a_byte_a_second_is_too_slow() {
        let start = Instant::now();
        let mut pace = TransferRate::new(MOST);
        let mut seconds = 0;
        let at = |seconds| start + Duration::from_secs(seconds);
        while pace.wait(at(seconds)) > at(seconds + 1) {
            seconds += 1;
            pace.moved(1, at(seconds));
            assert!(seconds < 100);
        }
        assert_eq!(seconds, 10);
    }

    #[test]
    fn who_keeps_the_rate_has_no_end() {
        let start = Instant::now();
        let mut pace = TransferRate::new(MOST);
        for seconds in 0..10_000 {
            let now = start + Duration::from_secs(seconds);
            assert!(pace.wait(now) > now);
            pace.moved(1_024, now + Duration::from_secs(1));
        }
    }

    #[test]
    fn only_the_clients_turn_counts_and_credit_is_bounded() {
        let start = Instant::now();
        let mut pace = TransferRate::new(MOST);
        assert_eq!(pace.wait(start), start + MOST);
        let later = start + Duration::from_secs(4);
        pace.rest(later);
        let much_later = start + Duration::from_secs(1_000);
        assert_eq!(pace.wait(much_later), much_later + Duration::from_secs(6));
        pace.moved(usize::MAX, much_later);
        assert_eq!(pace.wait(much_later), much_later + MOST);
    }
}
