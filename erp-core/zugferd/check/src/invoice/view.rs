//! The invoice as the rules see it: its namespaces by name, and the work that is left.

use std::cell::Cell;

use super::syntax::{self, Syntax};
use crate::limits::CheckLimits;
use crate::xml::{Element, Tree};

/// The namespaces of an invoice, named by their usual prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Namespace {
    Ram,
    Rsm,
    Udt,
    Qdt,
    /// UBL: groups, elements with a value, and extensions.
    Cac,
    Cbc,
    Ext,
    /// The document element of a UBL invoice, and of a UBL credit note.
    Ubl,
    Cn,
    Other,
}

impl Namespace {
    pub(crate) fn of_uri(uri: &str) -> Self {
        if let Some(name) = uri.strip_prefix("urn:un:unece:uncefact:data:standard:") {
            return match name {
                "ReusableAggregateBusinessInformationEntity:100" => Self::Ram,
                "CrossIndustryInvoice:100" => Self::Rsm,
                "UnqualifiedDataType:100" => Self::Udt,
                "QualifiedDataType:100" => Self::Qdt,
                _ => Self::Other,
            };
        }
        match uri.strip_prefix("urn:oasis:names:specification:ubl:schema:xsd:") {
            Some("CommonAggregateComponents-2") => Self::Cac,
            Some("CommonBasicComponents-2") => Self::Cbc,
            Some("CommonExtensionComponents-2") => Self::Ext,
            Some("Invoice-2") => Self::Ubl,
            Some("CreditNote-2") => Self::Cn,
            _ => Self::Other,
        }
    }

    pub(crate) fn of_prefix(prefix: &str) -> Self {
        match prefix {
            "ram" => Self::Ram,
            "rsm" => Self::Rsm,
            "udt" => Self::Udt,
            "qdt" => Self::Qdt,
            "cac" => Self::Cac,
            "cbc" => Self::Cbc,
            "ext" => Self::Ext,
            "ubl" => Self::Ubl,
            "cn" => Self::Cn,
            _ => Self::Other,
        }
    }

    /// The usual prefix, with colon.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Ram => "ram:",
            Self::Rsm => "rsm:",
            Self::Udt => "udt:",
            Self::Qdt => "qdt:",
            Self::Cac => "cac:",
            Self::Cbc => "cbc:",
            Self::Ext => "ext:",
            Self::Ubl => "ubl:",
            Self::Cn => "cn:",
            Self::Other => "*:",
        }
    }
}

/// Children that are looked through one by one, which is faster than sorting so few.
const FEW: usize = 32;

pub(crate) struct View<'a> {
    tree: &'a Tree<'a>,
    /// What each namespace of the document is.
    namespaces: Vec<Namespace>,
    /// By the numbers of elements with many children: these by their names, for rules ask for one name.
    many: Vec<(u32, Vec<Element<'a>>)>,
    /// What the document calls things.
    syntax: &'static Syntax,
    /// Steps that are left.
    steps: Cell<u64>,
    keep_going: fn() -> bool,
}

impl<'a> View<'a> {
    pub(crate) fn new(tree: &'a Tree<'a>, limits: &CheckLimits) -> Self {
        let mut view = Self {
            tree,
            namespaces: tree.namespaces().map(Namespace::of_uri).collect(),
            many: Vec::new(),
            syntax: &syntax::CII,
            steps: Cell::new(limits.steps),
            keep_going: limits.keep_going,
        };
        for parent in tree.elements() {
            if parent.children().nth(FEW).is_some() {
                let mut children: Vec<_> = parent.children().collect();
                children.sort_by_key(|child| view.name(*child));
                view.many.push((parent.index(), children));
            }
        }
        if matches!(view.namespace(tree.root()), Namespace::Ubl | Namespace::Cn) {
            view.syntax = &syntax::UBL;
        }
        view
    }

    pub(crate) const fn syntax(&self) -> &'static Syntax {
        self.syntax
    }

    pub(crate) const fn tree(&self) -> &'a Tree<'a> {
        self.tree
    }

    /// Whether the work became too much; what was judged after that is void.
    pub(crate) const fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// Takes a step; whether there was one left.
    pub(crate) fn step(&self) -> bool {
        self.take(1);
        !self.is_exhausted()
    }

    /// Takes steps; all that are left if the report is not wanted any more.
    pub(crate) fn take(&self, steps: u64) {
        let left = self.steps.get();
        let rest = left.saturating_sub(steps);
        // Asking takes longer than most steps.
        let goes_on = left >> 10 == rest >> 10 || (self.keep_going)();
        self.steps.set(if goes_on { rest } else { 0 });
    }

    /// What children are sorted by: one name may be in several unknown namespaces.
    fn name(&self, element: Element<'a>) -> (Namespace, &'a str, usize) {
        let namespace = self.namespace(element);
        (namespace, element.local(), element.namespace_number())
    }

    /// The children of an element that has many, sorted; none of another.
    pub(crate) fn many(&self, parent: Element<'_>) -> &[Element<'a>] {
        let number = |(number, _): &(u32, _)| *number;
        let place = self.many.binary_search_by_key(&parent.index(), number);
        let many = place.ok().and_then(|place| self.many.get(place));
        many.map_or(&[], |(_, children)| children)
    }

    /// Those of sorted children that have this name, in the order of the document.
    pub(crate) fn named(
        &self,
        many: &[Element<'a>],
        wanted: (Namespace, &str),
    ) -> impl Iterator<Item = Element<'a>> {
        let name = |child: &Element<'a>| (self.namespace(*child), child.local());
        self.take(u64::from(many.len().checked_ilog2().unwrap_or(0)));
        let from = many.partition_point(|child| name(child) < wanted);
        let from = many.iter().skip(from).copied();
        from.take_while(move |child| name(child) == wanted)
    }

    /// The number of an element among its siblings of the same name, from 1.
    pub(crate) fn number(&self, element: Element<'a>) -> usize {
        let Some(parent) = element.parent() else {
            return 1;
        };
        let (name, many) = (self.name(element), self.many(parent));
        let is_until =
            |child: &Element<'a>| (self.name(*child), child.index()) <= (name, element.index());
        if many.is_empty() {
            let same = parent.children().filter(|child| self.name(*child) == name);
            return same.filter(is_until).count();
        }
        let before = many.partition_point(|child| self.name(*child) < name);
        many.partition_point(is_until) - before
    }

    pub(crate) fn namespace(&self, element: Element<'_>) -> Namespace {
        let namespace = self.namespaces.get(element.namespace_number());
        namespace.copied().unwrap_or(Namespace::Other)
    }
}
