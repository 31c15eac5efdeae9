//! What holds for any bytes from outside. The fuzzer looks for inputs for which it does not; a test tries those that are here.

use erp_core::json::read;
use erp_invoice_check::xml::{XmlLimits, well_formed};
use erp_invoice_check::{CheckLimits, Severity};
use erp_zugferd::{CombineOptions, DetectLimits, ExtractOptions, detect_loose};

const XML: &[u8] = include_bytes!("../../fixtures/zugferd/xml/facturx-basic.xml");

/// Less than the default, so that an input that takes two seconds does not just decode much.
const DECODED_BYTES: usize = 32 << 20;

/// Any bytes as a PDF: an invoice or an error.
pub fn extract(pdf: &[u8]) {
    let mut options = ExtractOptions::default();
    options.limits.pdf.total_bytes = DECODED_BYTES;
    if let Ok(extracted) = erp_zugferd::extract(pdf, &options) {
        assert!(extracted.xml.len() <= options.limits.xml_bytes);
    }
}

/// Any bytes as a PDF: a hybrid from which the invoice can be extracted, or an error.
pub fn combine(pdf: &[u8]) {
    let mut options = CombineOptions::default();
    options.limits.pdf.total_bytes = DECODED_BYTES;
    let Ok(combined) = erp_zugferd::combine(pdf, XML, &options) else {
        return;
    };
    if combined.kept_bytes > 0 {
        assert!(combined.pdf.starts_with(pdf), "the input is not kept");
    }
    let extracted = erp_zugferd::extract(&combined.pdf, &ExtractOptions::default());
    let extracted = extracted.expect("the invoice is found again");
    assert!(extracted.xml == XML, "the invoice is changed");
    assert!(
        extracted.others.is_empty(),
        "the old invoice is still there"
    );
}

/// Any bytes as the XML of an invoice.
pub fn detect(bytes: &[u8]) {
    let limits = DetectLimits::DEFAULT;
    if let Ok(profile) = erp_zugferd::detect(bytes, &limits) {
        let loose = detect_loose(bytes, &limits).expect("what is accepted is recognised");
        assert_eq!(loose.profile, Some(profile));
    }
}

/// Any bytes as an invoice to check.
pub fn check(bytes: &[u8]) {
    let report = erp_invoice_check::check(bytes, &CheckLimits::DEFAULT);
    assert_eq!(report.valid, report.fatal == 0);
    let fatal = report
        .findings
        .iter()
        .filter(|finding| finding.severity == Severity::Fatal);
    assert!(fatal.count() <= report.fatal);
    assert!(report.findings.iter().all(|finding| finding.line > 0));
    assert_eq!(
        report,
        erp_invoice_check::check(bytes, &CheckLimits::DEFAULT),
        "the same bytes give the same report"
    );
    let is_xml = well_formed(bytes, &XmlLimits::DEFAULT).is_ok();
    let is_refused = report
        .findings
        .iter()
        .any(|finding| finding.rule == "ERP-XML");
    assert_eq!(is_xml, !is_refused);
}

/// Any text as JSON, with long runs of digits: a `#` is replaced by as many digits as the first two bytes say.
pub fn json(bytes: &[u8]) {
    let Some(([high, low], text)) = bytes.split_first_chunk() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let digits = "7".repeat(2 * usize::from(u16::from_be_bytes([*high, *low])));
    let text = text.replacen('#', &digits, 3);
    let ours = read(&text);
    // The reader differs from serde_json only where a number does not fit into f64 or a name is repeated.
    if let Ok(value) = &ours {
        assert_eq!(
            read(&value.to_string()).as_ref().ok(),
            Some(value),
            "what is written reads the same"
        );
    } else if let Ok(theirs) = serde_json::from_str::<serde_json::Value>(&text) {
        let twice = ours.unwrap_err().to_string();
        assert!(twice.contains("given twice"), "{theirs}: {twice}");
    }
}
