//! The invoice as the rules see it: its namespaces by name, and the work that is left.

use std::cell::Cell;

use super::syntax::{self, Syntax};
use crate::xml::{Element, Tree};

/// The namespaces of an invoice, named by their usual prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    fn of_uri(uri: &str) -> Self {
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

/// An invoice.
pub(crate) struct View<'a> {
    tree: &'a Tree<'a>,
    /// What each namespace of the document is.
    namespaces: Vec<Namespace>,
    /// What the document calls things.
    syntax: &'static Syntax,
    /// Steps that are left.
    steps: Cell<u64>,
}

impl<'a> View<'a> {
    pub(crate) fn new(tree: &'a Tree<'a>, steps: u64) -> Self {
        let mut view = Self {
            tree,
            namespaces: tree.namespaces().map(Namespace::of_uri).collect(),
            syntax: &syntax::CII,
            steps: Cell::new(steps),
        };
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

    /// Takes the steps for reading a text of this length.
    pub(crate) fn read(&self, bytes: usize) {
        self.take(1 + bytes as u64 / 64);
    }

    /// Counts the steps of a search through this many attributes.
    pub(crate) fn look_through(&self, attributes: usize) {
        self.take(1 + attributes as u64 / 8);
    }

    /// Takes steps.
    pub(crate) fn take(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_sub(steps));
    }

    /// The namespace of an element.
    pub(crate) fn namespace(&self, element: Element<'_>) -> Namespace {
        let namespace = self.namespaces.get(element.namespace_number());
        namespace.copied().unwrap_or(Namespace::Other)
    }
}
