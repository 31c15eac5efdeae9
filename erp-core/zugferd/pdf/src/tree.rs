//! Name trees (ISO 32000-1, 7.9.6), also malicious ones.

use super::{Object, PdfError, PdfFile, Result};
use std::collections::BTreeSet;

/// The entries of a name tree, in their order.
/// Errors: [`PdfError::TooLarge`] for more nodes or entries than the limits allow; a circular tree is read
/// once around.
pub fn name_tree(file: &PdfFile<'_>, root: &Object) -> Result<Vec<(Vec<u8>, Object)>> {
    let mut entries = Vec::new();
    let mut seen = BTreeSet::new();
    let mut waiting = vec![root.clone()];
    let limit = file.limits().tree_nodes;
    let mut nodes = 0_usize;
    while let Some(node) = waiting.pop() {
        if node.as_reference().is_some_and(|id| !seen.insert(id)) {
            continue;
        }
        nodes += 1;
        let most = nodes.max(entries.len()).max(waiting.len());
        PdfError::within("entries of a name tree", most, limit)?;
        let node = file.follow(&node)?;
        let Some(dict) = node.as_dict() else { continue };
        if let Some(kids) = file.member(dict, "Kids")?.as_array() {
            waiting.extend(kids.iter().rev().take(limit).cloned());
        }
        if let Some(names) = file.member(dict, "Names")?.as_array() {
            for pair in names.chunks_exact(2) {
                let [key, value] = pair else { continue };
                if let Some(key) = file.follow(key)?.as_string() {
                    file.hold_bytes(key.len())?;
                    file.hold(value)?;
                    entries.push((key.to_vec(), value.clone()));
                }
            }
        }
    }
    Ok(entries)
}
