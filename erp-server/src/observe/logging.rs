//! The log: JSON lines, one file per day, or more of a day with many lines. Files can be deleted while the server
//! writes.
//!
//! Lines are buffered and written by a separate thread, so that a slow disk does not delay requests. After a crash
//! up to [`WRITE_EVERY`] of lines can be missing. Errors are written immediately.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

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
use crate::lock::lock;
use crate::store::free_bytes;

/// Interval between writes of buffered lines.
pub const WRITE_EVERY: Duration = Duration::from_millis(100);

/// Buffer size in bytes from which the logging thread writes the buffer itself.
const COLLECTED_BYTES: usize = 1024 * 1024;

/// A file is closed when it has this part of the bytes of all files.
const PART: u64 = 8;

const PREFIX: &str = "erp-";
const SUFFIX: &str = ".log";

#[derive(Clone, Debug)]
pub struct LoggingOptions {
    pub folder: PathBuf,
    /// Days a file is kept; 0 keeps all.
    pub days: u32,
    /// Bytes of all files together; the oldest are removed first.
    pub bytes: u64,
    /// The data folder, whose file system keeps a reserve for the store.
    pub data_dir: PathBuf,
    /// Free bytes of that file system below which only errors are written.
    pub least_free_bytes: u64,
    pub level: Level,
}

/// Log files in one folder. Clones share the same files.
#[derive(Clone, Debug)]
pub struct LogFiles(Arc<LogWriter>);

#[derive(Debug)]
struct LogWriter {
    options: LoggingOptions,
    /// The file system has less free space than is left to the store.
    is_low: AtomicBool,
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
    /// Errors: when the folder or the file cannot be created.
    pub fn open(options: &LoggingOptions) -> io::Result<Self> {
        let files = Self::with_clock(options, Timestamp::now)?;
        let inner = Arc::downgrade(&files.0);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_on(&inner))?;
        Ok(files)
    }

    fn with_clock(options: &LoggingOptions, now: fn() -> Timestamp) -> io::Result<Self> {
        fs::create_dir_all(&options.folder)?;
        let inner = LogWriter {
            options: options.clone(),
            is_low: AtomicBool::new(false),
            now,
            current: Mutex::new(None),
            collected: Mutex::new(Vec::new()),
            tail: LogTail::default(),
        };
        inner.look_at_free_space();
        inner.current_file(&mut lock(&inner.current))?;
        Ok(Self(Arc::new(inner)))
    }

    /// Writes all buffered lines. Call it before the process exits.
    /// Errors: when the disk write fails; the lines are then lost.
    pub fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }

    // rule: R-END-26
    /// Deletes all log files and the buffered lines. The new log starts with one line that records who deleted the
    /// old one, and when. Blocks for the duration of a few file operations.
    /// Errors: when a file cannot be removed or the new file cannot be written; the other files are still removed.
    pub fn delete_all(&self, user: &str) -> io::Result<()> {
        let writer = &self.0;
        let mut current = lock(&writer.current);
        lock(&writer.collected).clear();
        writer.tail.clear();
        *current = None;
        let removed = writer.remove_all();
        let line = json!({
            "timestamp": (writer.now)().to_string(),
            "level": "WARN",
            "message": "log files deleted",
            "user": user,
        });
        let file = writer.current_file(&mut current)?;
        let line = format!("{line}\n");
        writer.tail.push(Level::WARN, line.as_bytes());
        file.write_all(line.as_bytes())?;
        removed
    }

    /// The last lines that are at least as severe as a level, the newest first; at most those kept in memory.
    pub fn last(&self, limit: usize, least: Level) -> Vec<String> {
        self.0.tail.last(limit, least)
    }
}

impl LogWriter {
    /// Below the reserve of the store the files get nothing but errors: lines that strangers cause must not take it.
    fn look_at_free_space(&self) {
        let free = free_bytes(&self.options.data_dir);
        let is_low = free.is_ok_and(|free| free < self.options.least_free_bytes);
        self.is_low.store(is_low, Ordering::Relaxed);
    }

