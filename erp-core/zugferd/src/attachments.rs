//! What is attached to a PDF, and which of it is an invoice.

use super::{Format, Limits, Profile, Standard, detect_loose};
use crate::pdf::{
    Dict, Object, ObjectId, PdfError, PdfFile, Stream, decode_text, name_tree, pages,
};
use std::collections::{BTreeMap, BTreeSet};

/// A file that is attached to a PDF.
#[derive(Debug, Clone)]
pub(super) struct Attachment {
    /// Its key in the name tree.
    pub(super) key: Option<Vec<u8>>,
    /// The object of its file specification, when it is one of its own.
    pub(super) id: Option<ObjectId>,
    pub(super) spec: Dict,
    pub(super) file_name: String,
    pub(super) relationship: Option<String>,
    /// The object of the embedded file.
    pub(super) stream_id: Option<ObjectId>,
    /// Whether the catalog's `/AF` lists it.
    pub(super) associated: bool,
    /// What it is, when it is an invoice.
    pub(super) invoice: Option<Invoice>,
}

/// What an attached invoice is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Invoice {
    pub(super) standard: Option<Standard>,
    pub(super) profile: Option<Profile>,
}

/// How much of an attachment is read to see whether it is an invoice.
const START: usize = 64 << 10;

/// Attached files of one document.
const MOST: usize = 10_000;

// rule: R-ZUG-21
/// Everything attached to the document as a whole: the name tree first, then what only `/AF` lists.
pub(super) fn attachments(file: &PdfFile<'_>, catalog: &Dict) -> Result<Vec<Attachment>, PdfError> {
    let mut found = Vec::new();
    let names = file.member(catalog, "Names")?;
    let tree = names.as_dict().and_then(|names| names.get("EmbeddedFiles"));
    for (key, value) in tree.map_or_else(|| Ok(Vec::new()), |tree| name_tree(file, tree))? {
        found.extend(attachment(file, Some(key), &value)?);
    }
    associate(file, catalog, &mut found)?;
    Ok(found)
}

/// Marks what the `/AF` of a catalog or page lists, and adds what only it lists.
fn associate(
    file: &PdfFile<'_>,
    holder: &Dict,
    found: &mut Vec<Attachment>,
) -> Result<(), PdfError> {
    let listed = file.member(holder, "AF")?;
    let places = found.iter().enumerate();
    let mut known: BTreeMap<ObjectId, usize> = places
        .rev()
        .filter_map(|(place, known)| Some((known.id?, place)))
        .collect();
    for item in listed.as_array().unwrap_or_default() {
        let id = item.as_reference();
        let place = id.and_then(|id| known.get(&id).copied());
        match place.and_then(|place| found.get_mut(place)) {
            Some(known) => known.associated = true,
            None => {
                if let Some(mut only_listed) = attachment(file, None, item)? {
                    only_listed.associated = true;
                    known.extend(id.map(|id| (id, found.len())));
                    found.push(only_listed);
                }
            }
        }
        if found.len() > MOST {
            return Err(PdfError::TooLarge {
                what: "attached files",
                limit: MOST,
            });
        }
    }
    Ok(())
}

/// File specifications that neither the name tree nor `/AF` leads to, in a form as if it did.
pub(super) fn orphans(
    file: &PdfFile<'_>,
    ids: &[ObjectId],
    found: &[Attachment],
) -> Result<Vec<Attachment>, PdfError> {
    let mut orphans = Vec::new();
    for id in ids {
        if !found.iter().any(|known| known.id == Some(*id)) {
            orphans.extend(attachment(file, None, &Object::Reference(*id))?);
        }
    }
    Ok(orphans)
}

/// What hangs on pages: their `/AF` and annotations that show an attachment.
pub(super) fn page_attachments(
    file: &PdfFile<'_>,
    catalog: &Dict,
) -> Result<Vec<Attachment>, PdfError> {
    let mut found = Vec::new();
    for page in pages(file, catalog)? {
        associate(file, page.dict(), &mut found)?;
        let annotations = file.member(page.dict(), "Annots")?;
        for annotation in annotations.as_array().unwrap_or_default() {
            let annotation = file.follow(annotation)?;
            let Some(dict) = annotation.as_dict() else {
                continue;
            };
            if dict.name("Subtype") == Some(b"FileAttachment") {
                let spec = dict.get("FS").cloned().unwrap_or_default();
                found.extend(attachment(file, None, &spec)?);
            }
        }
    }
    Ok(found)
}

/// What can be found without a catalog: every file specification of the file.
pub(super) fn loose_attachments(file: &PdfFile<'_>) -> Result<Vec<Attachment>, PdfError> {
    let mut found = Vec::new();
    for number in file.objects()? {
        let Ok(Some(located)) = file.object(number) else {
            continue;
        };
        if located.object.as_dict().is_some_and(|dict| dict.has("EF")) {
            let spec = Object::Reference(ObjectId {
                number,
                generation: located.generation,
            });
            found.extend(attachment(file, None, &spec)?);
        }
    }
    Ok(found)
}

fn attachment(
    file: &PdfFile<'_>,
    key: Option<Vec<u8>>,
    spec: &Object,
) -> Result<Option<Attachment>, PdfError> {
    let id = spec.as_reference();
    let spec = file.follow(spec)?;
    let Some(spec) = spec.as_dict() else {
        return Ok(None);
    };
    spec.iter().try_for_each(|(_, value)| file.hold(value))?;
    let file_name = file_name(file, spec, key.as_deref())?;
    file.hold_bytes(size_of::<Attachment>() + file_name.len())?;
    let relationship = file.member(spec, "AFRelationship")?;
    let relationship = relationship
        .as_name()
        .map(|name| String::from_utf8_lossy(name).into_owned());
    Ok(Some(Attachment {
        key,
        id,
        stream_id: stream_id(file, spec)?,
        spec: spec.clone(),
        file_name,
        relationship,
        associated: false,
        invoice: None,
    }))
}

