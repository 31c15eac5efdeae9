//! Readiness checks for `GET /health/ready`.

use std::fmt;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::config::Settings;
use crate::store::free_bytes;

type StoreWrites = Box<dyn Fn() -> bool + Send + Sync>;

/// Runs the readiness checks.
pub struct Readiness {
    data_dir: PathBuf,
    least_free: u64,
    store: OnceLock<StoreWrites>,
}

/// Result of the checks; `true` means passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// The store accepts writes.
    pub store: bool,
    /// The file system of the data folder has at least `ready_free_bytes` (setting) free.
    pub disk: bool,
    /// The server is not shutting down.
    pub serving: bool,
}

impl Ready {
    /// Whether all checks passed.
    #[must_use]
    pub const fn all(self) -> bool {
        self.store && self.disk && self.serving
    }

    /// Name and result of each check.
    #[must_use]
    pub const fn checks(self) -> [(&'static str, bool); 3] {
        [
            ("store", self.store),
            ("disk", self.disk),
            ("serving", self.serving),
        ]
    }
}

impl Readiness {
    /// Creates the checks; the store check passes until [`Readiness::watch_store`] is called.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self {
            data_dir: settings.data_dir.clone(),
            least_free: settings.ready_free_bytes,
            store: OnceLock::new(),
        }
    }

    /// Sets the function that reports whether the store accepts writes. Only the first call has an effect.
    pub fn watch_store(&self, takes_writes: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.store.set(Box::new(takes_writes));
    }

    /// Runs the checks: a few atomic loads and one system call. The caller passes whether the server is still
    /// `serving`, that is, not shutting down.
    #[must_use]
    pub fn check(&self, serving: bool) -> Ready {
        // If the free space cannot be determined, assume there is none.
        let free = free_bytes(&self.data_dir).unwrap_or(0);
        Ready {
            store: self.store.get().is_none_or(|takes_writes| takes_writes()),
            disk: free >= self.least_free,
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
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn each_check_can_fail_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = Settings::defaults().unwrap();
        settings.data_dir = folder.path().to_owned();
        settings.ready_free_bytes = 0;
        let ready = Readiness::new(&settings);
        assert!(ready.check(true).all());
        let writes = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&writes);
        ready.watch_store(move || asked.load(Ordering::Relaxed));
        assert!(ready.check(true).all());
        writes.store(false, Ordering::Relaxed);
        let told = ready.check(true);
        assert_eq!((told.store, told.disk, told.serving), (false, true, true));
        writes.store(true, Ordering::Relaxed);
        let told = ready.check(false);
        assert_eq!((told.store, told.disk, told.serving), (true, true, false));
        settings.ready_free_bytes = u64::MAX;
        let told = Readiness::new(&settings).check(true);
        assert_eq!((told.store, told.disk, told.serving), (true, false, true));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_gone_has_no_room() {
        let mut settings = Settings::defaults().unwrap();
        settings.data_dir = PathBuf::from("/there/is/no/such/folder");
        assert!(!Readiness::new(&settings).check(true).disk);
    }
}
