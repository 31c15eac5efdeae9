//! Why a PDF cannot be read.

/// What reading a PDF leads to.
pub type Result<T, E = PdfError> = std::result::Result<T, E>;

/// Why a PDF cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// `%PDF-` is missing near the start.
    #[error("the file is not a PDF: `%PDF-` is missing in its first 1024 bytes")]
    NotAPdf,
    /// The structure is broken at a place that is needed.
    #[error("the PDF is damaged: {what} (at byte {at})")]
    Damaged {
        /// What was expected there.
        what: &'static str,
        /// Bytes from the start of the file, or of the decoded stream.
        at: usize,
    },
    /// It is encrypted, and the feature `decrypt` is not built in.
    #[error("the PDF is encrypted; encrypted files are not read here")]
    Encrypted,
    /// It opens with a password only.
    #[error("the PDF is protected by a password, and none is given")]
    PasswordNeeded,
    /// It opens with another password only.
    #[error("the PDF is protected by another password than the one that is given")]
    WrongPassword,
    /// A limit is reached.
    #[error("the PDF is too large: {what} over {limit}")]
    TooLarge {
        /// Which limit.
        what: &'static str,
        /// Its value.
        limit: usize,
    },
    /// The bytes of a stream do not fit its filters.
    #[error("the PDF is damaged: a stream cannot be decoded ({0})")]
    Undecodable(String),
}

impl PdfError {
    /// Damage: what was expected at a byte of the file, or of the decoded stream.
    pub const fn damaged(what: &'static str, at: usize) -> Self {
        Self::Damaged { what, at }
    }

    /// A limit that is reached.
    pub const fn too_large(what: &'static str, limit: usize) -> Self {
        Self::TooLarge { what, limit }
    }

    /// Whether a number is within a limit.
    pub const fn within(what: &'static str, number: usize, limit: usize) -> Result<()> {
        if number > limit {
            return Err(Self::too_large(what, limit));
        }
        Ok(())
    }

    /// The value of a result; `None` for what is damaged.
    /// A limit stays an error: what was not read must not count as absent.
    pub fn readable<T>(result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error @ Self::TooLarge { .. }) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Whether rebuilding the file from its objects alone may help.
    pub const fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }
}
