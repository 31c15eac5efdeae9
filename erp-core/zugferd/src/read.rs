//! What the invoice in a PDF or an XML says.

use super::{CheckLimits, Error, ExtractOptions, TermGroup, extract};

/// What an invoice says by the numbers of the terms of EN 16931, as JSON too: an XML (CII, UBL), or the one in a PDF that [`extract`] takes.
///
/// ```
/// use erp_zugferd::{Error, ExtractOptions, read};
///
/// fn due(file: &[u8]) -> Result<Option<String>, Error> {
///     let invoice = read(file, &ExtractOptions::default())?;
///     let sums = invoice.group("BG-22");
///     Ok(sums.and_then(|sums| sums.text("BT-115")).map(str::to_owned))
/// }
///
/// let ubl = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2";
/// let amount = "<LegalMonetaryTotal><PayableAmount>12.50</PayableAmount></LegalMonetaryTotal>";
/// let xml = format!("<Invoice xmlns='{ubl}'>{amount}</Invoice>");
/// assert_eq!(due(xml.as_bytes())?.as_deref(), Some("12.50"));
/// assert!(due(b"%PDF-1.7").is_err());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// Those of [`extract`], and [`Error::Read`] where the XML is not an invoice that can be read.
pub fn read(file: &[u8], options: &ExtractOptions) -> Result<TermGroup, Error> {
    let of_pdf = is_pdf(file).then(|| extract(file, options)).transpose()?;
    let xml = of_pdf.as_ref().map_or(file, |extracted| &extracted.xml);
    let limits = CheckLimits {
        xml: options.limits.xml(),
        keep_going: options.limits.pdf.keep_going,
        ..CheckLimits::DEFAULT
    };
    Ok(erp_invoice_check::read(xml, &limits)?)
}

/// Whether bytes are meant to be a PDF: its header is near the start, and not inside an XML.
#[must_use]
pub fn is_pdf(file: &[u8]) -> bool {
    const HEADER: &[u8] = b"%PDF-";
    const START: usize = 1024;
    let start = file.get(..START).unwrap_or(file);
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    !text.trim_ascii_start().starts_with(b"<")
        && start.windows(HEADER.len()).any(|part| part == HEADER)
}

#[cfg(test)]
mod tests {
    use super::is_pdf;

    #[test]
    fn an_xml_that_mentions_the_header_of_a_pdf_is_an_xml() {
        assert!(is_pdf(b"%PDF-1.7\n"));
        assert!(is_pdf(b"junk\n%PDF-1.7\n"));
        let late = [&[b' '; 1_024][..], b"%PDF-1.7"].concat();
        for xml in [
            b"<!-- %PDF-1.7 --><a/>".as_slice(),
            b"\xEF\xBB\xBF \n<a>%PDF-1.7</a>",
            b"",
            &late,
        ] {
            assert!(!is_pdf(xml));
        }
    }
}
