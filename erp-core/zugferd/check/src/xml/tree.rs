//! The elements of a document.

use std::borrow::Cow;
use std::ops::Range;

use super::error::position;
use super::namespaces::NamespaceId;

/// The elements in the order of their start tags, with their attributes and texts.
#[derive(Debug)]
pub struct Tree<'t> {
    pub(super) text: &'t str,
    pub(super) nodes: Vec<Node<'t>>,
    pub(super) attributes: Vec<Attribute<'t>>,
    /// The pieces of character data in the order of the document.
    pub(super) pieces: Vec<Cow<'t, str>>,
    pub(super) namespaces: Vec<Cow<'t, str>>,
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
    pub(super) attributes: Range<u32>,
    /// The pieces of text inside, also those of elements inside.
    pub(super) pieces: Range<u32>,
}

/// An attribute that declares no namespace.
#[derive(Debug)]
pub(super) struct Attribute<'t> {
    pub(super) local: &'t str,
    pub(super) namespace: NamespaceId,
    pub(super) value: Cow<'t, str>,
}

impl<'t> Tree<'t> {
    /// The root element; a document that was parsed has one.
    #[must_use]
    pub const fn root(&self) -> Element<'_> {
        Element {
            tree: self,
            index: 0,
        }
    }

    /// The text of the document.
    #[must_use]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// The namespaces declared in the document; the first means none.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.namespaces.iter().map(AsRef::as_ref)
    }

    /// All elements, each after its parent.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        let count = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        (0..count).map(|index| Element { tree: self, index })
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
    #[must_use]
    pub fn local(self) -> &'a str {
        self.node().map_or("", |node| node.local)
    }

    /// The namespace, empty for none.
    #[must_use]
    pub fn namespace(self) -> &'a str {
        let id = self.node().map_or(0, |node| node.namespace);
        self.tree
            .namespaces
            .get(usize::from(id))
            .map_or("", |uri| uri)
    }

    /// The number of its namespace in [`Tree::namespaces`].
    #[must_use]
    pub fn namespace_number(self) -> usize {
        self.node().map_or(0, |node| usize::from(node.namespace))
    }

    /// The number in the order of the document, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The element around it.
    #[must_use]
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

    /// The number of its attributes.
    #[must_use]
    pub fn attribute_count(self) -> usize {
        self.node().map_or(0, |node| node.attributes.len())
    }

    /// The value of an attribute without namespace.
    #[must_use]
    pub fn attribute(self, local: &str) -> Option<&'a str> {
        let node = self.node()?;
        let mut attributes = range(&self.tree.attributes, &node.attributes).iter();
        attributes
            .find(|attribute| attribute.namespace == 0 && attribute.local == local)
            .map(|attribute| attribute.value.as_ref())
    }

    /// The character data inside the element and the elements in it.
    #[must_use]
    pub fn text(self) -> Cow<'a, str> {
        let pieces = self
            .node()
            .map(|node| range(&self.tree.pieces, &node.pieces));
        match pieces.unwrap_or_default() {
            [] => Cow::Borrowed(""),
            [piece] => Cow::Borrowed(piece),
            pieces => Cow::Owned(pieces.concat()),
        }
    }

    /// The byte offset of the start tag in [`Tree::text`].
    #[must_use]
    pub fn offset(self) -> usize {
        self.node().map_or(0, |node| node.offset as usize)
    }

    /// The line and the column of the start tag, both from 1.
    #[must_use]
    pub fn position(self) -> (usize, usize) {
        position(self.tree.text, self.offset())
    }
}
