//! What is attached to a PDF, and which of it is an invoice.

use super::{Format, Limits, Profile, Standard, detect_loose};
use erp_pdf::file::Located;
use erp_pdf::pages::{PdfPage, name_tree, pages};
use erp_pdf::text::decode_text;
use erp_pdf::{Dict, Object, ObjectId, PdfError, PdfFile, Result, Stream};
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A file that is attached to a PDF.
#[derive(Debug, Clone)]
pub(super) struct Attachment {
    /// Its key in the name tree.
    pub(super) key: Option<Vec<u8>>,
    /// The object of its file specification, if it is indirect.
    pub(super) id: Option<ObjectId>,
    pub(super) spec: Dict,
    pub(super) file_name: String,
    pub(super) relationship: Option<String>,
    /// The object of the embedded file.
    pub(super) stream_id: Option<ObjectId>,
    /// Whether the catalog's `/AF` lists it.
    pub(super) associated: bool,
    /// What it is, when it is an invoice.
    pub(super) invoice: Option<AttachedInvoice>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AttachedInvoice {
    pub(super) standard: Standard,
    pub(super) profile: Option<Profile>,
}

/// What is attached to a document, invoices of its pages too, and which of it is an invoice that another one replaces.
#[derive(Debug, Clone)]
pub(super) struct Attached {
    pub(super) all: Vec<Attachment>,
    /// Places of the invoices, and of all entries that lead to the same files.
    pub(super) replaced: BTreeSet<usize>,
    /// Numbers of the objects of the invoices, and of the metadata, which are written anew: their faults go with them.
    pub(super) gone: BTreeSet<u32>,
}

impl Attached {
    pub(super) fn read(file: &PdfFile<'_>, catalog: &Dict, limits: &Limits) -> Result<Self> {
        let mut all = attachments(file, catalog)?;
        // An old invoice of a page goes as well. Other files of pages are not looked after.
        let mut known: BTreeSet<ObjectId> = all.iter().filter_map(|known| known.id).collect();
        let mut found = on_pages(file, catalog)?;
        invoices(file, &mut found, &[], limits)?;
        found.retain(|it| it.invoice.is_some() && it.id.is_none_or(|id| known.insert(id)));
        all.extend(found);
        Self::of(file, all, limits)
    }

    fn of(file: &PdfFile<'_>, mut all: Vec<Attachment>, limits: &Limits) -> Result<Self> {
        let found = invoices(file, &mut all, &[], limits)?;
        Ok(Self {
            replaced: with_the_same_file(&all, &found),
            gone: objects_of(&all, &found),
            all,
        })
    }

    /// Also adds file specifications that are not referenced but must be listed in the catalog. An old invoice among
    /// them is not restored.
    pub(super) fn with_orphans(
        &self,
        file: &PdfFile<'_>,
        ids: &[ObjectId],
        limits: &Limits,
    ) -> Result<Cow<'_, Self>> {
        let orphans = orphans(file, ids, &self.all)?;
        if orphans.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        for known in &self.all {
            file.hold_dict(&known.spec)?;
            file.hold_bytes(known.own_bytes())?;
        }
        let mut all = self.all.clone();
        all.extend(orphans);
        Self::of(file, all, limits).map(Cow::Owned)
    }
}

fn objects_of(found: &[Attachment], places: &[usize]) -> BTreeSet<u32> {
    let gone = places.iter().filter_map(|place| found.get(*place));
    let ids = gone.flat_map(|attachment| [attachment.id, attachment.stream_id]);
    ids.flatten().map(|id| id.number).collect()
}

/// The entries, and all others that lead to the same files; a file may have several keys.
fn with_the_same_file(found: &[Attachment], places: &[usize]) -> BTreeSet<usize> {
    let gone = places.iter().filter_map(|place| found.get(*place));
    let gone: BTreeSet<ObjectId> = gone.filter_map(|gone| gone.stream_id).collect();
    let goes = |attachment: &Attachment| attachment.stream_id.is_some_and(|id| gone.contains(&id));
    let same = found.iter().enumerate().filter(|(_, other)| goes(other));
    let same = same.map(|(place, _)| place);
    same.chain(places.iter().copied()).collect()
}

/// How much of an attachment is read to see whether it is an invoice: the root and the guideline come first.
const START: usize = 64 << 10;

