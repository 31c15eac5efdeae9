//! The elements of an invoice by names and paths.

use std::borrow::Cow;

use super::syntax::Syntax;
use super::view::{Namespace, View};
use crate::xml::Element;

/// Namespace and local name of a step of a path.
fn split_step(step: &str) -> (Namespace, &str) {
    match step.as_bytes() {
        [_, _, b':', ..] | [_, _, _, b':', ..] => {
            let (prefix, local) = step.split_once(':').unwrap_or(("", step));
            (Namespace::of_prefix(prefix), local)
        }
        _ => (Namespace::Ram, step),
    }
}

/// The step of UBL for lines of invoices and of credit notes.
const ANY_LINE: &str = "*Line";

/// Whether an element of this local name is meant by that of a step.
fn is_named(local: &str, wanted: &str) -> bool {
    local == wanted || (wanted == ANY_LINE && matches!(local, "InvoiceLine" | "CreditNoteLine"))
}

pub(crate) fn local_name(step: &str) -> &str {
    split_step(step).1
}

/// The first step of a path and the rest.
fn split_path(path: &str) -> (&str, Option<&str>) {
    match path.split_once('/') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    view: &'a View<'a>,
    element: Element<'a>,
}

impl<'a> Node<'a> {
    pub(crate) const fn new(view: &'a View<'a>, element: Element<'a>) -> Self {
        Self { view, element }
    }

