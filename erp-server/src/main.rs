//! The command `erp-server`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(unix)]
    give_memory_back();
    erp_server::cli::run()
}

/// Starts this program again with the variable by which the allocator gives free memory back at once. It reads it before
/// `main`, and without it keeps what a burst of requests has taken: hundreds of megabytes.
#[cfg(unix)]
fn give_memory_back() {
    use std::env;
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";
    if env::var_os(PURGE_DELAY).is_none()
        && let Ok(program) = env::current_exe()
    {
        let mut arguments = env::args_os();
        let mut again = Command::new(program);
        again.env(PURGE_DELAY, "0");
        again.arg0(arguments.next().unwrap_or_default());
        // It returns only when it fails; then the memory is kept.
        let _ = again.args(arguments).exec();
    }
}