/// Attached files of one document: each is read, and hybrids have a few.
const MOST: usize = 10_000;

// rule: R-ZUG-21
/// Everything attached to the document as a whole: the name tree first, then what only `/AF` lists.
pub(super) fn attachments(file: &PdfFile<'_>, catalog: &Dict) -> Result<Vec<Attachment>> {
    let mut found = Vec::new();
    let names = file.member(catalog, "Names")?;
    let tree = names.as_dict().and_then(|names| names.get("EmbeddedFiles"));
    for (key, value) in tree.map_or_else(|| Ok(Vec::new()), |tree| name_tree(file, tree))? {
        add(&mut found, attachment(file, Some(key), &value)?)?;
    }
    associate(file, catalog, &mut found)?;
    Ok(found)
}

/// Adds a file, if there is one, to those of a document.
fn add(found: &mut Vec<Attachment>, attachment: Option<Attachment>) -> Result<()> {
    found.extend(attachment);
    PdfError::within("attached files", found.len(), MOST)
}

/// Marks the entries of the `/AF` of a catalog or page, and adds those that are only there.
fn associate(file: &PdfFile<'_>, holder: &Dict, found: &mut Vec<Attachment>) -> Result<()> {
    let listed = file.member(holder, "AF")?;
    let places = found.iter().enumerate().rev();
    let known = places.filter_map(|(place, known)| Some((known.id?, place)));
    let mut known: BTreeMap<ObjectId, usize> = known.collect();
    for item in listed.as_array().unwrap_or_default() {
        let id = item.as_reference();
        let place = id.and_then(|id| known.get(&id).copied());
        match place.and_then(|place| found.get_mut(place)) {
            Some(known) => known.associated = true,
            None => {
                if let Some(mut only_listed) = attachment(file, None, item)? {
                    only_listed.associated = true;
                    known.extend(id.map(|id| (id, found.len())));
                    add(found, Some(only_listed))?;
                }
            }
        }
    }
    Ok(())
}

/// File specifications that neither the name tree nor `/AF` leads to, in a form as if it did.
fn orphans(file: &PdfFile<'_>, ids: &[ObjectId], found: &[Attachment]) -> Result<Vec<Attachment>> {
    let known: BTreeSet<ObjectId> = found.iter().filter_map(|known| known.id).collect();
    let mut orphans = Vec::new();
    for id in ids {
        if !known.contains(id) {
            orphans.extend(attachment(file, None, &Object::Reference(*id))?);
        }
    }
    Ok(orphans)
}

/// What is attached to pages, where their tree can be read. One that is too large is not taken for one without pages.
pub(super) fn on_pages(file: &PdfFile<'_>, catalog: &Dict) -> Result<Vec<Attachment>> {
    let pages = PdfError::readable(pages(file, catalog))?;
    page_attachments(file, &pages.unwrap_or_default())
}

/// What is attached to pages: their `/AF` and annotations that show an attachment. A page that is damaged does not
/// keep the others from being read. A limit is an error: what was not looked at must not count as absent.
pub(super) fn page_attachments(file: &PdfFile<'_>, pages: &[PdfPage]) -> Result<Vec<Attachment>> {
    let mut found = Vec::new();
    for page in pages {
        PdfError::readable(attached_to(file, page, &mut found))?;
    }
    Ok(found)
}

fn attached_to(file: &PdfFile<'_>, page: &PdfPage, found: &mut Vec<Attachment>) -> Result<()> {
    associate(file, page.dict(), found)?;
    let annotations = file.member(page.dict(), "Annots")?;
    for annotation in annotations.as_array().unwrap_or_default() {
        let annotation = file.follow(annotation)?;
        let Some(dict) = annotation.as_dict() else {
            continue;
        };
        if dict.name("Subtype") == Some(b"FileAttachment") {
            let spec = dict.get("FS").cloned().unwrap_or_default();
            add(found, attachment(file, None, &spec)?)?;
        }
    }
    Ok(())
}

/// What can be found without a catalog: every file specification of the file.
pub(super) fn loose_attachments(file: &PdfFile<'_>) -> Result<Vec<Attachment>> {
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
            add(&mut found, attachment(file, None, &spec)?)?;
        }
    }
    Ok(found)
}

