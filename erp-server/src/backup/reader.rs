//! Verifies a backup and reads it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use erp_core::media::BodyHash;
use erp_core::storage::Key;
use flate2::bufread::GzDecoder;
use sha2::{Digest as _, Sha256};
use tar::Archive;

use super::manifest::{FORMAT, FileEntry, Manifest, NAME};
use super::{BackupError, trailer};
use crate::media::{Bodies, BodyError, StoredBody, sum_of};
use crate::store::{RecordSink, Records};

pub(super) const RECORDS: &str = "records/";

const MEDIA: &str = "media/";

/// Size of the read buffer in bytes.
const PIECE: usize = 64 * 1024;

/// Maximum length of a manifest in bytes: enough for about a million media files.
const MANIFEST_BYTES: u64 = 256 * 1024 * 1024;

/// Maximum length of a record file in bytes: the writer's 4 MiB plus one record.
const RECORDS_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct Backup {
    archive: ArchiveFile,
    manifest: Manifest,
    sha256: String,
}

/// The archive of a backup: the file without its trailer.
#[derive(Clone, Debug)]
struct ArchiveFile {
    path: PathBuf,
    length: u64,
}

impl Backup {
    /// Reads a whole file and verifies every bit of it. `progress` is called first with the total number of bytes, then
    /// with the number of bytes read.
    pub fn verify(path: &Path, progress: &mut dyn FnMut(u64)) -> Result<Self, BackupError> {
        let (length, sha256) = prove(path, progress)?;
        let archive = ArchiveFile {
            path: path.to_owned(),
            length,
        };
        let manifest = archive.read_files()?;
        if manifest.format > FORMAT {
            return Err(BackupError::NewerFormat {
                found: manifest.format,
                known: FORMAT,
            });
        }
        Ok(Self {
            archive,
            manifest,
            sha256,
        })
    }

    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The SHA-256 of all bytes except the trailer, as [`super::WrittenBackup::sha256`].
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Stores every media file; complete existing files are not changed.
    pub fn restore_media(&self, bodies: &Bodies) -> io::Result<()> {
        self.archive.each_file(|name, content| {
            if !name.starts_with(MEDIA) {
                return Ok(());
            }
            let stored = bodies.put(content).map(drop);
            stored.map_err(|error| match error {
                BodyError::Io(error) => error,
                other => io::Error::other(other.to_string()),
            })
        })
    }
}

impl ArchiveFile {
    fn each_file(
        &self,
        mut look: impl FnMut(&str, &mut dyn Read) -> io::Result<()>,
    ) -> io::Result<()> {
        let file = File::open(&self.path)?.take(self.length);
        let mut archive = Archive::new(GzDecoder::new(BufReader::new(file)));
        for entry in archive.entries()? {
            let mut entry = entry?;
            let name = entry.path()?.to_string_lossy().into_owned();
            look(&name, &mut entry)?;
        }
        Ok(())
    }

    /// Compares every file with the manifest, and parses every record.
    fn read_files(&self) -> Result<Manifest, BackupError> {
        let mut found = VecDeque::new();
        let mut manifest = None;
        let (mut records, mut media) = (0_u64, 0_u64);
        self.each_file(|name, content| {
            if name == NAME {
                let mut text = Vec::new();
                content.take(MANIFEST_BYTES).read_to_end(&mut text)?;
                manifest = Some(serde_json::from_slice::<Manifest>(&text)?);
                return Ok(());
            }
            let (entry, bytes) = if name.starts_with(RECORDS) {
                let mut bytes = Vec::new();
                content.take(RECORDS_BYTES).read_to_end(&mut bytes)?;
                (entry(name, bytes.as_slice())?, bytes)
            } else {
                (entry(name, content)?, Vec::new())
            };
            read_records(&bytes, &mut |_, _, _| {
                records += 1;
                Ok(())
            })?;
            if let Some(hash) = name.strip_prefix(MEDIA) {
                media += 1;
                if BodyHash::parse(hash).is_err() || hash != entry.sha256 {
                    return Err(io::Error::other(format!(
                        "`{name}` does not match its name"
                    )));
                }
            }
            found.push_back(entry);
            Ok(())
        })
        .map_err(|error| BackupError::damaged(error.to_string()))?;
        let manifest = manifest.ok_or_else(|| BackupError::damaged("it has no manifest"))?;
        for entry in &manifest.files {
            if found.pop_front().as_ref() != Some(entry) {
                let what = format!("`{}` does not match the manifest", entry.name);
                return Err(BackupError::Damaged(what));
            }
        }
        if !found.is_empty() || manifest.records != records || manifest.media != media {
            return Err(BackupError::damaged(
                "it contains files that the manifest does not list",
            ));
        }
        Ok(manifest)
    }
}

