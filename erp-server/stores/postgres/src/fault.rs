//! Maps errors of the database to [`Fault`].

use std::error::Error as _;

use deadpool_postgres::{HookError, PoolError, TimeoutType};
use erp_core::storage::{OpenError, StorageError};
use thiserror::Error;
use tokio_postgres::error::SqlState;

/// Why a statement failed.
#[derive(Clone, Debug, Error)]
pub(super) enum Fault {
    /// Conflict with another transaction on the same rows: a retry may succeed.
    #[error("another transaction changed the same records")]
    Again,
    /// Another session has held a lock on the same rows for too long. Nothing was changed.
    #[error("another session holds a lock on the same records")]
    Locked,
    #[error("a number is too large")]
    OutOfRange,
    #[error("all connections are busy")]
    Busy,
    #[error("the store is closed")]
    Closed,
    /// The connection broke before anything was changed.
    #[error("{0}")]
    Lost(String),
    /// The connection broke during a change: it may have been committed or not.
    #[error("{0}")]
    OutcomeUnknown(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Damaged(String),
    #[error("there are records already")]
    HoldsStore,
    #[error("the tables have format {found}")]
    NewerFormat { found: u32, known: u32 },
}

impl Fault {
    /// Converts to an [`OpenError`] with the name of the database.
    pub(super) fn at(self, database: &str) -> OpenError {
        match self {
            Self::NewerFormat { found, known } => OpenError::NewerFormat {
                path: database.to_owned(),
                found,
                known,
            },
            other => OpenError::Database {
                database: database.to_owned(),
                reason: other.to_string(),
            },
        }
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        let text = text_of(&error);
        let Some(refused) = error.as_db_error() else {
            let cause = error.source();
            let is_broken = cause.is_some_and(|cause| cause.is::<std::io::Error>());
            return if error.is_closed() || is_broken {
                Self::Lost(text)
            } else {
                Self::Refused(text)
            };
        };
        match refused.code() {
            // `NOT_NULL_VIOLATION`: the commit statement reports this way that a key has appeared meanwhile.
            &SqlState::T_R_SERIALIZATION_FAILURE
            | &SqlState::T_R_DEADLOCK_DETECTED
            | &SqlState::NOT_NULL_VIOLATION
            | &SqlState::UNIQUE_VIOLATION
            // The statement was rolled back: it exceeded the limit or was cancelled.
            | &SqlState::QUERY_CANCELED => Self::Again,
            &SqlState::LOCK_NOT_AVAILABLE => Self::Locked,
            &SqlState::NUMERIC_VALUE_OUT_OF_RANGE => Self::OutOfRange,
            // The database server is shutting down.
            &SqlState::ADMIN_SHUTDOWN
            | &SqlState::CRASH_SHUTDOWN
            | &SqlState::CANNOT_CONNECT_NOW
            | &SqlState::T_R_STATEMENT_COMPLETION_UNKNOWN => Self::Lost(text),
            // Class 08: a pooler lost its own connection to the database.
            code if code.code().starts_with("08") => Self::Lost(text),
            _ => Self::Refused(text),
        }
    }
}

/// The message of the database, or of the underlying connection error.
fn text_of(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(refused), _) => format!("{} ({})", refused.message(), refused.code().code()),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

impl From<PoolError> for Fault {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(TimeoutType::Wait) => Self::Busy,
            PoolError::Timeout(_) => Self::Lost("no connection in time".to_owned()),
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                match Self::from(error) {
                    // No statement was sent.
                    Self::Again | Self::OutOfRange | Self::Locked => Self::Busy,
                    other => other,
                }
            }
            PoolError::Closed => Self::Closed,
            PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(HookError::Message(_)) => {
                Self::Refused(error.to_string())
            }
        }
    }
}

impl From<Fault> for StorageError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Again | Fault::Locked | Fault::Busy => Self::Busy,
            Fault::OutcomeUnknown(why) => Self::OutcomeUnknown(why),
            Fault::Closed => Self::Closed,
            Fault::Damaged(what) => Self::Damaged(what),
            other => Self::Unavailable(other.to_string()),
        }
    }
}