    fn flush(&self) -> io::Result<()> {
        self.look_at_free_space();
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

    /// Returns today's file; opens it again after midnight, when it is full, or when it was removed from outside.
    fn current_file<'a>(&self, current: &'a mut Option<Current>) -> io::Result<&'a mut File> {
        let day = day_of((self.now)());
        let usable = current
            .take()
            .filter(|open| open.day == day && open.path.exists());
        let length = |open: &Current| open.file.metadata().map_or(0, |file| file.len());
        let open = match usable {
            Some(open) if length(&open) < self.options.bytes / PART => open,
            Some(full) => {
                let time = (self.now)().strftime("%H%M%S%6f");
                let name = format!("{PREFIX}{day}-{time}{SUFFIX}");
                fs::rename(&full.path, self.options.folder.join(name))?;
                self.open_day(day)?
            }
            None => self.open_day(day)?,
        };
        Ok(&mut current.insert(open).file)
    }

    fn open_day(&self, day: Date) -> io::Result<Current> {
        fs::create_dir_all(&self.options.folder)?;
        let path = self.options.folder.join(format!("{PREFIX}{day}{SUFFIX}"));
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        self.remove_old(day);
        Ok(Current { day, path, file })
    }

    /// Removes files that are too old, and the oldest until there is room for another part.
    fn remove_old(&self, today: Date) {
        let oldest = today.checked_sub(i64::from(self.options.days).days()).ok();
        let oldest = oldest.filter(|_| self.options.days > 0);
        // For the file of today, and for the lines that may come before its length is looked at.
        let mut room = self.options.bytes - 2 * (self.options.bytes / PART);
        let mut files = self.files().unwrap_or_default();
        files.sort_unstable_by(|(_, one), (_, other)| other.cmp(one));
        for (day, path) in files {
            let Some(day) = day else { continue };
            let length = fs::metadata(&path).map_or(0, |file| file.len());
            if length <= room && oldest.is_none_or(|oldest| day >= oldest) {
                room -= length;
            } else {
                // Files that cannot be removed now are tried again with the next file.
                let _ = fs::remove_file(path);
                room = 0;
            }
        }
    }

    /// All log files with the date in their name. Names are in the order of time.
    fn files(&self) -> io::Result<Vec<(Option<Date>, PathBuf)>> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.options.folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let middle = name
                .strip_prefix(PREFIX)
                .and_then(|name| name.strip_suffix(SUFFIX));
            if let Some(middle) = middle {
                let day = middle.get(..10).and_then(|day| day.parse().ok());
                files.push((day, path));
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
}

impl Drop for LogWriter {
    fn drop(&mut self) {
        // On drop there is no caller left to report a failure to.
        let _ = self.flush();
    }
}

fn day_of(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

/// Writes buffered lines until the log is dropped.
fn write_on(inner: &Weak<LogWriter>) {
    while let Some(inner) = inner.upgrade() {
        // The log cannot log its own failure; a full disk is noticed elsewhere first.
        let _ = inner.flush();
        drop(inner);
        thread::sleep(WRITE_EVERY);
    }
}

#[derive(Debug)]
pub struct LineWriter<'a> {
    inner: &'a LogWriter,
    level: Level,
}

impl Write for LineWriter<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.inner.tail.push(self.level, line);
        if self.level != Level::ERROR && self.inner.is_low.load(Ordering::Relaxed) {
            return Ok(line.len());
        }
        let collected = {
            let mut collected = lock(&self.inner.collected);
            collected.extend_from_slice(line);
            collected.len()
        };
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

/// Starts logging for this process: JSON lines to the files, and readable lines to standard error when
/// `on_stderr` is set.
/// Errors: when the folder is not writable or logging was already started.
pub fn start(options: &LoggingOptions, on_stderr: bool) -> io::Result<LogFiles> {
    let files = LogFiles::open(options)?;
    let readable = on_stderr.then(|| tracing_subscriber::fmt::layer().with_writer(io::stderr));
    subscriber(files.clone(), options.level)
        .with(readable)
        .try_init()
        .map_err(io::Error::other)?;
    Ok(files)
}

/// Lines of requests without a user, or refused for their rate, that one second may have: 0.7 GB a day.
const FREE_LINES: u64 = 20;

/// Limits the lines of requests whose number no rate limits.
#[derive(Debug, Default)]
pub struct LineLimit(Mutex<(Option<Instant>, u64)>);

