//! `erp-server check`: reads and verifies all data.

use clap::ArgMatches;
use erp_core::Erp;

use super::media::bodies;

use super::{
    DAMAGED, Failure, Opening, check_folder, open_store, runtime, settings, store_failure,
    store_options,
};
use crate::app::core_settings;
use crate::config::Settings;
use crate::media::BodyState;
use crate::store::{SledStore, Store, StoreOptions};

/// Maximum of printed findings; a store with more needs a restore, not a longer list.
const MOST_FINDINGS: usize = 100;

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let settings = settings(matches)?;
    let erp = Erp::new(open_proved(&settings)?, core_settings(&settings));
    let found = runtime()?.block_on(erp.check())?;
    // The referenced files are only known when all records can be read.
    let files = if found.findings.is_empty() {
        check_files(&erp, &settings)?
    } else {
        Files::default()
    };
    erp.store().close()?;
    for (name, count) in &found.records {
        say!("{count:>10} {name}");
    }
    for finding in found.findings.iter().take(MOST_FINDINGS) {
        say!("finding at {:?}: {}", finding.key, finding.message);
    }
    if found.findings.is_empty() {
        say!("{:>10} media files", files.sound);
    }
    for finding in files.findings.iter().take(MOST_FINDINGS) {
        say!("finding at a media file: {finding}");
    }
    let findings = found.findings.len().saturating_add(files.findings.len());
    if findings == 0 {
        say!("the store is sound");
        return Ok(());
    }
    let advice = if found.findings.is_empty() {
        "import the files again, or restore the last backup"
    } else {
        "restore the last backup"
    };
    let message = format!("{findings} findings; {advice}");
    Err(Failure {
        code: DAMAGED,
        message,
    })
}

/// Opens the store and verifies every stored value, the counts and the journal. A database verifies its own pages;
/// their content is read afterwards.
fn open_proved(settings: &Settings) -> Result<Store, Failure> {
    if settings.database.is_some() {
        return open_store(settings);
    }
    check_folder(settings, Opening::Existing)?;
    let options = StoreOptions {
        repair: false,
        trust_proper_end: false,
        ..store_options(settings)
    };
    let store = SledStore::open(&settings.data_dir, options).map_err(store_failure)?;
    Ok(store.into())
}

/// Result of the media check.
#[derive(Default)]
struct Files {
    sound: usize,
    findings: Vec<String>,
}

/// Reads every file that a record refers to and compares it with its name.
fn check_files(erp: &Erp<Store>, settings: &Settings) -> Result<Files, Failure> {
    let bodies = bodies(settings);
    let mut files = Files::default();
    for (hash, length) in runtime()?.block_on(erp.media().named_bodies())? {
        let path = bodies.shown(hash);
        match bodies.state(hash, length)? {
            BodyState::Sound => files.sound = files.sound.saturating_add(1),
            BodyState::Missing => {
                let finding = format!("`{path}` is missing");
                files.findings.push(finding);
            }
            BodyState::Damaged => {
                let finding = format!("`{path}` is not what its name says");
                files.findings.push(finding);
            }
        }
    }
    Ok(files)
}
