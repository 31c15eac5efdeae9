//! Names of business terms and groups of EN 16931, in English and German: `terms.txt`.

static TERMS: &str = include_str!("terms.txt");

/// The names of a term such as `BT-1`.
pub(super) fn find(id: &str) -> Option<(&'static str, &'static str)> {
    let names = TERMS
        .lines()
        .find_map(|line| line.strip_prefix(id)?.strip_prefix(" | "))?;
    names.split_once(" | ")
}
