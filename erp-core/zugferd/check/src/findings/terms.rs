//! Names of business terms and groups of EN 16931, in English and German (`terms.txt`), and the terms of elements.

use std::sync::OnceLock;

use crate::en16931::{RULES, ubl};
use crate::engine::{Rule, Test};
use crate::invoice::node::{Node, local_name};
use crate::invoice::texts::TextMap;

static TERMS: &str = include_str!("terms.txt");

/// The names of a term such as `BT-1`.
pub(crate) fn find(id: &str) -> Option<(&'static str, &'static str)> {
    let mut lines = TERMS.lines();
    let names = lines.find_map(|line| line.strip_prefix(id)?.strip_prefix(" | "))?;
    names.split_once(" | ")
}

/// The steps at the end of the path of an element, and its term.
type Known = (Vec<&'static str>, &'static str);

type Elements = TextMap<'static, Vec<Known>>;

/// The elements that rules of EN 16931 are about in a syntax, by their local names.
fn elements(is_ubl: bool) -> &'static Elements {
    static CII: OnceLock<Elements> = OnceLock::new();
    static UBL: OnceLock<Elements> = OnceLock::new();
    let cii = (&CII, &RULES);
    let (elements, rules) = if is_ubl { (&UBL, &ubl::RULES) } else { cii };
    elements.get_or_init(|| {
        let mut elements = Elements::default();
        for context in rules.contexts() {
            for place in context.place.paths() {
                let known = context.rules.iter().filter_map(|rule| known(place, rule));
                for known in known {
                    let name = known.0.last().copied().map_or("", local_name);
                    elements.change(name.into(), |all| all.push(known));
                }
            }
        }
        elements
    })
}

/// The element that a rule checks, if it is one element with one term.
fn known(place: &[&'static str], rule: &Rule) -> Option<Known> {
    let path = match rule.test {
        Test::Code(_) => "",
        Test::Present(path)
        | Test::NotBlank(path)
        | Test::Words(path)
        | Test::Once(path)
        | Test::Decimals(path)
        | Test::FirstDecimals(path) => path,
        _ => return None,
    };
    let all = || rule.terms.split_whitespace();
    let mut terms = all().filter(|term| term.starts_with("BT"));
    let term = match (terms.next(), terms.next()) {
        (Some(term), None) => term,
        (None, _) => all().next()?,
        (Some(_), Some(_)) => return None,
    };
    let mut steps = place.to_vec();
    for step in path.split('/').filter(|step| !step.is_empty()) {
        match step {
            ".." => drop(steps.pop()),
            step if step.starts_with('@') => return None,
            step => steps.push(step),
        }
    }
    Some((steps, term))
}

/// The term of an element, or of a child of it; empty where the rules name none, or several.
pub(crate) fn of_element(node: Node<'_>, child: Option<&str>) -> &'static str {
    let name = child.map_or_else(|| node.element().local(), local_name);
    let mut longest = 0;
    let mut found = "";
    let elements = elements(node.syntax().is_ubl);
    for (steps, term) in elements.get(name).into_iter().flatten() {
        let fits = match (child, steps.split_last()) {
            (Some(child), Some((last, above))) => {
                *last == child && (above.is_empty() || node.ends(above.iter().copied()).is_some())
            }
            _ => node.ends(steps.iter().copied()).is_some(),
        };
        if !fits || steps.len() < longest {
            continue;
        }
        found = match found {
            known if steps.len() == longest && known != *term => "",
            _ => term,
        };
        longest = steps.len();
    }
    found
}
