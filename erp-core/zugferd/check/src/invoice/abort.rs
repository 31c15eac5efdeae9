//! Why a rule cannot be judged.

/// The id for what cannot be judged.
pub(crate) const ABORTED: &str = "ERP-VALUE";

/// The reason why a rule cannot be evaluated: the official artefacts stop here with an error. Boxed, so that the
/// results of conditions, which are moved a lot, stay small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Abort(Box<(Reason, String)>);

/// What is wrong with a text, or with the number of elements at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    NotANumber,
    /// Not a date as UBL has it.
    NotADate,
    /// Neither `true`, `false`, `1` nor `0`.
    NotABoolean,
    /// The element is given more than once where one is needed.
    Several,
    /// The element is missing where its value is needed.
    Missing,
    /// The number has more digits than are computed with here.
    TooLarge,
}

/// Text for a message, shortened to a limit.
pub(crate) fn shorten(text: &str) -> String {
    // A message stays one line; texts of an invoice may have megabytes.
    const LONGEST: usize = 120;
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(LONGEST).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

impl Abort {
    fn new(reason: Reason, about: String) -> Self {
        Self(Box::new((reason, about)))
    }

    pub(crate) fn not_a_number(text: &str) -> Self {
        Self::new(Reason::NotANumber, shorten(text))
    }

    pub(crate) fn not_a_date(text: &str) -> Self {
        Self::new(Reason::NotADate, shorten(text))
    }

    pub(crate) fn not_a_boolean(text: &str) -> Self {
        Self::new(Reason::NotABoolean, shorten(text))
    }

    pub(crate) fn several(path: &str) -> Self {
        Self::new(Reason::Several, path.to_owned())
    }

    pub(crate) fn missing(path: &str) -> Self {
        Self::new(Reason::Missing, path.to_owned())
    }

    pub(crate) fn too_large(text: &str) -> Self {
        Self::new(Reason::TooLarge, shorten(text))
    }

    pub(crate) fn reason(&self) -> Reason {
        self.0.0
    }

    /// The text or the path.
    pub(crate) fn about(&self) -> &str {
        &self.0.1
    }
}
