//! The namespace of each prefix.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::attributes::RawAttribute;
use super::cursor::Cursor;
use super::error::{XmlError, XmlFault};
use super::limits::XmlLimits;

const XML: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS: &str = "http://www.w3.org/2000/xmlns/";

/// The number of a namespace in the list of those that are used; 0 is none.
pub(super) type NamespaceId = u16;

/// The namespace of the attributes that declare namespaces.
pub(super) const DECLARATION: NamespaceId = NamespaceId::MAX;

#[derive(Debug)]
pub(super) struct Namespaces<'t, 'l> {
    /// All namespaces of the document, each once.
    known: Vec<Cow<'t, str>>,
    /// The number of each.
    numbers: BTreeMap<Cow<'t, str>, NamespaceId>,
    /// Declarations in scope, the innermost last.
    bindings: Vec<(&'t str, NamespaceId)>,
    limits: &'l XmlLimits,
}

impl<'t, 'l> Namespaces<'t, 'l> {
    pub(super) fn new(limits: &'l XmlLimits) -> Self {
        let known = ["", XML].map(Cow::Borrowed);
        Self {
            numbers: known.iter().cloned().zip(0..).collect(),
            known: known.into(),
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
        let id = match self.numbers.get(uri) {
            Some(id) => *id,
            None => {
                let limit = self.limits.namespaces.min(usize::from(DECLARATION));
                let id = NamespaceId::try_from(self.known.len()).unwrap_or(DECLARATION);
                if self.known.len() >= limit {
                    return too_large(limit);
                }
                self.known.push(attribute.value.clone());
                self.numbers.insert(attribute.value.clone(), id);
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