/// `/UF`, else `/F`, else the key of the name tree; without folders.
fn file_name(file: &PdfFile<'_>, spec: &Dict, key: Option<&[u8]>) -> Result<String, PdfError> {
    for member in ["UF", "F", "Unix", "DOS", "Mac"] {
        let value = file.member(spec, member)?;
        let text = value
            .as_string()
            .or_else(|| value.as_name())
            .map(decode_text);
        let name = text.as_deref().map(last_part).unwrap_or_default();
        if !name.is_empty() {
            return Ok(name.to_owned());
        }
    }
    Ok(key
        .map(decode_text)
        .as_deref()
        .map(last_part)
        .unwrap_or_default()
        .to_owned())
}

fn last_part(path: &str) -> &str {
    path.trim_matches('\0')
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default()
        .trim()
}

fn stream_id(file: &PdfFile<'_>, spec: &Dict) -> Result<Option<ObjectId>, PdfError> {
    let files = file.member(spec, "EF")?;
    let Some(files) = files.as_dict() else {
        return Ok(None);
    };
    let members = ["F", "UF", "Unix", "DOS", "Mac"];
    Ok(members.iter().find_map(|member| files.reference(member)))
}

impl Attachment {
    /// The stream with the bytes.
    pub(super) fn stream(&self, file: &PdfFile<'_>) -> Result<Option<Stream>, PdfError> {
        let Some(id) = self.stream_id else {
            return Ok(None);
        };
        let located = file.object(id.number)?;
        Ok(located.and_then(|located| located.object.as_stream().cloned()))
    }

    /// Whether there are bytes that cannot be decoded; they are told as damage and not as absence.
    fn is_undecodable(&self, file: &PdfFile<'_>, stream: &Stream) -> bool {
        !file.raw(stream).is_empty() && file.decoded_within(stream, START).is_err()
    }

    /// Whether there is reason to look inside.
    fn may_be_invoice(&self) -> bool {
        let name = self.file_name.to_ascii_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        Standard::from_file_name(&self.file_name).is_some()
            || extension.is_none_or(|extension| !OTHER_TYPES.contains(&extension))
    }

    /// Finds out whether this is an invoice, and which.
    fn recognise(&mut self, file: &PdfFile<'_>, limits: &Limits) -> Result<(), PdfError> {
        if !self.may_be_invoice() {
            return Ok(());
        }
        let Some(stream) = self.stream(file)? else {
            return Ok(());
        };
        let by_name = Standard::from_file_name(&self.file_name);
        let start = file.decoded_start(&stream, START.min(limits.xml_bytes))?;
        let by_content = detect_loose(&start, &limits.detect).ok();
        self.invoice = match (by_content, by_name) {
            (None, None) => None,
            // An empty file says nothing, whatever it is called.
            (None, _) if start.is_empty() && !self.is_undecodable(file, &stream) => None,
            (None, named) => Some(Invoice {
                standard: named,
                profile: None,
            }),
            (Some(format), named) => Some(invoice(format, named)),
        };
        Ok(())
    }
}

/// Types of attachments that are no XML whatever else they are.
const OTHER_TYPES: [&str; 16] = [
    "pdf", "png", "jpg", "jpeg", "gif", "tif", "tiff", "xlsx", "xls", "ods", "odt", "doc", "docx",
    "zip", "csv", "json",
];

fn invoice(format: Format, named: Option<Standard>) -> Invoice {
    let mut profile = format.profile;
    // EN 16931 without an addition is in use in ZUGFeRD 2.0 as well; there the name tells.
    if let (Some(profile), Some(Standard::Zugferd2)) = (&mut profile, named)
        && profile.standard == Standard::FacturX
    {
        profile.standard = Standard::Zugferd2;
    }
    let standard = profile
        .as_ref()
        .map(|profile| profile.standard)
        .or(named)
        .unwrap_or(format.standard);
    Invoice {
        standard: Some(standard),
        profile,
    }
}

impl Attachment {
    // rule: R-ZUG-22
    /// The smaller, the better: what the metadata name, then the newest standard.
    fn order(&self, invoice: &Invoice, named: &[String]) -> (bool, u8) {
        let is_named = named
            .iter()
            .any(|name| name.eq_ignore_ascii_case(&self.file_name));
        (!is_named, invoice.standard.map_or(u8::MAX, Standard::rank))
    }
}

/// Recognises all invoices; returns their places, the best one first, else in their order. `named` are the file names
/// in the metadata.
pub(super) fn invoices(
    file: &PdfFile<'_>,
    found: &mut [Attachment],
    named: &[String],
    limits: &Limits,
) -> Result<Vec<usize>, PdfError> {
    let mut seen = BTreeSet::new();
    let mut order = Vec::new();
    for (place, attachment) in found.iter_mut().enumerate() {
        attachment.recognise(file, limits)?;
        let Some(invoice) = &attachment.invoice else {
            continue;
        };
        // One file under two keys is one file.
        if attachment.stream_id.is_none_or(|id| seen.insert(id)) {
            order.push((attachment.order(invoice, named), place));
        }
    }
    order.sort();
    Ok(order.into_iter().map(|(_, place)| place).collect())
}
