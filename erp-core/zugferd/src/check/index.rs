//! Finds the contexts of an element by its name.

use std::collections::BTreeMap;

use super::node::local_name;
use super::rule::{Context, Pattern, Place};

/// The contexts of a pattern by the local name of the elements they are for.
pub(super) struct Index {
    by_name: BTreeMap<&'static str, Vec<&'static Context>>,
    /// Contexts for other names, by their ends.
    by_end: Vec<&'static Context>,
}

impl Index {
    pub(super) fn new(pattern: Pattern) -> Self {
        let mut by_name: BTreeMap<&'static str, Vec<&'static Context>> = BTreeMap::new();
        for name in pattern.iter().flat_map(|context| context.place.names()) {
            by_name.entry(name).or_default();
        }
        let mut by_end = Vec::new();
        for context in pattern {
            if let Place::Suffix(end) | Place::AnySuffix(end) = context.place {
                by_end.push(context);
                let named = by_name.iter_mut().filter(|(name, _)| name.ends_with(end));
                named.for_each(|(_, contexts)| contexts.push(context));
            }
            for name in context.place.names() {
                let contexts = by_name.entry(name).or_default();
                // Several paths of a context may end with the same name.
                if contexts
                    .last()
                    .is_none_or(|last| !std::ptr::eq(*last, context))
                {
                    contexts.push(context);
                }
            }
        }
        Self { by_name, by_end }
    }

    /// The contexts that elements of this name may have, in their order.
    pub(super) fn contexts(&self, local: &str) -> &[&'static Context] {
        self.by_name.get(local).unwrap_or(&self.by_end)
    }
}

impl Place {
    /// The local names of the elements; none if they are known by their end only.
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        let paths = match self {
            Self::Path(path) | Self::Anywhere(path) => std::slice::from_ref(path),
            Self::Paths(paths) => paths,
            Self::Suffix(_) | Self::AnySuffix(_) => &[],
        };
        paths
            .iter()
            .filter_map(|path| path.last().map(|step| local_name(step)))
    }
}
