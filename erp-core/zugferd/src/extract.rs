//! Taking the invoice out of a PDF.

use super::attachments::{Attachment, attachments, invoices, loose_attachments, on_pages};
use super::metadata::Packet;
use super::xml::{XmlError, well_formed};
use super::{Error, Limits, Password, Profile, Standard, Step, json, xmp};
use erp_pdf::{PdfError, PdfFile, Result};
use serde::Serialize;

/// Options of [`extract`].
#[derive(Debug, Clone, Default)]
pub struct ExtractOptions {
    /// The name of the attachment to take; without it the one that the metadata name, else the newest standard, else
    /// the first.
    pub file_name: Option<String>,
    /// Opens an encrypted file.
    pub password: Password,
    /// Bounds.
    pub limits: Limits,
}

/// An invoice that was taken out of a PDF.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extracted {
    /// The bytes, as they are embedded.
    #[serde(skip)]
    pub xml: Vec<u8>,
    /// The name of the attachment.
    pub file_name: String,
    /// What it is; `None` when its guideline is not known.
    pub profile: Option<Profile>,
    /// `/AFRelationship`, without the slash.
    pub relationship: Option<String>,
    /// The invoice and the PDF/A identification in the metadata; `None` if there are no readable ones.
    pub conformance: Option<xmp::XmpFacts>,
    /// Other invoices in the file.
    pub others: Vec<OtherInvoice>,
    /// Why the XML is not well-formed; it is handed out as it is.
    #[serde(serialize_with = "json::sentence")]
    pub fault: Option<XmlError>,
    /// What was done.
    pub steps: Vec<Step>,
}

impl Extracted {
    // rule: R-ZUG-37
    /// The names of all invoices in the file, the one that was taken first.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        let others = self.others.iter().map(|other| other.file_name.as_str());
        std::iter::once(self.file_name.as_str()).chain(others)
    }
}

/// An invoice that is attached and was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OtherInvoice {
    /// The name of the attachment.
    pub file_name: String,
    /// Its standard.
    pub standard: Standard,
    /// Its profile, when its guideline is known.
    pub profile: Option<Profile>,
}

/// Extracts the invoice from a PDF.
///
/// Reads only what leads to the attachment, so that a large file costs as little as a small one. Files with a broken
/// cross-reference are searched completely; encrypted ones are read if they open without a password. Of several
/// invoices the one named in the metadata is extracted, else the newest standard, else the first.
///
/// # Errors
/// [`Error::NoInvoice`] when there is none, [`Error::NoSuchInvoice`] when there is none with the wanted name, [`Error::Pdf`] when the file cannot be read or needs more than the limits.
pub fn extract(pdf: &[u8], options: &ExtractOptions) -> Result<Extracted, Error> {
    let limits = &options.limits;
    let mut steps = vec![Step::Opened { bytes: pdf.len() }];
    let mut file = PdfFile::open(pdf, &limits.pdf);
    if let Ok(file) = &mut file
        && file.is_encrypted()
    {
        let _ = options.password.unlock(file)?;
        steps.push(Step::Decrypted);
        return take(file, options, steps);
    }
    let rebuilt = file.as_ref().is_ok_and(|file| file.opened().rebuilt);
    steps.extend(rebuilt.then_some(Step::Rebuilt));
    let taken = match file {
        Ok(file) => take(&file, options, steps),
        Err(error) => Err(error.into()),
    };
    match taken {
        Err(error) if may_be_found_otherwise(&error) && !rebuilt => search(pdf, options, error),
        taken => taken,
    }
}

fn may_be_found_otherwise(error: &Error) -> bool {
    matches!(error, Error::Pdf(error) if error.is_damage() || matches!(error, PdfError::Undecodable(_)))
}

/// Searches the whole file, ignoring its cross-reference, even if the catalog is lost.
fn search(pdf: &[u8], options: &ExtractOptions, because: Error) -> Result<Extracted, Error> {
    let steps = vec![Step::Opened { bytes: pdf.len() }, Step::Rebuilt];
    let limits = &options.limits;
    if let Ok(file) = PdfFile::rebuild(pdf, &limits.pdf) {
        if file.is_encrypted() {
            return Err(because);
        }
        match take(&file, options, steps.clone()) {
            Err(error) if may_be_found_otherwise(&error) => {}
            other => return other,
        }
    }
    let file = PdfFile::fragments(pdf, &limits.pdf)?;
    if file.is_encrypted() {
        return Err(because);
    }
    let found = loose_attachments(&file)?;
    take_best(&file, found, None, options, steps)
        .map_err(|error| if is_absence(&error) { because } else { error })
}

fn take(
    file: &PdfFile<'_>,
    options: &ExtractOptions,
    steps: Vec<Step>,
) -> Result<Extracted, Error> {
    let (_, catalog) = file.catalog()?;
    let found = attachments(file, &catalog)?;
    // Those that cannot be read within the limits are none: reading the invoice does not need them.
    let metadata = Packet::of(file, &catalog, &options.limits).facts;
    let taken = take_best(file, found, metadata.clone(), options, steps.clone());
    match taken {
        Err(absence) if is_absence(&absence) => {
            // Few files hang their invoice on a page only, so pages are looked at last.
            let found = on_pages(file, &catalog)?;
            let taken = take_best(file, found, metadata, options, steps);
            taken.map_err(|error| if is_absence(&error) { absence } else { error })
        }
        other => other,
    }
}

