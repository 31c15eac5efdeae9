//! The attributes of a start tag.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::error::{XmlError, XmlFault};
use super::text::attribute_value;

/// An attribute as written.
#[derive(Debug)]
pub(super) struct RawAttribute<'t> {
    /// With its prefix.
    pub(super) name: &'t str,
    pub(super) value: Cow<'t, str>,
    pub(super) offset: usize,
}

impl<'t> RawAttribute<'t> {
    /// The prefix that the attribute declares: empty for the default namespace.
    pub(super) fn declared_prefix(&self) -> Option<&'t str> {
        match self.name {
            "xmlns" => Some(""),
            name => name.strip_prefix("xmlns:"),
        }
    }

    pub(super) fn read(cursor: &mut Cursor<'t>) -> Result<Self, XmlError> {
        let offset = cursor.offset();
        let name = cursor.take_name()?;
        cursor.skip_blanks();
        cursor.expect("=", "`=` after the name of an attribute")?;
        cursor.skip_blanks();
        let quote = match cursor.rest().as_bytes() {
            [b'"', ..] => "\"",
            [b'\'', ..] => "'",
            _ => return cursor.fault(XmlFault::Expected("a quotation mark")),
        };
        cursor.take(quote);
        let start = cursor.offset();
        let raw = cursor.take_until(quote, "an attribute")?;
        if let Some(at) = raw.find('<') {
            return cursor.fault_at(start + at, XmlFault::NotAllowed("`<`"));
        }
        let value = attribute_value(cursor, start, raw)?;
        Ok(Self {
            name,
            value,
            offset,
        })
    }
}
