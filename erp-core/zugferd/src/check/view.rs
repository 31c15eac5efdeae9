//! The invoice as the rules see it: elements by names, paths and typed values.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

use super::abort::Abort;
use super::decimal::{BLANKS, Decimal};
use super::double;
use super::facts::Facts;
use crate::xml::{Element, Tree};

/// The namespaces of an invoice, named by their usual prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespace {
    Ram,
    Rsm,
    Udt,
    Qdt,
    Other,
}

impl Namespace {
    fn of_uri(uri: &str) -> Self {
        let Some(name) = uri.strip_prefix("urn:un:unece:uncefact:data:standard:") else {
            return Self::Other;
        };
        match name {
            "ReusableAggregateBusinessInformationEntity:100" => Self::Ram,
            "CrossIndustryInvoice:100" => Self::Rsm,
            "UnqualifiedDataType:100" => Self::Udt,
            "QualifiedDataType:100" => Self::Qdt,
            _ => Self::Other,
        }
    }

    fn of_prefix(prefix: &str) -> Self {
        match prefix {
            "ram" => Self::Ram,
            "rsm" => Self::Rsm,
            "udt" => Self::Udt,
            "qdt" => Self::Qdt,
            _ => Self::Other,
        }
    }

    /// The usual prefix, with colon.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Ram => "ram:",
            Self::Rsm => "rsm:",
            Self::Udt => "udt:",
            Self::Qdt => "qdt:",
            Self::Other => "*:",
        }
    }
}

/// An invoice.
pub(super) struct View<'a> {
    tree: &'a Tree<'a>,
    /// What each namespace of the document is.
    namespaces: Vec<Namespace>,
    /// Elements that may still be looked at.
    steps: Cell<u64>,
    facts: OnceCell<Facts>,
}

impl<'a> View<'a> {
    pub(super) fn new(tree: &'a Tree<'a>, steps: u64) -> Self {
        Self {
            tree,
            namespaces: tree.namespaces().map(Namespace::of_uri).collect(),
            steps: Cell::new(steps),
            facts: OnceCell::new(),
        }
    }

    pub(super) const fn tree(&self) -> &'a Tree<'a> {
        self.tree
    }

    /// Whether the work became too much; what was judged after that is void.
    pub(super) const fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    fn step(&self) -> bool {
        let left = self.steps.get().saturating_sub(1);
        self.steps.set(left);
        left > 0
    }

    /// The namespace of an element.
    pub(super) fn namespace(&self, element: Element<'_>) -> Namespace {
        let namespace = self.namespaces.get(element.namespace_number());
        namespace.copied().unwrap_or(Namespace::Other)
    }
}

/// Namespace and local name of a step of a path.
fn split_step(step: &str) -> (Namespace, &str) {
    match step.as_bytes().get(3) {
        Some(b':') => {
            let (prefix, local) = step.split_once(':').unwrap_or(("", step));
            (Namespace::of_prefix(prefix), local)
        }
        _ => (Namespace::Ram, step),
    }
}

/// The name of a step without its prefix.
pub(super) fn local_name(step: &'static str) -> &'static str {
    split_step(step).1
}

/// The first step of a path and the rest.
fn split_path(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    }
}

/// An element of an invoice.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    view: &'a View<'a>,
    element: Element<'a>,
}

impl<'a> Node<'a> {
    pub(super) const fn new(view: &'a View<'a>, element: Element<'a>) -> Self {
        Self { view, element }
    }

