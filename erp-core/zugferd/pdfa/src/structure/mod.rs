//! The file and everything around its pages (ISO 19005-3, 6.1, 6.2.3, 6.3 to 6.5, 6.8 to 6.11).
//!
//! | module | clauses |
//! |---|---|
//! | `file` | 6.1.2 to 6.1.4: header, trailer, cross-reference sections |
//! | `objects` | 6.1.4, 6.1.6 to 6.1.9, 6.1.13: one pass over all objects |
//! | `catalog` | 6.1.12, 6.1.13, 6.4.2, 6.10, 6.11: members of the catalog and of pages |
//! | `intents` | 6.2.3: output intents |
//! | `annotations`, `forms`, `signatures`, `actions` | 6.3, 6.4, 6.5 |
//! | `embedded` | 6.8: file specifications and embedded files |
//! | `optional_content` | 6.9: layers |

mod actions;
mod annotations;
mod catalog;
mod der;
mod embedded;
mod file;
mod forms;
mod frames;
mod intents;
mod objects;
mod optional_content;
mod signatures;
mod spot;
#[cfg(test)]
mod tests;

use super::Subject;
use crate::repair::Repair;
use actions::Actions;
use erp_pdf::Result;
pub(crate) use spot::Spot;
use std::collections::BTreeSet;

/// Which device colours the output intents allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct IntentColours {
    /// There is a PDF/A output intent with a profile.
    pub(crate) present: bool,
    /// Components of its profile: 1 gray, 3 RGB, 4 CMYK.
    pub(crate) components: u8,
}

pub(super) fn check(subject: &Subject<'_, '_>) -> Result<IntentColours> {
    let mut actions = Actions {
        subject,
        seen: BTreeSet::new(),
    };
    let signatures = forms::check(subject, &mut actions)?;
    // A signature covers the bytes of the file, so that no other bytes can take their place.
    let rewrite = signatures.is_empty().then_some(&Repair::Rewrite);
    file::check(subject, rewrite)?;
    if subject.file.is_encrypted() {
        return Ok(IntentColours::default());
    }
    let mut found = objects::check(subject, rewrite)?;
    catalog::check(subject)?;
    signatures::check(subject, &signatures)?;
    actions::check(subject, &mut actions)?;
    annotations::check(subject, &mut actions, &mut found.associated)?;
    found.associated.add(subject, &subject.catalog)?;
    for page in &subject.pages {
        found.associated.add(subject, page.dict())?;
    }
    embedded::check(subject, found.specifications, &found.associated)?;
    optional_content::check(subject)?;
    intents::check(subject)
}
