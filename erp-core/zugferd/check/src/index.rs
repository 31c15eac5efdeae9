//! Finds the contexts of an element by its name.

use super::context::{Context, Pattern, Place};
use super::node::local_name;
use super::rule::Rule;
use super::texts::TextMap;

/// A context with its rules.
pub(super) struct Ready {
    pub(super) context: &'static Context,
    pub(super) rules: Vec<Rule>,
}

/// The contexts of a pattern by the local name of the elements they are for.
pub(super) struct Index {
    contexts: Vec<Ready>,
    /// Places in `contexts`.
    by_name: TextMap<'static, Vec<usize>>,
    /// Places of contexts for other names, by their ends.
    by_end: Vec<usize>,
}

impl Index {
    pub(super) fn new(pattern: Pattern) -> Self {
        let mut index = Self {
            contexts: Vec::with_capacity(pattern.len()),
            by_name: TextMap::default(),
            by_end: Vec::new(),
        };
        let mut names: Vec<_> = pattern
            .iter()
            .flat_map(|context| context.place.names())
            .collect();
        names.sort_unstable();
        names.dedup();
        for (place, context) in pattern.iter().enumerate() {
            let mut rules = Vec::new();
            context
                .rules
                .iter()
                .for_each(|table| table.unpack(&mut rules));
            index.contexts.push(Ready { context, rules });
            let end = match context.place {
                Place::Suffix(end) | Place::AnySuffix(end) => {
                    index.by_end.push(place);
                    Some(end)
                }
                _ => None,
            };
            let named = names.iter().copied();
            let named = named.filter(|name| end.is_some_and(|end| name.ends_with(end)));
            for name in named.chain(context.place.names()) {
                // Several paths of a context may end with the same name.
                index.by_name.change(name.into(), |places| {
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                });
            }
        }
        index
    }

    /// All contexts, in their order.
    pub(super) fn all(&self) -> &[Ready] {
        &self.contexts
    }

    /// The contexts that elements of this name may have, in their order.
    pub(super) fn contexts(&self, local: &str) -> impl Iterator<Item = &Ready> {
        let places = self.by_name.get(local).unwrap_or(&self.by_end);
        places.iter().filter_map(|place| self.contexts.get(*place))
    }
}

impl Place {
    /// The local names of the elements; none if they are known by their end only.
    fn names(&'static self) -> impl Iterator<Item = &'static str> {
        let ends = self.paths().iter().filter_map(|path| path.last());
        ends.map(|step| local_name(step))
    }

    /// The paths of the elements, or the ends of their paths; none if they are known by the end of their name only.
    pub(super) const fn paths(&'static self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Path(path) | Self::Anywhere(path) => std::slice::from_ref(path),
            Self::Paths(paths) => paths,
            Self::Suffix(_) | Self::AnySuffix(_) => &[],
        }
    }
}
