//! The work files of requests with `Debug`: one private folder per request, limited in age and total size.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use crate::lock::lock;

pub(super) const FOLDER: &str = "zugferd-work";

const KEPT: Duration = Duration::from_hours(7 * 24);

/// Maximum of folders with the same name: clients may reuse a request id.
const SAME_NAME: u32 = 10_000;

// rule: R-ZUG-04
#[derive(Debug)]
pub(super) struct WorkFiles {
    folder: PathBuf,
    most_bytes: u64,
    /// Serializes counting and writing.
    writing: Mutex<()>,
}

impl WorkFiles {
    pub(super) fn new(data: &Path, most_bytes: u64) -> Self {
        Self {
            folder: data.join(FOLDER),
            most_bytes,
            writing: Mutex::new(()),
        }
    }

    /// Writes the files of a request; returns the name of their folder. The oldest folders are removed when the total
    /// exceeds the limit; files that alone exceed it are not written.
    pub(super) fn keep(&self, id: &str, files: &[(&str, &[u8])]) -> io::Result<String> {
        let size = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let _writing = lock(&self.writing);
        self.make_room(size)?;
        let (name, folder) = self.create(id)?;
        let written = files
            .iter()
            .try_for_each(|(name, bytes)| write(&folder.join(name), bytes));
        if let Err(error) = written {
            // Incomplete work files would be misleading.
            let _ = fs::remove_dir_all(&folder);
            return Err(error);
        }
        Ok(name)
    }

    /// Removes folders that are older than [`KEPT`]; returns their number. One that cannot be removed stops no other.
    pub(super) fn remove_old(&self, now: SystemTime) -> io::Result<usize> {
        let _writing = lock(&self.writing);
        let mut removed = 0_usize;
        let mut outcome = Ok(());
        for kept_work in self.kept()? {
            // A time in the future counts as age 0.
            let age = now.duration_since(kept_work.modified).unwrap_or_default();
            if age > KEPT {
                match fs::remove_dir_all(&kept_work.path) {
                    Ok(()) => removed += 1,
                    Err(error) => outcome = Err(error),
                }
            }
        }
        outcome.map(|()| removed)
    }

    fn make_room(&self, size: u64) -> io::Result<()> {
        if size > self.most_bytes {
            let text = format!(
                "{size} bytes are more than the {} bytes of all work files",
                self.most_bytes
            );
            return Err(io::Error::other(text));
        }
        let mut kept = self.kept()?;
        kept.sort_by_key(|work| work.modified);
        let mut total: u64 = kept.iter().map(|work| work.bytes).sum();
        for work in kept {
            if total.saturating_add(size) <= self.most_bytes {
                break;
            }
            fs::remove_dir_all(&work.path)?;
            total = total.saturating_sub(work.bytes);
        }
        Ok(())
    }

    fn kept(&self) -> io::Result<Vec<KeptFile>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut kept = Vec::new();
        for entry in entries {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                kept.push(KeptFile {
                    bytes: size_of(&entry.path())?,
                    path: entry.path(),
                    modified: metadata.modified()?,
                });
            }
        }
        Ok(kept)
    }

    fn create(&self, id: &str) -> io::Result<(String, PathBuf)> {
        fs::create_dir_all(&self.folder)?;
        let name = folder_name(id);
        for count in 1..=SAME_NAME {
            let name = match count {
                1 => name.clone(),
                count => format!("{name}-{count}"),
            };
            let path = self.folder.join(&name);
            match private_folder(&path) {
                Ok(()) => return Ok((name, path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }
}

struct KeptFile {
    path: PathBuf,
    modified: SystemTime,
    bytes: u64,
}

/// A safe folder name for a request id, which may come from a client and be `..`.
fn folder_name(id: &str) -> String {
    let safe = id.chars().map(|character| match character {
        character if character.is_ascii_alphanumeric() => character,
        '.' | '_' | '-' => character,
        _ => '_',
    });
    let name: String = safe.take(100).collect();
    match name.chars().next() {
        None => "_".to_owned(),
        Some('.' | '-') => format!("_{name}"),
        Some(_) => name,
    }
}

fn size_of(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0_u64;
    for entry in fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file: File = options.open(path)?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(bytes: &[u8]) -> [(&str, &[u8]); 2] {
        [("input.pdf", bytes), ("report.json", b"{}")]
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder.join(FOLDER)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Sets the age of a folder in days.
    fn age(folder: &Path, days: u64) {
        let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
        File::open(folder).unwrap().set_modified(then).unwrap();
    }

    // rule: R-ZUG-04
    #[test]
    fn files_are_written_once_and_for_their_owner_only() {
        let data = tempfile::tempdir().unwrap();
        let files = WorkFiles::new(data.path(), 1_000_000);
        assert_eq!(files.keep("id-1", &work(b"first")).unwrap(), "id-1");
        assert_eq!(files.keep("id-1", &work(b"second")).unwrap(), "id-1-2");
        let first = data.path().join(FOLDER).join("id-1");
        assert_eq!(fs::read(first.join("input.pdf")).unwrap(), b"first");
        assert_eq!(fs::read(first.join("report.json")).unwrap(), b"{}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&first), 0o700);
            assert_eq!(mode(&first.join("input.pdf")), 0o600);
            assert_eq!(mode(&first.join("report.json")), 0o600);
        }
    }

    // rule: R-ZUG-04
    #[test]
    fn no_id_leads_out_of_the_folder() {
        let data = tempfile::tempdir().unwrap();
        let files = WorkFiles::new(data.path(), 1_000_000);
        for id in ["..", ".", "", "a/../../b", "-rf", "..hidden"] {
            files.keep(id, &work(b"x")).unwrap();
        }
        let expected = ["_", "_-rf", "_.", "_..", "_..hidden", "a_.._.._b"];
        assert_eq!(names(data.path()), expected);
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1);
    }

    // rule: R-ZUG-04
    #[test]
    fn the_oldest_go_when_the_space_is_used_up() {
        let data = tempfile::tempdir().unwrap();
        let files = WorkFiles::new(data.path(), 2_500);
        for (id, days) in [("a", 3), ("b", 2)] {
            files.keep(id, &work(&[b'x'; 1_000])).unwrap();
            age(&data.path().join(FOLDER).join(id), days);
        }
        files.keep("c", &work(&[b'x'; 1_000])).unwrap();
        assert_eq!(names(data.path()), ["b", "c"]);
        let refused = files.keep("d", &work(&[b'x'; 3_000])).unwrap_err();
        assert!(refused.to_string().contains("2500 bytes"), "{refused}");
        assert_eq!(names(data.path()), ["b", "c"]);
    }

    // rule: R-ZUG-04
    #[test]
    fn what_is_too_old_is_removed() {
        let data = tempfile::tempdir().unwrap();
        let files = WorkFiles::new(data.path(), 1_000_000);
        let now = SystemTime::now();
        assert_eq!(files.remove_old(now).unwrap(), 0);
        for (id, days) in [("new", 6), ("old", 8)] {
            files.keep(id, &work(b"x")).unwrap();
            age(&data.path().join(FOLDER).join(id), days);
        }
        assert_eq!(files.remove_old(now).unwrap(), 1);
        assert_eq!(names(data.path()), ["new"]);
    }
}
