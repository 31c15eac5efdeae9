//! The password of an encrypted PDF.

use super::{Encryption, Limits};
use erp_pdf::{PdfError, PdfFile, Result};
use std::fmt;

/// A password that opens an encrypted PDF, the user's or the owner's; empty where there is none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes the encryption off: most encrypted files open without a password, also when one is given.
    pub(super) fn unlock(&self, file: &mut PdfFile<'_>) -> Result<Encryption> {
        match file.unlock("") {
            Ok(()) => Ok(Encryption::OwnerPassword),
            Err(PdfError::PasswordNeeded) if !self.is_empty() => {
                file.unlock(&self.0)?;
                Ok(Encryption::UserPassword)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether there is one, and the file has it: that is consent to take the encryption off.
    pub(super) fn opens(&self, pdf: &[u8], limits: &Limits) -> Result<bool> {
        if self.is_empty() {
            return Ok(false);
        }
        PdfFile::open(pdf, &limits.pdf)?.unlock(&self.0)?;
        Ok(true)
    }
}

impl From<&str> for Password {
    fn from(password: &str) -> Self {
        Self(password.to_owned())
    }
}

// Options are logged, a password never is.
impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "none" } else { "***" })
    }
}
