//! The rules of one standard.

use std::sync::OnceLock;

use super::context::Context;
use super::index::Index;
use super::table::{Functions, read};
use crate::report::Severity;

/// The number of a rule in a profile of Factur-X, if it has one, and the severity of breaking it; `None` if the profile
/// does not have the rule.
pub(crate) type InProfile = fn(&str) -> Option<(Option<u32>, Severity)>;

/// The rules of one standard, in one release.
pub(crate) struct RuleSet {
    /// The name with the release, as it is reported.
    pub(crate) name: &'static str,
    texts: &'static [&'static str],
    /// The conditions that the lists name.
    functions: &'static [Functions],
    /// Lists of another set: a rule without sentences has those of the rule of the same id there.
    sentences: &'static [&'static str],
    /// Which of the rules a profile of Factur-X has, and how; without it all are judged as they are written.
    profile: Option<InProfile>,
    /// The patterns of the lists, read once.
    indices: OnceLock<Vec<Index>>,
}

impl RuleSet {
    pub(crate) const fn new(
        name: &'static str,
        texts: &'static [&'static str],
        functions: &'static [Functions],
        profile: Option<InProfile>,
    ) -> Self {
        Self {
            name,
            texts,
            functions,
            sentences: &[],
            profile,
            indices: OnceLock::new(),
        }
    }

    /// With sentences of other lists.
    pub(crate) const fn with_sentences(mut self, lists: &'static [&'static str]) -> Self {
        self.sentences = lists;
        self
    }

    /// Whether the first context that matches an element takes it, so that the rules of others are not judged on it.
    pub(crate) const fn first_takes(&self) -> bool {
        self.profile.is_none()
    }

    pub(crate) fn indices(&self) -> &[Index] {
        self.indices.get_or_init(|| {
            let texts = self.texts.iter();
            let patterns = texts.flat_map(|text| read(text, self.functions, self.sentences));
            let indices = patterns.map(|mut contexts| {
                if let Some(profile) = self.profile {
                    restrict(&mut contexts, profile);
                }
                Index::new(contexts)
            });
            indices.collect()
        })
    }

    pub(crate) fn contexts(&'static self) -> impl Iterator<Item = &'static Context> {
        self.indices().iter().flat_map(Index::all)
    }
}

/// Leaves the rules of a profile, with their numbers.
fn restrict(contexts: &mut Vec<Context>, profile: InProfile) {
    for context in contexts.iter_mut() {
        context.rules.retain_mut(|rule| {
            let found = profile(&rule.name_of(context.category));
            if let Some((number, severity)) = found {
                (rule.number, rule.severity) = (number, severity);
            }
            found.is_some()
        });
    }
    contexts.retain(|context| !context.rules.is_empty());
}
