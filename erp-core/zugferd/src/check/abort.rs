//! Why a rule cannot be judged.

/// Why a rule cannot be judged: the official artefacts stop here with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Abort {
    /// The text is not a number.
    NotANumber(String),
    /// The text is not `true`, `false`, `1` or `0`.
    NotABoolean(String),
    /// The element is given more than once where one is needed.
    Several(String),
    /// The element is missing where its value is needed.
    Missing(String),
    /// The number has more digits than are computed with here.
    TooLarge(String),
}

/// Text for a message, short whatever the document has.
pub(super) fn shorten(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

impl Abort {
    pub(super) fn not_a_number(text: &str) -> Self {
        Self::NotANumber(shorten(text))
    }

    pub(super) fn not_a_boolean(text: &str) -> Self {
        Self::NotABoolean(shorten(text))
    }

    pub(super) fn several(path: &str) -> Self {
        Self::Several(path.to_owned())
    }

    pub(super) fn missing(path: &str) -> Self {
        Self::Missing(path.to_owned())
    }

    pub(super) fn too_large(text: &str) -> Self {
        Self::TooLarge(shorten(text))
    }
}
