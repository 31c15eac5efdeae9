//! From text to a tree, by the grammar of XML 1.0 and Namespaces in XML 1.0.

use super::attributes::RawAttribute;
use super::chars::is_plain_name;
use super::cursor::Cursor;
use super::declaration;
use super::error::{XmlError, XmlFault};
use super::limits::XmlLimits;
use super::namespaces::{NamespaceId, Namespaces};
use super::text::{character_data, literal_data};
use super::tree::{Attribute, Node, Tree};

struct Parser<'t, 'l> {
    cursor: Cursor<'t>,
    limits: &'l XmlLimits,
    tree: Tree<'t>,
    namespaces: Namespaces<'t>,
    open: Vec<Open<'t>>,
    /// Whether an element of this name inside the root starts the part that is not needed.
    is_end: Option<fn(&str) -> bool>,
    has_ended: bool,
}

/// An element whose end tag is still to come.
struct Open<'t> {
    index: u32,
    /// With its prefix.
    name: &'t str,
    /// Declarations of namespaces around the element.
    bindings: usize,
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

/// Prefix and local name.
fn split(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

impl<'t> Tree<'t> {
    /// Reads a text that [`decode`](super::decode) returned.
    ///
    /// # Errors
    /// [`XmlError`] for the first error, with line and column.
    pub fn parse(text: &'t str, limits: &XmlLimits) -> Result<Self, XmlError> {
        let mut parser = Parser::new(text, limits);
        parser.document()?;
        Ok(parser.into_tree())
    }

    /// Parses the start of a text: up to an element inside the root that starts the part that is not needed, the end of
    /// the root, or the first error. White space may be before the XML declaration, whose content is ignored. `--` in
    /// comments and undeclared prefixes below the root are not errors here. An element that has not ended yet has no
    /// text.
    pub fn parse_start(
        text: &'t str,
        limits: &XmlLimits,
        is_end: fn(&str) -> bool,
    ) -> (Self, Result<(), XmlError>) {
        let mut parser = Parser::new(text, limits);
        parser.is_end = Some(is_end);
        let read = parser.start();
        (parser.into_tree(), read)
    }
}

impl<'t, 'l> Parser<'t, 'l> {
    fn new(text: &'t str, limits: &'l XmlLimits) -> Self {
        Self {
            cursor: Cursor::new(text),
            limits,
            tree: Tree {
                text,
                nodes: Vec::new(),
                attributes: Vec::new(),
                pieces: Vec::new(),
                namespaces: Vec::new(),
            },
            namespaces: Namespaces::new(limits.namespaces),
            open: Vec::new(),
            is_end: None,
            has_ended: false,
        }
    }

    fn document(&mut self) -> Result<(), XmlError> {
        declaration::skip(&mut self.cursor)?;
        self.content()
    }

    fn start(&mut self) -> Result<(), XmlError> {
        self.cursor.skip_blanks();
        if self.cursor.take("<?xml") {
            self.cursor.take_until("?>", "a processing instruction")?;
        }
        self.content()
    }

    fn content(&mut self) -> Result<(), XmlError> {
        if u32::try_from(self.tree.text.len()).is_err() {
            return self.too_large("bytes", u32::MAX as usize);
        }
        while !self.cursor.is_at_end() && !self.has_ended {
            match self.cursor.rest().as_bytes() {
                [b'<', b'/', ..] => self.end_tag()?,
                [b'<', b'!' | b'?', ..] => self.other_markup()?,
                [b'<', ..] => self.start_tag()?,
                _ => self.character_data()?,
            }
        }
        if !self.open.is_empty() && !self.has_ended {
            return self.cursor.fault(XmlFault::UnexpectedEnd("an element"));
        }
        if self.tree.nodes.is_empty() {
            return self.cursor.fault(XmlFault::Expected("a root element"));
        }
        Ok(())
    }

    fn into_tree(mut self) -> Tree<'t> {
        let end = count(&self.tree.nodes);
        for open in &self.open {
            if let Some(node) = self.tree.nodes.get_mut(open.index as usize) {
                node.end = end;
            }
        }
        self.tree.namespaces = self.namespaces.into_known();
        self.tree
    }

    fn too_large<T>(&self, what: &'static str, limit: usize) -> Result<T, XmlError> {
        self.cursor.fault(XmlFault::TooLarge { what, limit })
    }

    fn character_data(&mut self) -> Result<(), XmlError> {
        let start = self.cursor.offset();
        let raw = self.cursor.take_before(b'<');
        if self.open.is_empty() {
            return match raw.find(|letter| !super::chars::is_blank(letter)) {
                Some(at) => {
                    let fault = XmlFault::NotAllowed("text outside the root element");
                    self.cursor.fault_at(start + at, fault)
                }
                None => Ok(()),
            };
        }
        if let Some(at) = memchr::memmem::find(raw.as_bytes(), b"]]>") {
            return self
                .cursor
                .fault_at(start + at, XmlFault::NotAllowed("`]]>`"));
        }
        let piece = character_data(&self.cursor, start, raw)?;
        self.tree.pieces.push(piece);
        Ok(())
    }

    /// A comment, a processing instruction or a CDATA section.
    fn other_markup(&mut self) -> Result<(), XmlError> {
        let start = self.cursor.offset();
        if self.cursor.take("<!--") {
            let comment = self.cursor.take_until("--", "a comment")?;
            if self.cursor.take(">") {
                return Ok(());
            }
            if self.is_end.is_some() {
                return self.cursor.take_until("-->", "a comment").map(|_| ());
            }
            let at = start + 4 + comment.len();
            return self.cursor.fault_at(at, XmlFault::NotAllowed("`--`"));
        }
        if self.cursor.take("<?") {
            return self.instruction(start);
        }
        if self.cursor.rest().starts_with("<!DOCTYPE") {
            return self.cursor.fault(XmlFault::DocumentTypeDeclaration);
        }
        if self.open.is_empty() || !self.cursor.take("<![CDATA[") {
            return self.cursor.fault(XmlFault::NotAllowed("this markup"));
        }
        let raw = self.cursor.take_until("]]>", "a CDATA section")?;
        self.tree.pieces.push(literal_data(raw));
        Ok(())
    }

    fn instruction(&mut self, start: usize) -> Result<(), XmlError> {
        let content = self.cursor.take_until("?>", "a processing instruction")?;
        let end = content
            .find(super::chars::is_blank)
            .unwrap_or(content.len());
        let target = content.get(..end).unwrap_or_default();
        if target.eq_ignore_ascii_case("xml") {
            let fault = XmlFault::NotAllowed("an XML declaration");
            return self.cursor.fault_at(start, fault);
        }
        if !is_plain_name(target) {
            let fault = XmlFault::Expected("the name of a processing instruction");
            return self.cursor.fault_at(start + 2, fault);
        }
        Ok(())
    }

    fn end_tag(&mut self) -> Result<(), XmlError> {
        let start = self.cursor.offset();
        self.cursor.take("</");
        let found = self.cursor.take_name()?;
        self.cursor.skip_blanks();
        self.cursor.expect(">", "`>`")?;
        let Some(open) = self.open.pop() else {
            return self
                .cursor
                .fault_at(start, XmlFault::NotAllowed("an end tag"));
        };
        if open.name != found {
            let (expected, found) = (open.name.to_owned(), found.to_owned());
            self.open.push(open);
            return self
                .cursor
                .fault_at(start, XmlFault::EndTag { expected, found });
        }
        self.close(&open);
        Ok(())
    }

    fn close(&mut self, open: &Open<'t>) {
        let (end, pieces) = (count(&self.tree.nodes), count(&self.tree.pieces));
        if let Some(node) = self.tree.nodes.get_mut(open.index as usize) {
            node.end = end;
            node.pieces.end = pieces;
        }
        self.namespaces.leave(open.bindings);
        // What is after the root is not wanted either.
        self.has_ended |= self.is_end.is_some() && open.index == 0;
    }

    fn start_tag(&mut self) -> Result<(), XmlError> {
        let offset = self.cursor.offset();
        if self.open.is_empty() && !self.tree.nodes.is_empty() {
            return self
                .cursor
                .fault(XmlFault::NotAllowed("a second root element"));
        }
        if self.open.len() >= self.limits.depth {
            return self.too_large("elements inside each other", self.limits.depth);
        }
        if self.tree.nodes.len() >= self.limits.elements {
            return self.too_large("elements", self.limits.elements);
        }
        self.cursor.take("<");
        let name = self.cursor.take_name()?;
        if self.open.len() == 1 && self.is_end.is_some_and(|is_end| is_end(split(name).1)) {
            self.has_ended = true;
            return Ok(());
        }
        let bindings = self.namespaces.depth();
        let (attributes, is_empty) = self.attributes()?;
        let index = self.add(name, offset, attributes)?;
        let open = Open {
            index,
            name,
            bindings,
        };
        if is_empty {
            self.close(&open);
        } else {
            self.open.push(open);
        }
        Ok(())
    }

    /// The attributes up to the end of the tag, and whether the element is empty.
    fn attributes(&mut self) -> Result<(Vec<RawAttribute<'t>>, bool), XmlError> {
        let mut attributes = Vec::new();
        loop {
            let is_separated = self.cursor.skip_blanks();
            if self.cursor.take(">") {
                return Ok((attributes, false));
            }
            if self.cursor.take("/>") {
                return Ok((attributes, true));
            }
            if self.cursor.is_at_end() {
                return self.cursor.fault(XmlFault::UnexpectedEnd("a tag"));
            }
            if !is_separated {
                return self.cursor.fault(XmlFault::Expected("a blank or `>`"));
            }
            if self.tree.attributes.len() + attributes.len() >= self.limits.attributes {
                return self.too_large("attributes", self.limits.attributes);
            }
            attributes.push(RawAttribute::read(&mut self.cursor)?);
        }
    }

    /// Adds the element, now that its own declarations of namespaces are known.
    fn add(
        &mut self,
        name: &'t str,
        offset: usize,
        raw: Vec<RawAttribute<'t>>,
    ) -> Result<u32, XmlError> {
        self.must_be_distinct(&raw)?;
        for attribute in &raw {
            if let Some(prefix) = attribute.declared_prefix() {
                self.namespaces.declare(&self.cursor, prefix, attribute)?;
            }
        }
        let first = count(&self.tree.attributes);
        for attribute in raw {
            if attribute.declared_prefix().is_none() {
                self.add_attribute(attribute)?;
            }
        }
        self.must_differ_in_namespace(first as usize, offset)?;
        let (prefix, local) = split(name);
        let namespace = self.resolve(prefix, offset)?;
        let index = count(&self.tree.nodes);
        let pieces = count(&self.tree.pieces);
        self.tree.nodes.push(Node {
            local,
            namespace,
            parent: self.open.last().map_or(index, |open| open.index),
            end: index + 1,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            attributes: first..count(&self.tree.attributes),
            pieces: pieces..pieces,
        });
        Ok(index)
    }

    fn add_attribute(&mut self, attribute: RawAttribute<'t>) -> Result<(), XmlError> {
        let (prefix, local) = split(attribute.name);
        // Attributes without prefix are in no namespace, also where there is a default one.
        let namespace = match prefix {
            "" => 0,
            prefix => self.resolve(prefix, attribute.offset)?,
        };
        self.tree.attributes.push(Attribute {
            local,
            namespace,
            value: attribute.value,
        });
        Ok(())
    }

    fn resolve(&self, prefix: &str, offset: usize) -> Result<NamespaceId, XmlError> {
        match self.namespaces.resolve(prefix) {
            Err(_) if self.is_end.is_some() && !self.tree.nodes.is_empty() => Ok(0),
            Err(fault) => self.cursor.fault_at(offset, fault),
            Ok(namespace) => Ok(namespace),
        }
    }

    fn must_be_distinct(&self, raw: &[RawAttribute<'t>]) -> Result<(), XmlError> {
        if raw.len() < 2 {
            return Ok(());
        }
        let mut sorted: Vec<(&str, usize)> = raw
            .iter()
            .map(|attribute| (attribute.name, attribute.offset))
            .collect();
        sorted.sort_unstable();
        match sorted.array_windows().find(|[(a, _), (b, _)]| a == b) {
            Some([_, (name, offset)]) => {
                let fault = XmlFault::DuplicateAttribute((*name).to_owned());
                self.cursor.fault_at(*offset, fault)
            }
            None => Ok(()),
        }
    }

    /// Two prefixes may have the same namespace.
    fn must_differ_in_namespace(&self, first: usize, offset: usize) -> Result<(), XmlError> {
        let attributes = self.tree.attributes.get(first..).unwrap_or_default();
        if attributes.len() < 2 {
            return Ok(());
        }
        let names = attributes.iter();
        let mut names: Vec<_> = names
            .map(|attribute| (attribute.namespace, attribute.local))
            .collect();
        names.sort_unstable();
        match names.array_windows().find(|[a, b]| a == b) {
            Some([_, (_, local)]) => {
                let fault = XmlFault::DuplicateAttribute((*local).to_owned());
                self.cursor.fault_at(offset, fault)
            }
            None => Ok(()),
        }
    }
}