impl Records for Backup {
    fn each(&mut self, sink: &mut RecordSink<'_>) -> io::Result<()> {
        self.archive.each_file(|name, content| {
            if !name.starts_with(RECORDS) {
                return Ok(());
            }
            let mut bytes = Vec::new();
            content.read_to_end(&mut bytes)?;
            read_records(&bytes, sink)
        })
    }
}

/// Compares the trailer with the bytes before it; returns their number and SHA-256.
fn prove(path: &Path, progress: &mut dyn FnMut(u64)) -> Result<(u64, String), BackupError> {
    let mut file = File::open(path)?;
    let all = file.metadata()?.len();
    progress(all);
    let length = all
        .checked_sub(trailer::BYTES)
        .ok_or_else(|| BackupError::damaged("it is cut off"))?;
    let mut sum = Sha256::new();
    let mut piece = vec![0; PIECE];
    let mut content = (&mut file).take(length);
    loop {
        let count = content.read(&mut piece)?;
        if count == 0 {
            break;
        }
        sum.update(piece.get(..count).unwrap_or_default());
        progress(count as u64);
    }
    file.seek(SeekFrom::Start(length))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    progress(end.len() as u64);
    let sha256 = BodyHash::new(sum.finalize().into()).to_string();
    if end != trailer::render(&sha256) {
        return Err(BackupError::damaged(
            "it is cut off, or its bytes were changed",
        ));
    }
    Ok((length, sha256))
}

fn entry(name: &str, content: impl Read) -> io::Result<FileEntry> {
    let StoredBody { hash, length } = sum_of(content)?;
    Ok(FileEntry {
        name: name.to_owned(),
        bytes: length,
        sha256: hash.to_string(),
    })
}

pub(super) fn put_record(into: &mut Vec<u8>, key: &Key, revision: u64, value: Option<&[u8]>) {
    put(into, key.as_bytes());
    into.extend_from_slice(&revision.to_be_bytes());
    into.push(u8::from(value.is_some()));
    put(into, value.unwrap_or_default());
}

fn put(into: &mut Vec<u8>, part: &[u8]) {
    let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
    into.extend_from_slice(&length.to_be_bytes());
    into.extend_from_slice(part);
}

fn read_records(mut bytes: &[u8], sink: &mut RecordSink<'_>) -> io::Result<()> {
    let malformed = || io::Error::other("a record is malformed");
    while !bytes.is_empty() {
        let (key, revision, value) = take_record(&mut bytes).ok_or_else(malformed)?;
        sink(key, revision, value)?;
    }
    Ok(())
}

fn take_record(bytes: &mut &[u8]) -> Option<(Key, u64, Option<Vec<u8>>)> {
    let key = Key::from_bytes(take(bytes)?.to_vec());
    let (revision, rest) = bytes.split_first_chunk::<8>()?;
    let (there, rest) = rest.split_first()?;
    *bytes = rest;
    let value = take(bytes)?.to_vec();
    let value = match there {
        0 => None,
        1 => Some(value),
        _ => return None,
    };
    Some((key, u64::from_be_bytes(*revision), value))
}

fn take<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (part, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    Some(part)
}
