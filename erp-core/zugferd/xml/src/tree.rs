//! The elements of a document.

use std::borrow::Cow;
use std::ops::Range;

use super::attributes::{DECLARATION, NamespaceId, RawAttribute, to_u32};
use super::chars::{is_blank, split};
use super::error::position;

/// The elements in the order of their start tags, with their attributes and texts.
#[derive(Debug, Default)]
pub struct Tree<'t> {
    pub(super) text: &'t str,
    pub(super) nodes: Vec<Node<'t>>,
    /// Those of all elements, in the order of the document.
    pub(super) attributes: Vec<RawAttribute<'t>>,
    pub(super) pieces: Vec<Cow<'t, str>>,
    pub(super) namespaces: Vec<Cow<'t, str>>,
    pub(super) instructions: Vec<Range<usize>>,
}

/// An element. `u32` is enough: a document has fewer bytes than that.
#[derive(Debug)]
pub(super) struct Node<'t> {
    pub(super) local: &'t str,
    pub(super) namespace: NamespaceId,
    /// The root is its own parent.
    pub(super) parent: u32,
    /// The number of the first element after this one and all inside it.
    pub(super) end: u32,
    pub(super) offset: u32,
    pub(super) until: u32,
    /// Its attributes end where those of the next element start.
    pub(super) first_attribute: u32,
    /// The pieces of text inside, also those of elements inside.
    pub(super) pieces: Range<u32>,
}

impl<'t> Tree<'t> {
    /// The root element; a document that was parsed has one.
    pub const fn root(&self) -> Element<'_> {
        Element {
            tree: self,
            index: 0,
        }
    }

    /// The text of the document.
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// The namespaces declared in the document; the first means none.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.namespaces.iter().map(AsRef::as_ref)
    }

    /// All elements, each after its parent.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        (0..to_u32(self.nodes.len())).map(|index| Element { tree: self, index })
    }

    /// The places of the processing instructions before the root, from `<?` to `?>`.
    pub fn instructions(&self) -> &[Range<usize>] {
        &self.instructions
    }

    fn namespace(&self, id: NamespaceId) -> &str {
        self.namespaces.get(usize::from(id)).map_or("", |uri| uri)
    }
}

/// An element of a tree.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    tree: &'a Tree<'a>,
    index: u32,
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && std::ptr::eq(self.tree, other.tree)
    }
}

impl std::fmt::Debug for Element<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "<{}> {}", self.local(), self.index)
    }
}

fn range<'t, T>(items: &'t [T], range: &Range<u32>) -> &'t [T] {
    items
        .get(range.start as usize..range.end as usize)
        .unwrap_or_default()
}

impl<'a> Element<'a> {
    fn node(self) -> Option<&'a Node<'a>> {
        self.tree.nodes.get(self.index as usize)
    }

