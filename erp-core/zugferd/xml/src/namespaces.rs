//! The namespace of each prefix.

use std::borrow::Cow;

use super::attributes::{DECLARATION, NamespaceId, RawAttribute};
use super::cursor::Cursor;
use super::error::{XmlError, XmlFault};
use super::limits::XmlLimits;

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

#[derive(Debug)]
pub(super) struct Namespaces<'t, 'l> {
    /// All namespaces of the document, each once.
    known: Vec<Cow<'t, str>>,
    /// Their numbers in the order of their texts. A map would cost a browser 3 kB.
    sorted: Vec<NamespaceId>,
    /// Declarations in scope, the innermost last.
    bindings: Vec<(&'t str, NamespaceId)>,
    limits: &'l XmlLimits,
}

impl<'t, 'l> Namespaces<'t, 'l> {
    pub(super) fn new(limits: &'l XmlLimits) -> Self {
        Self {
            known: vec![Cow::Borrowed(""), Cow::Borrowed(XML)],
            sorted: vec![0, 1],
            bindings: vec![("xml", 1)],
            limits,
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
            return cursor.fault_at(attribute.offset(), fault);
        }
        let too_large = |limit| {
            let what = "namespaces";
            cursor.fault_at(attribute.offset(), XmlFault::TooLarge { what, limit })
        };
        if self.bindings.len() >= self.limits.scope {
            return too_large(self.limits.scope);
        }
        let text = |id: &NamespaceId| self.known.get(usize::from(*id)).map(AsRef::as_ref);
        let place = self.sorted.binary_search_by_key(&Some(uri), text);
        let known = place.map(|place| self.sorted.get(place).copied());
        let id = match known {
            Ok(id) => id.unwrap_or_default(),
            Err(place) => {
                let limit = self.limits.namespaces.min(usize::from(DECLARATION));
                let id = NamespaceId::try_from(self.known.len()).unwrap_or(DECLARATION);
                if self.known.len() >= limit {
                    return too_large(limit);
                }
                self.known.push(attribute.value.clone());
                self.sorted.insert(place, id);
                id
            }
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