fn attachment(
    file: &PdfFile<'_>,
    key: Option<Vec<u8>>,
    spec: &Object,
) -> Result<Option<Attachment>> {
    let id = spec.as_reference();
    let spec = file.follow(spec)?;
    let Some(spec) = spec.as_dict() else {
        return Ok(None);
    };
    file.hold_dict(spec)?;
    let relationship = file.member(spec, "AFRelationship")?;
    let relationship = relationship.as_name().map(String::from_utf8_lossy);
    let attachment = Attachment {
        file_name: file_name(file, spec, key.as_deref())?,
        key,
        id,
        stream_id: stream_id(file, spec)?,
        spec: spec.clone(),
        relationship: relationship.map(Cow::into_owned),
        associated: false,
        invoice: None,
    };
    file.hold_bytes(attachment.own_bytes())?;
    Ok(Some(attachment))
}

/// `/UF`, else `/F`, else the key of the name tree; without folders.
fn file_name(file: &PdfFile<'_>, spec: &Dict, key: Option<&[u8]>) -> Result<String> {
    for member in ["UF", "F", "Unix", "DOS", "Mac"] {
        let value = file.member(spec, member)?;
        let path = value.as_string().or_else(|| value.as_name());
        let name = last_part(path.unwrap_or_default());
        if !name.is_empty() {
            return Ok(name);
        }
    }
    Ok(last_part(key.unwrap_or_default()))
}

fn last_part(path: &[u8]) -> String {
    let path = decode_text(path);
    let name = path.trim_matches('\0').rsplit(['/', '\\']).next();
    name.unwrap_or_default().trim().to_owned()
}

fn stream_id(file: &PdfFile<'_>, spec: &Dict) -> Result<Option<ObjectId>> {
    let files = file.member(spec, "EF")?;
    let Some(files) = files.as_dict() else {
        return Ok(None);
    };
    let members = ["F", "UF", "Unix", "DOS", "Mac"];
    Ok(members.iter().find_map(|member| files.reference(member)))
}

impl Attachment {
    /// The object of the stream with the bytes; nothing is copied, because many attachments may share it.
    pub(super) fn stream_object(&self, file: &PdfFile<'_>) -> Result<Option<Rc<Located>>> {
        match self.stream_id {
            Some(id) => file.object(id.number),
            None => Ok(None),
        }
    }

    /// Its memory without the specification.
    fn own_bytes(&self) -> usize {
        let profile = self.invoice.as_ref().and_then(|it| it.profile.as_ref());
        [
            size_of::<Self>(),
            self.key.as_ref().map_or(0, Vec::len),
            self.file_name.len(),
            self.relationship.as_ref().map_or(0, String::len),
            profile.map_or(0, |profile| profile.guideline.len()),
        ]
        .iter()
        .sum()
    }

    /// Whether there is reason to look inside.
    fn may_be_invoice(&self) -> bool {
        let name = self.file_name.to_ascii_lowercase();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        Standard::from_file_name(&self.file_name).is_some()
            || extension.is_none_or(|extension| !OTHER_TYPES.contains(&extension))
    }

    /// What the bytes contain; `None` if there are none.
    fn content(&self, file: &PdfFile<'_>, limits: &Limits) -> Result<Option<Content>> {
        let object = self.stream_object(file)?;
        let Some(stream) = object.as_ref().and_then(|it| it.object.as_stream()) else {
            return Ok(None);
        };
        let start = file.decoded_start(stream, START.min(limits.xml_bytes))?;
        Ok(Some(match detect_loose(&start, &limits.detect) {
            Ok(format) => {
                let guideline = format.guideline.as_deref().unwrap_or_default();
                file.hold_bytes(guideline.len() * 2)?;
                Content::Known(format)
            }
            Err(_) if start.is_empty() && !is_undecodable(file, stream) => Content::Empty,
            Err(_) => Content::Other,
        }))
    }

    /// Finds out whether this is an invoice, and which.
    fn recognise(&mut self, file: &PdfFile<'_>, content: &Content) -> Result<()> {
        let by_name = Standard::from_file_name(&self.file_name);
        self.invoice = match (content, by_name) {
            // An empty file is nothing, whatever its name.
            (Content::Empty, _) => None,
            (Content::Other, named) => named.map(|standard| AttachedInvoice {
                standard,
                profile: None,
            }),
            (Content::Known(format), named) => Some(invoice(format.clone(), named)),
        };
        let profile = self.invoice.as_ref().and_then(|it| it.profile.as_ref());
        file.hold_bytes(profile.map_or(0, |profile| profile.guideline.len()))
    }

