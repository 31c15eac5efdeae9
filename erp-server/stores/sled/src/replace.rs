//! Replaces parts of a store by rebuilt ones, atomically.
//!
//! New parts are built in the folder `recovering`, so that a crash meanwhile leaves the old ones unchanged. When they
//! are complete and synced, the file `REPLACING` is written; from then on every open continues the exchange until
//! it is done. Old parts are moved aside, never deleted.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::error::Fault;
use super::layout::{COPY, Layout, RECOVERING, REPLACING, existing, sync_folder, write_whole};

/// The replaceable parts. `STORE` is last, since only it makes the folder a store.
const PARTS: [&str; 4] = ["sled", "journal", COPY, "STORE"];

/// Creates the empty folder for new parts.
pub(crate) fn begin(layout: &Layout) -> Result<PathBuf, Fault> {
    let folder = layout.path().join(RECOVERING);
    remove(&folder)?;
    fs::create_dir(&folder)?;
    sync_folder(layout.path())?;
    Ok(folder)
}

/// Moves the parts from the folder of [`begin`] into place; the old ones are moved to the folder `aside`.
pub(crate) fn finish(layout: &Layout, aside: &str) -> Result<(), Fault> {
    sync_all(&layout.path().join(RECOVERING))?;
    write_whole(&layout.path().join(REPLACING), &format!("{aside}\n"))?;
    settle(layout)
}

/// Discards what [`begin`] started.
pub(crate) fn abandon(layout: &Layout) {
    let _ = remove(&layout.path().join(RECOVERING));
}

/// Continues an exchange that a crash interrupted, and removes incomplete new parts.
pub(crate) fn settle(layout: &Layout) -> Result<(), Fault> {
    let path = layout.path();
    let new = path.join(RECOVERING);
    let marker = path.join(REPLACING);
    let Some(aside) = existing(fs::read_to_string(&marker))? else {
        return give_up(path, &new);
    };
    let name = aside.trim_end();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if name.is_empty() || !name.bytes().all(is_plain) {
        return Err(Fault::damaged("the file `REPLACING` is unreadable"));
    }
    let aside = path.join(name);
    fs::create_dir_all(&aside)?;
    for part in PARTS {
        if new.join(part).exists() {
            if path.join(part).exists() {
                fs::rename(path.join(part), aside.join(part))?;
                sync_folder(&aside)?;
            }
            fs::rename(new.join(part), path.join(part))?;
            sync_folder(path)?;
        }
    }
    // Fails harmlessly unless the folder is empty; it is empty when there were no old parts.
    let _ = fs::remove_dir(&aside);
    remove(&new)?;
    fs::remove_file(&marker)?;
    Ok(sync_folder(path)?)
}

/// Removes new parts that were never complete, if there are old ones.
fn give_up(path: &Path, new: &Path) -> Result<(), Fault> {
    if new.exists() && !PARTS.iter().any(|part| path.join(part).exists()) {
        return Err(Fault::Refused(format!(
            "a restore into `{}` was interrupted; run it again",
            path.display()
        )));
    }
    Ok(remove(new)?)
}

fn remove(folder: &Path) -> io::Result<()> {
    existing(fs::remove_dir_all(folder)).map(drop)
}

fn sync_all(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sync_all(&path)?;
        } else {
            File::open(&path)?.sync_all()?;
        }
    }
    sync_folder(folder)
}
