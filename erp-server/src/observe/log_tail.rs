//! The last lines of the log, kept in memory as they were written.

use std::collections::VecDeque;
use std::sync::Mutex;

use tracing::Level;

use crate::lock::lock;

const LINES: usize = 1_000;

const BYTES: usize = 512 * 1024;

/// Two lists: all lines, and warnings and errors, which would otherwise be lost among the lines of requests.
#[derive(Debug, Default)]
pub(super) struct LogTail {
    all: Mutex<Lines>,
    severe: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<(Level, Box<str>)>,
    bytes: usize,
}

impl LogTail {
    /// Keeps a line and removes the oldest ones beyond the limits.
    pub(super) fn push(&self, level: Level, line: &[u8]) {
        let line: Box<str> = String::from_utf8_lossy(line).trim_end().into();
        if level <= Level::WARN {
            lock(&self.severe).push(level, line.clone());
        }
        lock(&self.all).push(level, line);
    }

    /// The last lines that are at least as severe as a level, the newest first.
    pub(super) fn last(&self, limit: usize, least: Level) -> Vec<String> {
        let lines = if least <= Level::WARN {
            lock(&self.severe)
        } else {
            lock(&self.all)
        };
        let newest = lines.lines.iter().rev();
        let wanted = newest.filter(|(level, _)| *level <= least);
        wanted
            .take(limit)
            .map(|(_, line)| line.to_string())
            .collect()
    }

    pub(super) fn clear(&self) {
        *lock(&self.all) = Lines::default();
        *lock(&self.severe) = Lines::default();
    }
}

impl Lines {
    fn push(&mut self, level: Level, line: Box<str>) {
        self.bytes += line.len();
        self.lines.push_back((level, line));
        while self.lines.len() > LINES || self.bytes > BYTES {
            let Some((_, oldest)) = self.lines.pop_front() else {
                return;
            };
            self.bytes = self.bytes.saturating_sub(oldest.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_stay_and_warnings_outlive_requests() {
        let tail = LogTail::default();
        tail.push(Level::WARN, b"warned\n");
        tail.push(Level::ERROR, b"failed\n");
        for number in 0..2 * LINES {
            tail.push(Level::INFO, format!("request {number}\n").as_bytes());
        }
        assert_eq!(tail.last(2, Level::INFO), ["request 1999", "request 1998"]);
        assert_eq!(tail.last(usize::MAX, Level::DEBUG).len(), LINES);
        assert_eq!(tail.last(9, Level::WARN), ["failed", "warned"]);
        assert_eq!(tail.last(9, Level::ERROR), ["failed"]);
        tail.clear();
        assert_eq!(tail.last(9, Level::TRACE), [""; 0]);
    }

    #[test]
    fn long_lines_do_not_take_more_memory() {
        let tail = LogTail::default();
        let long = "x".repeat(BYTES / 4);
        for _ in 0..10 {
            tail.push(Level::INFO, long.as_bytes());
        }
        assert_eq!(tail.last(9, Level::INFO).len(), 4);
        tail.push(Level::INFO, "x".repeat(BYTES + 1).as_bytes());
        assert_eq!(tail.last(9, Level::INFO), [""; 0]);
        tail.push(Level::INFO, b"short");
        assert_eq!(tail.last(9, Level::INFO), ["short"]);
    }
}
