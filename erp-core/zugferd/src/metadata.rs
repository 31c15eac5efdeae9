//! The XMP metadata of a hybrid.

use super::embed::info_text;
use super::xmp::{XmpFacts, own_schema, read};
use super::{Limits, Profile, Reason};
use erp_pdf::{Dict, Object, ObjectId, PdfError, PdfFile, Result, Stream, Update};
use erp_pdfa::xmp::{self, Changes, Claim, Conformance, FaultKind, Info};
use std::collections::BTreeSet;

pub(super) struct Packet {
    /// The stream of metadata that they are. A damaged catalog may name any other object, which must not be changed.
    pub(super) id: Option<ObjectId>,
    /// The decoded packet; `None` if there is none.
    bytes: Result<Option<Vec<u8>>>,
    /// What it says, if that can be read.
    pub(super) facts: Option<XmpFacts>,
}

impl Packet {
    /// The one of the document, whether or not it can be read.
    pub(super) fn of(file: &PdfFile<'_>, catalog: &Dict, limits: &Limits) -> Self {
        let named = catalog.reference("Metadata");
        let is_metadata = |id: &ObjectId| {
            let object = file.object(id.number).ok().flatten();
            object.is_some_and(|located| is_metadata(&located.object))
        };
        let mut packet = Self {
            id: named.filter(is_metadata),
            bytes: packet_bytes(file, catalog, limits),
            facts: None,
        };
        packet.facts = packet.bytes().and_then(|bytes| read(bytes).ok());
        packet
    }

    /// The one of the document, to be changed. A limit is an error: metadata that are there must not be taken for missing
    /// ones and replaced.
    pub(super) fn read(file: &PdfFile<'_>, catalog: &Dict, limits: &Limits) -> Result<Self> {
        let packet = Self::of(file, catalog, limits);
        match packet.bytes {
            Err(error @ PdfError::TooLarge { .. }) => Err(error),
            _ => Ok(packet),
        }
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_ref().ok()?.as_deref()
    }

    // clause: 6.6.2.1
    /// What PDF/A forbids in it.
    pub(super) fn reasons(&self) -> Vec<Reason> {
        let missing = |text: String| Reason {
            clause: "6.6.2.1",
            ..Reason::plain(text)
        };
        match &self.bytes {
            Ok(None) => vec![missing("there are no metadata".to_owned())],
            Err(error) => vec![missing(format!("the metadata cannot be read: {error}"))],
            Ok(Some(packet)) => {
                let faults = xmp::faults(packet);
                faults.iter().map(Reason::in_metadata).collect()
            }
        }
    }

    /// Whether PDF/A is claimed, of whichever part.
    pub(super) fn claims(&self) -> bool {
        self.facts.as_ref().is_some_and(|it| it.pdfa.is_some())
    }

    pub(super) fn claimed_part(&self) -> Option<&str> {
        self.facts.as_ref()?.pdfa.as_ref()?.part.as_deref()
    }

    /// The level that is claimed, where part 3 has it too.
    pub(super) fn claimed_level(&self) -> Option<Conformance> {
        match self.facts.as_ref()?.pdfa.as_ref()?.conformance.as_deref()? {
            "A" => Some(Conformance::A),
            "B" => Some(Conformance::B),
            "U" => Some(Conformance::U),
            _ => None,
        }
    }

    /// Whether something else is wrong with it than that it identifies another part.
    pub(super) fn is_faulty(&self) -> bool {
        let bytes = self.bytes();
        bytes.is_none_or(|bytes| first_fault(bytes).is_some())
    }

    // rule: R-ZUG-33
    /// Writes the metadata with the properties of the invoice; returns their violations of PDF/A. Metadata that cannot
    /// be read are replaced; only a stream of `/Type /Metadata` is overwritten, because a damaged catalog may name the
    /// content of a page.
    pub(super) fn put(
        &self,
        update: &mut Update<'_>,
        catalog: &mut Dict,
        profile: &Profile,
        claim: Claim,
    ) -> Result<Vec<Reason>> {
        let is_claimed = claim != Claim::Remove;
        let changes = Changes {
            claim,
            own: Some(own_schema(profile)),
            describe_foreign: is_claimed,
            info: info(update.file),
        };
        // An unreadable packet is replaced.
        let edited = xmp::edit(self.bytes(), &changes).or_else(|_| xmp::edit(None, &changes));
        let packet = edited.map_err(|_| PdfError::damaged("the metadata cannot be written", 0))?;
        let faults = if is_claimed {
            xmp::faults(&packet)
        } else {
            Vec::new()
        };
        let stream = metadata_stream(packet);
        match self.id {
            Some(id) => update.replace(id, stream),
            None => catalog.set("Metadata", Object::Reference(update.add(stream))),
        }
        Ok(faults.iter().map(Reason::in_metadata).collect())
    }
}

