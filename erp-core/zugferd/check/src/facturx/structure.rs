//! Which elements and attributes a profile has, how often, and with which codes: `structure.txt`.
//!
//! A line is an element inside the element of the line before it that is indented less. `[…]` after a name says
//! which kind of the element is meant. Then come the checks:
//!
//! ```text
//! =Name  exactly one         <Name  at most one          2Name  at most two     >Name  at least one
//! !name  attribute required  ?name=list  code of an attribute    ?.=list  code of the element
//! -name  attribute not used  -  element not used
//! ```
//!
//! Each ends with `:` and the number of the rule with the profiles that have it: `M`inimum, Basic `W`L, `B`asic,
//! `E`N 16931, e`X`tended. The order of the lines decides which of several matching ones takes an element: the
//! first with a check of the profile.

use std::sync::OnceLock;

use smallvec::SmallVec;

use super::kinds::Kinds;
use super::{Profile, codes};
use crate::invoice::document::Document;
use crate::invoice::node::Node;

static TABLE: &str = include_str!("structure.txt");

pub(super) struct Line {
    pub(super) name: &'static str,
    pub(super) kind: Option<&'static str>,
    checks: &'static str,
    /// The number of the first line after those inside this one.
    end: usize,
}

/// The condition of a check.
#[derive(Clone, Copy)]
pub(super) enum StructureCheck {
    ExactlyOne(&'static str),
    AtMost(usize, &'static str),
    AtLeastOne(&'static str),
    AttributeRequired(&'static str),
    /// The code of an attribute, or of the element itself when the name is `.`, and the list.
    Code(&'static str, &'static str),
    AttributeNotUsed(&'static str),
    NotUsed,
}

pub(super) fn lines() -> &'static [Line] {
    static LINES: OnceLock<Vec<Line>> = OnceLock::new();
    LINES.get_or_init(read)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn read() -> Vec<Line> {
    let texts: Vec<_> = TABLE.lines().collect();
    let mut lines: Vec<Line> = Vec::with_capacity(texts.len());
    // From the last to the first line: those after it are known.
    for (number, text) in texts.iter().enumerate().rev() {
        let mut end = number + 1;
        while texts.get(end).is_some_and(|next| depth(next) > depth(text)) {
            let next = lines.get(texts.len() - 1 - end);
            end = next.map_or(end + 1, |next| next.end);
        }
        let text = text.trim_start_matches(' ');
        let (name, checks) = text.split_once(' ').unwrap_or((text, ""));
        let (name, kind) = split_kind(name);
        lines.push(Line {
            name,
            kind,
            checks,
            end,
        });
    }
    lines.reverse();
    lines
}

/// A name, and the kind of the element that is meant.
fn split_kind(name: &str) -> (&str, Option<&str>) {
    match name.split_once('[') {
        Some((name, kind)) => (name, kind.strip_suffix(']')),
        None => (name, None),
    }
}

/// The lines directly inside a line.
pub(super) fn inside(line: usize) -> impl Iterator<Item = (usize, &'static Line)> {
    let end = lines().get(line).map_or(0, |line| line.end);
    let mut next = line + 1;
    std::iter::from_fn(move || {
        let line = lines().get(next).filter(|_| next < end)?;
        let number = std::mem::replace(&mut next, line.end);
        Some((number, line))
    })
}

fn subject(text: &'static str) -> Option<StructureCheck> {
    let rest = text.get(1..)?;
    Some(match text.as_bytes().first()? {
        b'=' => StructureCheck::ExactlyOne(rest),
        b'<' => StructureCheck::AtMost(1, rest),
        b'2' => StructureCheck::AtMost(2, rest),
        b'>' => StructureCheck::AtLeastOne(rest),
        b'!' => StructureCheck::AttributeRequired(rest),
        b'?' => {
            let (name, list) = rest.split_once('=')?;
            StructureCheck::Code(name, list)
        }
        _ if rest.is_empty() => StructureCheck::NotUsed,
        _ => StructureCheck::AttributeNotUsed(rest),
    })
}

/// The checks of a line that a profile has, with the numbers of their rules.
pub(super) fn checks(line: &Line, profile: Profile) -> impl Iterator<Item = (StructureCheck, u32)> {
    line.checks.split(' ').filter_map(move |check| {
        let (what, rules) = check.rsplit_once(':')?;
        let rule = rules.split(',').find_map(|rule| {
            let letters = rule.trim_start_matches(|letter: char| letter.is_ascii_digit());
            let number = rule.strip_suffix(letters)?;
            let has_rule = letters.contains(profile.letter());
            has_rule.then(|| number.parse().unwrap_or(0))
        })?;
        Some((subject(what)?, rule))
    })
}

/// How many children have the name, which may have a kind.
fn count(element: Node<'_>, name: &str, kinds: &Kinds<'_>) -> usize {
    let (name, kind) = split_kind(name);
    let children = element.children(name);
    children.filter(|child| kinds.is(*child, kind)).count()
}

impl StructureCheck {
    fn holds(self, element: Node<'_>, kinds: &Kinds<'_>) -> bool {
        match self {
            Self::ExactlyOne(name) => count(element, name, kinds) == 1,
            Self::AtMost(most, name) => count(element, name, kinds) <= most,
            Self::AtLeastOne(name) => count(element, name, kinds) >= 1,
            Self::AttributeRequired(name) => element.attribute(name).is_some(),
            Self::AttributeNotUsed(name) => element.attribute(name).is_none(),
            Self::NotUsed => false,
            Self::Code(".", list) => {
                let text = element.text();
                text.is_empty() || codes::contains(list, &text)
            }
            Self::Code(name, list) => {
                let value = element.attribute(name).unwrap_or_default();
                value.is_empty() || codes::contains(list, value)
            }
        }
    }
}

/// The lines that an element matches, in the order of the table.
type Matches = SmallVec<[usize; 4]>;

/// Takes a broken check with its element, the number of its rule, and whether only this kind of the element is meant.
type Take<'t, 'a> = dyn FnMut(Node<'a>, StructureCheck, u32, bool) + 't;

/// Walks the document and the table at the same time.
struct Walk<'w, 'a> {
    profile: Profile,
    kinds: Kinds<'a>,
    report: &'w mut Take<'w, 'a>,
}

impl<'a> Walk<'_, 'a> {
    fn visit(&mut self, element: Node<'a>, matches: &Matches) {
        // The checks are texts that are taken apart.
        element.work(8);
        let mut matched = matches.iter().filter_map(|number| lines().get(*number));
        let line = matched.find(|line| checks(line, self.profile).next().is_some());
        for (check, number) in line.into_iter().flat_map(|line| checks(line, self.profile)) {
            if !check.holds(element, &self.kinds) {
                let kind = line.and_then(|line| line.kind).is_some();
                (self.report)(element, check, number, kind);
            }
        }
        for child in element.every_child() {
            let inner = matches.iter().flat_map(|line| inside(*line));
            let fits = |line: &Line| child.is(line.name) && self.kinds.is(child, line.kind);
            let inner = inner.filter_map(|(number, line)| fits(line).then_some(number));
            let inner: Matches = inner.collect();
            if !inner.is_empty() {
                self.visit(child, &inner);
            }
        }
    }
}

/// Checks the document against the lines of a profile.
pub(super) fn run<'a>(document: &'a Document<'a>, profile: Profile, report: &mut Take<'_, 'a>) {
    let root = document.root;
    if lines().first().is_some_and(|line| root.is(line.name)) {
        let kinds = Kinds::new(document);
        let mut walk = Walk {
            profile,
            kinds,
            report,
        };
        walk.visit(root, &SmallVec::from_slice(&[0]));
    }
}
