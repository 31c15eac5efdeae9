//! Notes for the next start on how this process ended: the files `CLOSED` and `OPEN`.
//!
//! Reading every record at the start takes time. It is done later, beside requests, when sled's file can only contain
//! what the last process wrote: after a clean shutdown, if the file has not changed since; and after a process that was
//! killed, if the machine has not been restarted since, because the system writes what a killed process left to it.
//! Both notes are removed before anything is opened, so that they do not outlast a crash.

use std::fs;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::disk;
use super::layout::{Identity, Layout, existing, id_text, sync_folder, write_synced};

const CLOSED: &str = "CLOSED";
const OPEN: &str = "OPEN";

/// The end of the last process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A clean shutdown after this commit.
    Clean(u64),
    /// Killed, while the machine went on.
    Killed,
    /// Anything else.
    Unknown,
}

/// Notes that the process works on a store whose records are those that were written.
pub(crate) fn note_open(layout: &Layout, identity: &Identity) -> io::Result<()> {
    write(layout, OPEN, &open_text(layout, identity)?)
}

/// Notes a clean shutdown after the last commit. Without the note the next start reads everything.
pub(crate) fn note_end(layout: &Layout, identity: &Identity, revision: u64) -> io::Result<()> {
    write(layout, CLOSED, &closed_text(layout, identity, revision)?)
}

/// Removes the note of the process that works on the store: the next start reads everything.
pub(crate) fn distrust(folder: &Path) -> io::Result<()> {
    match existing(fs::remove_file(folder.join(OPEN)))? {
        Some(()) => sync_folder(folder),
        None => Ok(()),
    }
}

/// Removes the notes and returns what they say.
pub(crate) fn take(layout: &Layout, identity: &Identity) -> io::Result<End> {
    let closed = take_text(layout, CLOSED)?;
    let open = take_text(layout, OPEN)?;
    let revision = closed.as_deref().and_then(revision_of);
    let is_same = |revision: &u64| {
        closed_text(layout, identity, *revision).is_ok_and(|expected| closed == Some(expected))
    };
    Ok(match revision.filter(is_same) {
        Some(revision) => End::Clean(revision),
        None if closed.is_some() => End::Unknown,
        None => match open_text(layout, identity) {
            Ok(expected) if open.as_ref() == Some(&expected) => End::Killed,
            _ => End::Unknown,
        },
    })
}

fn write(layout: &Layout, name: &str, text: &str) -> io::Result<()> {
    write_synced(&layout.path().join(name), text)?;
    sync_folder(layout.path())
}

/// The text of a note, which is removed; `None` when there is none.
fn take_text(layout: &Layout, name: &str) -> io::Result<Option<String>> {
    let path = layout.path().join(name);
    let text = match existing(fs::read_to_string(&path)) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(_) => String::new(),
    };
    fs::remove_file(&path)?;
    sync_folder(layout.path())?;
    Ok(Some(text))
}

fn revision_of(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("revision "))?;
    line.parse().ok()
}

fn closed_text(layout: &Layout, identity: &Identity, revision: u64) -> io::Result<String> {
    let (store, sled) = (id_text(identity.id), layout.sled());
    let (conf, db) = (state(&sled.join("conf"))?, state(&sled.join("db"))?);
    Ok(sealed(format!(
        "store {store}\nrevision {revision}\nconf {conf}\ndb {db}\n"
    )))
}

/// A copy of the folder has other files, and a restarted machine another number.
fn open_text(layout: &Layout, identity: &Identity) -> io::Result<String> {
    let (store, sled) = (id_text(identity.id), layout.sled());
    let machine = disk::start_of_machine()?;
    let db = disk::number_of_file(&sled.join("db"))?;
    Ok(sealed(format!(
        "store {store}\nmachine {machine}\ndb {db}\n"
    )))
}

fn sealed(text: String) -> String {
    let checksum = xxh3_64(text.as_bytes());
    format!("{text}checksum {checksum:016x}\n")
}

/// Length and modification time of a file.
fn state(path: &Path) -> io::Result<String> {
    let data = fs::metadata(path)?;
    let changed = data.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    let changed = changed.map_err(io::Error::other)?;
    Ok(format!("{} {}", data.len(), changed.as_nanos()))
}
