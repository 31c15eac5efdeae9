//! Describes a PDF and its attachments, for people and tools that look before they work.

use super::attachments::{AttachedInvoice, Attachment, attachments, invoices, page_attachments};
use super::metadata::Packet;
use super::survey::is_signed;
use super::{Error, Limits, Password, Reason, xmp};
use erp_pdf::file::SectionKind;
use erp_pdf::pages::{PdfPage, pages};
use erp_pdf::{Dict, PdfError, PdfFile, Result};
use erp_pdfa::xmp::PdfaIdentification;
use serde::Serialize;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// `%PDF-` is in these first bytes, as readers look for it.
const HEADER_WITHIN: usize = 1_024;

/// A PDF and its attachments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Inspection {
    /// Bytes of the file.
    pub bytes: usize,
    /// The version of PDF, for example `1.7`: that of the header, or a later one of the catalog.
    pub version: String,
    /// Its pages; `None` when they cannot be counted.
    pub pages: Option<usize>,
    /// How it is encrypted, if it is.
    pub encryption: Option<Encryption>,
    /// Whether it says that it holds signatures.
    pub signed: bool,
    /// How its newest cross-reference section is written.
    pub cross_reference: CrossReference,
    /// How many times it was saved.
    pub sections: usize,
    /// What it says of PDF/A.
    pub pdfa_claim: Option<PdfaClaim>,
    /// The violations of PDF/A-3b, each with its place and clause; empty if there are none.
    pub pdfa_faults: Vec<String>,
    /// Why the list of faults is not complete, if it is not.
    pub pdfa_unchecked: Option<String>,
    /// What is attached, to the document first, then to pages.
    pub attachments: Vec<InspectedAttachment>,
    /// What its metadata say of an invoice.
    pub metadata_invoices: Vec<MetadataInvoice>,
}

/// What a password is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Encryption {
    /// To change it; it can be read without one.
    OwnerPassword,
    /// To read it.
    UserPassword,
}

/// How objects are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CrossReference {
    /// By a table.
    Table,
    /// By a stream.
    Stream,
    /// It is broken; the objects were looked for in the whole file.
    Rebuilt,
}

/// The PDF/A identification of the metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PdfaClaim {
    /// The part of ISO 19005.
    pub part: Option<String>,
    /// The conformance level.
    pub conformance: Option<String>,
}

impl From<PdfaIdentification> for PdfaClaim {
    fn from(found: PdfaIdentification) -> Self {
        Self {
            part: found.part,
            conformance: found.conformance,
        }
    }
}

/// An attached file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InspectedAttachment {
    /// Its name, without folders.
    pub file_name: String,
    /// Its bytes; `None` when they cannot be decoded within the limits.
    pub bytes: Option<usize>,
    /// `/AFRelationship`, without the slash.
    pub relationship: Option<String>,
    /// The media type, for example `text/xml`.
    pub media_type: Option<String>,
    /// Whether an `/AF` lists it.
    pub associated: bool,
    /// Whether it is attached to a page and not to the document.
    pub on_page: bool,
    /// What invoice it is, if it is one.
    pub invoice: Option<InspectedInvoice>,
}

/// What invoice an attachment is; members that are not known are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InspectedInvoice {
    /// The standard, for example `Factur-X`.
    pub standard: &'static str,
    /// The level, for example `EN 16931`.
    pub level: Option<&'static str>,
    /// `INVOICE`, `ORDER` and the like.
    pub document_type: Option<&'static str>,
    /// The guideline (BT-24).
    pub guideline: Option<String>,
}

/// What the metadata say of an invoice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetadataInvoice {
    /// The standard their namespace belongs to.
    pub standard: &'static str,
    /// `DocumentType`.
    pub document_type: Option<String>,
    /// `DocumentFileName`.
    pub file_name: Option<String>,
    /// `Version`.
    pub version: Option<String>,
    /// `ConformanceLevel`.
    pub level: Option<String>,
}

/// Describes a PDF and its attachments.
///
/// A file that opens only with a password is reported as encrypted, without its content.
///
/// # Errors
/// [`Error::Pdf`] when it cannot be read at all, or needs more than the limits.
pub fn inspect(pdf: &[u8], limits: &Limits) -> Result<Inspection, Error> {
    inspect_with(pdf, &Password::default(), limits)
}