    pub(super) const fn element(self) -> Element<'a> {
        self.element
    }

    /// The document element.
    pub(super) const fn root(self) -> Self {
        Self::new(self.view, self.view.tree.root())
    }

    /// What the rules ask about the whole document.
    pub(super) fn facts(self) -> &'a Facts {
        self.view.facts.get_or_init(|| Facts::gather(self.root()))
    }

    pub(super) fn is(self, step: &str) -> bool {
        let (namespace, local) = split_step(step);
        self.element.local() == local && self.view.namespace(self.element) == namespace
    }

    /// Whether it is in the namespace `ram`.
    pub(super) fn is_ram(self) -> bool {
        self.view.namespace(self.element) == Namespace::Ram
    }

    pub(super) fn up(self) -> Option<Self> {
        self.element
            .parent()
            .map(|parent| Self::new(self.view, parent))
    }

    /// Whether an element around it has this name.
    pub(super) fn is_inside(self, step: &str) -> bool {
        let mut around = self.up();
        while let Some(node) = around {
            if node.is(step) {
                return true;
            }
            around = node.up();
        }
        false
    }

    pub(super) fn attribute(self, name: &str) -> Option<&'a str> {
        self.element.attribute(name)
    }

    pub(super) fn text(self) -> Cow<'a, str> {
        self.element.text()
    }

    /// All elements inside, in the order of the document.
    pub(super) fn descendants(self) -> impl Iterator<Item = Self> {
        let view = self.view;
        self.element
            .descendants()
            .map(|element| Self { view, element })
    }

    /// The name with the usual prefix.
    pub(super) fn name(self) -> String {
        format!(
            "{}{}",
            self.view.namespace(self.element).prefix(),
            self.element.local()
        )
    }

    /// Whether the work became too much.
    pub(super) const fn is_exhausted(self) -> bool {
        self.view.is_exhausted()
    }

    /// All children.
    pub(super) fn every_child(self) -> impl Iterator<Item = Self> {
        let view = self.view;
        let children = self.element.children().take_while(|_| view.step());
        children.map(|element| Self { view, element })
    }

    /// The children with this name.
    pub(super) fn children(self, step: &str) -> impl Iterator<Item = Self> {
        let view = self.view;
        let children = self.element.children().take_while(|_| view.step());
        let nodes = children.map(|element| Self { view, element });
        nodes.filter(move |node| node.is(step))
    }

    /// Calls for each element of a path (`..` is the element around) until one call returns true; whether one did.
    fn find(self, path: &str, found: &mut dyn FnMut(Self) -> bool) -> bool {
        let (step, rest) = split_path(path);
        if let Some(name) = step.strip_prefix('@') {
            return self.attribute(name).is_some() && found(self);
        }
        let mut reach = |node: Self| match rest {
            Some(rest) => node.find(rest, found),
            None => found(node),
        };
        if step == ".." {
            return self.up().is_some_and(reach);
        }
        self.children(step).any(&mut reach)
    }

    /// Whether there is something at the path, which may end with an attribute.
    pub(super) fn has(self, path: &str) -> bool {
        self.find(path, &mut |_| true)
    }

    pub(super) fn count(self, path: &str) -> usize {
        self.all(path).len()
    }

    /// The elements at the path; those that have the attribute where it ends with one.
    pub(super) fn all(self, path: &str) -> Vec<Self> {
        let mut nodes = Vec::new();
        self.find(path, &mut |node| {
            nodes.push(node);
            false
        });
        nodes
    }

    pub(super) fn first(self, path: &str) -> Option<Self> {
        let mut first = None;
        self.find(path, &mut |node| {
            first = Some(node);
            true
        });
        first
    }

    /// Whether one of the elements has exactly this text.
    pub(super) fn has_text(self, path: &str, text: &str) -> bool {
        self.find(path, &mut |node| node.text() == text)
    }

    /// The only element at the path; more than one stop the official artefacts.
    pub(super) fn only(self, path: &str) -> Result<Option<Self>, Abort> {
        let nodes = self.all(path);
        match nodes.as_slice() {
            [] => Ok(None),
            [node] => Ok(Some(*node)),
            _ => Err(Abort::several(path)),
        }
    }

    /// The text of the only element or attribute at the path, empty without one.
    pub(super) fn only_text(self, path: &str) -> Result<Cow<'a, str>, Abort> {
        let attribute = path.rsplit_once('@').map(|(_, name)| name);
        Ok(match (self.only(path)?, attribute) {
            (None, _) => Cow::Borrowed(""),
            (Some(node), None) => node.text(),
            (Some(node), Some(name)) => Cow::Borrowed(node.attribute(name).unwrap_or_default()),
        })
    }

    /// Whether the only element or attribute at the path has more than white space.
    pub(super) fn is_filled(self, path: &str) -> Result<bool, Abort> {
        Ok(!is_blank(&self.only_text(path)?))
    }

    /// The first number at the path.
    pub(super) fn first_decimal(self, path: &str) -> Result<Option<Decimal>, Abort> {
        let node = self.first(path);
        node.map(|node| Decimal::parse(&node.text())).transpose()
    }

    /// The only number at the path.
    pub(super) fn decimal(self, path: &str) -> Result<Option<Decimal>, Abort> {
        let node = self.only(path)?;
        node.map(|node| Decimal::parse(&node.text())).transpose()
    }

    pub(super) fn double(self) -> Result<f64, Abort> {
        double::parse(&self.text())
    }

    /// Whether one of the numbers at the path, taken as doubles, passes.
    pub(super) fn any_double(
        self,
        path: &str,
        passes: impl Fn(f64) -> bool,
    ) -> Result<bool, Abort> {
        for node in self.all(path) {
            if passes(node.double()?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether one of the indicators of an allowance or charge is this boolean (`true`, `false`, `1` or `0`).
    pub(super) fn indicates(self, charge: bool) -> Result<bool, Abort> {
        for node in self.all(INDICATOR) {
            if boolean(&node.text())? == charge {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// As [`Node::indicates`] for the only indicator, which must be there.
    pub(super) fn must_indicate(self, charge: bool) -> Result<bool, Abort> {
        let node = self.only(INDICATOR)?;
        let node = node.ok_or_else(|| Abort::missing(INDICATOR))?;
        Ok(boolean(&node.text())? == charge)
    }

    /// Whether the only tax type is VAT in any case; more than one stop the official artefacts.
    pub(super) fn is_vat(self) -> Result<bool, Abort> {
        Ok(self.only_text("TypeCode")?.to_uppercase() == "VAT")
    }
}

/// The indicator of an allowance or charge.
const INDICATOR: &str = "ChargeIndicator/udt:Indicator";

fn boolean(text: &str) -> Result<bool, Abort> {
    match text.trim_matches(BLANKS) {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Abort::not_a_boolean(text)),
    }
}

/// Whether there is only white space of XML.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim_matches(BLANKS).is_empty()
}

/// White space at the ends removed and inside reduced to one blank.
pub(super) fn normalize(text: &str) -> String {
    let words = text.split(BLANKS).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}
