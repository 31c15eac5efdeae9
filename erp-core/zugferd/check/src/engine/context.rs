//! Which elements rules are judged at.

use super::rule::{Rule, Test};
use crate::invoice::categories::Category;

/// Which elements some rules are judged at.
pub(crate) struct Context {
    pub(crate) place: ContextPlace,
    /// What else must hold for the element; an error counts as no.
    pub(crate) when: Option<Test>,
    /// The VAT category, for rules that exist for each.
    pub(crate) category: Option<&'static Category>,
    /// The number of its line: those of several categories have one.
    pub(crate) line: usize,
    pub(crate) rules: Vec<Rule>,
}

/// A path from the outermost element that it names. Names as in paths.
pub(crate) type Steps = Vec<&'static str>;

#[derive(Clone)]
pub(crate) enum ContextPlace {
    /// One of these paths from the document element.
    Paths(Vec<Steps>),
    /// The end of one of these paths, anywhere.
    Anywhere(Vec<Steps>),
    /// Any element of `ram` whose name ends like this.
    Suffix(&'static str),
    /// Any element of any namespace whose name ends like this.
    AnySuffix(&'static str),
}

impl ContextPlace {
    /// Takes a path as it is written in lists of rules.
    pub(crate) fn add(&mut self, text: &'static str) {
        let steps = |path: &'static str| path.split('/').collect();
        match (text.strip_prefix('/'), text.strip_prefix('*')) {
            (Some(path), _) => {
                if let Self::Paths(paths) = self {
                    paths.push(steps(path));
                }
            }
            (None, Some(end)) => {
                *self = match end.strip_prefix(":*") {
                    Some(end) => Self::AnySuffix(end),
                    None => Self::Suffix(end),
                };
            }
            (None, None) => match self {
                Self::Anywhere(paths) => paths.push(steps(text)),
                _ => *self = Self::Anywhere(vec![steps(text)]),
            },
        }
    }

    pub(crate) fn is_document(&self) -> bool {
        matches!(self, Self::Paths(paths) if paths.iter().all(|path| path.len() == 1))
    }
}