fn is_metadata(object: &Object) -> bool {
    matches!(object, Object::Stream(stream) if stream.dict.is_type("Metadata"))
}

/// Repairs the metadata of pages, pictures and fonts, which 6.6.2.3 covers as well; returns what stays wrong.
pub(super) fn other_metadata(
    update: &mut Update<'_>,
    (catalog_id, catalog): (ObjectId, &Dict),
    limits: &Limits,
) -> Result<Vec<Reason>> {
    let file = update.file;
    let mut reasons = Vec::new();
    let own = catalog.reference("Metadata").map(|id| id.number);
    let (found, has_other_use) = metadata_objects(file, catalog_id.number, own)?;
    if has_other_use {
        let text = "the metadata of the document are also something else";
        reasons.push(Reason::plain(text));
    }
    for number in found {
        let Some(located) = file.object(number)? else {
            continue;
        };
        let Some(stream) = located.object.as_stream().filter(|_| Some(number) != own) else {
            continue;
        };
        let fault = match file.decoded_within(stream, limits.xmp_bytes) {
            Ok(packet) => {
                let Some(fault) = first_fault(&packet) else {
                    continue;
                };
                let edited = describe(&packet).filter(|_| is_metadata(&located.object));
                if let Some(edited) = edited {
                    let generation = located.generation;
                    update.replace(ObjectId { number, generation }, metadata_stream(edited));
                    continue;
                }
                Reason::in_metadata(&fault)
            }
            Err(error) => Reason::plain(format!("its metadata cannot be read: {error}")),
        };
        reasons.push(Reason {
            object: Some(number),
            ..fault
        });
    }
    Ok(reasons)
}

/// Streams that say they are metadata, and those that a `/Metadata` member of another object than the catalog leads to;
/// and whether those of the document have a use that is none of metadata, for example as the content of a page.
fn metadata_objects(
    file: &PdfFile<'_>,
    catalog: u32,
    own: Option<u32>,
) -> Result<(BTreeSet<u32>, bool)> {
    let mut found = BTreeSet::new();
    let mut other_uses = 0;
    for number in file.objects()? {
        let Ok(Some(located)) = file.object(number) else {
            continue;
        };
        if is_metadata(&located.object) {
            found.insert(number);
        }
        if number != catalog {
            located.object.any(&mut |inner| {
                let named = inner.as_dict().and_then(|dict| dict.reference("Metadata"));
                found.extend(named.map(|id| id.number));
                let is_own = |id: Option<ObjectId>| id.is_some_and(|id| Some(id.number) == own);
                other_uses += i64::from(is_own(inner.as_reference())) - i64::from(is_own(named));
                false
            });
        }
    }
    Ok((found, other_uses > 0))
}

/// The packet with its foreign properties described, when that is all it lacked.
fn describe(packet: &[u8]) -> Option<Vec<u8>> {
    let changes = Changes {
        describe_foreign: true,
        ..Changes::default()
    };
    let edited = xmp::edit(Some(packet), &changes).ok()?;
    first_fault(&edited).is_none().then_some(edited)
}

/// Not compressed, so that it can be read without knowing PDF.
fn metadata_stream(packet: Vec<u8>) -> Object {
    let dict = Dict::new()
        .with("Type", Object::name("Metadata"))
        .with("Subtype", Object::name("XML"));
    Object::Stream(Stream::new(dict, packet))
}

/// What is wrong, except for the identification, which only the document's own metadata have.
fn first_fault(packet: &[u8]) -> Option<xmp::XmpFault> {
    let mut faults = xmp::faults(packet).into_iter();
    faults.find(|fault| fault.kind != FaultKind::Identification)
}

fn packet_bytes(file: &PdfFile<'_>, catalog: &Dict, limits: &Limits) -> Result<Option<Vec<u8>>> {
    let metadata = file.member(catalog, "Metadata")?;
    let Some(stream) = metadata.as_stream() else {
        return Ok(None);
    };
    let bytes = file.decoded_within(stream, limits.xmp_bytes)?;
    Ok(Some(bytes.into_owned()))
}

/// What the PDF says about itself, for metadata that have to be made.
fn info(file: &PdfFile<'_>) -> Info {
    Info {
        title: info_text(file, "Title"),
        author: info_text(file, "Author"),
        subject: info_text(file, "Subject"),
        keywords: info_text(file, "Keywords"),
        producer: info_text(file, "Producer"),
        creator_tool: info_text(file, "Creator"),
        create_date: info_date(file, "CreationDate"),
        modify_date: info_date(file, "ModDate"),
    }
}

fn info_date(file: &PdfFile<'_>, name: &str) -> Option<String> {
    xmp::xmp_date(&info_text(file, name)?, "Z")
}
