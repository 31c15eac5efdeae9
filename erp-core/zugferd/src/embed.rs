//! The attached files of a hybrid: the invoice is added, the old one removed, all others are kept and associated.

use super::attachments::{Attached, Attachment};
use super::{Profile, Step};
use erp_pdf::text::{decode_text, encode_text};
use erp_pdf::{Dict, Object, ObjectId, PdfFile, Result, Stream, Update};
use miniz_oxide::deflate::compress_to_vec_zlib;
use std::collections::{BTreeMap, BTreeSet};

/// Entries per leaf of the name tree, so that a reader looks at a few of them; with more entries there are several leaves.
const LEAF: usize = 64;
/// How hard it is tried to make a stream small, of 10: the usual level of zlib.
const LEVEL: u8 = 6;

// rule: R-ZUG-31
// clause: 6.8
/// Puts the invoice into the catalog's attachments in place of the old ones.
///
/// Afterwards every embedded file has its `/AF` association, one object, both names and a type (ISO 19005-3, 6.8),
/// and the name tree is sorted.
pub(super) fn embed(
    update: &mut Update<'_>,
    catalog: &mut Dict,
    attached: &Attached,
    invoice: &NewInvoice<'_>,
) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let kept_objects = kept_objects(attached);
    let mut known = BTreeSet::new();
    let mut typed = BTreeSet::new();
    let mut names: BTreeMap<Vec<u8>, ObjectId> = BTreeMap::new();
    let mut associated: Vec<Object> = Vec::new();
    for (place, attachment) in attached.all.iter().enumerate() {
        if attached.replaced.contains(&place) {
            take_out(update, attachment, &kept_objects);
            steps.push(Step::Replaced {
                file_name: attachment.file_name.clone(),
            });
            continue;
        }
        // Many file specifications may lead to one file, whose dictionary may be long.
        if let Some(id) = attachment.stream_id
            && typed.insert(id.number)
        {
            give_type(update, attachment, id)?;
        }
        let id = kept(update, attachment)?;
        if let Some(key) = &attachment.key {
            names.entry(key.clone()).or_insert(id);
        }
        if known.insert(id) {
            associated.push(Object::Reference(id));
        }
    }
    let id = invoice.add(update);
    associated.push(Object::Reference(id));
    names.insert(free_key(&names, invoice.profile.file_name()), id);
    catalog.set("AF", Object::Array(associated));
    set_names(update, catalog, &names)?;
    steps.push(Step::Embedded {
        file_name: invoice.profile.file_name().to_owned(),
        bytes: invoice.xml.len(),
    });
    Ok(steps)
}

/// A key that no other entry has; an attachment that is not an invoice may have the name of one.
fn free_key(names: &BTreeMap<Vec<u8>, ObjectId>, file_name: &str) -> Vec<u8> {
    let mut key = encode_text(file_name);
    while names.contains_key(&key) {
        key.extend_from_slice(b"-1");
    }
    key
}

// rule: R-ZUG-18
// clause: 6.8
/// Frees the objects of a replaced invoice, for no other use, else a reader that looks at all objects finds it. In a
/// cross-reference stream they become `null`: readers take a free entry for a fault there.
fn take_out(update: &mut Update<'_>, gone: &Attachment, kept_objects: &BTreeSet<ObjectId>) {
    let objects = [gone.id, gone.stream_id].into_iter().flatten();
    for id in objects.filter(|id| !kept_objects.contains(id)) {
        update.free(id);
    }
}

fn kept_objects(attached: &Attached) -> BTreeSet<ObjectId> {
    let all = attached.all.iter().enumerate();
    let kept = all.filter(|(place, _)| !attached.replaced.contains(place));
    let ids = kept.flat_map(|(_, attachment)| [attachment.id, attachment.stream_id]);
    ids.flatten().collect()
}

// rule: R-ZUG-17
/// The specification of a file that stays, with what 6.8 requires; unchanged when it has all of that.
fn kept(update: &mut Update<'_>, attachment: &Attachment) -> Result<ObjectId> {
    let mut spec = attachment.spec.clone();
    let name = shown_name(attachment);
    for member in ["F", "UF"] {
        let value = update.file.member(&spec, member)?;
        if value.as_string().is_none_or(<[u8]>::is_empty) {
            spec.set(member, Object::string(encode_text(name)));
        }
    }
    if !spec.is_type("Filespec") {
        spec.set("Type", Object::name("Filespec"));
    }
    if attachment.relationship.is_none() {
        spec.set("AFRelationship", Object::name("Unspecified"));
    }
    match attachment.id {
        Some(id) if spec == attachment.spec => Ok(id),
        Some(id) => {
            update.replace(id, Object::Dict(spec));
            Ok(id)
        }
        None => Ok(update.add(Object::Dict(spec))),
    }
}

fn shown_name(attachment: &Attachment) -> &str {
    match attachment.file_name.as_str() {
        "" => "attachment",
        name => name,
    }
}

// clause: 6.8
/// Names the type of an embedded file that does not do so itself.
fn give_type(update: &mut Update<'_>, attachment: &Attachment, id: ObjectId) -> Result<()> {
    let file = update.file;
    let object = attachment.stream_object(file)?;
    let Some(stream) = object.as_ref().and_then(|it| it.object.as_stream()) else {
        return Ok(());
    };
    let kind = file.member(&stream.dict, "Subtype")?;
    if kind.as_name().is_some_and(is_media_type) {
        return Ok(());
    }
    file.hold_dict(&stream.dict)?;
    let mut stream = stream.clone();
    let kind = media_type(shown_name(attachment));
    stream.dict.set("Subtype", Object::name(kind));
    if !stream.dict.is_type("EmbeddedFile") {
        stream.dict.set("Type", Object::name("EmbeddedFile"));
    }
    update.replace(id, Object::Stream(stream));
    Ok(())
}

