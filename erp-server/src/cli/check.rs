//! `erp-server check`: reads and verifies all data.

use std::collections::BTreeMap;

use clap::Args;
use erp_core::Erp;
use erp_core::internal::Unsellable;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::failure::{DAMAGED, Failure};
use super::media::bodies;
use super::open::{Opening, check_folder, open_store, runtime, store_failure, store_options};
use super::settings_args::SettingsArgs;
use crate::config::{Settings, core_settings};
use crate::media::BodyState;
use crate::store::{SledStore, Store, StoreOptions};

/// Maximum of printed findings; a store with more needs a restore, not a longer list.
const MOST_FINDINGS: usize = 100;

/// Read and verify every record, secondary key and media file of the store
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  erp-server check --data /var/lib/erp")]
pub(super) struct CheckCommand {
    /// Print counts and findings as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: SettingsArgs,
}

impl CheckCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        let report = StoreReport::of(&self.settings.load()?)?;
        if self.json {
            say!("{}", report.json())
        } else {
            report.print()
        }
        report.result()
    }
}

struct StoreReport {
    records: BTreeMap<&'static str, usize>,
    /// Findings at records, each with its key.
    findings: Vec<String>,
    files: Files,
    unsellable: Unsellable,
}

impl StoreReport {
    fn of(settings: &Settings) -> Result<Self, Failure> {
        let erp = Erp::new(open_proved(settings)?, core_settings(settings));
        let now = Timestamp::now();
        let found = runtime()?.block_on(erp.upkeep(now).check())?;
        // The referenced files and the articles are only known when all records can be read.
        let (files, unsellable) = if found.findings.is_empty() {
            let unsellable = runtime()?.block_on(erp.office(now).unsellable())?;
            (check_files(&erp, settings)?, unsellable.as_ref().clone())
        } else {
            <_>::default()
        };
        erp.store().close()?;
        let findings = found.findings.iter();
        Ok(Self {
            records: found.records,
            findings: findings
                .map(|finding| format!("{:?}: {}", finding.key, finding.message))
                .collect(),
            files,
            unsellable,
        })
    }

    fn json(&self) -> Value {
        let findings: Vec<&String> = self.findings.iter().chain(&self.files.findings).collect();
        json!({"records": self.records, "media_files": self.files.sound, "findings": findings,
            "unsellable": self.unsellable})
    }

    /// Prints what there is; kinds without a record say nothing.
    fn print(&self) {
        let files = [("media files", self.files.sound)];
        let counts = self.records.iter().map(|(kind, count)| (*kind, *count));
        let counts: Vec<(&str, usize)> = counts
            .chain(files)
            .filter(|(_, count)| *count > 0)
            .collect();
        for (kind, count) in &counts {
            say!("{count:>10} {kind}");
        }
        if counts.is_empty() {
            say!("the store is empty");
        }
        self.print_unsellable();
        for finding in self.findings.iter().take(MOST_FINDINGS) {
            say!("finding at {finding}");
        }
        for finding in self.files.findings.iter().take(MOST_FINDINGS) {
            say!("finding at a media file: {finding}");
        }
        if self.findings.is_empty() && self.files.findings.is_empty() {
            say!("the store is sound");
        }
    }

    fn print_unsellable(&self) {
        if self.unsellable.articles > 0 {
            say!("{:>10} articles cannot be sold", self.unsellable.articles);
        }
        for (reason, counted) in self.unsellable.reasons() {
            let mut examples: Vec<&str> = counted.examples.iter().map(AsRef::as_ref).collect();
            if examples.len() < counted.count {
                examples.push("…");
            }
            if counted.count > 0 {
                let examples = examples.join(", ");
                say!("{:>14} {reason}: {examples}", counted.count);
            }
        }
    }

    fn result(&self) -> Result<(), Failure> {
        let count = self.findings.len() + self.files.findings.len();
        if count == 0 {
            return Ok(());
        }
        let advice = if self.findings.is_empty() {
            "import the files again, or restore the last backup"
        } else {
            "restore the last backup"
        };
        let findings = match count {
            1 => "1 finding".to_owned(),
            count => format!("{count} findings"),
        };
        Err(Failure::coded(DAMAGED, format!("{findings}; {advice}")))
    }
}

// rule: D-CHK-01
/// Opens the store and verifies every stored value, the counts and the journal. A database verifies its own pages;
/// their content is read afterwards.
fn open_proved(settings: &Settings) -> Result<Store, Failure> {
    if settings.store.database.is_some() {
        return open_store(settings, Opening::Existing);
    }
    check_folder(settings, Opening::Existing)?;
    let options = StoreOptions {
        repair: false,
        read_later: false,
        read_only: true,
        ..store_options(settings)
    };
    let store = SledStore::open(&settings.store.data_dir, options).map_err(store_failure)?;
    Ok(store.into())
}

#[derive(Default)]
struct Files {
    sound: usize,
    findings: Vec<String>,
}

/// Reads every file that a record refers to and compares it with its name.
fn check_files(erp: &Erp<Store>, settings: &Settings) -> Result<Files, Failure> {
    let bodies = bodies(settings);
    let mut files = Files::default();
    let named = erp.upkeep(Timestamp::now()).named_bodies();
    for (hash, length) in runtime()?.block_on(named)? {
        let fault = match bodies.state(hash, length)? {
            BodyState::Sound => {
                files.sound += 1;
                continue;
            }
            BodyState::Missing => "is missing",
            BodyState::Damaged => "does not match its name",
        };
        let path = bodies.shown(hash);
        files.findings.push(format!("`{path}` {fault}"));
    }
    Ok(files)
}
