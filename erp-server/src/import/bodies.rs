//! The files of media rows: stored before the rows are imported, so that no record refers to a body that is not on the
//! disk.

use std::borrow::Cow;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use erp_core::erp::ImportRow;
use erp_core::import::{BodySource, InvalidRow, Row, RowKind};
use erp_core::sentence::Sentence;
use erp_core::{Code, Problem};

use crate::media::{Bodies, BodyError, StoredBody};

/// The bytes of a file that a row names by its path, where the program has such files.
pub type Files<'a> = dyn Fn(&str) -> Option<Vec<u8>> + Sync + 'a;

/// Stores the file of every media row and replaces the file in the row by the hash. A row whose file is not available becomes
/// [`Row::Invalid`].
pub fn store_bodies(rows: &mut [ImportRow], bodies: &Bodies, files: &Files<'_>) -> io::Result<()> {
    place_bodies(rows, bodies, &|bytes| bodies.put(bytes), files)
}

/// The same for a dry run: files are read and checked, but not stored.
pub fn try_bodies(rows: &mut [ImportRow], bodies: &Bodies, files: &Files<'_>) -> io::Result<()> {
    place_bodies(rows, bodies, &|bytes| bodies.measure(bytes), files)
}

/// Stores bytes, or only measures them.
type Put<'a> = dyn Fn(&[u8]) -> Result<StoredBody, BodyError> + 'a;

fn place_bodies(
    rows: &mut [ImportRow],
    bodies: &Bodies,
    put: &Put<'_>,
    files: &Files<'_>,
) -> io::Result<()> {
    for ImportRow { row, .. } in rows {
        let Row::Media(media) = row else { continue };
        let Some(image) = &mut media.image else {
            continue;
        };
        match stored(&image.body, bodies, put, files) {
            Ok(None) => (),
            Ok(Some(StoredBody { hash, length })) => {
                image.body = BodySource::Stored { hash, length };
            }
            Err(NotStored::Io(error)) => return Err(error),
            Err(NotStored::Row(member, code, message)) => {
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

/// Why a file is not stored.
enum NotStored {
    Row(&'static str, Code, Sentence),
    Io(io::Error),
}

/// The stored body of a source; `None` when there is nothing to store.
fn stored(
    source: &BodySource,
    bodies: &Bodies,
    put: &Put<'_>,
    files: &Files<'_>,
) -> Result<Option<StoredBody>, NotStored> {
    let refuse = |member, message| Err(NotStored::Row(member, Code::UnknownFile, message));
    match source {
        BodySource::Stored { .. } | BodySource::Kept => Ok(None),
        BodySource::Hash(hash) => match bodies.find(*hash).map_err(NotStored::Io)? {
            Some(body) => Ok(Some(body)),
            None => refuse("SHA256", sentence!("unknown_file", hash)),
        },
        BodySource::Base64(text) => {
            let bytes = base64(text)?;
            checked("Base64", sentence!("import.the_file"), put(&bytes)).map(Some)
        }
        BodySource::File(path) => match files(path) {
            Some(bytes) => {
                let what = Sentence::Text(format!("`{path}`"));
                checked("Datei", what, put(&bytes)).map(Some)
            }
            None => refuse("Datei", sentence!("import.only_here")),
        },
    }
}

/// Decodes Base64, ignoring line breaks and blanks.
fn base64(text: &str) -> Result<Vec<u8>, NotStored> {
    let joined: Cow<'_, str> = if text.contains(|c: char| c.is_ascii_whitespace()) {
        Cow::Owned(text.split_ascii_whitespace().collect())
    } else {
        Cow::Borrowed(text)
    };
    STANDARD.decode(joined.as_bytes()).map_err(|error| {
        let error = error.to_string().to_lowercase();
        NotStored::Row("Base64", Code::Malformed, sentence!("import.base64", error))
    })
}

fn checked(
    member: &'static str,
    what: Sentence,
    done: Result<StoredBody, BodyError>,
) -> Result<StoredBody, NotStored> {
    done.map_err(|error| match error {
        BodyError::Io(error) => NotStored::Io(error),
        BodyError::Empty => {
            NotStored::Row(member, Code::Malformed, sentence!("import.empty", what))
        }
        BodyError::TooLong(limit) => {
            let message = sentence!("import.too_long", what, limit);
            NotStored::Row(member, Code::TooLong, message)
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
        files: &Files<'_>,
    ) -> Result<BodySource, (Code, String)> {
        let mut rows = [row(members)];
        store_bodies(&mut rows, bodies, files).unwrap();
        match &rows[0].row {
            Row::Media(media) => Ok(media.image.clone().unwrap().body),
            Row::Invalid(row) => {
                let problem = row.problems[0].clone();
                Err((
                    problem.code,
                    problem.path + ": " + &problem.message.english(),
                ))
            }
            other => panic!("{other:?}"),
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
                &|_| None,
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
                &|_| None,
            )
        };
        assert_eq!(
            named(&hash.to_string().to_uppercase()),
            Ok(BodySource::Stored { hash, length: 3 })
        );
        assert_eq!(named(&"0".repeat(64)).unwrap_err().0, Code::UnknownFile);
        let file = json!({"ArtNr": "A", "Datei": "a.png"});
        assert_eq!(
            run(file.clone(), &bodies, &|_| None).unwrap_err().0,
            Code::UnknownFile
        );
        let long = run(file.clone(), &bodies, &|_| Some(vec![0; 101]));
        assert_eq!(long.unwrap_err().0, Code::TooLong);
        let empty = run(file.clone(), &bodies, &|_| Some(Vec::new()));
        assert_eq!(empty.unwrap_err().0, Code::Malformed);
        assert_eq!(
            run(file, &bodies, &|path| (path == "a.png")
                .then(|| b"abc".to_vec())),
            Ok(BodySource::Stored { hash, length: 3 })
        );
        let kept = json!({"ArtNr": "A", "AMDBildFormat": "png"});
        assert_eq!(run(kept, &bodies, &|_| None), Ok(BodySource::Kept));
    }
}
