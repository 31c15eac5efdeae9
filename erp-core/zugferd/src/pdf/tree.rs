//! Name trees and the page tree (ISO 32000-1, 7.7.3.2 and 7.9.6), also malicious ones.

use super::{Dict, Object, ObjectId, PdfError, PdfFile};
use std::collections::BTreeSet;

/// The entries of a name tree in the order they stand.
///
/// # Errors
/// [`PdfError::TooLarge`] for more nodes or entries than the limits allow; a tree that leads in a circle is read
/// once around.
pub fn name_tree(file: &PdfFile<'_>, root: &Object) -> Result<Vec<(Vec<u8>, Object)>, PdfError> {
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
        if nodes > limit || entries.len() > limit {
            return Err(PdfError::TooLarge {
                what: "entries of a name tree",
                limit,
            });
        }
        let node = file.follow(&node)?;
        let Some(dict) = node.as_dict() else { continue };
        if let Some(kids) = file.member(dict, "Kids")?.as_array() {
            waiting.extend(kids.iter().rev().take(limit).cloned());
        }
        if let Some(names) = file.member(dict, "Names")?.as_array() {
            for pair in names.chunks_exact(2) {
                let [key, value] = pair else { continue };
                if let Some(key) = file.follow(key)?.as_string() {
                    entries.push((key.to_vec(), value.clone()));
                }
            }
        }
    }
    Ok(entries)
}

/// A page with what it inherits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its object.
    pub id: ObjectId,
    /// Its dictionary; `Resources`, `MediaBox`, `CropBox` and `Rotate` put in where they are inherited.
    pub dict: Dict,
    /// Whether `Resources` are inherited.
    pub inherits_resources: bool,
}

const INHERITED: [&str; 4] = ["Resources", "MediaBox", "CropBox", "Rotate"];

/// All pages in their order.
///
/// # Errors
/// [`PdfError::TooLarge`] for more nodes than the limits allow, [`PdfError::Damaged`] when there is no page.
pub fn pages(file: &PdfFile<'_>, catalog: &Dict) -> Result<Vec<Page>, PdfError> {
    let mut pages = Vec::new();
    let mut seen = BTreeSet::new();
    let root = catalog.get("Pages").cloned().unwrap_or_default();
    let mut waiting = vec![(root, Dict::new())];
    let limit = file.limits().tree_nodes;
    while let Some((node, inherited)) = waiting.pop() {
        let Some(id) = node.as_reference() else {
            continue;
        };
        if !seen.insert(id) {
            continue;
        }
        if seen.len() > limit || waiting.len() > limit {
            return Err(PdfError::TooLarge {
                what: "nodes of the page tree",
                limit,
            });
        }
        let Some(located) = file.object(id.number)? else {
            continue;
        };
        let Some(dict) = located.object.as_dict() else {
            continue;
        };
        let kids = file.member(dict, "Kids")?;
        match kids.as_array() {
            Some(kids) if !dict.is_type("Page") => {
                let inherited = inherit(dict, &inherited);
                let kids = kids
                    .iter()
                    .rev()
                    .take(limit)
                    .map(|kid| (kid.clone(), inherited.clone()));
                waiting.extend(kids);
            }
            _ => pages.push(page(id, dict, &inherited)),
        }
    }
    if pages.is_empty() {
        return Err(PdfError::Damaged {
            what: "the document has no page",
            at: 0,
        });
    }
    Ok(pages)
}

fn inherit(dict: &Dict, inherited: &Dict) -> Dict {
    let mut all = inherited.clone();
    for name in INHERITED {
        if let Some(value) = dict.get(name) {
            all.set(name, value.clone());
        }
    }
    all
}

fn page(id: ObjectId, dict: &Dict, inherited: &Dict) -> Page {
    let mut whole = dict.clone();
    let inherits_resources = !dict.has("Resources") && inherited.has("Resources");
    for (name, value) in inherited.iter() {
        if whole.get_bytes(name).is_none() {
            whole.set_bytes(name, value.clone());
        }
    }
    Page {
        id,
        dict: whole,
        inherits_resources,
    }
}
