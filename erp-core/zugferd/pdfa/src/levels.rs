//! What the levels U and A require beyond level B (ISO 19005-3, 6.2.11.7 and 6.7), as far as a program can check it.

use crate::is_one_of;
use erp_pdf::{Dict, Object, PdfError, PdfFile, Result};
use std::collections::BTreeSet;

/// The reasons against the levels above B; `None` where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Levels {
    /// Text that cannot be mapped to Unicode: no level U and A.
    pub unicode: Option<String>,
    /// Missing or wrong tags: no level A.
    pub tags: Option<String>,
}

/// Structure elements that are checked; beyond them the level is not claimed.
const ELEMENTS: usize = 500_000;
/// Names of a role map that are mapped to each other; they may be a circle.
const ROLES: usize = 32;
/// The standard structure types of ISO 32000-1, 14.8.4.
const STANDARD: &str = "Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 \
     H4 H5 H6 L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby \
     RB RT RP Warichu WT WP Figure Formula Form";

// clause: 6.7
/// What keeps the tags of a document from level A.
pub(super) fn tags_fault(file: &PdfFile<'_>, catalog: &Dict) -> Result<Option<String>> {
    match judge(file, catalog) {
        Ok(fault) => Ok(fault),
        Err(error @ PdfError::TooLarge { .. }) => Err(error),
        Err(error) => Ok(Some(format!("the tags cannot be read: {error}"))),
    }
}

fn judge(file: &PdfFile<'_>, catalog: &Dict) -> Result<Option<String>> {
    let marks = file.member(catalog, "MarkInfo")?;
    let empty = Dict::new();
    let marks = marks.as_dict().unwrap_or(&empty);
    if file.member(marks, "Marked")?.as_bool() != Some(true) {
        return Ok(Some("the document is not marked as tagged".to_owned()));
    }
    if let Some(fault) = language_fault(file, catalog)? {
        return Ok(Some(fault));
    }
    let root = file.member(catalog, "StructTreeRoot")?;
    let Some(root) = root.as_dict() else {
        return Ok(Some("the document has no structure tree".to_owned()));
    };
    let roles = file.member(root, "RoleMap")?;
    let roles = roles.as_dict().unwrap_or(&empty);
    if let Some((name, _)) = roles.iter().find(|(name, _)| is_one_of(STANDARD, name)) {
        let name = String::from_utf8_lossy(name);
        let fault = format!("the standard type `{name}` is mapped to another one");
        return Ok(Some(fault));
    }
    elements_fault(file, root, roles)
}

fn elements_fault(file: &PdfFile<'_>, root: &Dict, roles: &Dict) -> Result<Option<String>> {
    let mut waiting: Vec<Object> = root.get("K").cloned().into_iter().collect();
    let mut seen = BTreeSet::new();
    let mut count = 0;
    while let Some(next) = waiting.pop() {
        if next.as_reference().is_some_and(|id| !seen.insert(id)) {
            continue;
        }
        count += 1;
        if count > ELEMENTS || waiting.len() > ELEMENTS {
            return Ok(Some("there are more tags than are looked at".to_owned()));
        }
        let value = file.follow(&next)?;
        match &*value {
            Object::Array(kids) => waiting.extend(kids.iter().cloned()),
            Object::Dict(element) if element.has("S") => {
                if let Some(fault) = element_fault(file, element, roles)? {
                    return Ok(Some(fault));
                }
                waiting.extend(element.get("K").cloned());
            }
            _ => {}
        }
    }
    Ok(None)
}

fn element_fault(file: &PdfFile<'_>, element: &Dict, roles: &Dict) -> Result<Option<String>> {
    if let Some(fault) = language_fault(file, element)? {
        return Ok(Some(fault));
    }
    let kind = file.member(element, "S")?;
    let mut kind = kind.as_name().unwrap_or_default().to_vec();
    let shown = String::from_utf8_lossy(&kind).into_owned();
    for _ in 0..ROLES {
        if is_one_of(STANDARD, &kind) {
            return Ok(None);
        }
        let Some(role) = roles.get_bytes(&kind) else {
            break;
        };
        kind = file.follow(role)?.as_name().unwrap_or_default().to_vec();
    }
    let fault = format!("the tag `{shown}` is mapped to no standard type");
    Ok(Some(fault))
}

/// A `/Lang` that is not a language tag (6.7.4).
fn language_fault(file: &PdfFile<'_>, dict: &Dict) -> Result<Option<String>> {
    let value = file.member(dict, "Lang")?;
    let Some(language) = value.as_string().filter(|language| !language.is_empty()) else {
        return Ok(None);
    };
    let text = erp_pdf::text::decode_text(language);
    let is_tag = crate::xmp::is_locale(&text);
    Ok((!is_tag).then(|| format!("`{text}` is no language")))
}