    // rule: R-ZUG-22
    /// The sort key, lower is better: first the invoice named in the metadata, then the newest standard.
    fn order(&self, invoice: &AttachedInvoice, named: &[String]) -> impl Ord + use<> {
        let is_other = |name: &String| !name.eq_ignore_ascii_case(&self.file_name);
        (named.iter().all(is_other), invoice.standard)
    }
}

/// Whether there are bytes that cannot be decoded; they are reported as damage and not as absence.
fn is_undecodable(file: &PdfFile<'_>, stream: &Stream) -> bool {
    !file.raw(stream).is_empty() && file.decoded_within(stream, START).is_err()
}

/// What the start of an embedded file says.
enum Content {
    Empty,
    Known(Format),
    Other,
}

/// Types of attachments that are never XML.
const OTHER_TYPES: [&str; 16] = [
    "pdf", "png", "jpg", "jpeg", "gif", "tif", "tiff", "xlsx", "xls", "ods", "odt", "doc", "docx",
    "zip", "csv", "json",
];

fn invoice(format: Format, named: Option<Standard>) -> AttachedInvoice {
    let mut profile = format.profile;
    // EN 16931 without an addition is in use in ZUGFeRD 2.0 as well; there the name decides.
    if let (Some(profile), Some(Standard::Zugferd2)) = (&mut profile, named)
        && profile.standard == Standard::FacturX
    {
        profile.standard = Standard::Zugferd2;
    }
    let known = profile.as_ref().map(|profile| profile.standard);
    let standard = known.or(named).unwrap_or(format.standard);
    AttachedInvoice { standard, profile }
}

