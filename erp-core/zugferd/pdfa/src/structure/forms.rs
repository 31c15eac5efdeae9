//! Interactive forms (6.4.1, 6.4.2).

use super::actions::Actions;
use super::spot::{Spot, mentions};
use crate::{PdfPlace, Subject};
use erp_pdf::{Dict, Object, ObjectId, PdfError, Result};
use std::collections::BTreeSet;

/// Fields inside each other: each is a step into a tree that may be a circle.
const DEPTH: usize = 64;
/// Fields of one form: no honest form has so many.
const FIELDS: usize = 1_000_000;

/// A signature: its object, if it is indirect, and where it is used.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    pub(super) id: Option<ObjectId>,
    pub(super) dict: Dict,
    pub(super) field: Spot,
}

struct FormField {
    value: Object,
    spot: Spot,
    kind: Option<Vec<u8>>,
    depth: usize,
}

/// Checks the form; returns its signatures.
pub(super) fn check(
    subject: &Subject<'_, '_>,
    actions: &mut Actions<'_, '_>,
) -> Result<Vec<Signature>> {
    let spot = Spot::of(subject.catalog_id).member(&subject.catalog, "AcroForm");
    let value = subject.member(&subject.catalog, "AcroForm")?;
    let Some(form) = value.as_dict() else {
        return Ok(Vec::new());
    };
    let (faults, place) = (&subject.faults, spot.place());
    let has_xfa = mentions(form, "XFA");
    faults.add_if(has_xfa, "6.4.2", place, "the form has an XFA form in it");
    let appearances = subject.member(form, "NeedAppearances")?;
    if !matches!(*appearances, Object::Null | Object::Bool(false)) {
        let text = "the appearances of the form have to be made by the subject (`NeedAppearances`)";
        // Every field has its appearances, as 6.3.3 requires; viewers show them from now on.
        let repair = spot.edit(vec![("NeedAppearances", Object::Null)]);
        faults.add_repairable("6.4.1", place, text, repair);
    }
    let mut fields = Fields {
        subject,
        waiting: Vec::new(),
        seen: BTreeSet::new(),
        count: 0,
    };
    fields.add(form, &spot, None, 0)?;
    let mut signatures = Vec::new();
    let mut signed = BTreeSet::new();
    while let Some(field) = fields.next() {
        let value = subject.follow(&field.value)?;
        let Some(dict) = value.as_dict() else {
            continue;
        };
        let place = field.spot.place();
        check_actions(subject, dict, place);
        actions.check_additional(dict, place)?;
        let kind = match subject.member(dict, "FT")?.as_name() {
            Some(kind) => Some(kind.to_vec()),
            None => field.kind.clone(),
        };
        if kind.as_deref() == Some(b"Sig") {
            let number = dict.reference("V").map(|id| id.number);
            if number.is_none_or(|number| signed.insert(number)) {
                let value = subject.member(dict, "V")?;
                signatures.extend(value.as_dict().map(|signature| Signature {
                    id: dict.reference("V"),
                    dict: signature.clone(),
                    field: field.spot.clone(),
                }));
            }
        }
        fields.add(dict, &field.spot, kind, field.depth + 1)?;
    }
    Ok(signatures)
}

/// Notes the actions that a field or its widget starts.
pub(super) fn check_actions(subject: &Subject<'_, '_>, field: &Dict, place: PdfPlace) {
    for name in ["A", "AA"] {
        let text = format!("a form field starts an action (`{name}`)");
        subject
            .faults
            .add_if(mentions(field, name), "6.4.1", place, &text);
    }
}

struct Fields<'f, 'a> {
    subject: &'f Subject<'f, 'a>,
    waiting: Vec<FormField>,
    seen: BTreeSet<u32>,
    count: usize,
}

impl Fields<'_, '_> {
    fn add(
        &mut self,
        owner: &Dict,
        owner_spot: &Spot,
        kind: Option<Vec<u8>>,
        depth: usize,
    ) -> Result<()> {
        PdfError::within("fields inside each other", depth, DEPTH)?;
        // The form itself names its list differently from a field.
        let name = if depth == 0 { "Fields" } else { "Kids" };
        let list_spot = owner_spot.member(owner, name);
        let list = self.subject.member(owner, name)?;
        let items = list.as_array().unwrap_or_default();
        self.count += items.len();
        PdfError::within("fields of a form", self.count, FIELDS)?;
        let fields = items.iter().enumerate().map(|(place, value)| FormField {
            value: value.clone(),
            spot: list_spot.item(items, place),
            kind: kind.clone(),
            depth,
        });
        self.waiting.extend(fields);
        Ok(())
    }

    fn next(&mut self) -> Option<FormField> {
        loop {
            let field = self.waiting.pop()?;
            if !field.spot.is_indirect() || self.seen.insert(field.spot.object.number) {
                return Some(field);
            }
        }
    }
}
