//! Members of the catalog and of pages that PDF/A forbids or bounds (6.1.8, 6.1.12, 6.1.13, 6.4.2, 6.10, 6.11).

use super::spot::{Spot, mentions, shown};
use crate::{PdfPlace, Subject};
use erp_pdf::{Dict, Object, Result};

pub(super) fn check(subject: &Subject<'_, '_>) -> Result<()> {
    let catalog = &subject.catalog;
    let place = Spot::of(subject.catalog_id).place();
    let rendering = subject.member(catalog, "NeedsRendering")?;
    let is_needed = mentions(catalog, "NeedsRendering") && rendering.as_bool() != Some(false);
    let text = "the document has to be rendered from its form (`NeedsRendering`)";
    subject.faults.add_if(is_needed, "6.4.2", place, text);
    let text = "the document has requirements for its subject (`Requirements`)";
    let has_requirements = catalog.has("Requirements");
    subject.faults.add_if(has_requirements, "6.11", place, text);
    let names = subject.member(catalog, "Names")?;
    if let Some(names) = names.as_dict() {
        let others = subject.member(names, "AlternatePresentations")?;
        let text = "the document has alternate presentations";
        let has_others = !matches!(*others, Object::Null);
        subject.faults.add_if(has_others, "6.10", place, text);
    }
    let permissions = subject.member(catalog, "Perms")?;
    let permissions = permissions.as_dict().into_iter().flat_map(Dict::iter);
    let mut others = permissions.filter(|(name, _)| *name != b"UR3" && *name != b"DocMDP");
    if let Some((name, _)) = others.next() {
        let name = String::from_utf8_lossy(name);
        let text = format!("the permissions of the document have `{name}`");
        subject.faults.add("6.1.12", place, text);
    }
    check_roles(subject)?;
    check_pages(subject)
}

/// The structure types that are mapped to others.
fn check_roles(subject: &Subject<'_, '_>) -> Result<()> {
    let root = subject.member(&subject.catalog, "StructTreeRoot")?;
    let Some(root) = root.as_dict() else {
        return Ok(());
    };
    let roles = subject.member(root, "RoleMap")?;
    let roles = roles.as_dict().into_iter().flat_map(Dict::iter);
    let mut names = roles.flat_map(|(name, role)| [Some(name), role.as_name()]);
    let is_wrong = |name: &Option<&[u8]>| name.is_some_and(|name| str::from_utf8(name).is_err());
    if let Some(name) = names.find(is_wrong) {
        let text = format!("the name `{}` is no UTF-8", shown(name));
        let place = Spot::of(subject.catalog_id).place();
        subject.faults.add("6.1.8", place, text);
    }
    Ok(())
}

fn check_pages(subject: &Subject<'_, '_>) -> Result<()> {
    for (index, page) in subject.pages.iter().enumerate() {
        let place = PdfPlace::on_page(index).object(page.id.number);
        let has_steps = page.dict().has("PresSteps");
        let text = "the page has presentation steps (`PresSteps`)";
        subject.faults.add_if(has_steps, "6.10", place, text);
        for name in ["MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"] {
            let Some(value) = page.get(name) else {
                continue;
            };
            if subject.follow(value)?.as_array().is_none() {
                continue;
            }
            let is_wrong = !is_within(&subject.numbers(value, 4)?);
            let text = format!("`{name}` is not 3 to 14400 units wide and high");
            subject.faults.add_if(is_wrong, "6.1.13", place, &text);
        }
    }
    Ok(())
}

#[expect(clippy::float_arithmetic, reason = "lengths on a page, no money")]
fn is_within(corners: &[Option<f64>]) -> bool {
    let [Some(left), Some(bottom), Some(right), Some(top)] = corners else {
        return false;
    };
    let allowed = 3.0..=14_400.0;
    allowed.contains(&(right - left).abs()) && allowed.contains(&(top - bottom).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    // clause: 6.1.13
    #[test]
    fn page_boundaries_have_a_least_and_a_largest_size() {
        let within = |corners: [f64; 4]| is_within(&corners.map(Some));
        assert!(within([0.0, 0.0, 3.0, 14_400.0]) && within([595.0, 842.0, 0.0, 0.0]));
        assert!(!within([0.0, 0.0, 2.9, 10.0]) && !within([0.0, 0.0, 10.0, 14_400.5]));
        assert!(!is_within(&[Some(0.0), Some(0.0), None, Some(9.0)]) && !is_within(&[]));
    }
}