    pub(crate) const fn element(self) -> Element<'a> {
        self.element
    }

    /// Whether the work became too much.
    pub(crate) const fn is_exhausted(self) -> bool {
        self.view.is_exhausted()
    }

    pub(crate) const fn root(self) -> Self {
        Self::new(self.view, self.view.tree().root())
    }

    pub(crate) fn is(self, step: &str) -> bool {
        let (namespace, local) = split_step(step);
        is_named(self.element.local(), local) && self.view.namespace(self.element) == namespace
    }

    /// Whether it is in none of the namespaces of an invoice.
    pub(crate) fn is_foreign(self) -> bool {
        self.view.namespace(self.element) == Namespace::Other
    }

    pub(crate) const fn syntax(self) -> &'static Syntax {
        self.view.syntax()
    }

    /// Whether it is the document element of a UBL credit note.
    pub(crate) fn is_credit_note(self) -> bool {
        self.view.namespace(self.element) == Namespace::Cn
    }

    pub(crate) fn is_ram(self) -> bool {
        self.view.namespace(self.element) == Namespace::Ram
    }

    pub(crate) fn up(self) -> Option<Self> {
        Some(Self::new(self.view, self.element.parent()?))
    }

    /// Whether an element around it has this name.
    pub(crate) fn is_inside(self, step: &str) -> bool {
        std::iter::successors(self.up(), |node| node.up()).any(|node| node.is(step))
    }

    /// The element of the first step, if the names around this element and its own one end with the steps.
    pub(crate) fn ends<'s>(self, steps: impl DoubleEndedIterator<Item = &'s str>) -> Option<Self> {
        let mut first = None;
        let mut next = Some(self);
        for step in steps.rev() {
            first = Some(next.filter(|node| node.is(step))?);
            next = first.and_then(Self::up);
        }
        first
    }

    /// Takes the steps for work that does not look at elements.
    pub(crate) fn work(self, steps: u64) {
        self.view.take(steps);
    }

    /// Takes the steps for a search through the attributes.
    fn look_through(self) {
        self.work(1 + self.element.attributes().count() as u64 / 8);
    }

    pub(crate) fn attribute(self, name: &str) -> Option<&'a str> {
        self.look_through();
        self.element.attribute(name)
    }

    /// The names of the attributes without namespace.
    pub(crate) fn attribute_names(self) -> impl Iterator<Item = &'a str> {
        self.look_through();
        let attributes = self.element.attributes();
        let own = attributes.filter(|attribute| attribute.namespace().is_empty());
        own.map(|attribute| attribute.local())
    }

    /// The text with that of the elements inside; empty after the work became too much.
    pub(crate) fn text(self) -> Cow<'a, str> {
        if self.is_exhausted() {
            return Cow::Borrowed("");
        }
        let text = self.element.text();
        self.view.take(1 + text.len() as u64 / 64);
        text
    }

    /// All elements inside, in the order of the document.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Self> {
        let (view, inside) = (self.view, self.element.descendants());
        inside.map(|element| Self { view, element })
    }

    /// The name with the usual prefix.
    pub(crate) fn name(self) -> String {
        let prefix = self.view.namespace(self.element).prefix();
        format!("{prefix}{}", self.element.local())
    }

    /// A name in a value, its prefix replaced by the usual one; `None` if it is declared nowhere around.
    pub(crate) fn usual_name(self, name: &str) -> Option<String> {
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let declared = |node: Self| {
            node.look_through();
            node.element
                .declarations()
                .find(|(known, _)| *known == prefix)
        };
        let (_, uri) = std::iter::successors(Some(self), |node| node.up()).find_map(declared)?;
        Some(format!("{}{local}", Namespace::of_uri(uri).prefix()))
    }

    /// Whether the start tag is written so, with its own prefix.
    pub(crate) fn starts_as(self, text: &str) -> bool {
        let rest = self.view.tree().text().get(self.element.offset()..);
        rest.is_some_and(|rest| rest.starts_with(text))
    }

    /// All children. The search counts as a step even if there are none.
    pub(crate) fn every_child(self) -> impl Iterator<Item = Self> {
        let view = self.view;
        view.step();
        let children = self.element.children().take_while(|_| view.step());
        children.map(|element| Self { view, element })
    }

    pub(crate) fn children(self, step: &str) -> impl Iterator<Item = Self> {
        let view = self.view;
        let (namespace, local) = split_step(step);
        view.step();
        let many = Some(view.many(self.element)).filter(|_| local != ANY_LINE);
        let many = many.unwrap_or_default();
        let few = many.is_empty().then(|| self.element.children());
        let few = few.into_iter().flatten().take_while(|_| view.step());
        let few = few.filter(move |child| {
            is_named(child.local(), local) && view.namespace(*child) == namespace
        });
        let named = view.named(many, (namespace, local));
        let named = few.chain(named.take_while(|_| view.step()));
        named.map(|element| Self { view, element })
    }

    /// Calls for each element of a path (`..` is the element around, `.` itself) until one call returns true; whether one did.
    pub(crate) fn find(self, path: &str, found: &mut dyn FnMut(Self) -> bool) -> bool {
        let (step, rest) = split_path(path);
        if let Some(name) = step.strip_prefix('@') {
            return self.attribute(name).is_some() && found(self);
        }
        let mut reach = |node: Self| match rest {
            Some(rest) => node.find(rest, found),
            None => found(node),
        };
        if step == "." {
            return reach(self);
        }
        if step == ".." {
            return self.up().is_some_and(reach);
        }
        self.children(step).any(&mut reach)
    }

    /// Whether there is something at the path, which may end with an attribute.
    pub(crate) fn has(self, path: &str) -> bool {
        self.find(path, &mut |_| true)
    }

    /// Whether an alternative of [`Test::Any`](crate::engine::rule::Test::Any) holds.
    pub(crate) fn meets(self, alternative: &str) -> bool {
        if let Some(path) = alternative.strip_prefix('!') {
            return !self.has(path);
        }
        match alternative.split_once('=') {
            None => self.has(alternative),
            Some((path, text)) => match path.rsplit_once('@') {
                None => self.has_text(path, text),
                Some((_, name)) => self.find(path, &mut |node| node.attribute(name) == Some(text)),
            },
        }
    }

    pub(crate) fn count(self, path: &str) -> usize {
        self.all(path).len()
    }

    /// The elements at the path; those that have the attribute where it ends with one.
    pub(crate) fn all(self, path: &str) -> Vec<Self> {
        let mut nodes = Vec::new();
        self.find(path, &mut |node| {
            nodes.push(node);
            false
        });
        nodes
    }

    pub(crate) fn first(self, path: &str) -> Option<Self> {
        let mut first = None;
        self.find(path, &mut |node| {
            first = Some(node);
            true
        });
        first
    }

    /// Whether one of the elements has exactly this text.
    pub(crate) fn has_text(self, path: &str, text: &str) -> bool {
        self.find(path, &mut |node| node.text() == text)
    }
}
