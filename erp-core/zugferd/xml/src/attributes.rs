//! The attributes of a start tag.

use std::borrow::Cow;
use std::ops::Range;

use super::cursor::Cursor;
use super::error::{XmlError, XmlFault};
use super::values::attribute_value;

/// The number of a namespace in the list of those that are used; 0 is none.
pub(super) type NamespaceId = u16;

pub(super) const DECLARATION: NamespaceId = NamespaceId::MAX;

/// An offset or a number; a document has fewer bytes than `u32` can count.
pub(super) fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// An attribute, or a declaration of a namespace.
#[derive(Debug)]
pub(super) struct RawAttribute<'t> {
    /// With its prefix.
    pub(super) name: &'t str,
    /// None until all declarations of the tag are known.
    pub(super) namespace: NamespaceId,
    pub(super) value: Cow<'t, str>,
    /// From the name to the closing quotation mark.
    pub(super) span: Range<u32>,
}

impl<'t> RawAttribute<'t> {
    pub(super) const fn offset(&self) -> usize {
        self.span.start as usize
    }

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
            namespace: 0,
            value,
            span: to_u32(offset)..to_u32(cursor.offset()),
        })
    }
}