/// `type/subtype` in the letters of RFC 6838.
pub(super) fn is_media_type(name: &[u8]) -> bool {
    let letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(byte);
    let is_part = |part: &[u8]| !part.is_empty() && part.iter().all(letter);
    let mut parts = name.split(|byte| *byte == b'/');
    parts.clone().count() == 2 && parts.all(is_part)
}

fn media_type(file_name: &str) -> &'static str {
    let parts = file_name.rsplit_once('.');
    let extension = parts.map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref() {
        Some("pdf") => "application/pdf",
        Some("xml") => "text/xml",
        Some("txt") => "text/plain",
        Some("csv") => "text/csv",
        Some("json") => "application/json",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("tif" | "tiff") => "image/tiff",
        Some("xlsx") => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Some("ods") => "application/vnd.oasis.opendocument.spreadsheet",
        _ => "application/octet-stream",
    }
}

/// Puts a sorted name tree into the catalog, in whichever object the names are.
fn set_names(
    update: &mut Update<'_>,
    catalog: &mut Dict,
    names: &BTreeMap<Vec<u8>, ObjectId>,
) -> Result<()> {
    let file = update.file;
    let tree = update_tree(update, names);
    let holder = catalog.reference("Names");
    let old = file.member(catalog, "Names")?;
    let mut dict = old.as_dict().cloned().unwrap_or_default();
    dict.set("EmbeddedFiles", Object::Reference(tree));
    match holder {
        Some(id) if file.object(id.number)?.is_some() => update.replace(id, Object::Dict(dict)),
        _ => catalog.set("Names", Object::Dict(dict)),
    }
    Ok(())
}

fn update_tree(update: &mut Update<'_>, names: &BTreeMap<Vec<u8>, ObjectId>) -> ObjectId {
    let entries: Vec<(&Vec<u8>, &ObjectId)> = names.iter().collect();
    if entries.len() <= LEAF {
        return update.add(Object::Dict(Dict::new().with("Names", pairs(&entries))));
    }
    let leaves = entries.chunks(LEAF).map(|leaf| {
        let ends = [leaf.first(), leaf.last()].into_iter().flatten();
        let limits = ends.map(|(key, _)| Object::string((*key).clone()));
        let limits = Dict::new().with("Limits", limits.collect::<Vec<_>>());
        let leaf = limits.with("Names", pairs(leaf));
        Object::Reference(update.add(Object::Dict(leaf)))
    });
    let kids: Vec<Object> = leaves.collect();
    update.add(Object::Dict(Dict::new().with("Kids", kids)))
}

fn pairs(entries: &[(&Vec<u8>, &ObjectId)]) -> Vec<Object> {
    let pair = |(key, id): &(&Vec<u8>, &ObjectId)| {
        [Object::string((*key).clone()), Object::Reference(**id)]
    };
    entries.iter().flat_map(pair).collect()
}

// rule: R-ZUG-32
pub(super) struct NewInvoice<'x> {
    pub(super) xml: &'x [u8],
    pub(super) profile: &'x Profile,
    /// `/ModDate`, in the form of a PDF.
    pub(super) modified: Option<String>,
}

impl NewInvoice<'_> {
    // clause: 6.8
    /// Adds the stream and its file specification.
    fn add(&self, update: &mut Update<'_>) -> ObjectId {
        let size = i64::try_from(self.xml.len()).unwrap_or(i64::MAX);
        let mut params = Dict::new().with("Size", Object::Integer(size));
        if let Some(modified) = &self.modified {
            params.set("ModDate", Object::string(modified.as_bytes()));
        }
        let dict = Dict::new()
            .with("Type", Object::name("EmbeddedFile"))
            .with("Subtype", Object::name("text/xml"))
            .with("Params", params);
        let stream = update.add(Object::Stream(compressed(dict, self.xml)));
        let profile = self.profile;
        let text = |text: &str| Object::string(encode_text(text));
        let description = format!("{} {} invoice data", profile.standard, profile.xmp_level());
        let relationship = profile.relationship().pdf_name();
        let files = Dict::new().with("F", stream).with("UF", stream);
        let spec = Dict::new()
            .with("Type", Object::name("Filespec"))
            .with("F", text(profile.file_name()))
            .with("UF", text(profile.file_name()))
            .with("Desc", text(&description))
            .with("AFRelationship", Object::name(relationship))
            .with("EF", files);
        update.add(Object::Dict(spec))
    }
}

/// A stream with its bytes deflated, where that is shorter.
pub(super) fn compressed(mut dict: Dict, bytes: &[u8]) -> Stream {
    let deflated = compress_to_vec_zlib(bytes, LEVEL);
    if deflated.len() >= bytes.len() {
        return Stream::new(dict, bytes.to_vec());
    }
    dict.set("Filter", Object::name("FlateDecode"));
    Stream::new(dict, deflated)
}

/// The text of a member of the information dictionary.
pub(super) fn info_text(file: &PdfFile<'_>, name: &str) -> Option<String> {
    let info = file.member(file.trailer(), "Info").ok()?;
    let value = file.member(info.as_dict()?, name).ok()?;
    let text = decode_text(value.as_string()?);
    (!text.is_empty()).then_some(text)
}
