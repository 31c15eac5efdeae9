//! Elements at paths, by their local names alone: what is shown must not need the right namespace, and orders and
//! older formats have the same names in others.
//!
//! A step is a name with at most one `*` for any letters; several with `|` between; `.` is the element itself and `..`
//! the one around it. `[path=value|value]` and `[path!=value]` are conditions, on the text of an element or on an
//! attribute (`@name`). ` ; ` is between paths that are all meant.

use crate::xml::Element;

fn collect<'a>(element: Element<'a>, path: &str, found: &mut Vec<Element<'a>>) {
    let mut is_inside = false;
    let end_of_step = |letter: char| {
        is_inside = (is_inside || letter == '[') && letter != ']';
        letter == '/' && !is_inside
    };
    let (step, rest) = path.split_once(end_of_step).unwrap_or((path, "."));
    match step {
        "." if rest == "." => found.push(element),
        "." => collect(element, rest, found),
        ".." => element
            .parent()
            .into_iter()
            .for_each(|around| collect(around, rest, found)),
        step => {
            let (names, condition) = step.split_once('[').unwrap_or((step, ""));
            let children = element.children().filter(|child| is_named(*child, names));
            for child in children.filter(|child| holds(*child, condition)) {
                collect(child, rest, found);
            }
        }
    }
}

pub(crate) fn of_syntax<T>([cii, ubl]: [T; 2], is_ubl: bool) -> T {
    if is_ubl { ubl } else { cii }
}

/// The elements at all alternatives.
pub(crate) fn all<'a>(element: Element<'a>, paths: &str) -> Vec<Element<'a>> {
    let mut all = Vec::new();
    paths
        .split(" ; ")
        .for_each(|path| collect(element, path, &mut all));
    all
}

pub(crate) fn first<'a>(element: Element<'a>, path: &str) -> Option<Element<'a>> {
    all(element, path).into_iter().next()
}

fn is_named(element: Element<'_>, names: &str) -> bool {
    let local = element.local();
    names.split('|').any(|name| match name.split_once('*') {
        None => local == name,
        Some((start, end)) => {
            let rest = local.strip_prefix(start);
            rest.is_some_and(|rest| rest.ends_with(end))
        }
    })
}

fn holds(element: Element<'_>, condition: &str) -> bool {
    let Some((path, values)) = condition.trim_end_matches(']').split_once('=') else {
        return true;
    };
    let (path, wanted) = match path.strip_suffix('!') {
        Some(path) => (path, false),
        None => (path, true),
    };
    let is_value = |text: &str| values.split('|').any(|value| value == text.trim());
    let is_so = match path.strip_prefix('@') {
        Some(name) => element.attribute(name).is_some_and(is_value),
        None => all(element, path)
            .iter()
            .any(|inner| is_value(&inner.text())),
    };
    is_so == wanted
}
