//! Note of a clean shutdown for the next start: the file `CLOSED`.
//!
//! Reading every record at the start takes time. If the last process ended cleanly and sled's file has not changed
//! since, its records were verified or written by that process. The note is removed before anything is opened, so
//! that no crash can leave it behind.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::layout::{Identity, Layout, id_text, sync_folder};

const NAME: &str = "CLOSED";

/// Writes the note after the last commit. Without it the next start reads everything.
pub(crate) fn note(layout: &Layout, identity: &Identity, revision: u64) -> io::Result<()> {
    let text = render(layout, identity, revision)?;
    let path = layout.path().join(NAME);
    let mut file = File::create(&path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    sync_folder(layout.path())
}

// rule: D-STO-12
/// Removes the note and returns the commit in it; `None` when sled's file has changed since.
pub(crate) fn take(layout: &Layout, identity: &Identity) -> io::Result<Option<u64>> {
    let path = layout.path().join(NAME);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) => String::new(),
    };
    fs::remove_file(&path)?;
    sync_folder(layout.path())?;
    let revision = text
        .lines()
        .find_map(|line| line.strip_prefix("revision "))
        .and_then(|revision| revision.parse().ok());
    let Some(revision) = revision else {
        return Ok(None);
    };
    let same = render(layout, identity, revision).is_ok_and(|expected| expected == text);
    Ok(same.then_some(revision))
}

fn render(layout: &Layout, identity: &Identity, revision: u64) -> io::Result<String> {
    let (store, sled) = (id_text(identity.id), layout.sled());
    let (conf, db) = (state(&sled.join("conf"))?, state(&sled.join("db"))?);
    let text = format!("store {store}\nrevision {revision}\nconf {conf}\ndb {db}\n");
    let checksum = xxh3_64(text.as_bytes());
    Ok(format!("{text}checksum {checksum:016x}\n"))
}

/// Length and modification time of a file.
fn state(path: &Path) -> io::Result<String> {
    let data = fs::metadata(path)?;
    let changed = data.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    let changed = changed.map_err(io::Error::other)?;
    Ok(format!("{} {}", data.len(), changed.as_nanos()))
}
