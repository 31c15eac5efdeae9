//! The log: JSON lines, one file per day. Files can be deleted while the server writes.
//!
//! Lines are buffered and written by a separate thread, so that a slow disk does not delay requests. After a crash
//! up to [`WRITE_EVERY`] of lines can be missing. Errors are written immediately.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde_json::json;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::log_tail::LogTail;

/// Interval between writes of buffered lines.
pub const WRITE_EVERY: Duration = Duration::from_millis(100);

/// Buffer size in bytes from which the logging thread writes the buffer itself.
const COLLECTED_BYTES: usize = 1024 * 1024;

const PREFIX: &str = "erp-";
const SUFFIX: &str = ".log";

// rule: D-LOG-01, D-LOG-03
/// Log files in one folder. Clones share the same files.
#[derive(Clone, Debug)]
pub struct LogFiles(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    /// Days to keep a file; 0 keeps all files.
    days: u32,
    now: fn() -> Timestamp,
    /// Lock order: this lock before `collected`, never after it.
    current: Mutex<Option<Current>>,
    collected: Mutex<Vec<u8>>,
    tail: LogTail,
}

#[derive(Debug)]
struct Current {
    day: Date,
    path: PathBuf,
    file: File,
}

impl LogFiles {
    /// Opens the log in a folder, creates the folder if missing, and starts the writer thread.
    ///
    /// # Errors
    /// When the folder or the file cannot be created.
    pub fn open(folder: &Path, days: u32) -> io::Result<Self> {
        let files = Self::with_clock(folder, days, Timestamp::now)?;
        let inner = Arc::downgrade(&files.0);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_on(&inner))?;
        Ok(files)
    }

    fn with_clock(folder: &Path, days: u32, now: fn() -> Timestamp) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let inner = Inner {
            folder: folder.to_owned(),
            days,
            now,
            current: Mutex::new(None),
            collected: Mutex::new(Vec::new()),
            tail: LogTail::default(),
        };
        inner.current_file(&mut lock(&inner.current))?;
        Ok(Self(Arc::new(inner)))
    }

    /// Writes all buffered lines. Call it before the process exits.
    ///
    /// # Errors
    /// When the disk write fails; the lines are then lost.
    pub fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }

    // rule: R-END-26
    /// Deletes all log files and the buffered lines. The new log starts with one line that records who deleted the
    /// old one, and when. Blocks for the duration of a few file operations.
    ///
    /// # Errors
    /// When a file cannot be removed or the new file cannot be written; the other files are still removed.
    pub fn delete_all(&self, user: &str) -> io::Result<()> {
        self.0.delete_all(user)
    }

    // rule: D-LOG-04
    /// The last lines that are at least as severe as a level, the newest first; at most those kept in memory.
    #[must_use]
    pub fn last(&self, limit: usize, least: Level) -> Vec<String> {
        self.0.tail.last(limit, least)
    }
}

impl Inner {
    fn flush(&self) -> io::Result<()> {
        let mut current = lock(&self.current);
        let lines = std::mem::take(&mut *lock(&self.collected));
        if lines.is_empty() {
            return Ok(());
        }
        let file = self.current_file(&mut current)?;
        let begin = file.metadata()?.len();
        let written = file.write_all(&lines);
        if written.is_err() {
            // A full disk can cut off a line. Remove the partial line, or the next one would continue it.
            let _ = file.set_len(begin);
        }
        written
    }

