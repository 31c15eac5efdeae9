//! The namespace of each prefix.

use std::borrow::Cow;

use super::attributes::RawAttribute;
use super::cursor::Cursor;
use super::error::{XmlError, XmlFault};

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// The number of a namespace in the list of those that are used; 0 is none.
pub(super) type NamespaceId = u16;

#[derive(Debug)]
pub(super) struct Namespaces<'t> {
    /// All namespaces of the document, each once.
    known: Vec<Cow<'t, str>>,
    /// Declarations in scope, the innermost last.
    bindings: Vec<(&'t str, NamespaceId)>,
    limit: usize,
}

impl<'t> Namespaces<'t> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            known: vec![Cow::Borrowed(""), Cow::Borrowed(XML)],
            bindings: vec![("xml", 1)],
            limit,
        }
    }

    pub(super) fn into_known(self) -> Vec<Cow<'t, str>> {
        self.known
    }

    /// How many declarations are in scope, to come back to at the end of an element.
    pub(super) const fn depth(&self) -> usize {
        self.bindings.len()
    }

    pub(super) fn leave(&mut self, depth: usize) {
        self.bindings.truncate(depth);
    }

    /// Takes a declaration; `prefix` is empty for the default namespace.
    pub(super) fn declare(
        &mut self,
        cursor: &Cursor<'t>,
        prefix: &'t str,
        attribute: &RawAttribute<'t>,
    ) -> Result<(), XmlError> {
        let uri = attribute.value.as_ref();
        let is_allowed = match prefix {
            "xml" => uri == XML,
            "xmlns" => false,
            "" => uri != XML && uri != XMLNS,
            _ => uri != XML && uri != XMLNS && !uri.is_empty(),
        };
        if !is_allowed {
            let fault = XmlFault::NamespaceDeclaration(prefix.to_owned());
            return cursor.fault_at(attribute.offset, fault);
        }
        let limit = self.limit;
        let id = match self.known.iter().position(|known| known == uri) {
            Some(id) => id,
            None => {
                self.known.push(attribute.value.clone());
                self.known.len() - 1
            }
        };
        let id = NamespaceId::try_from(id)
            .ok()
            .filter(|_| self.known.len() <= limit);
        let (Some(id), true) = (id, self.bindings.len() < limit) else {
            let what = "namespaces";
            return cursor.fault_at(attribute.offset, XmlFault::TooLarge { what, limit });
        };
        self.bindings.push((prefix, id));
        Ok(())
    }

    /// The namespace of a prefix; an element without prefix is in the default namespace.
    pub(super) fn resolve(&self, prefix: &str) -> Result<NamespaceId, XmlFault> {
        let mut bindings = self.bindings.iter().rev();
        match bindings.find(|(bound, _)| *bound == prefix) {
            Some((_, id)) => Ok(*id),
            None if prefix.is_empty() => Ok(0),
            None => Err(XmlFault::UndeclaredPrefix(prefix.to_owned())),
        }
    }
}
