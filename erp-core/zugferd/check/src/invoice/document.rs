//! The document as the business rules of the profiles read it: elements anywhere by name.

use std::cell::OnceCell;

use super::line_tree::{LINE, LineTree};
use crate::invoice::facts::Facts;
use crate::invoice::node::Node;
use crate::invoice::texts::TextMap;

/// A document with an index of its elements.
pub(crate) struct Document<'a> {
    pub(crate) root: Node<'a>,
    pub(crate) facts: &'a Facts,
    by_name: TextMap<'a, Vec<Node<'a>>>,
    line_tree: OnceCell<LineTree>,
}

impl<'a> Document<'a> {
    /// Without an index [`Self::anywhere`] finds nothing: only the rules of profiles use it.
    pub(crate) fn new(root: Node<'a>, facts: &'a Facts, has_index: bool) -> Self {
        let mut document = Self {
            root,
            facts,
            by_name: TextMap::default(),
            line_tree: OnceCell::new(),
        };
        if has_index {
            for element in std::iter::once(root).chain(root.descendants()) {
                let name = element.element().local().into();
                document.by_name.change(name, |named| named.push(element));
            }
        }
        document
    }

    /// All elements of which the names, with those around them, end with the path.
    pub(crate) fn anywhere<'d>(&'d self, path: &'d str) -> impl Iterator<Item = Node<'a>> + 'd {
        let last = path.rsplit(['/', ':']).next().unwrap_or(path);
        let named = self.by_name.get(last).map_or(&[][..], Vec::as_slice);
        named
            .iter()
            .copied()
            .filter(move |element| element.ends(path.split('/')).is_some())
    }

    /// All elements in the order of the document.
    pub(crate) fn everything(&self) -> impl Iterator<Item = Node<'a>> {
        std::iter::once(self.root).chain(self.root.descendants())
    }

    /// What the lines say about lines around them.
    pub(crate) fn line_tree(&self) -> &LineTree {
        self.line_tree
            .get_or_init(|| LineTree::gather(self.anywhere(LINE)))
    }

    /// The lines of the invoice.
    pub(crate) fn lines(&self) -> Vec<Node<'a>> {
        self.root
            .all("rsm:SupplyChainTradeTransaction/IncludedSupplyChainTradeLineItem")
    }

    /// Elements of the header settlement.
    pub(crate) fn settlement(&self, path: &str) -> Vec<Node<'a>> {
        let path =
            format!("rsm:SupplyChainTradeTransaction/ApplicableHeaderTradeSettlement/{path}");
        self.root.all(&path)
    }
}