/// As [`inspect`], with a password for an encrypted file.
///
/// # Errors
/// Those of [`inspect`], and [`PdfError::WrongPassword`] when it is none of the file.
pub fn inspect_with(pdf: &[u8], password: &Password, limits: &Limits) -> Result<Inspection, Error> {
    let inspect = |file| inspect_open(file, pdf, password, limits);
    match inspect(PdfFile::open(pdf, &limits.pdf)?) {
        // As `combine` and `extract` do; what they take is described.
        Err(Error::Pdf(error)) if error.is_damage() => inspect(PdfFile::rebuild(pdf, &limits.pdf)?),
        inspected => inspected,
    }
}

fn inspect_open(
    mut file: PdfFile<'_>,
    pdf: &[u8],
    password: &Password,
    limits: &Limits,
) -> Result<Inspection, Error> {
    let mut inspection = frame(&file, pdf);
    if !file.is_encrypted() {
        let packet = look_inside(&file, limits, &mut inspection)?;
        check(&file, pdf, &packet, &mut inspection)?;
        return Ok(inspection);
    }
    inspection.pdfa_faults = vec!["the file is encrypted (clause 6.1.3)".to_owned()];
    inspection.pdfa_unchecked = Some("the rest of an encrypted file was not looked at".to_owned());
    match password.unlock(&mut file) {
        Ok(encryption) => {
            inspection.encryption = Some(encryption);
            look_inside(&file, limits, &mut inspection)?;
        }
        Err(PdfError::PasswordNeeded) => inspection.encryption = Some(Encryption::UserPassword),
        Err(error) => return Err(error.into()),
    }
    Ok(inspection)
}

/// What the structure alone shows.
fn frame(file: &PdfFile<'_>, pdf: &[u8]) -> Inspection {
    let cross_reference = match file.sections().next() {
        _ if file.opened().rebuilt => CrossReference::Rebuilt,
        Some((_, SectionKind::Stream)) => CrossReference::Stream,
        _ => CrossReference::Table,
    };
    Inspection {
        bytes: pdf.len(),
        version: header_version(pdf),
        pages: None,
        encryption: None,
        signed: false,
        cross_reference,
        sections: file.sections().count(),
        pdfa_claim: None,
        pdfa_faults: Vec::new(),
        pdfa_unchecked: None,
        attachments: Vec::new(),
        metadata_invoices: Vec::new(),
    }
}

/// The digits after `%PDF-`.
fn header_version(pdf: &[u8]) -> String {
    let start = pdf.get(..HEADER_WITHIN.min(pdf.len())).unwrap_or_default();
    let found = memchr::memmem::find(start, b"%PDF-");
    let behind = found.and_then(|at| pdf.get(at + 5..)).unwrap_or_default();
    version_of(behind)
}

fn version_of(bytes: &[u8]) -> String {
    let letters = bytes.iter().take(8).map(|byte| char::from(*byte));
    letters
        .take_while(|letter| letter.is_ascii_digit() || *letter == '.')
        .collect()
}

/// Reports everything but PDF/A faults; returns the metadata.
fn look_inside(
    file: &PdfFile<'_>,
    limits: &Limits,
    inspection: &mut Inspection,
) -> Result<Packet, Error> {
    let (_, catalog) = file.catalog()?;
    // Versions compare as texts: `1.7` comes after `1.4`, `2.0` after both.
    let stated = version_of(catalog.name("Version").unwrap_or_default());
    inspection.version = stated.max(std::mem::take(&mut inspection.version));
    let pages = pages(file, &catalog).ok();
    inspection.pages = pages.as_ref().map(Vec::len);
    inspection.signed = is_signed(file, &catalog)?;
    inspection.attachments = inspected(file, &catalog, pages.unwrap_or_default(), limits)?;
    let mut packet = Packet::of(file, &catalog, limits);
    if let Some(facts) = packet.facts.take() {
        inspection.pdfa_claim = facts.pdfa.map(PdfaClaim::from);
        inspection.metadata_invoices = facts.invoices.into_iter().map(metadata_invoice).collect();
    }
    Ok(packet)
}

fn metadata_invoice(facts: xmp::InvoiceFacts) -> MetadataInvoice {
    MetadataInvoice {
        standard: facts.standard.name(),
        document_type: facts.document_type,
        file_name: facts.file_name,
        version: facts.version,
        level: facts.level,
    }
}

