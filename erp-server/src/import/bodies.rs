//! The files of media rows: stored before the rows are imported, so that no record refers to a body that is not on the
//! disk.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::erp::ImportRow;
use erp_core::import::{BodySource, InvalidRow, Row, RowKind};
use erp_core::media::BodyHash;
use erp_core::problem::{Code, Problem};

use crate::media::{Bodies, BodyError, StoredBody};

#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// No files: rows contain the data or refer to stored files.
    None,
    /// Files in this folder (that of the import file) or below it.
    Folder(&'a Path),
    Embedded(&'a [(&'a str, &'a [u8])]),
}

/// Stores the file of every media row and replaces the file in the row by the hash. A row whose file is not available becomes
/// [`Row::Invalid`].
///
/// # Errors
/// A write error of the media folder.
pub fn store_bodies(rows: &mut [ImportRow], bodies: &Bodies, files: Files<'_>) -> io::Result<()> {
    let keeps = true;
    place_bodies(rows, Shelf { bodies, keeps }, files)
}

/// The same for a dry run: files are read and checked, but not stored.
///
/// # Errors
/// As [`store_bodies`].
pub fn try_bodies(rows: &mut [ImportRow], bodies: &Bodies, files: Files<'_>) -> io::Result<()> {
    let keeps = false;
    place_bodies(rows, Shelf { bodies, keeps }, files)
}

#[derive(Clone, Copy)]
struct Shelf<'a> {
    bodies: &'a Bodies,
    /// Otherwise they are only read.
    keeps: bool,
}

impl Shelf<'_> {
    fn put(self, bytes: impl io::Read) -> Result<StoredBody, BodyError> {
        match self.keeps {
            true => self.bodies.put(bytes),
            false => self.bodies.measure(bytes),
        }
    }
}

fn place_bodies(rows: &mut [ImportRow], shelf: Shelf<'_>, files: Files<'_>) -> io::Result<()> {
    for ImportRow { row, .. } in rows {
        let Row::Media(media) = row else { continue };
        let Some(image) = &mut media.image else {
            continue;
        };
        match stored(&image.body, shelf, files) {
            Ok(None) => (),
            Ok(Some(StoredBody { hash, length })) => {
                image.body = BodySource::Stored { hash, length };
            }
            Err(Fault::Io(error)) => return Err(error),
            Err(Fault::Row(member, code, message)) => {
                let path = format!("ArtikelMedia.{member}");
                let invalid = InvalidRow {
                    problems: vec![Problem::new(path, code, message)],
                    kind: Some(RowKind::Media),
                    article: Some(media.place.article.clone()),
                    ..InvalidRow::default()
                };
                *row = invalid.into();
            }
        }
    }
    Ok(())
}

