//! Converts panics of sled into errors and suppresses their output.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::thread;

use super::error::Fault;

thread_local! {
    static QUIET: Cell<u32> = const { Cell::new(0) };
}

static INSTALLED: Once = Once::new();

/// Installs a panic hook that suppresses panics of sled and passes all others to the previous hook.
///
/// A custom panic hook must be set before the first store is opened.
pub(crate) fn install() {
    INSTALLED.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !silenced() {
                before(info);
            }
        }));
    });
}

fn silenced() -> bool {
    let own_thread = || {
        let name = thread::current().name().map(str::to_owned);
        name.is_some_and(|name| name.starts_with("sled-") || name.starts_with("log flusher"))
    };
    QUIET.with(Cell::get) > 0 || own_thread()
}

/// Runs code that may panic on damaged files; a panic becomes [`Fault::Damaged`].
pub(crate) fn guarded<T>(code: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    QUIET.with(|quiet| quiet.set(quiet.get().saturating_add(1)));
    // Unwind safe: after a panic, no state of the closure is used again except the files.
    let outcome = catch_unwind(AssertUnwindSafe(code));
    QUIET.with(|quiet| quiet.set(quiet.get().saturating_sub(1)));
    outcome.unwrap_or_else(|_| Err(Fault::damaged("the record files in `sled` cannot be read")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_sentence() {
        install();
        let fault = guarded::<()>(|| panic!("internal words")).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "the record files in `sled` cannot be read"
        );
        assert_eq!(QUIET.with(Cell::get), 0);
    }
}
