//! The elements of a document by their names.

use super::node::Node;
use super::texts::TextMap;

#[derive(Default)]
pub(super) struct ElementIndex<'a>(TextMap<'a, Vec<Node<'a>>>);

impl<'a> ElementIndex<'a> {
    pub(super) fn of(root: Node<'a>) -> Self {
        let mut index = Self::default();
        for node in std::iter::once(root).chain(root.descendants()) {
            let name = node.element().local().into();
            index.0.change(name, |named| named.push(node));
        }
        index
    }

    /// All elements of which the names, with those around them, end with the path.
    pub(super) fn anywhere<'d>(&'d self, path: &'d str) -> impl Iterator<Item = Node<'a>> + 'd {
        let last = path.rsplit(['/', ':']).next().unwrap_or(path);
        let named = self.0.get(last).map_or(&[][..], Vec::as_slice);
        let named = named.iter().copied().take_while(|element| {
            element.work(1);
            !element.is_exhausted()
        });
        named.filter(move |element| element.ends(path.split('/')).is_some())
    }
}