    /// The name without prefix.
    pub fn local(self) -> &'a str {
        self.node().map_or("", |node| node.local)
    }

    /// The name as written, with its prefix.
    pub fn name(self) -> &'a str {
        let tag = self.tree.text.get(self.offset() + 1..).unwrap_or_default();
        let end = tag.find(|letter| is_blank(letter) || matches!(letter, '/' | '>'));
        tag.get(..end.unwrap_or(tag.len())).unwrap_or_default()
    }

    /// The prefix, empty for none.
    pub fn prefix(self) -> &'a str {
        split(self.name()).0
    }

    /// The namespace, empty for none.
    pub fn namespace(self) -> &'a str {
        let id = self.node().map_or(0, |node| node.namespace);
        self.tree.namespace(id)
    }

    /// The number of its namespace in [`Tree::namespaces`].
    pub fn namespace_number(self) -> usize {
        self.node().map_or(0, |node| usize::from(node.namespace))
    }

    /// The number in the order of the document, from 0.
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The element around it.
    pub fn parent(self) -> Option<Self> {
        let index = self.node()?.parent;
        (index != self.index).then_some(Self { index, ..self })
    }

    /// The elements directly inside.
    pub fn children(self) -> impl Iterator<Item = Self> {
        let end = self.end();
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            let child = Self {
                index: next,
                ..self
            };
            (next < end).then(|| {
                next = child.end();
                child
            })
        })
    }

    /// The elements inside, in the order of the document.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        (self.index + 1..self.end()).map(move |index| Self { index, ..self })
    }

    fn end(self) -> u32 {
        self.node().map_or(0, |node| node.end)
    }

    /// Also those that declare namespaces.
    fn raw_attributes(self) -> &'a [RawAttribute<'a>] {
        let nodes = &self.tree.nodes;
        let first = self.node().map_or(0, |node| node.first_attribute);
        let end = match nodes.get(self.index as usize + 1) {
            Some(next) => next.first_attribute,
            None => to_u32(self.tree.attributes.len()),
        };
        range(&self.tree.attributes, &(first..end))
    }

    /// The attributes, without those that declare namespaces.
    pub fn attributes(self) -> impl Iterator<Item = Attribute<'a>> {
        let attributes = self.raw_attributes().iter();
        let attributes = attributes.filter(|raw| raw.namespace != DECLARATION);
        let tree = self.tree;
        attributes.map(move |raw| Attribute { tree, raw })
    }

    /// The value of an attribute without namespace.
    pub fn attribute(self, local: &str) -> Option<&'a str> {
        let mut attributes = self.raw_attributes().iter();
        let found = attributes.find(|raw| raw.namespace == 0 && raw.name == local)?;
        Some(&found.value)
    }

    /// The prefixes that the element itself declares, with their namespaces; the default one is empty.
    pub fn declarations(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let attributes = self.raw_attributes().iter();
        attributes.filter_map(|raw| Some((raw.declared_prefix()?, raw.value.as_ref())))
    }

    /// The character data inside the element and the elements in it.
    pub fn text(self) -> Cow<'a, str> {
        let node = self.node();
        let pieces = node.map(|node| range(&self.tree.pieces, &node.pieces));
        match pieces.unwrap_or_default() {
            [] => Cow::Borrowed(""),
            [piece] => Cow::Borrowed(piece),
            pieces => Cow::Owned(pieces.concat()),
        }
    }

    /// The character data directly inside the element.
    pub fn own_text(self) -> Cow<'a, str> {
        match self.node() {
            Some(node) if !node.pieces.is_empty() => {
                Cow::Owned(self.own_pieces().map(|(_, piece)| piece).collect())
            }
            _ => Cow::Borrowed(""),
        }
    }

    /// The pieces of the character data directly inside the element, each with the number of children before it; markup is
    /// between them.
    pub fn own_pieces(self) -> impl Iterator<Item = (usize, &'a str)> {
        let pieces = |element: Self| element.node().map_or(0..0, |node| node.pieces.clone());
        let Range { mut start, end } = pieces(self);
        let inner = self.children().map(pieces).chain(std::iter::once(end..end));
        inner.enumerate().flat_map(move |(number, inner)| {
            let before = start..inner.start;
            start = inner.end;
            let pieces = range(&self.tree.pieces, &before).iter();
            pieces.map(move |piece| (number, piece.as_ref()))
        })
    }

    /// The byte offset of the start tag in [`Tree::text`].
    pub fn offset(self) -> usize {
        self.node().map_or(0, |node| node.offset as usize)
    }

    /// The line and the column of the start tag, both from 1.
    pub fn position(self) -> (usize, usize) {
        position(self.tree.text, self.offset())
    }

    /// The place in [`Tree::text`], from the start tag to the end tag.
    pub fn span(self) -> Range<usize> {
        let until = self.node().map_or(0, |node| node.until as usize);
        self.offset()..until
    }

    /// The place of the start tag.
    pub fn start_tag(self) -> Range<usize> {
        // An attribute may have a `>` in its value.
        let last = self.raw_attributes().last();
        let from = last.map_or(self.offset(), |attribute| attribute.span.end as usize);
        let rest = self.tree.text.get(from..).unwrap_or_default();
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        self.offset()..from + end
    }

    /// The place between start tag and end tag; `None` for an element of one tag, `<a/>`.
    pub fn content(self) -> Option<Range<usize>> {
        let (start_tag, span) = (self.start_tag(), self.span());
        let inside = self.tree.text.get(start_tag.end..span.end)?;
        let end_tag = inside.rfind("</")?;
        Some(start_tag.end..start_tag.end + end_tag)
    }
}

/// An attribute of an element.
#[derive(Clone, Copy)]
pub struct Attribute<'a> {
    tree: &'a Tree<'a>,
    raw: &'a RawAttribute<'a>,
}

impl<'a> Attribute<'a> {
    /// The prefix, empty for none.
    pub fn prefix(self) -> &'a str {
        split(self.raw.name).0
    }

    /// The name without prefix.
    pub fn local(self) -> &'a str {
        split(self.raw.name).1
    }

    /// The namespace, empty for none.
    pub fn namespace(self) -> &'a str {
        self.tree.namespace(self.raw.namespace)
    }

    /// The value with references replaced.
    pub fn value(self) -> &'a str {
        &self.raw.value
    }

    /// The place in [`Tree::text`], from the name to the closing quotation mark.
    pub const fn span(self) -> Range<usize> {
        self.raw.span.start as usize..self.raw.span.end as usize
    }
}

impl std::fmt::Debug for Attribute<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}={:?}", self.raw.name, self.raw.value)
    }
}