/// Recognises all invoices; returns their places, the best one first, else in their order. `named` are the file names
/// in the metadata.
pub(super) fn invoices(
    file: &PdfFile<'_>,
    found: &mut [Attachment],
    named: &[String],
    limits: &Limits,
) -> Result<Vec<usize>> {
    let mut seen = BTreeSet::new();
    let mut order = Vec::new();
    // Many file specifications may lead to one file, which is decoded once.
    let mut contents = BTreeMap::new();
    for (place, attachment) in found.iter_mut().enumerate() {
        if let Some(id) = attachment.stream_id.filter(|_| attachment.may_be_invoice()) {
            let content = match contents.entry(id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(attachment.content(file, limits)?),
            };
            if let Some(content) = content {
                attachment.recognise(file, content)?;
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use erp_dev::pdf;
    use erp_pdf::Limits as PdfLimits;

    const SPEC: &str = "<</Type/Filespec/F(a.xml)/EF<</F 6 0 R>>>>";

    fn opened<T>(catalog: &str, page: &str, read: impl Fn(&PdfFile<'_>, &Dict) -> T) -> T {
        let objects = [
            (1, catalog),
            (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
            (3, page),
            (4, "<</Type/Annot/Subtype/FileAttachment/FS 5 0 R>>"),
            (5, SPEC),
        ];
        let bytes = pdf(&objects, &[(6, "/Type/EmbeddedFile", b"<a/>")]);
        let file = PdfFile::open(&bytes, &PdfLimits::DEFAULT).unwrap();
        let (_, catalog) = file.catalog().unwrap();
        read(&file, &catalog)
    }

    fn number_of(read: Result<Vec<Attachment>>) -> Option<usize> {
        match read {
            Ok(found) => Some(found.len()),
            Err(PdfError::TooLarge { what, limit }) => {
                assert_eq!((what, limit), ("attached files", MOST));
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    // rule: R-ZUG-23
    #[test]
    fn no_more_files_are_attached_than_are_looked_at() {
        for (count, wanted) in [(MOST, Some(MOST)), (MOST + 1, None)] {
            let pairs = "()5 0 R".repeat(count);
            let tree = format!("<</Pages 2 0 R/Names<</EmbeddedFiles<</Names[{pairs}]>>>>>>");
            assert_eq!(number_of(opened(&tree, "<<>>", attachments)), wanted);
            let annotations = "4 0 R ".repeat(count);
            let page = format!("<</Type/Page/Annots[{annotations}]>>");
            let found = opened("<</Pages 2 0 R>>", &page, |file, catalog| {
                page_attachments(file, &pages(file, catalog).unwrap())
            });
            assert_eq!(number_of(found), wanted);
            // The specification itself is one of them.
            let numbers = 10..9 + u32::try_from(count).unwrap();
            let mut objects: Vec<(u32, &str)> = numbers.map(|number| (number, SPEC)).collect();
            objects.push((1, SPEC));
            let bytes = pdf(&objects, &[]);
            let file = PdfFile::fragments(&bytes, &PdfLimits::DEFAULT).unwrap();
            assert_eq!(number_of(loose_attachments(&file)), wanted);
        }
    }

    // rule: R-ZUG-38
    #[test]
    fn the_names_of_members_count_each_time_a_specification_is_kept() {
        let name = "n".repeat(10_000);
        let orphan = format!("<</Type/Filespec/F(b)/{name} 1>>");
        let spec = format!("<</Type/Filespec/F(a)/{name} 1>>");
        let read = |held_bytes| {
            let limits = Limits {
                pdf: PdfLimits {
                    held_bytes,
                    ..PdfLimits::DEFAULT
                },
                ..Limits::DEFAULT
            };
            let catalog = "<</Pages 2 0 R/AF[5 0 R]>>";
            let objects = [
                (1, catalog),
                (2, "<</Type/Pages>>"),
                (5, &*spec),
                (6, &*orphan),
            ];
            let bytes = pdf(&objects, &[]);
            let file = PdfFile::open(&bytes, &limits.pdf).unwrap();
            let (_, catalog) = file.catalog().unwrap();
            let Ok(attached) = Attached::read(&file, &catalog, &limits) else {
                return 0;
            };
            let all = attached.with_orphans(&file, &[ObjectId::new(6)], &limits);
            all.map_or(1, |all| all.all.len())
        };
        // One name for the specification itself, one for the orphan, one for the copy.
        let kept = [9_000, 19_000, 29_000, 39_000].map(read);
        assert_eq!(kept, [0, 1, 1, 2]);
    }

    // rule: R-ZUG-21
    #[test]
    fn a_page_that_is_damaged_hides_no_other() {
        let objects = [
            (1, "<</Pages 2 0 R>>"),
            (2, "<</Type/Pages/Kids[3 0 R 7 0 R]/Count 2>>"),
            (3, "<</Type/Page/Annots 8 0 R>>"),
            (4, "<</Type/Annot/Subtype/FileAttachment/FS 5 0 R>>"),
            (5, SPEC),
            (7, "<</Type/Page/Annots[4 0 R]>>"),
            (8, "(no end"),
        ];
        let bytes = pdf(&objects, &[]);
        let file = PdfFile::open(&bytes, &PdfLimits::DEFAULT).unwrap();
        assert!(file.object(8).is_err());
        let (_, catalog) = file.catalog().unwrap();
        let found = page_attachments(&file, &pages(&file, &catalog).unwrap());
        assert_eq!(found.map(|found| found.len()), Ok(1));
    }

    // rule: R-ZUG-38
    #[test]
    fn a_file_that_many_specifications_name_is_decoded_once() {
        let listed: String = (0..50)
            .map(|generation| format!("5 {generation} R "))
            .collect();
        let limits = Limits {
            pdf: PdfLimits {
                total_bytes: 100,
                ..PdfLimits::DEFAULT
            },
            ..Limits::DEFAULT
        };
        let catalog = format!("<</Pages 2 0 R/AF[{listed}]>>");
        let objects = [(1, &*catalog), (2, "<</Type/Pages>>"), (5, SPEC)];
        let bytes = pdf(&objects, &[(6, "/Type/EmbeddedFile", b"<a>hello</a>")]);
        let file = PdfFile::open(&bytes, &limits.pdf).unwrap();
        let (_, catalog) = file.catalog().unwrap();
        let mut found = attachments(&file, &catalog).unwrap();
        assert_eq!(found.len(), 50);
        assert_eq!(invoices(&file, &mut found, &[], &limits), Ok(Vec::new()));
    }
}
