//! Why a server does not start, or ended.

use std::io;

use erp_core::storage::StorageError;
use thiserror::Error;

use crate::config::TownFileError;
use crate::media::PlaceError;
use crate::scrape::WatchError;
use crate::web::{ListenError, PageError};

#[derive(Debug, Error)]
pub enum ServeError {
    /// The store failed during operation; the next start may repair it.
    #[error("the store failed while it was served: {0}")]
    StoreFailed(String),
    #[error(transparent)]
    Towns(#[from] TownFileError),
    #[error(transparent)]
    Page(#[from] PageError),
    #[error(transparent)]
    Media(#[from] PlaceError),
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error(transparent)]
    Metrics(#[from] WatchError),
    #[error(transparent)]
    Store(#[from] StorageError),
    /// The log or the signals cannot be used.
    #[error(transparent)]
    Io(#[from] io::Error),
}
