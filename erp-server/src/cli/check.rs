//! `erp-server check`: read and verify everything.

use clap::ArgMatches;

use super::{DAMAGED, Failure, open_erp, runtime, settings};

/// Findings that are printed; a store with more needs a restore, not a longer list.
const MOST_FINDINGS: usize = 100;

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let settings = settings(matches)?;
    if !settings.data_dir.exists() {
        return Err(Failure::new(format!(
            "there is no store at `{}`",
            settings.data_dir.display()
        )));
    }
    // Opening verifies every stored value, the counts and the journal.
    let erp = open_erp(&settings)?;
    let found = runtime()?.block_on(erp.check())?;
    erp.store().close()?;
    for (name, count) in &found.records {
        println!("{count:>10} {name}");
    }
    for finding in found.findings.iter().take(MOST_FINDINGS) {
        println!("finding at {:?}: {}", finding.key, finding.message);
    }
    if found.findings.is_empty() {
        println!("the store is sound");
        return Ok(());
    }
    let message = format!("{} findings; restore the last backup", found.findings.len());
    Err(Failure {
        code: DAMAGED,
        message,
    })
}
