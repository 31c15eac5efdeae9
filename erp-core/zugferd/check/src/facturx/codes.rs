//! Codes as the profiles name them. Unlike in EN 16931, white space around a code is wrong.

use crate::codes;

/// Whether the text is a code of the list. A list without a name consists of its codes, separated by `|`.
pub(super) fn contains(list: &str, code: &str) -> bool {
    match codes::list(list) {
        Some(_) => codes::has(list, code),
        None => list.split('|').any(|one| one == code),
    }
}

/// What people call the list; `None` for a list of few codes.
pub(super) fn name(list: &str) -> Option<&'static str> {
    let list = codes::list(list)?;
    list.base.map_or(Some(list.name), name)
}

/// A code of the list; `None` for a list that consists of its codes.
#[cfg(test)]
pub(super) fn some(list: &str) -> Option<String> {
    let list = codes::list(list)?;
    list.base
        .map_or_else(|| codes::each(list.codes).next(), some)
}
