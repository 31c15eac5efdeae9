//! The rules of one standard.

use std::sync::OnceLock;

use super::context::Context;
use super::facturx::{Profile, names};
use super::index::Index;
use super::table::{Functions, read};

/// The rules of one standard, in one release.
pub(super) struct RuleSet {
    /// The name with the release, as it is reported.
    pub(super) name: &'static str,
    /// The lists of rules.
    texts: &'static [&'static str],
    /// The conditions that the lists name.
    functions: &'static [Functions],
    /// The profile of Factur-X whose rules these are: those that it has, under its ids.
    profile: Option<Profile>,
    /// The patterns of the lists, read once.
    indices: OnceLock<Vec<Index>>,
}

impl RuleSet {
    pub(super) const fn new(
        name: &'static str,
        texts: &'static [&'static str],
        functions: &'static [Functions],
        profile: Option<Profile>,
    ) -> Self {
        Self {
            name,
            texts,
            functions,
            profile,
            indices: OnceLock::new(),
        }
    }

    /// Whether the first context that matches an element takes it, so that the rules of others are not judged on it.
    pub(super) const fn first_takes(&self) -> bool {
        self.profile.is_none()
    }

    /// Its patterns.
    pub(super) fn indices(&self) -> &[Index] {
        self.indices.get_or_init(|| {
            let patterns = self
                .texts
                .iter()
                .flat_map(|text| read(text, self.functions));
            patterns
                .map(|mut contexts| {
                    if let Some(profile) = self.profile {
                        restrict(&mut contexts, profile);
                    }
                    Index::new(contexts)
                })
                .collect()
        })
    }

    /// Its contexts with their rules.
    pub(super) fn contexts(&'static self) -> impl Iterator<Item = &'static Context> {
        self.indices().iter().flat_map(Index::all)
    }
}

/// Leaves the rules of a profile, with their numbers.
fn restrict(contexts: &mut Vec<Context>, profile: Profile) {
    for context in contexts.iter_mut() {
        context.rules.retain_mut(|rule| {
            let found = names::find(rule.id, profile);
            if let Some((number, severity)) = found {
                (rule.number, rule.severity) = (number, severity);
            }
            found.is_some()
        });
    }
    contexts.retain(|context| !context.rules.is_empty());
}