    /// Returns today's file; opens it again after midnight or when it was removed from outside.
    fn current_file<'a>(&self, current: &'a mut Option<Current>) -> io::Result<&'a mut File> {
        let day = day_of((self.now)());
        let usable = current
            .take()
            .filter(|open| open.day == day && open.path.exists());
        let open = match usable {
            Some(open) => open,
            None => self.open_day(day)?,
        };
        Ok(&mut current.insert(open).file)
    }

    fn open_day(&self, day: Date) -> io::Result<Current> {
        fs::create_dir_all(&self.folder)?;
        let path = self.folder.join(format!("{PREFIX}{day}{SUFFIX}"));
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        self.remove_old(day);
        Ok(Current { day, path, file })
    }

    fn remove_old(&self, today: Date) {
        let Ok(oldest) = today.checked_sub(i64::from(self.days).days()) else {
            return;
        };
        if self.days == 0 {
            return;
        }
        for (day, path) in self.files().unwrap_or_default() {
            if day.is_some_and(|day| day < oldest) {
                // Files that cannot be removed now are tried again the next day.
                let _ = fs::remove_file(path);
            }
        }
    }

    /// All log files with the date in their name.
    fn files(&self) -> io::Result<Vec<(Option<Date>, PathBuf)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let middle = name
                .strip_prefix(PREFIX)
                .and_then(|name| name.strip_suffix(SUFFIX));
            if let Some(middle) = middle {
                files.push((middle.parse().ok(), path));
            }
        }
        Ok(files)
    }

    fn remove_all(&self) -> io::Result<()> {
        let is_real = |error: &io::Error| error.kind() != io::ErrorKind::NotFound;
        let files = match self.files() {
            Err(error) if !is_real(&error) => return Ok(()),
            files => files?,
        };
        let mut outcome = Ok(());
        for (_, path) in files {
            // Try every file, even after a failure.
            if let Err(error) = fs::remove_file(path)
                && is_real(&error)
            {
                outcome = Err(error);
            }
        }
        outcome
    }

    fn delete_all(&self, user: &str) -> io::Result<()> {
        let mut current = lock(&self.current);
        lock(&self.collected).clear();
        self.tail.clear();
        *current = None;
        let removed = self.remove_all();
        let line = json!({
            "timestamp": (self.now)().to_string(),
            "level": "WARN",
            "message": "log files deleted",
            "user": user,
        });
        let file = self.current_file(&mut current)?;
        let line = format!("{line}\n");
        self.tail.push(Level::WARN, line.as_bytes());
        file.write_all(line.as_bytes())?;
        removed
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // On drop there is no caller left to report a failure to.
        let _ = self.flush();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Both values stay consistent even if a thread panicked while holding the lock.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn day_of(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

/// Writes buffered lines until the log is dropped.
fn write_on(inner: &Weak<Inner>) {
    while let Some(inner) = inner.upgrade() {
        // The log cannot log its own failure; a full disk is noticed elsewhere first.
        let _ = inner.flush();
        drop(inner);
        thread::sleep(WRITE_EVERY);
    }
}

/// Buffer for one log line.
#[derive(Debug)]
pub struct LineWriter<'a> {
    inner: &'a Inner,
    level: Level,
}

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let collected = {
            let mut collected = lock(&self.inner.collected);
            collected.extend_from_slice(line);
            collected.len()
        };
        self.inner.tail.push(self.level, line);
        if self.level == Level::ERROR || collected > COLLECTED_BYTES {
            self.inner.flush()?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogFiles {
    type Writer = LineWriter<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        LineWriter {
            inner: &self.0,
            level: Level::INFO,
        }
    }

    fn make_writer_for(&'a self, meta: &Metadata<'_>) -> Self::Writer {
        LineWriter {
            inner: &self.0,
            level: *meta.level(),
        }
    }
}

/// Options of the log files.
#[derive(Clone, Debug)]
pub struct Options {
    /// Their folder.
    pub folder: PathBuf,
    /// Days a file is kept; 0 keeps all.
    pub days: u32,
    /// The least severe level that is written.
    pub level: Level,
}

/// Starts logging for this process: JSON lines to the files, and readable lines to standard error when
/// `on_stderr` is set.
///
/// # Errors
/// When the folder is not writable or logging was already started.
pub fn start(options: &Options, on_stderr: bool) -> io::Result<LogFiles> {
    let files = LogFiles::open(&options.folder, options.days)?;
    let readable = on_stderr.then(|| tracing_subscriber::fmt::layer().with_writer(io::stderr));
    subscriber(files.clone(), options.level)
        .with(readable)
        .try_init()
        .map_err(io::Error::other)?;
    Ok(files)
}

/// Layer that formats events as lines for the files.
fn subscriber(
    files: LogFiles,
    level: Level,
) -> impl tracing::Subscriber + for<'a> LookupSpan<'a> + Send + Sync {
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_writer(files);
    tracing_subscriber::registry()
        .with(levels(level))
        .with(lines)
}

/// Libraries log only from level warning up, because they do not know which data must stay out of the log.
fn levels(level: Level) -> Targets {
    Targets::new()
        .with_default(level.min(Level::WARN))
        .with_target("erp_server", level)
        .with_target("erp_core", level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed() -> Timestamp {
        "2026-11-20T23:59:59Z".parse().unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn text(folder: &Path) -> String {
        fs::read_to_string(folder.join("erp-2026-11-20.log")).unwrap()
    }

    // rule: R-END-26
    #[test]
    fn deleting_leaves_one_line_and_foreign_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["erp-2026-11-01.log", "erp-old.log", "notes.txt"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let files = LogFiles::with_clock(folder.path(), 0, fixed).unwrap();
        let line = |text: &str| files.make_writer().write_all(text.as_bytes()).unwrap();
        line("written\n");
        files.flush().unwrap();
        line("collected\n");
        files.delete_all("chef").unwrap();
        assert_eq!(names(folder.path()), ["erp-2026-11-20.log", "notes.txt"]);
        assert_eq!(
            text(folder.path()),
            "{\"level\":\"WARN\",\"message\":\"log files deleted\",\"timestamp\":\"2026-11-20T23:59:59Z\",\"user\":\"chef\"}\n"
        );
        line("after\n");
        files.flush().unwrap();
        assert!(text(folder.path()).ends_with("}\nafter\n"));
        fs::remove_dir_all(folder.path()).unwrap();
        files.delete_all("chef").unwrap();
        assert_eq!(text(folder.path()).lines().count(), 1);
    }

    #[test]
    fn a_file_removed_from_outside_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFiles::with_clock(folder.path(), 0, fixed).unwrap();
        fs::remove_file(folder.path().join("erp-2026-11-20.log")).unwrap();
        files.make_writer().write_all(b"x\n").unwrap();
        files.flush().unwrap();
        assert_eq!(text(folder.path()), "x\n");
    }

    // rule: D-LOG-01, D-LOG-03
    #[test]
    fn old_files_go_after_their_days() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "erp-2026-11-10.log",
            "erp-2026-11-09.log",
            "erp-2025-01-01.log",
        ] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let _files = LogFiles::with_clock(folder.path(), 10, fixed).unwrap();
        assert_eq!(
            names(folder.path()),
            ["erp-2026-11-10.log", "erp-2026-11-20.log"]
        );
    }

    // rule: R-END-26
    #[test]
    fn many_writers_and_a_deleter_lose_no_later_line() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFiles::open(folder.path(), 0).unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2_000 {
                        files.make_writer().write_all(b"before\n").unwrap();
                    }
                });
            }
            scope.spawn(|| {
                for _ in 0..50 {
                    files.delete_all("chef").unwrap();
                }
            });
        });
        files.delete_all("chef").unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        files.make_writer().write_all(b"after\n").unwrap();
                    }
                });
            }
        });
        files.flush().unwrap();
        let written: String = names(folder.path())
            .iter()
            .map(|name| fs::read_to_string(folder.path().join(name)).unwrap())
            .collect();
        assert_eq!(written.matches("log files deleted").count(), 1);
        assert_eq!(written.matches("after\n").count(), 4_000);
        assert!(!written.contains("before"));
    }
}