enum Fault {
    Row(&'static str, Code, String),
    Io(io::Error),
}

/// The stored body of a source; `None` when there is nothing to store.
fn stored(
    source: &BodySource,
    shelf: Shelf<'_>,
    files: Files<'_>,
) -> Result<Option<StoredBody>, Fault> {
    match source {
        BodySource::Stored { .. } | BodySource::Kept => Ok(None),
        BodySource::Hash(hash) => match shelf.bodies.find(*hash).map_err(Fault::Io)? {
            Some(body) => Ok(Some(body)),
            None => exported_file(*hash, shelf, files).map(Some),
        },
        BodySource::Base64(text) => {
            let bytes = base64(text)?;
            put("Base64", "the file", shelf.put(&*bytes)).map(Some)
        }
        BodySource::File(path) => stored_file(path, shelf, files).map(Some),
    }
}

/// The file that an export wrote next to its lines.
fn exported_file(hash: BodyHash, shelf: Shelf<'_>, files: Files<'_>) -> Result<StoredBody, Fault> {
    let refuse = |message| Err(Fault::Row("SHA256", Code::UnknownFile, message));
    let path = format!("media/{hash}");
    let Files::Folder(folder) = files else {
        return refuse(format!("no file is stored under `{hash}`"));
    };
    match open_inside(folder, &path) {
        Ok(file) => {
            let stored = put("SHA256", &format!("`{path}`"), shelf.put(file))?;
            if stored.hash == hash {
                return Ok(stored);
            }
            refuse(format!("`{path}` holds other bytes than its name says"))
        }
        Err((_, reason)) => refuse(format!(
            "no file is stored under `{hash}`, and `{path}` {reason}"
        )),
    }
}

fn stored_file(path: &str, shelf: Shelf<'_>, files: Files<'_>) -> Result<StoredBody, Fault> {
    let shown = format!("`{path}`");
    let refuse = |code, message| Err(Fault::Row("Datei", code, message));
    match files {
        Files::None => refuse(
            Code::UnknownFile,
            "only an import on the command line reads files; send `Base64` or `SHA256`".to_owned(),
        ),
        Files::Embedded(list) => match list.iter().find(|(name, _)| *name == path) {
            Some((_, bytes)) => put("Datei", &shown, shelf.put(*bytes)),
            None => refuse(Code::UnknownFile, format!("there is no file {shown}")),
        },
        Files::Folder(folder) => match open_inside(folder, path) {
            Ok(file) => put("Datei", &shown, shelf.put(file)),
            Err((code, reason)) => refuse(code, format!("{shown} {reason}")),
        },
    }
}

/// Opens a file in a folder or below it, even after resolving symbolic links.
pub(crate) fn open_inside(folder: &Path, path: &str) -> Result<File, (Code, String)> {
    let outside = || {
        let reason = "must name a file in the folder of the import file or below it".to_owned();
        Err((Code::Malformed, reason))
    };
    let unreadable = |error: io::Error| {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "is not there".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        (Code::UnknownFile, reason)
    };
    let relative = Path::new(path);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !relative.components().all(plain) || path.contains('\0') {
        return outside();
    }
    let folder: Cow<'_, Path> = if folder.as_os_str().is_empty() {
        Cow::Borrowed(Path::new("."))
    } else {
        Cow::Borrowed(folder)
    };
    let folder = folder.canonicalize().map_err(unreadable)?;
    let found: PathBuf = folder.join(relative).canonicalize().map_err(unreadable)?;
    if !found.starts_with(&folder) {
        return outside();
    }
    // Checked before opening: opening a pipe would block.
    if !found.is_file() {
        return Err((Code::UnknownFile, "is no file".to_owned()));
    }
    File::open(&found).map_err(unreadable)
}

/// Decodes Base64, ignoring line breaks and blanks.
fn base64(text: &str) -> Result<Vec<u8>, Fault> {
    let joined: Cow<'_, str> = if text.contains(|c: char| c.is_ascii_whitespace()) {
        Cow::Owned(text.split_ascii_whitespace().collect())
    } else {
        Cow::Borrowed(text)
    };
    STANDARD.decode(joined.as_bytes()).map_err(|error| {
        let message = format!("the text is no Base64: {error}").to_lowercase();
        Fault::Row("Base64", Code::Malformed, message)
    })
}

fn put(
    member: &'static str,
    what: &str,
    done: Result<StoredBody, BodyError>,
) -> Result<StoredBody, Fault> {
    done.map_err(|error| match error {
        BodyError::Io(error) => Fault::Io(error),
        BodyError::Empty => Fault::Row(member, Code::Malformed, format!("{what} is empty")),
        BodyError::TooLong(limit) => {
            let message = format!("{what} is longer than the {limit} bytes allowed");
            Fault::Row(member, Code::TooLong, message)
        }
    })
}

#[cfg(test)]
mod tests {
    use erp_core::codes::Language;
    use serde_json::{Value, json};

    use super::*;

    fn row(members: Value) -> ImportRow {
        let row = json!({"ArtikelMedia": members});
        ImportRow {
            line: 3,
            row: Row::read(&row, Language::GERMAN).unwrap(),
        }
    }

