//! The table with the medians of the rounds, and the limits.

use std::fmt;
use std::time::Duration;

use crate::Round;
use crate::readers::ReaderTimes;

/// The most memory that an attack may use above that of a warm server.
const LIMIT_KIB: u64 = 256 * 1024;

/// The most bytes by which the log may grow per second.
const LOG_BYTES: f64 = 4e6;

/// The header of the table. Factors compare with the attack on another server.
pub(crate) const HEAD: &str = "\
attack                                        | MiB of memory      | reads on kept connections, ms    \
| 4 new connections at once, ms    | reads  | CPU of a core, %  | server's CPU  | log\n\
                                              |  warm  over  after | p50   p99 other, with, factors   \
| p50   p99 other, with, factors   | failed | other with attack | ms per read   | log kB/s | attackers";

pub(crate) struct Memory {
    pub(crate) resting: u64,
    pub(crate) peak: u64,
    pub(crate) afterwards: u64,
}

impl Memory {
    const fn over(&self) -> u64 {
        self.peak.saturating_sub(self.resting)
    }
}

pub(crate) struct Report {
    pub(crate) name: &'static str,
    pub(crate) memory: Memory,
    /// Pairs of rounds: the attack on another server and on this one.
    pub(crate) rounds: Vec<(Round, Round)>,
    pub(crate) did: String,
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Report {
    fn median(&self, of: impl Fn(&Round, &Round) -> f64) -> f64 {
        median(
            self.rounds
                .iter()
                .map(|(control, beside)| of(control, beside)),
        )
    }

    /// Percentiles with the attack on the other server and on this one, and the factors between them.
    fn times(&self, f: &mut fmt::Formatter<'_>, of: fn(&Round) -> &ReaderTimes) -> fmt::Result {
        let at = |part| {
            [
                self.median(|control, _| of(control).percentile(part)),
                self.median(|_, beside| of(beside).percentile(part)),
                self.median(|control, beside| {
                    of(beside).percentile(part) / of(control).percentile(part)
                }),
            ]
        };
        let ([other, with, factor], [other_99, with_99, factor_99]) = (at(50), at(99));
        write!(
            f,
            " | {other:4.1} {other_99:5.1} {with:5.1} {with_99:6.1} x{factor:<4.1} x{factor_99:<4.1}"
        )
    }

    /// Growth of the log in bytes per second during the attack.
    fn log_rate(&self) -> f64 {
        self.median(|_, beside| beside.logged as f64 / beside.length.as_secs_f64())
    }

    fn failed(&self) -> usize {
        let both = self.rounds.iter();
        both.map(|(control, beside)| control.seen.failed() + beside.seen.failed())
            .sum()
    }

    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.memory.over() > LIMIT_KIB {
            faults.push(format!(
                "{}: memory went {} KiB above that of a warm server, which is more than {LIMIT_KIB}",
                self.name,
                self.memory.over()
            ));
        }
        if self.log_rate() > LOG_BYTES {
            faults.push(format!(
                "{}: the log grew by {:.0} bytes a second",
                self.name,
                self.log_rate()
            ));
        }
        if self.failed() > 0 {
            faults.push(format!("{}: {} reads failed", self.name, self.failed()));
        }
        faults
    }
}

/// CPU use in percent of one core.
fn percent(round: &Round, used: Duration) -> f64 {
    used.as_secs_f64() / round.length.as_secs_f64() * 100.0
}

/// Processor time of the server per read in milliseconds, including the cost of the attack.
fn per_read(round: &Round) -> f64 {
    round.server.as_secs_f64() * 1e3 / round.seen.count().max(1) as f64
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |kib: u64| kib.div_ceil(1024);
        let memory = &self.memory;
        write!(
            f,
            "{:<45} | {:>5} {:>5} {:>6}",
            self.name,
            mib(memory.resting),
            mib(memory.over()),
            mib(memory.afterwards),
        )?;
        self.times(f, |round| &round.seen.keeping)?;
        self.times(f, |round| &round.seen.connecting)?;
        write!(
            f,
            " | {:>6} | {:5.0} {:4.0} {:6.0} | {:5.2} {:7.2} | {:8.0} | {}",
            self.failed(),
            self.median(|control, _| percent(control, control.server)),
            self.median(|_, beside| percent(beside, beside.server)),
            self.median(|_, beside| percent(beside, beside.attackers)),
            self.median(|control, _| per_read(control)),
            self.median(|_, beside| per_read(beside)),
            self.log_rate() / 1e3,
            self.did,
        )
    }
}
