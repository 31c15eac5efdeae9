//! Finds the contexts of an element by its name.

use super::context::{Context, ContextPlace, Steps};
use crate::invoice::node::local_name;
use crate::invoice::texts::TextMap;

/// The contexts of a pattern by the local name of the elements they are for.
pub(crate) struct Index {
    contexts: Vec<Context>,
    /// Places in `contexts`.
    by_name: TextMap<'static, Vec<usize>>,
    /// Places of contexts for other names, by their ends.
    by_end: Vec<usize>,
}

impl Index {
    pub(crate) fn new(contexts: Vec<Context>) -> Self {
        let mut by_name: TextMap<'static, Vec<usize>> = TextMap::default();
        let mut by_end = Vec::new();
        let names = contexts.iter().flat_map(|context| context.place.names());
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names.dedup();
        for (place, context) in contexts.iter().enumerate() {
            let end = match context.place {
                ContextPlace::Suffix(end) | ContextPlace::AnySuffix(end) => {
                    by_end.push(place);
                    Some(end)
                }
                _ => None,
            };
            let named = names.iter().copied();
            let named = named.filter(|name| end.is_some_and(|end| name.ends_with(end)));
            for name in named.chain(context.place.names()) {
                // Several paths of a context may end with the same name.
                by_name.change(name.into(), |places| {
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                });
            }
        }
        Self {
            contexts,
            by_name,
            by_end,
        }
    }

    pub(crate) fn all(&self) -> &[Context] {
        &self.contexts
    }

    /// The contexts that elements of this name may have, in their order.
    pub(crate) fn contexts(&self, local: &str) -> impl Iterator<Item = &Context> {
        let places = self.by_name.get(local).unwrap_or(&self.by_end);
        places.iter().filter_map(|place| self.contexts.get(*place))
    }
}

impl ContextPlace {
    /// The local names of the elements; none if they are known by their end only.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        let ends = self.paths().iter().filter_map(|path| path.last());
        ends.map(|step| local_name(step))
    }

    /// The paths of the elements, or the ends of their paths; none if they are known by the end of their name only.
    pub(crate) fn paths(&self) -> &[Steps] {
        match self {
            Self::Anywhere(paths) | Self::Paths(paths) => paths,
            Self::Suffix(_) | Self::AnySuffix(_) => &[],
        }
    }
}
