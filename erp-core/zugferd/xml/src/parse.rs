//! From text to a tree, by the grammar of XML 1.0 and Namespaces in XML 1.0.

use std::borrow::Cow;

use super::attributes::{DECLARATION, NamespaceId, RawAttribute, to_u32};
use super::chars::{find_illegal, is_name, split};
use super::cursor::Cursor;
use super::error::{XmlError, XmlFault};
use super::limits::XmlLimits;
use super::namespaces::Namespaces;
use super::text::illegal;
use super::tree::{Node, Tree};
use super::values::{character_data, literal_data};

/// How much of a text is read, and how strictly.
#[derive(Clone, Copy)]
enum Extent {
    /// All of it.
    Document,
    /// The root element and what is before it.
    Root,
    /// Up to an element of such a name inside the root. Not all errors are looked for.
    Start(fn(&str) -> bool),
}

struct Parser<'t, 'l> {
    cursor: Cursor<'t>,
    limits: &'l XmlLimits,
    tree: Tree<'t>,
    namespaces: Namespaces<'t, 'l>,
    open: Vec<Open<'t>>,
    extent: Extent,
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
    to_u32(items.len())
}

impl<'t> Tree<'t> {
    /// Reads a text that [`decode`](super::text::decode) returned.
    pub fn parse(text: &'t str, limits: &XmlLimits) -> Result<Self, XmlError> {
        let mut parser = Parser::new(text, limits, Extent::Document);
        parser.read()?;
        Ok(parser.into_tree())
    }

    /// Reads the root element and what is before it, as strictly as a document; what is after it is not looked at.
    /// Only XML declarations are not: their content is ignored, and they may be anywhere before the root.
    pub fn parse_root(text: &'t str, limits: &XmlLimits) -> Result<Self, XmlError> {
        let mut parser = Parser::new(text, limits, Extent::Root);
        parser.read()?;
        let end = parser.cursor.offset();
        match find_illegal(text.get(..end).unwrap_or_default()) {
            Some(offset) => Err(illegal(text, offset)),
            None => Ok(parser.into_tree()),
        }
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
        let mut parser = Parser::new(text, limits, Extent::Start(is_end));
        let read = parser.read();
        (parser.into_tree(), read)
    }
}

impl<'t, 'l> Parser<'t, 'l> {
    fn new(text: &'t str, limits: &'l XmlLimits, extent: Extent) -> Self {
        Self {
            cursor: Cursor::new(text),
            limits,
            tree: Tree {
                text,
                ..Tree::default()
            },
            namespaces: Namespaces::new(limits),
            open: Vec::new(),
            extent,
            has_ended: false,
        }
    }

    fn read(&mut self) -> Result<(), XmlError> {
        match self.extent {
            Extent::Document => skip_declaration(&mut self.cursor)?,
            Extent::Root => {}
            Extent::Start(_) => {
                self.cursor.skip_blanks();
                if self.cursor.take("<?xml") {
                    self.cursor.take_until("?>", "a processing instruction")?;
                }
            }
        }
        self.content()
    }