const fn is_absence(error: &Error) -> bool {
    matches!(error, Error::NoInvoice { .. } | Error::NoSuchInvoice { .. })
}

/// The file names of invoices in the metadata.
fn named(conformance: Option<&xmp::XmpFacts>) -> Vec<String> {
    let invoices = conformance.into_iter().flat_map(|facts| &facts.invoices);
    invoices
        .filter_map(|invoice| invoice.file_name.clone())
        .collect()
}

// rule: R-ZUG-19
fn take_best(
    file: &PdfFile<'_>,
    mut found: Vec<Attachment>,
    conformance: Option<xmp::XmpFacts>,
    options: &ExtractOptions,
    mut steps: Vec<Step>,
) -> Result<Extracted, Error> {
    let names = named(conformance.as_ref());
    let order = invoices(file, &mut found, &names, &options.limits)?;
    let mut invoices = order.iter().filter_map(|place| found.get(*place));
    let chosen = match &options.file_name {
        None => invoices.next(),
        Some(wanted) => invoices.find(|invoice| invoice.file_name == *wanted),
    };
    let Some(chosen) = chosen else {
        let names = found.iter().map(|attachment| attachment.file_name.clone());
        let attachments = names.collect();
        return Err(match &options.file_name {
            Some(file_name) if !order.is_empty() => Error::NoSuchInvoice {
                file_name: file_name.clone(),
                attachments,
            },
            _ => Error::NoInvoice { attachments },
        });
    };
    let xml = embedded(file, chosen, options.limits.xml_bytes)?;
    steps.push(Step::Found {
        file_name: chosen.file_name.clone(),
        bytes: xml.len(),
    });
    let profile = chosen.invoice.as_ref().and_then(|it| it.profile.clone());
    steps.extend(profile.clone().map(Step::Recognised));
    let fault = well_formed(&xml, &options.limits.xml()).err();
    steps.extend(fault.clone().map(Step::NotWellFormed));
    let invoices = order.iter().filter_map(|place| found.get(*place));
    let others = invoices.filter(|other| !std::ptr::eq(*other, chosen));
    let others: Vec<OtherInvoice> = others.filter_map(other_invoice).collect();
    steps.extend(others.iter().map(|other| Step::AlsoAttached {
        file_name: other.file_name.clone(),
        standard: other.standard,
    }));
    Ok(Extracted {
        xml,
        file_name: chosen.file_name.clone(),
        profile,
        relationship: chosen.relationship.clone(),
        conformance,
        others,
        fault,
        steps,
    })
}

/// The bytes of an embedded file, decoded, at most `limit`.
fn embedded(file: &PdfFile<'_>, chosen: &Attachment, limit: usize) -> Result<Vec<u8>, Error> {
    let object = chosen.stream_object(file)?;
    let Some(stream) = object.as_ref().and_then(|it| it.object.as_stream()) else {
        return Err(PdfError::damaged("the embedded file is missing", 0).into());
    };
    Ok(file.decoded_within(stream, limit)?.into_owned())
}

fn other_invoice(attachment: &Attachment) -> Option<OtherInvoice> {
    let invoice = attachment.invoice.as_ref()?;
    Some(OtherInvoice {
        file_name: attachment.file_name.clone(),
        standard: invoice.standard,
        profile: invoice.profile.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Error, ExtractOptions, extract};
    use erp_dev::pdf;
    use erp_pdf::{Limits, PdfError};

    fn error_of(annotations: &str, tree_nodes: usize) -> Error {
        let page = format!("<</Type/Page/Parent 2 0 R/Annots[{annotations}]>>");
        let objects = [
            (1, "<</Type/Catalog/Pages 2 0 R>>"),
            (2, "<</Type/Pages/Kids[3 0 R]/Count 1>>"),
            (3, &*page),
            (4, "<</Type/Annot/Subtype/FileAttachment/FS 5 0 R>>"),
            (5, "<</Type/Filespec/F(a.xml)/EF<</F 6 0 R>>>>"),
        ];
        let bytes = pdf(&objects, &[(6, "", b"no invoice")]);
        let mut options = ExtractOptions::default();
        options.limits.pdf.tree_nodes = tree_nodes;
        extract(&bytes, &options).unwrap_err()
    }

    // rule: R-ZUG-23
    #[test]
    fn pages_that_were_not_looked_at_are_no_absence() {
        let all = Limits::DEFAULT.tree_nodes;
        assert!(matches!(error_of("4 0 R", all), Error::NoInvoice { .. }));
        for (annotations, tree_nodes) in [("4 0 R ".repeat(10_001), all), ("4 0 R".to_owned(), 1)] {
            let error = error_of(&annotations, tree_nodes);
            assert!(
                matches!(error, Error::Pdf(PdfError::TooLarge { .. })),
                "{error}"
            );
        }
    }
}
