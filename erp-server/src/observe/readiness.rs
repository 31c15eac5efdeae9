//! Readiness checks for `GET /health/ready`.

use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::store::free_bytes;

/// Free bytes of the data folder's file system below which the server is not ready and the log takes only errors: a
/// few files of the journal, so that there is time to act.
pub const LEAST_FREE_BYTES: u64 = 100 << 20;

/// Whether the store works, and whether commits go through.
type StoreState = Box<dyn Fn() -> (bool, bool) + Send + Sync>;

pub struct Readiness {
    options: ReadinessOptions,
    store: OnceLock<StoreState>,
    media: AtomicBool,
}

#[derive(Clone, Debug)]
pub struct ReadinessOptions {
    /// Folder whose file system needs free space.
    pub data_dir: PathBuf,
    /// Free bytes below which the server is not ready.
    pub least_free_bytes: u64,
}

/// Result of the checks; `true` means passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    pub store: bool,
    /// Commits go through.
    pub writes: bool,
    /// The file system of the data folder has enough free space.
    pub disk: bool,
    /// The place of the media files responds, as far as is known.
    pub media: bool,
    pub serving: bool,
}

impl Ready {
    /// Whether the server should get requests. Media and stuck commits do not count: all servers share bucket and
    /// database, so none would be left, also not for what still works.
    pub const fn all(self) -> bool {
        self.store && self.disk && self.serving
    }

    pub const fn checks(self) -> [(&'static str, bool); 5] {
        [
            ("store", self.store),
            ("writes", self.writes),
            ("disk", self.disk),
            ("media", self.media),
            ("serving", self.serving),
        ]
    }
}

impl Readiness {
    /// Creates the checks; the store check passes until [`Readiness::watch_store`] is called.
    pub const fn new(options: ReadinessOptions) -> Self {
        Self {
            options,
            store: OnceLock::new(),
            media: AtomicBool::new(true),
        }
    }

    /// Sets the function that reports whether the store works and whether commits go through. Only the first call has
    /// an effect.
    pub fn watch_store(&self, state: impl Fn() -> (bool, bool) + Send + Sync + 'static) {
        let _ = self.store.set(Box::new(state));
    }

    /// Sets whether the place of the media files responds; returns what was known before.
    pub fn found_media(&self, responds: bool) -> bool {
        self.media.swap(responds, Ordering::Relaxed)
    }

    /// Runs the checks: a few atomic loads and one system call. The caller passes whether the server is still
    /// `serving`, that is, not shutting down.
    pub fn check(&self, serving: bool) -> Ready {
        // If the free space cannot be determined, assume there is none.
        let free = free_bytes(&self.options.data_dir).unwrap_or(0);
        let (store, writes) = self.store.get().map_or((true, true), |state| state());
        Ready {
            store,
            writes,
            disk: free >= self.options.least_free_bytes,
            media: self.media.load(Ordering::Relaxed),
            serving,
        }
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readiness").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn each_check_can_fail_alone() {
        let folder = tempfile::tempdir().unwrap();
        let needing = |least_free_bytes| {
            Readiness::new(ReadinessOptions {
                data_dir: folder.path().to_owned(),
                least_free_bytes,
            })
        };
        let ready = needing(0);
        assert!(ready.check(true).all());
        let works = Arc::new([AtomicBool::new(true), AtomicBool::new(true)]);
        let asked = Arc::clone(&works);
        ready.watch_store(move || {
            let [works, writes] = &*asked;
            (
                works.load(Ordering::Relaxed),
                writes.load(Ordering::Relaxed),
            )
        });
        assert!(ready.check(true).all());
        works[1].store(false, Ordering::Relaxed);
        let checks = ready.check(true);
        assert!(!checks.writes && checks.all(), "reads need no commits");
        works[0].store(false, Ordering::Relaxed);
        let checks = ready.check(true);
        assert_eq!(
            (checks.store, checks.disk, checks.serving),
            (false, true, true)
        );
        assert!(!checks.all());
        works
            .iter()
            .for_each(|works| works.store(true, Ordering::Relaxed));
        let checks = ready.check(false);
        assert_eq!(
            (checks.store, checks.disk, checks.serving),
            (true, true, false)
        );
        assert!(ready.found_media(false));
        let checks = ready.check(true);
        assert!(!checks.media && checks.all(), "orders need no pictures");
        let checks = needing(u64::MAX).check(true);
        assert_eq!(
            (checks.store, checks.disk, checks.serving),
            (true, false, true)
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_gone_has_no_room() {
        let ready = Readiness::new(ReadinessOptions {
            data_dir: PathBuf::from("/there/is/no/such/folder"),
            least_free_bytes: 100 << 20,
        });
        assert!(!ready.check(true).disk);
    }
}
