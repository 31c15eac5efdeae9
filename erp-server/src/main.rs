//! The command `erp-server`.

use std::process::ExitCode;

fn main() -> ExitCode {
    erp_server::cli::run()
}
