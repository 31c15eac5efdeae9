//! The languages of sentences and reports.

/// A language of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// German.
    German,
}

impl Language {
    /// The text in this language.
    pub const fn choose<'t>(self, english: &'t str, german: &'t str) -> &'t str {
        match self {
            Self::English => english,
            Self::German => german,
        }
    }
}
