//! A place in the text of a document.

use super::chars::{continues_name, is_blank, starts_name};
use super::error::{XmlError, XmlFault};

#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    /// Always at the start of a character.
    offset: usize,
}

impl<'t> Cursor<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, offset: 0 }
    }

    pub(super) const fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.offset >= self.text.len()
    }

    pub(super) fn fault<T>(&self, fault: XmlFault) -> Result<T, XmlError> {
        self.fault_at(self.offset, fault)
    }

    pub(super) fn fault_at<T>(&self, offset: usize, fault: XmlFault) -> Result<T, XmlError> {
        Err(XmlError::at(self.text, offset, fault))
    }

    pub(super) fn take(&mut self, expected: &str) -> bool {
        let is_next = self.rest().starts_with(expected);
        if is_next {
            self.offset += expected.len();
        }
        is_next
    }

    /// Consumes the text or fails with its meaning.
    pub(super) fn expect(&mut self, text: &str, meaning: &'static str) -> Result<(), XmlError> {
        if self.take(text) {
            return Ok(());
        }
        self.fault(XmlFault::Expected(meaning))
    }

    /// Consumes everything up to and including the end mark; `within` names the construct for the error.
    pub(super) fn take_until(
        &mut self,
        mark: &str,
        within: &'static str,
    ) -> Result<&'t str, XmlError> {
        let rest = self.rest();
        let found = memchr::memmem::find(rest.as_bytes(), mark.as_bytes());
        let Some(taken) = found.and_then(|end| rest.get(..end)) else {
            return self.fault_at(self.text.len(), XmlFault::UnexpectedEnd(within));
        };
        self.offset += taken.len() + mark.len();
        Ok(taken)
    }

    /// Takes all up to the next of a byte, or the end.
    pub(super) fn take_before(&mut self, byte: u8) -> &'t str {
        let rest = self.rest();
        let end = memchr::memchr(byte, rest.as_bytes()).unwrap_or(rest.len());
        let taken = rest.get(..end).unwrap_or_default();
        self.offset += taken.len();
        taken
    }

    /// Skips white space; whether there was some.
    pub(super) fn skip_blanks(&mut self) -> bool {
        let rest = self.rest();
        let after = rest.trim_start_matches(is_blank);
        self.offset += rest.len() - after.len();
        after.len() < rest.len()
    }

    /// Takes a name that has at most one colon, with letters on both of its sides.
    pub(super) fn take_name(&mut self) -> Result<&'t str, XmlError> {
        let (rest, start) = (self.rest(), self.offset);
        self.take_part()?;
        if self.take(":") {
            self.take_part()?;
        }
        Ok(rest.get(..self.offset - start).unwrap_or_default())
    }

    fn take_part(&mut self) -> Result<(), XmlError> {
        let rest = self.rest();
        // Nearly all names are ASCII.
        let is_plain =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let bytes = rest.as_bytes();
        let plain = bytes.iter().take_while(is_plain).count();
        let end = match bytes.get(plain) {
            Some(byte) if !byte.is_ascii() => rest.find(|letter| !continues_name(letter)),
            _ => Some(plain),
        };
        let end = end.unwrap_or(rest.len());
        if !rest.starts_with(starts_name) || end == 0 {
            return self.fault(XmlFault::Expected("a name"));
        }
        self.offset += end;
        Ok(())
    }
}
