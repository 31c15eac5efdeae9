//! Writes a backup of a store during operation.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use erp_core::internal::record::decode;
use erp_core::media::{BodyHash, Media};
use erp_core::storage::{Entry, Key, Space};
use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;
use tar::{Builder, Header};

use super::manifest::{FORMAT, FileEntry, Manifest, NAME};
use super::{BackupError, reader, trailer};
use crate::media::{Bodies, BodyState, StoredBody, Summed};
use crate::store::Snapshots;

/// Approximate size of a record file in the archive, in bytes.
const RECORDS_BYTES: usize = 4 * 1024 * 1024;

/// Speed over size: the pictures of a shop hardly compress.
const LEVEL: Compression = Compression::new(3);

#[derive(Clone, Debug)]
pub struct WrittenBackup {
    pub manifest: Manifest,
    /// The SHA-256 of all bytes except the trailer, as stored in the trailer.
    pub sha256: String,
}

/// Writes a backup of a store and its media to `out` during operation of the store. A media file that loses its record meanwhile is aside for a day
/// before it is removed, so this must take less than that. What was written before an error has no valid trailer.
pub fn write(
    store: &dyn Snapshots,
    bodies: &Bodies,
    out: &mut dyn Write,
) -> Result<WrittenBackup, BackupError> {
    let mut archive = Archive {
        builder: Builder::new(GzEncoder::new(Summed::new(out), LEVEL)),
        made: Timestamp::now(),
        files: Vec::new(),
        error: None,
    };
    let mut records = RecordFiles {
        archive: &mut archive,
        buffer: Vec::new(),
        files: 0,
        count: 0,
        named: BTreeMap::new(),
    };
    let taken = store.snapshot(&mut |key, revision, value| records.add(&key, revision, value));
    let count = records.count;
    let named = records.end()?;
    let snapshot = match (archive.error.take(), taken) {
        (Some(error), _) => return Err(error.into()),
        (None, taken) => taken?,
    };
    let (media, missing_media) = media(bodies, named, &mut archive)?;
    let manifest = Manifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        made: archive.made,
        snapshot,
        records: count,
        media,
        missing_media,
        files: std::mem::take(&mut archive.files),
    };
    let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
    archive.add(NAME, &mut text.as_slice(), text.len() as u64)?;
    let sha256 = archive.end()?;
    Ok(WrittenBackup { manifest, sha256 })
}

/// Adds every intact media file that has its place or a record; returns their number and the hashes of those that records
/// refer to and that are missing.
fn media(
    bodies: &Bodies,
    named: BTreeMap<BodyHash, u64>,
    archive: &mut Archive<'_>,
) -> Result<(u64, Vec<String>), BackupError> {
    let mut missing = named.clone();
    let stored = bodies.all()?.into_iter();
    let mut all = named;
    all.extend(stored.map(|body| (body.hash, body.length)));
    let mut added = 0_u64;
    for (hash, length) in all {
        let is_sound = bodies.state(hash, length)? == BodyState::Sound;
        if is_sound && let Some(mut file) = bodies.open(hash, length)? {
            archive.add(&format!("media/{hash}"), &mut file, length)?;
            missing.remove(&hash);
            added += 1;
        }
    }
    Ok((added, missing.keys().map(ToString::to_string).collect()))
}

struct RecordFiles<'a, 'b> {
    archive: &'a mut Archive<'b>,
    buffer: Vec<u8>,
    files: u32,
    count: u64,
    /// The media records and the files that they refer to.
    named: BTreeMap<Key, (BodyHash, u64)>,
}

impl RecordFiles<'_, '_> {
    fn add(&mut self, key: &Key, revision: u64, value: Option<Vec<u8>>) -> io::Result<()> {
        reader::put_record(&mut self.buffer, key, revision, value.as_deref());
        self.count += 1;
        if key.space() == Space::Media as u8 {
            // A later record of the same key replaces an earlier one.
            self.named.remove(key);
            if let Some(value) = value {
                let media: Media =
                    decode(key, &Entry { revision, value }).map_err(io::Error::other)?;
                let image = media.image.map(|image| (image.hash, image.length));
                self.named.extend(image.map(|image| (key.clone(), image)));
            }
        }
        if self.buffer.len() < RECORDS_BYTES {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.files += 1;
        let buffer = std::mem::take(&mut self.buffer);
        let name = format!("{}{:08}", reader::RECORDS, self.files);
        let added = self
            .archive
            .add(&name, &mut buffer.as_slice(), buffer.len() as u64);
        // Passed through the store, an error would lose its kind; so it is kept here.
        added.map_err(|error| {
            let copy = io::Error::new(error.kind(), error.to_string());
            self.archive.error = Some(error);
            copy
        })
    }

    /// Returns the files that the media records refer to, with their lengths.
    fn end(mut self) -> io::Result<BTreeMap<BodyHash, u64>> {
        if !self.buffer.is_empty() && self.archive.error.is_none() {
            self.flush()?;
        }
        Ok(self.named.into_values().collect())
    }
}

struct Archive<'a> {
    builder: Builder<GzEncoder<Summed<&'a mut dyn Write>>>,
    made: Timestamp,
    files: Vec<FileEntry>,
    error: Option<io::Error>,
}

impl Archive<'_> {
    fn add(&mut self, name: &str, content: &mut dyn Read, bytes: u64) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_size(bytes);
        header.set_mode(0o600);
        header.set_mtime(u64::try_from(self.made.as_second()).unwrap_or(0));
        let mut content = Summed::new(content);
        self.builder.append_data(&mut header, name, &mut content)?;
        let StoredBody { hash, length } = content.body();
        if length != bytes {
            return Err(io::Error::other(format!(
                "`{name}` has {length} bytes where {bytes} were expected"
            )));
        }
        self.files.push(FileEntry {
            name: name.to_owned(),
            bytes,
            sha256: hash.to_string(),
        });
        Ok(())
    }

    fn end(self) -> io::Result<String> {
        let summed = self.builder.into_inner()?.finish()?;
        let sha256 = summed.body().hash.to_string();
        let out = summed.into_inner();
        out.write_all(&trailer::render(&sha256))?;
        out.flush()?;
        Ok(sha256)
    }
}
