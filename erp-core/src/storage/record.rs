//! Encoding of records.
//!
//! A stored record consists of the byte of its [`Space`], the version of its format, and MessagePack with named fields.
//! A field that is added later is optional, because records from before do not have it; a change that the bytes before
//! cannot express gets a new version and a branch in [`decode`]. Golden files hold the bytes of each type.

use std::ops::Deref;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::storage::{Entry, Key, Revision, Space, StorageError};

/// A type that is stored as a record.
pub trait Stored: Serialize + DeserializeOwned {
    /// The key space of records of this type.
    const SPACE: Space;
    /// The version that new records are written in.
    const VERSION: u8 = 1;
}

/// The value of a secondary key without further content.
pub fn mark(space: u8) -> Vec<u8> {
    vec![space, 1]
}

/// A record and the revision it was read at. It dereferences to the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned<T> {
    /// The record.
    pub value: T,
    /// The commit that wrote it.
    pub revision: Revision,
}

impl<T: Stored> Versioned<T> {
    /// Decodes the record in an entry.
    ///
    /// # Errors
    /// [`StorageError::Damaged`] when it is none of this type, or of a newer version of the program.
    pub fn decode(key: &Key, entry: &Entry) -> Result<Self, StorageError> {
        Ok(Self {
            value: decode(key, entry)?,
            revision: entry.revision,
        })
    }
}

impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Room for a short record; longer ones are allocated again as they grow.
const USUAL_BYTES: usize = 128;

/// Encodes a record.
///
/// # Errors
/// [`StorageError::Damaged`] when the record cannot be encoded, which does not happen for types of the core.
pub fn encode<T: Stored>(record: &T) -> Result<Vec<u8>, StorageError> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    bytes.extend([T::SPACE as u8, T::VERSION]);
    let mut serializer = rmp_serde::Serializer::new(&mut bytes).with_struct_map();
    record
        .serialize(&mut serializer)
        .map_err(|error| StorageError::Damaged(error.to_string()))?;
    Ok(bytes)
}

/// Decodes the record in an entry.
///
/// # Errors
/// [`StorageError::Damaged`] when the bytes are not a record of this type, or have a version that is newer than this
/// program.
pub fn decode<T: Stored>(key: &Key, entry: &Entry) -> Result<T, StorageError> {
    let damaged = |why: String| StorageError::Damaged(format!("record {key:?}: {why}"));
    match entry.value.as_slice() {
        [space, version, body @ ..] if *space == T::SPACE as u8 && *version == T::VERSION => {
            rmp_serde::from_slice(body).map_err(|error| damaged(error.to_string()))
        }
        [space, version, ..] if *space == T::SPACE as u8 => Err(damaged(format!(
            "version {version} is newer than this program"
        ))),
        _ => Err(damaged("bytes of another kind".to_owned())),
    }
}

pub(crate) fn decode_all<T: Stored>(entries: &[(Key, Entry)]) -> Result<Vec<T>, StorageError> {
    let entries = entries.iter();
    entries.map(|(key, entry)| decode(key, entry)).collect()
}
