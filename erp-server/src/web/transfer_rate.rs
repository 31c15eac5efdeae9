//! Minimum transfer rate for slow clients: the remaining time shrinks while waiting and grows with every byte.

use std::time::Duration;

use tokio::time::Instant;

/// Minimum rate required of a client: it may be silent for at most `most` in total, and must transfer
/// `bytes_per_second` in the long run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MinRate {
    pub(super) most: Duration,
    pub(super) bytes_per_second: u64,
}

/// Remaining time credit of one client.
#[derive(Clone, Copy, Debug)]
pub(super) struct TransferRate {
    patience: MinRate,
    left: Duration,
    waiting_since: Option<Instant>,
}

impl TransferRate {
    pub(super) const fn new(patience: MinRate) -> Self {
        Self {
            patience,
            left: patience.most,
            waiting_since: None,
        }
    }

    /// Starts or continues waiting for the client. Returns the time when its credit runs out.
    pub(super) fn wait(&mut self, now: Instant) -> Instant {
        self.spend(now);
        self.waiting_since = Some(now);
        now + self.left
    }

    /// Stops waiting for the client.
    pub(super) fn rest(&mut self, now: Instant) {
        self.spend(now);
        self.waiting_since = None;
    }

    /// Records bytes received or sent, which extend the credit.
    pub(super) fn moved(&mut self, bytes: usize, now: Instant) {
        self.spend(now);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let micros = bytes.saturating_mul(1_000_000) / self.patience.bytes_per_second.max(1);
        let earned = self.left.saturating_add(Duration::from_micros(micros));
        self.left = earned.min(self.patience.most);
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

    const PATIENCE: MinRate = MinRate {
        most: Duration::from_secs(10),
        bytes_per_second: 1_000,
    };

    #[test]
    fn a_byte_a_second_is_too_slow() {
        let start = Instant::now();
        let mut pace = TransferRate::new(PATIENCE);
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
    fn who_keeps_the_rate_may_take_for_ever() {
        let start = Instant::now();
        let mut pace = TransferRate::new(PATIENCE);
        for seconds in 0..10_000 {
            let now = start + Duration::from_secs(seconds);
            assert!(pace.wait(now) > now);
            pace.moved(1_000, now + Duration::from_secs(1));
        }
    }

    #[test]
    fn only_the_clients_turn_counts_and_credit_is_bounded() {
        let start = Instant::now();
        let mut pace = TransferRate::new(PATIENCE);
        assert_eq!(pace.wait(start), start + PATIENCE.most);
        let later = start + Duration::from_secs(4);
        pace.rest(later);
        let much_later = start + Duration::from_secs(1_000);
        assert_eq!(pace.wait(much_later), much_later + Duration::from_secs(6));
        pace.moved(usize::MAX, much_later);
        assert_eq!(pace.wait(much_later), much_later + PATIENCE.most);
    }
}
