//! `erp-server settings`: all settings as a table.

use super::Failure;
use crate::config::Settings;

#[expect(clippy::unnecessary_wraps, reason = "every command has this form")]
pub(super) fn run() -> Result<(), Failure> {
    print!("{}", Settings::table());
    Ok(())
}