fn inspected(
    file: &PdfFile<'_>,
    catalog: &Dict,
    pages: Vec<PdfPage>,
    limits: &Limits,
) -> Result<Vec<InspectedAttachment>> {
    let mut found = attachments(file, catalog)?;
    let on_document = found.len();
    found.extend(page_attachments(file, &pages)?);
    drop(pages);
    invoices(file, &mut found, &[], limits)?;
    let mut seen = BTreeSet::new();
    // Many file specifications may lead to one file, which is decoded once.
    let mut streams = BTreeMap::new();
    let mut inspected = Vec::new();
    for (place, attachment) in found.into_iter().enumerate() {
        let on_page = place >= on_document;
        // A file of a page and of the document is reported once.
        let is_new = attachment.stream_id.is_none_or(|id| seen.insert(id));
        if !is_new && on_page {
            continue;
        }
        let number = attachment.stream_id.map_or(0, |id| id.number);
        let stream = match streams.entry(number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(inspected_stream(file, &attachment, limits)?),
        };
        let media_type = stream.media_type.clone();
        file.hold_bytes(media_type.as_ref().map_or(0, String::len))?;
        inspected.push(InspectedAttachment {
            file_name: attachment.file_name,
            bytes: stream.bytes,
            relationship: attachment.relationship,
            media_type,
            associated: attachment.associated,
            on_page,
            invoice: attachment.invoice.map(inspected_invoice),
        });
    }
    Ok(inspected)
}

/// What is reported of an embedded file, for each specification that leads to it.
#[derive(Default)]
struct InspectedStream {
    bytes: Option<usize>,
    media_type: Option<String>,
}

fn inspected_stream(
    file: &PdfFile<'_>,
    attachment: &Attachment,
    limits: &Limits,
) -> Result<InspectedStream> {
    let object = attachment.stream_object(file)?;
    let Some(stream) = object.as_ref().and_then(|it| it.object.as_stream()) else {
        return Ok(InspectedStream::default());
    };
    let decoded = file.decoded_within(stream, limits.pdf.stream_bytes).ok();
    let media_type = stream.dict.name("Subtype");
    let media_type = media_type.map(|name| String::from_utf8_lossy(name).into_owned());
    file.hold_bytes(media_type.as_ref().map_or(0, String::len))?;
    Ok(InspectedStream {
        bytes: decoded.map(|bytes| bytes.len()),
        media_type,
    })
}

fn inspected_invoice(invoice: AttachedInvoice) -> InspectedInvoice {
    let profile = invoice.profile.as_ref();
    InspectedInvoice {
        standard: invoice.standard.name(),
        level: profile.map(super::Profile::xmp_level),
        document_type: profile.map(super::Profile::document_type),
        guideline: invoice.profile.map(|profile| profile.guideline),
    }
}

