//! Locks that stay in use after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value that is consistent even after a panic, because each change of it is complete before the next one.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
