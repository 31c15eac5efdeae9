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
    /// Errors: [`PdfError::TooLarge`] beyond `Limits::held_bytes`.
    pub fn hold(&self, object: &Object) -> Result<()> {
        self.hold_bytes(weight(object))
    }

    /// As [`PdfFile::hold`], of all members of a dictionary with their names.
    pub fn hold_dict(&self, dict: &Dict) -> Result<()> {
        self.hold_bytes(dict_weight(dict))
    }

    /// As [`PdfFile::hold`], of something else than a value.
    pub fn hold_bytes(&self, bytes: usize) -> Result<()> {
        self.memory.note(bytes);
        self.check_held()
    }

    /// Counts an object that was just read.
    pub(super) fn parsed(&self, start: usize, lexer: &Lexer<'_>) -> Result<Alive> {
        let text = lexer.position().saturating_sub(start);
        self.count_read(text, lexer.values_read())
    }

    /// Counts text of another kind that was read like an object.
    /// Errors: [`PdfError::TooLarge`] beyond `Limits::parsed_bytes`.
    pub fn count_parsed(&self, text: usize) -> Result<()> {
        self.count_read(text, 0).map(drop)
    }

    fn count_read(&self, text: usize, values: usize) -> Result<Alive> {
        self.check_wanted()?;
        // Larger files may cost more.
        let more = self.data.len().saturating_mul(16);
        let most = self.limits.parsed_bytes.saturating_add(more);
        self.memory.parsed(text, values, OWN, most)
    }

    pub(super) fn check_wanted(&self) -> Result<()> {
        if (self.limits.keep_going)() {
            return Ok(());
        }
        Err(PdfError::too_large(
            "bytes and values that were read while the result was wanted",
            self.memory.parsed.get(),
        ))
    }

    /// Bytes kept in addition to objects.
    pub fn held(&self) -> usize {
        self.memory.noted.get()
    }

    /// Counts what was decoded and read from zero again: the limits bound one task. `held` bytes of what was noted
    /// are still kept.
    pub fn renew_budget(&self, held: usize) {
        self.state.borrow_mut().decoded_bytes = 0;
        self.memory.renew(held);
    }
}