    const fn is_start(&self) -> bool {
        matches!(self.extent, Extent::Start(_))
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

    fn not_allowed(&self, offset: usize, what: &'static str) -> Result<(), XmlError> {
        self.cursor.fault_at(offset, XmlFault::NotAllowed(what))
    }

    fn too_large<T>(&self, what: &'static str, limit: usize) -> Result<T, XmlError> {
        self.cursor.fault(XmlFault::TooLarge { what, limit })
    }

    fn character_data(&mut self) -> Result<(), XmlError> {
        let start = self.cursor.offset();
        let raw = self.cursor.take_before(b'<');
        if self.open.is_empty() {
            let text = raw.find(|letter| !super::chars::is_blank(letter));
            let not_allowed = |at| self.not_allowed(start + at, "text outside the root element");
            return text.map_or(Ok(()), not_allowed);
        }
        if let Some(at) = memchr::memmem::find(raw.as_bytes(), b"]]>") {
            return self.not_allowed(start + at, "`]]>`");
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
            if self.is_start() {
                return self.cursor.take_until("-->", "a comment").map(|_| ());
            }
            return self.not_allowed(start + 4 + comment.len(), "`--`");
        }
        if self.cursor.take("<?") {
            return self.instruction(start);
        }
        if self.cursor.rest().starts_with("<!DOCTYPE") {
            return self.cursor.fault(XmlFault::DocumentTypeDeclaration);
        }
        if self.open.is_empty() || !self.cursor.take("<![CDATA[") {
            return self.not_allowed(start, "this markup");
        }
        let raw = self.cursor.take_until("]]>", "a CDATA section")?;
        self.tree.pieces.push(literal_data(raw));
        Ok(())
    }

    fn instruction(&mut self, start: usize) -> Result<(), XmlError> {
        let content = self.cursor.take_until("?>", "a processing instruction")?;
        let end = content.find(super::chars::is_blank);
        let target = content.get(..end.unwrap_or(content.len()));
        let target = target.unwrap_or_default();
        let is_before_root = self.tree.nodes.is_empty();
        let may_be_declaration =
            matches!(self.extent, Extent::Root) && is_before_root && target == "xml";
        if target.eq_ignore_ascii_case("xml") && !may_be_declaration {
            return self.not_allowed(start, "an XML declaration");
        }
        if !is_name(target) {
            let fault = XmlFault::Expected("the name of a processing instruction");
            return self.cursor.fault_at(start + 2, fault);
        }
        if is_before_root {
            self.tree.instructions.push(start..self.cursor.offset());
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
            return self.not_allowed(start, "an end tag");
        };
        if open.name != found {
            let (expected, found) = (open.name.to_owned(), found.to_owned());
            self.open.push(open);
            let fault = XmlFault::EndTag { expected, found };
            return self.cursor.fault_at(start, fault);
        }
        self.close(&open);
        Ok(())
    }

    fn close(&mut self, open: &Open<'t>) {
        let (end, pieces) = (count(&self.tree.nodes), count(&self.tree.pieces));
        if let Some(node) = self.tree.nodes.get_mut(open.index as usize) {
            node.end = end;
            node.until = to_u32(self.cursor.offset());
            node.pieces.end = pieces;
        }
        self.namespaces.leave(open.bindings);
        self.has_ended |= open.index == 0 && !matches!(self.extent, Extent::Document);
    }

    fn start_tag(&mut self) -> Result<(), XmlError> {
        let offset = self.cursor.offset();
        if self.open.is_empty() && !self.tree.nodes.is_empty() {
            return self.not_allowed(offset, "a second root element");
        }
        if self.open.len() >= self.limits.depth {
            return self.too_large("elements inside each other", self.limits.depth);
        }
        if self.tree.nodes.len() >= self.limits.elements {
            return self.too_large("elements", self.limits.elements);
        }
        self.cursor.take("<");
        let name = self.cursor.take_name()?;
        if let (Extent::Start(is_end), 1) = (self.extent, self.open.len()) {
            self.has_ended = is_end(split(name).1);
            if self.has_ended {
                return Ok(());
            }
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
        mut attributes: Vec<RawAttribute<'t>>,
    ) -> Result<u32, XmlError> {
        let is_list = attributes.len() > 1;
        if is_list {
            let written = attributes.iter().map(|it| (0, it.name, it.offset()));
            self.must_be_distinct(written.collect())?;
        }
        for attribute in &mut attributes {
            if let Some(prefix) = attribute.declared_prefix() {
                self.namespaces.declare(&self.cursor, prefix, attribute)?;
                attribute.namespace = DECLARATION;
            }
        }
        for attribute in &mut attributes {
            // Attributes without prefix are in no namespace, also where there is a default one.
            let prefix = split(attribute.name).0;
            if attribute.namespace != DECLARATION && !prefix.is_empty() {
                attribute.namespace = self.resolve(prefix, attribute.offset())?;
            }
        }
        if is_list {
            // Two prefixes may have the same namespace.
            let meant = attributes.iter();
            let meant = meant.map(|it| (it.namespace, split(it.name).1, offset));
            self.must_be_distinct(meant.collect())?;
        }
        let (prefix, local) = split(name);
        let namespace = self.resolve(prefix, offset)?;
        let index = count(&self.tree.nodes);
        let pieces = count(&self.tree.pieces);
        let first_attribute = count(&self.tree.attributes);
        self.tree.attributes.append(&mut attributes);
        self.tree.nodes.push(Node {
            local,
            namespace,
            parent: self.open.last().map_or(index, |open| open.index),
            end: index + 1,
            offset: to_u32(offset),
            until: to_u32(self.cursor.offset()),
            first_attribute,
            pieces: pieces..pieces,
        });
        Ok(index)
    }

    fn resolve(&self, prefix: &str, offset: usize) -> Result<NamespaceId, XmlError> {
        match self.namespaces.resolve(prefix) {
            Err(_) if self.is_start() && !self.tree.nodes.is_empty() => Ok(0),
            Err(fault) => self.cursor.fault_at(offset, fault),
            Ok(namespace) => Ok(namespace),
        }
    }

    /// Of two equal names the second one is the fault.
    fn must_be_distinct(&self, mut names: Vec<(NamespaceId, &str, usize)>) -> Result<(), XmlError> {
        names.sort_unstable();
        let is_same =
            |[one, next]: &&[(NamespaceId, &str, usize); 2]| (one.0, one.1) == (next.0, next.1);
        match names.array_windows().find(is_same) {
            Some([_, (_, name, offset)]) => {
                let fault = XmlFault::DuplicateAttribute((*name).to_owned());
                self.cursor.fault_at(*offset, fault)
            }
            None => Ok(()),
        }
    }
}

/// Skips `<?xml version="1.0" encoding="…" standalone="…"?>`, which may be missing.
fn skip_declaration(cursor: &mut Cursor<'_>) -> Result<(), XmlError> {
    let rest = cursor.rest().strip_prefix("<?xml");
    if !rest.is_some_and(|rest| rest.starts_with([' ', '\t', '\r', '\n'])) {
        return Ok(());
    }
    cursor.take("<?xml");
    let is_version = |value: &str| {
        let minor = value.strip_prefix("1.").unwrap_or_default();
        !minor.is_empty() && minor.bytes().all(|digit| digit.is_ascii_digit())
    };
    let is_encoding = |value: &str| {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        value.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && value.chars().all(is_letter)
    };
    let is_yes_or_no = |value: &str| matches!(value, "yes" | "no");
    if !skip_declared(cursor, "version", is_version)? {
        return cursor.fault(XmlFault::Expected("`version`"));
    }
    skip_declared(cursor, "encoding", is_encoding)?;
    skip_declared(cursor, "standalone", is_yes_or_no)?;
    cursor.skip_blanks();
    cursor.expect("?>", "`?>`")
}

/// One part of the XML declaration; whether it is there.
fn skip_declared(
    cursor: &mut Cursor<'_>,
    name: &str,
    is_valid: impl Fn(&str) -> bool,
) -> Result<bool, XmlError> {
    let mut ahead = *cursor;
    if !(ahead.skip_blanks() && ahead.rest().starts_with(name)) {
        return Ok(false);
    }
    let attribute = RawAttribute::read(&mut ahead)?;
    // References are not recognised in the declaration; a value without any is borrowed.
    let has_reference = matches!(attribute.value, Cow::Owned(_));
    if attribute.name != name || has_reference || !is_valid(&attribute.value) {
        let fault = XmlFault::Expected("a valid XML declaration");
        return ahead.fault_at(attribute.offset(), fault);
    }
    *cursor = ahead;
    Ok(true)
}