    fn run(
        members: Value,
        bodies: &Bodies,
        files: Files<'_>,
    ) -> Result<BodySource, (Code, String)> {
        let mut rows = [row(members)];
        store_bodies(&mut rows, bodies, files).unwrap();
        match &rows[0].row {
            Row::Media(media) => Ok(media.image.clone().unwrap().body),
            Row::Invalid(row) => {
                let problem = row.problems[0].clone();
                Err((problem.code, problem.path + ": " + &problem.message))
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_come_from_the_folder_of_the_import_file_only() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("import");
        std::fs::create_dir_all(folder.join("bilder")).unwrap();
        std::fs::write(folder.join("bilder/a.png"), "inside").unwrap();
        std::fs::write(folder.join("empty.png"), "").unwrap();
        std::fs::write(folder.join("long.png"), "x".repeat(101)).unwrap();
        std::fs::write(place.path().join("secret.png"), "outside").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(place.path().join("secret.png"), folder.join("out.png")).unwrap();
            symlink(place.path(), folder.join("up")).unwrap();
            symlink(folder.join("bilder/a.png"), folder.join("in.png")).unwrap();
        }
        let bodies = Bodies::new(&place.path().join("data"), 100);
        let read = |path: &str| {
            run(
                json!({"ArtNr": "A", "Datei": path, "AMDBildFormat": "png", "AMDDateiName": "x.png"}),
                &bodies,
                Files::Folder(&folder),
            )
        };
        for path in ["bilder/a.png", "./bilder/a.png", "bilder//a.png"] {
            assert!(
                matches!(read(path), Ok(BodySource::Stored { length: 6, .. })),
                "{path}"
            );
        }
        #[cfg(unix)]
        assert!(matches!(
            read("in.png"),
            Ok(BodySource::Stored { length: 6, .. })
        ));
        let absolute = place.path().join("secret.png").display().to_string();
        for path in [
            "../secret.png",
            "bilder/../../secret.png",
            absolute.as_str(),
            "..",
        ] {
            assert_eq!(read(path).unwrap_err().0, Code::Malformed, "{path}");
        }
        #[cfg(unix)]
        for path in ["out.png", "up/secret.png"] {
            assert_eq!(read(path).unwrap_err().0, Code::Malformed, "{path}");
        }
        for (path, code, sentence) in [
            ("nope.png", Code::UnknownFile, "`nope.png` is not there"),
            ("bilder", Code::UnknownFile, "`bilder` is no file"),
            ("empty.png", Code::Malformed, "`empty.png` is empty"),
            (
                "long.png",
                Code::TooLong,
                "`long.png` is longer than the 100 bytes allowed",
            ),
        ] {
            let expected = format!("ArtikelMedia.Datei: {sentence}");
            assert_eq!(read(path).unwrap_err(), (code, expected));
        }
    }

    #[test]
    fn rows_bring_files_along_or_name_stored_ones() {
        let place = tempfile::tempdir().unwrap();
        let bodies = Bodies::new(place.path(), 100);
        let base64 = |text: &str| {
            run(
                json!({"ArtNr": "A", "Base64": text, "AMDBildFormat": "png"}),
                &bodies,
                Files::None,
            )
        };
        let Ok(BodySource::Stored { hash, length: 3 }) = base64(" YWJ\n j ") else {
            panic!("three bytes")
        };
        assert_eq!(base64("YWJ").unwrap_err().0, Code::Malformed);
        assert_eq!(base64("====").unwrap_err().0, Code::Malformed);
        let named = |hash: &str| {
            run(
                json!({"ArtNr": "A", "SHA256": hash, "AMDBildFormat": "png"}),
                &bodies,
                Files::None,
            )
        };
        assert_eq!(
            named(&hash.to_string().to_uppercase()),
            Ok(BodySource::Stored { hash, length: 3 })
        );
        assert_eq!(named(&"0".repeat(64)).unwrap_err().0, Code::UnknownFile);
        let file = json!({"ArtNr": "A", "Datei": "a.png"});
        assert_eq!(
            run(file.clone(), &bodies, Files::None).unwrap_err().0,
            Code::UnknownFile
        );
        let embedded: [(&str, &[u8]); 1] = [("a.png", b"abc")];
        assert_eq!(
            run(file, &bodies, Files::Embedded(&embedded)),
            Ok(BodySource::Stored { hash, length: 3 })
        );
        let kept = json!({"ArtNr": "A", "AMDBildFormat": "png"});
        assert_eq!(run(kept, &bodies, Files::None), Ok(BodySource::Kept));
    }
}
