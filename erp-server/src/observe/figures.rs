//! Figures of a running server that do not change with requests: its start and its store.

use std::fmt;
use std::sync::OnceLock;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

type ReadStore = Box<dyn Fn() -> StoreFigures + Send + Sync>;

pub struct Figures {
    started: Timestamp,
    store: OnceLock<ReadStore>,
}

/// Kind and size of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct StoreFigures {
    /// Where the records are.
    #[schemars(extend("enum" = ["embedded", "database"]))]
    pub kind: &'static str,
    /// Size on the disk of the embedded store.
    pub bytes: Option<u64>,
}

impl Figures {
    pub fn new() -> Self {
        Self {
            started: Timestamp::now(),
            store: OnceLock::new(),
        }
    }

    /// Sets the function that reads the figures of the store. Only the first call has an effect.
    pub fn watch_store(&self, read: impl Fn() -> StoreFigures + Send + Sync + 'static) {
        let _ = self.store.set(Box::new(read));
    }

    pub const fn started(&self) -> Timestamp {
        self.started
    }

    /// Reads the figures of the store, which may read folders; `None` before [`Figures::watch_store`].
    pub fn store(&self) -> Option<StoreFigures> {
        self.store.get().map(|read| read())
    }
}

impl Default for Figures {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Figures").finish_non_exhaustive()
    }
}
