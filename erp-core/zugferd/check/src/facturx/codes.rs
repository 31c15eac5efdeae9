//! Code lists of the profiles: those of EN 16931, lists that differ from them by some codes, and own ones in
//! `codes.txt`. Unlike there, white space around a code is wrong.

use crate::codes;

/// A line is a list: its name, the list it differs from, codes more with `+` and codes less with `-`. After `-`
/// instead of a list all its codes follow, `AA1..4` for those from `AA1` to `AA4`.
static TABLE: &str = include_str!("codes.txt");

/// Whether the text is a code of the list. A list without a name consists of its codes, separated by `|`.
pub(super) fn contains(list: &str, code: &str) -> bool {
    if let Some(base) = codes::list(list) {
        return base.contains_exactly(code);
    }
    let Some((base, changes)) = differences(list) else {
        return list.split('|').any(|one| one == code);
    };
    match base {
        "-" => codes::is_listed(changes, code),
        base => match changes.split(' ').find(|one| one.get(1..) == Some(code)) {
            Some(change) => change.starts_with('+'),
            None => contains(base, code),
        },
    }
}

fn differences(list: &str) -> Option<(&'static str, &'static str)> {
    let line = TABLE
        .lines()
        .find_map(|line| line.strip_prefix(list)?.strip_prefix(' '))?;
    line.split_once(' ')
}

/// The readable name of a list; `None` for a list of few codes.
pub(super) fn name(list: &str) -> Option<&'static str> {
    match list {
        "characteristics" => return Some("UNTDID 6313"),
        "languages" => return Some("ISO 639-2"),
        "line-status" => return Some("UNTDID 1229"),
        "taxes" | "taxes-without-vat" => return Some("UNTDID 5153"),
        _ => {}
    }
    match (codes::list(list), differences(list)) {
        (Some(list), _) => Some(list.name),
        (None, Some((base, _))) => name(base),
        (None, None) => None,
    }
}

/// A code of the list; `None` for a list that consists of its codes.
#[cfg(test)]
pub(super) fn some(list: &str) -> Option<String> {
    if let Some(base) = codes::list(list) {
        return codes::each(base.codes).next();
    }
    match differences(list)? {
        ("-", own) => codes::each(own).next(),
        (base, _) => some(base),
    }
}
