//! Limits on the cost of reading a file: each task counts what it holds and reads.

use super::lexer::Lexer;
use super::located::Located;
use super::memory::{Alive, dict_weight, weight};
use super::{Dict, Object, PdfError, PdfFile, Result};

/// Bytes of objects that are kept of a large file beyond those of a small one.
const KEPT_MORE: usize = 32 << 20;
/// Bytes of an object besides its values.
const OWN: usize = size_of::<Located>();

impl PdfFile<'_> {
    /// Bytes of cached objects: more for a large file, whose objects would otherwise be read repeatedly.
    pub(super) fn kept_bytes(&self) -> usize {
        let more = (self.data.len() / 2).min(KEPT_MORE);
        self.limits.cached_bytes.saturating_add(more)
    }

    /// Whether the memory in use is within the limits; caches have a limit of their own.
    pub(super) fn check_held(&self) -> Result<()> {
        let kept = self.state.borrow().kept_bytes;
        self.memory.check(kept, &self.limits)
    }

    /// Counts a value that is kept apart from its object until the task ends.
    ///
    /// # Errors
    /// [`PdfError::TooLarge`] beyond `Limits::held_bytes`.
    pub fn hold(&self, object: &Object) -> Result<()> {
        self.hold_bytes(weight(object))
    }

    /// As [`PdfFile::hold`], of all members of a dictionary with their names.
    ///
    /// # Errors
    /// As there.
    pub fn hold_dict(&self, dict: &Dict) -> Result<()> {
        self.hold_bytes(dict_weight(dict))
    }

    /// As [`PdfFile::hold`], of something else than a value.
    ///
    /// # Errors
    /// As there.
    pub fn hold_bytes(&self, bytes: usize) -> Result<()> {
        self.memory.note(bytes);
        self.check_held()
    }

    /// Counts an object that was just read.
    pub(super) fn parsed(&self, start: usize, lexer: &Lexer<'_>) -> Result<Alive> {
        self.check_wanted()?;
        let text = lexer.position().saturating_sub(start);
        self.memory
            .parsed(text, lexer.values_read(), OWN, self.most_parsed())
    }

    /// Counts text of another kind that was read like an object.
    ///
    /// # Errors
    /// [`PdfError::TooLarge`] beyond `Limits::parsed_bytes`.
    pub fn count_parsed(&self, text: usize) -> Result<()> {
        self.check_wanted()?;
        let parsed = self.memory.parsed(text, 0, OWN, self.most_parsed());
        parsed.map(drop)
    }

    pub(super) fn check_wanted(&self) -> Result<()> {
        if (self.limits.keep_going)() {
            return Ok(());
        }
        Err(PdfError::too_large(
            "bytes and values that were read while the result was wanted",
            self.memory.read(),
        ))
    }

    /// Larger files may cost more.
    const fn most_parsed(&self) -> usize {
        let more = self.data.len().saturating_mul(16);
        self.limits.parsed_bytes.saturating_add(more)
    }

    /// Bytes kept in addition to objects.
    #[must_use]
    pub fn held(&self) -> usize {
        self.memory.noted()
    }

    /// Counts what was decoded and read from zero again: the limits bound one task. `held` bytes of what was noted
    /// are still kept.
    pub fn renew_budget(&self, held: usize) {
        self.state.borrow_mut().decoded_bytes = 0;
        self.memory.renew(held);
    }
}
