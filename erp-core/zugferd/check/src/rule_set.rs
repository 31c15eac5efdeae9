//! The rules of one standard.

use std::sync::OnceLock;

use super::context::Pattern;
use super::index::{Index, Ready};

/// The rules of one standard, in one release.
pub(super) struct RuleSet {
    /// The name with the release, as it is reported.
    pub(super) name: &'static str,
    patterns: &'static [Pattern],
    /// The patterns with their rules read, made once.
    indices: OnceLock<Vec<Index>>,
}

impl RuleSet {
    pub(super) const fn new(name: &'static str, patterns: &'static [Pattern]) -> Self {
        Self {
            name,
            patterns,
            indices: OnceLock::new(),
        }
    }

    /// Its patterns.
    pub(super) fn indices(&self) -> &[Index] {
        self.indices.get_or_init(|| {
            let patterns = self.patterns.iter();
            patterns.map(|pattern| Index::new(pattern)).collect()
        })
    }

    /// Its contexts with their rules.
    pub(super) fn contexts(&'static self) -> impl Iterator<Item = &'static Ready> {
        self.indices().iter().flat_map(Index::all)
    }
}
