//! What is said when a setting is wrong.

use thiserror::Error;

use super::doc::SettingDoc;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    #[error("the settings file `{file}` cannot be read: {reason}")]
    Unreadable {
        file: String,
        /// What the system or the parser says.
        reason: String,
    },
    #[error("`{name}` in {place} is no setting; the settings are {known}")]
    Unknown {
        name: String,
        /// The file or flag.
        place: String,
        known: String,
        /// The most similar name, if one is similar.
        nearest: Option<&'static str>,
    },
    #[error("`{name}` in {place} must be {allowed}, not `{given}`")]
    Value {
        name: String,
        /// The file, variable or flag.
        place: String,
        allowed: String,
        given: String,
    },
}

impl ConfigError {
    /// A name that none of these settings has.
    pub(super) fn unknown(name: &str, place: &str, docs: &[SettingDoc]) -> Self {
        let known: Vec<String> = docs.iter().map(|doc| format!("`{}`", doc.name)).collect();
        let distance = |doc: &&SettingDoc| strsim::damerau_levenshtein(name, doc.name);
        let nearest = docs.iter().min_by_key(distance);
        let nearest = nearest.filter(|doc| distance(doc) <= name.len() / 3);
        Self::Unknown {
            name: name.to_owned(),
            place: place.to_owned(),
            known: known.join(", "),
            nearest: nearest.map(|doc| doc.name),
        }
    }
}

/// Reads one value and turns a refusal into a sentence.
pub(super) fn read<T>(
    name: &str,
    place: &str,
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, ConfigError> {
    read(text.trim()).map_err(|allowed| ConfigError::Value {
        name: name.to_owned(),
        place: place.to_owned(),
        allowed,
        given: text.to_owned(),
    })
}