impl LineLimit {
    /// Whether this request has a line. The first one of a later second reports how many had none.
    pub fn take(&self) -> bool {
        self.take_at(Instant::now(), |left_out| {
            tracing::info!(
                requests = left_out,
                "more requests without a user, or too many of one"
            );
        })
    }

    fn take_at(&self, now: Instant, report: impl FnOnce(u64)) -> bool {
        let mut state = lock(&self.0);
        let (since, count) = &mut *state;
        if since.is_none_or(|since| now.saturating_duration_since(since) >= Duration::from_secs(1))
        {
            *since = Some(now);
            let left_out = std::mem::take(count).saturating_sub(FREE_LINES);
            if left_out > 0 {
                report(left_out);
            }
        }
        *count += 1;
        *count <= FREE_LINES
    }
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
    use std::path::Path;

    fn options(folder: &Path) -> LoggingOptions {
        LoggingOptions {
            folder: folder.to_owned(),
            days: 0,
            bytes: 1 << 30,
            data_dir: folder.to_owned(),
            least_free_bytes: 0,
            level: Level::INFO,
        }
    }

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
        let files = LogFiles::with_clock(&options(folder.path()), fixed).unwrap();
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
        let files = LogFiles::with_clock(&options(folder.path()), fixed).unwrap();
        fs::remove_file(folder.path().join("erp-2026-11-20.log")).unwrap();
        files.make_writer().write_all(b"x\n").unwrap();
        files.flush().unwrap();
        assert_eq!(text(folder.path()), "x\n");
    }

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
        let ten_days = LoggingOptions {
            days: 10,
            ..options(folder.path())
        };
        let _files = LogFiles::with_clock(&ten_days, fixed).unwrap();
        assert_eq!(
            names(folder.path()),
            ["erp-2026-11-10.log", "erp-2026-11-20.log"]
        );
    }

    #[test]
    fn all_files_together_have_bounded_bytes_and_the_oldest_go() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["erp-2020-11-09.log", "erp-2020-11-19-120000000000.log"] {
            fs::write(folder.path().join(name), [b'x'; 400]).unwrap();
        }
        let bounded = LoggingOptions {
            bytes: 1_000,
            ..options(folder.path())
        };
        let files = LogFiles::with_clock(&bounded, Timestamp::now).unwrap();
        for _ in 0..100 {
            files.make_writer().write_all(&[b'x'; 50]).unwrap();
            files.flush().unwrap();
            let lengths = names(folder.path()).into_iter();
            let lengths = lengths.map(|name| folder.path().join(name).metadata().unwrap().len());
            assert!(lengths.sum::<u64>() <= 1_000);
        }
        let left = names(folder.path());
        assert!(left.len() > 3 && !left.iter().any(|name| name.starts_with("erp-2020")));
    }

    #[test]
    fn without_free_space_only_errors_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let full = LoggingOptions {
            least_free_bytes: u64::MAX,
            ..options(folder.path())
        };
        let files = LogFiles::with_clock(&full, fixed).unwrap();
        tracing::subscriber::with_default(subscriber(files.clone(), Level::INFO), || {
            tracing::info!(target: "erp_server", "a request");
            tracing::error!(target: "erp_server", "a failure");
        });
        files.flush().unwrap();
        let text = text(folder.path());
        assert!(text.contains("a failure") && !text.contains("a request"));
        assert_eq!(files.last(10, Level::INFO).len(), 2);
    }

    #[test]
    fn requests_of_strangers_beyond_a_rate_have_one_line_together() {
        let (limit, start) = (LineLimit::default(), Instant::now());
        let take = |at| limit.take_at(at, |_| panic!("nothing was left out"));
        let written = (0..1_224).filter(|_| take(start)).count();
        assert_eq!(written, 20);
        let mut reported = 0;
        let later = start + Duration::from_secs(1);
        assert!(limit.take_at(later, |left_out| reported = left_out));
        assert_eq!(reported, 1_204);
        assert!(take(later + Duration::from_secs(1)));
    }

    // rule: R-END-26
    #[test]
    fn many_writers_and_a_deleter_lose_no_later_line() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFiles::open(&options(folder.path())).unwrap();
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