/// Compares the file with PDF/A-3b.
fn check(
    file: &PdfFile<'_>,
    pdf: &[u8],
    packet: &Packet,
    inspection: &mut Inspection,
) -> Result<(), Error> {
    let faults = match erp_pdfa::judge(file, pdf, false) {
        Ok((faults, _)) => faults,
        Err(error @ PdfError::TooLarge { .. }) => {
            inspection.pdfa_unchecked = Some(error.to_string());
            Vec::new()
        }
        Err(error) => return Err(error.into()),
    };
    let reasons = faults.iter().map(Reason::of).chain(packet.reasons());
    inspection.pdfa_faults = reasons.map(|reason| reason.to_string()).collect();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{CrossReference, Limits, inspect};
    use crate::{CombineOptions, combine};
    use erp_dev::pdf;
    use erp_pdf::Limits as PdfLimits;

    const SPEC: &str = "<</Type/Filespec/F(a.xml)/EF<</F 6 0 R>>>>";

    fn file(catalog: &str, page: &str, members: &str) -> Vec<u8> {
        let catalog = format!("<</Type/Catalog/Pages 2 0 R{catalog}>>");
        let page = format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]{page}>>");
        let objects = [
            (1, &*catalog),
            (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
            (3, &*page),
            (4, "<</Type/Annot/Subtype/FileAttachment/FS 5 0 R>>"),
            (5, SPEC),
        ];
        pdf(&objects, &[(6, members, b"3c612f3e>")])
    }

    fn with(pdf: PdfLimits) -> Limits {
        Limits {
            pdf,
            ..Limits::DEFAULT
        }
    }

    // rule: R-ZUG-38
    #[test]
    fn a_file_that_many_specifications_name_is_decoded_and_described_once() {
        let listed = "5 0 R ".repeat(50);
        let pairs = "()5 0 R".repeat(50);
        let catalog = format!("/AF[{listed}]/Names<</EmbeddedFiles<</Names[{pairs}]>>>>");
        let bytes = file(&catalog, "", "/Filter/ASCIIHexDecode/Subtype/text#2Fxml");
        let limits = with(PdfLimits {
            total_bytes: 100,
            ..PdfLimits::DEFAULT
        });
        let inspection = inspect(&bytes, &limits).unwrap().attachments;
        assert_eq!(inspection.len(), 50);
        for attachment in inspection {
            assert_eq!(attachment.bytes, Some(4));
            assert_eq!(attachment.media_type.as_deref(), Some("text/xml"));
        }
    }

    // rule: R-ZUG-38
    #[test]
    fn the_media_type_counts_for_each_attachment() {
        let pairs = "()5 0 R".repeat(50);
        let catalog = format!("/Names<</EmbeddedFiles<</Names[{pairs}]>>>>");
        let limits = with(PdfLimits {
            held_bytes: 200_000,
            ..PdfLimits::DEFAULT
        });
        let of = |kind: &str| {
            let bytes = file(&catalog, "", &format!("/Subtype/{kind}"));
            inspect(&bytes, &limits).map(|inspection| inspection.attachments.len())
        };
        assert_eq!(of("text#2Fxml"), Ok(50));
        let error = of(&"x".repeat(10_000)).unwrap_err().to_string();
        assert!(error.contains("held"), "{error}");
    }

    // rule: R-ZUG-23
    #[test]
    fn a_page_tree_that_is_too_large_is_not_counted_and_nothing_else_is_lost() {
        let bytes = file("/AF[5 0 R]", "/Annots[4 0 R]", "");
        let limits = with(PdfLimits {
            tree_nodes: 1,
            ..PdfLimits::DEFAULT
        });
        let inspection = inspect(&bytes, &limits).unwrap();
        assert_eq!((inspection.pages, inspection.attachments.len()), (None, 1));
        let inspection = inspect(&bytes, &Limits::DEFAULT).unwrap();
        assert_eq!(
            (inspection.pages, inspection.attachments.len()),
            (Some(1), 1)
        );
    }

    // clause: 6.6.2.1
    #[test]
    fn metadata_that_cannot_be_read_are_a_fault_and_nothing_else_is_lost() {
        let mut bytes = file("/AF[5 0 R]/Metadata 4 0 R", "", "");
        let at = memchr::memmem::find(&bytes, b"4 0 obj").unwrap();
        bytes[at] = b'7';
        let inspection = inspect(&bytes, &Limits::DEFAULT).unwrap();
        assert_eq!(inspection.attachments.len(), 1);
        let unreadable = |fault: &String| fault.starts_with("the metadata cannot be read");
        assert!(
            inspection.pdfa_faults.iter().any(unreadable),
            "{inspection:?}"
        );
    }

    // rule: R-ZUG-21
    #[test]
    fn a_file_that_is_combined_after_looking_for_its_objects_is_described() {
        let mut bytes = file("/AF[5 0 R]", "", "");
        let at = memchr::memmem::find(&bytes, b"5 0 obj").unwrap();
        bytes[at] = b'7';
        let invoice = include_bytes!("../../../tests/fixtures/zugferd/xml/facturx-basic.xml");
        assert!(combine(&bytes, invoice, &CombineOptions::default()).is_ok());
        let inspection = inspect(&bytes, &Limits::DEFAULT).unwrap();
        assert_eq!(inspection.cross_reference, CrossReference::Rebuilt);
        assert_eq!(inspection.attachments, []);
        let [first, ..] = &*inspection.pdfa_faults else {
            panic!("{inspection:?}");
        };
        assert!(first.contains("6.1.4"), "{first}");
    }

    // rule: R-ZUG-23
    #[test]
    fn more_attachments_of_pages_than_are_looked_at_are_no_absence() {
        let annotations = format!("/Annots[{}]", "4 0 R ".repeat(10_001));
        let bytes = file("", &annotations, "");
        let error = inspect(&bytes, &Limits::DEFAULT).unwrap_err().to_string();
        assert!(error.contains("attached files"), "{error}");
    }
}
