//! Repairs PDF/A violations.

use super::embed::compressed;
use super::{Reason, icc};
use erp_pdf::object::StreamData;
use erp_pdf::rewrite::fingerprint;
use erp_pdf::{Dict, Object, ObjectId, Result, Stream, Update};
use erp_pdfa::PdfaFault;
use erp_pdfa::repair::{Edit, EditStep, Repair};

/// The repairs that the faults of a file need.
#[derive(Debug, Default)]
pub(super) struct Repairs<'f> {
    /// Nothing repairs these.
    pub(super) unrepairable: Vec<Reason>,
    /// The file has to be rewritten.
    pub(super) rewrite: bool,
    output_intent: bool,
    file_id: bool,
    edits: Vec<&'f Edit>,
    recoded: Vec<ObjectId>,
    /// File specifications that the catalog's `/AF` has to list.
    pub(super) associated: Vec<ObjectId>,
}

impl<'f> Repairs<'f> {
    /// Sorts faults by what they need.
    pub(super) fn of(faults: impl Iterator<Item = &'f PdfaFault>) -> Self {
        let mut repairs = Self::default();
        for fault in faults {
            match &fault.repair {
                None => repairs.unrepairable.push(Reason::of(fault)),
                Some(Repair::Rewrite) => repairs.rewrite = true,
                Some(Repair::OutputIntent) => repairs.output_intent = true,
                Some(Repair::FileId) => repairs.file_id = true,
                Some(Repair::Edit(edit)) => repairs.edits.push(edit),
                Some(Repair::Recode(id)) => repairs.recoded.push(*id),
                Some(Repair::Associate(id)) => repairs.associated.push(*id),
            }
        }
        repairs
    }

    /// Whether objects change that were checked, so that the result has to be checked again. What is only added
    /// (an `/ID`, the only output intent) cannot make a fault.
    pub(super) fn change_objects(&self, catalog: &Dict) -> bool {
        let edited =
            !(self.edits.is_empty() && self.recoded.is_empty() && self.associated.is_empty());
        edited || (self.output_intent && catalog.has("OutputIntents"))
    }

    /// Adds the repairs to an update; rewriting comes before. Returns the repaired catalog, which the invoice changes too.
    pub(super) fn apply(
        &self,
        update: &mut Update<'_>,
        (catalog_id, catalog): (ObjectId, &Dict),
        xml: &[u8],
    ) -> Result<Dict> {
        if self.file_id {
            let id = fingerprint(&[update.file.data(), xml]);
            update.set_trailer("ID", Object::Array(vec![id.clone(), id]));
        }
        for edit in &self.edits {
            apply_edit(update, edit)?;
        }
        for id in &self.recoded {
            recode(update, *id)?;
        }
        let mut catalog = match update.current(catalog_id.number)? {
            Some(Object::Dict(repaired)) => repaired,
            _ => catalog.clone(),
        };
        if self.output_intent {
            add_output_intent(update, &mut catalog)?;
        }
        Ok(catalog)
    }
}

// clause: 6.2.3
/// sRGB for what is painted in device colours (6.2.3).
fn add_output_intent(update: &mut Update<'_>, catalog: &mut Dict) -> Result<()> {
    let file = update.file;
    let known = file.member(catalog, "OutputIntents")?;
    let mut intents = known.as_array().map(<[Object]>::to_vec).unwrap_or_default();
    for intent in &intents {
        // All profiles of a file have to be one (6.2.3); then it stays as it is, and the check of the result reports it.
        let intent = file.follow(intent)?;
        let intent = intent.as_dict();
        if intent.is_some_and(|intent| intent.has("DestOutputProfile")) {
            return Ok(());
        }
    }
    let dict = Dict::new().with("N", Object::Integer(3));
    let profile = update.add(Object::Stream(Stream::new(dict, icc::srgb())));
    let text = || Object::string(icc::IDENTIFIER.as_bytes());
    let intent = Dict::new()
        .with("Type", Object::name("OutputIntent"))
        .with("S", Object::name("GTS_PDFA1"))
        .with("OutputConditionIdentifier", text())
        .with("Info", text())
        .with("DestOutputProfile", profile);
    let intent = update.add(Object::Dict(intent));
    intents.push(Object::Reference(intent));
    catalog.set("OutputIntents", Object::Array(intents));
    Ok(())
}

/// Stores a stream with a filter that PDF/A allows (6.1.7.2).
fn recode(update: &mut Update<'_>, id: ObjectId) -> Result<()> {
    let file = update.file;
    let Some(Object::Stream(mut stream)) = update.current(id.number)? else {
        return Ok(());
    };
    let bytes = file.decoded(&stream)?.into_owned();
    for member in ["Filter", "DecodeParms", "F", "FFilter", "FDecodeParms"] {
        stream.dict.remove(member);
    }
    let stored = compressed(stream.dict, &bytes);
    if let StreamData::New(data) = &stored.data {
        file.hold_bytes(data.len())?;
    }
    update.replace(id, Object::Stream(stored));
    Ok(())
}

fn apply_edit(update: &mut Update<'_>, edit: &Edit) -> Result<()> {
    let Some(mut object) = update.current(edit.object.number)? else {
        return Ok(());
    };
    update.file.hold(&object)?;
    let place = edit.path.iter().try_fold(&mut object, step);
    let Some(dict) = place.and_then(Object::as_dict_mut) else {
        return Ok(());
    };
    for (name, value) in &edit.members {
        match value {
            Object::Null => {
                dict.remove(name);
            }
            value => dict.set(name, value.clone()),
        }
    }
    update.replace(edit.object, object);
    Ok(())
}

fn step<'o>(object: &'o mut Object, into: &EditStep) -> Option<&'o mut Object> {
    match (object, into) {
        (Object::Array(items), EditStep::Item(place)) => items.get_mut(*place),
        (object, EditStep::Member(name)) => object.as_dict_mut()?.get_mut(name),
        _ => None,
    }
}
