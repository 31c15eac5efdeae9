//! Any bytes as an invoice to check.
#![no_main]

use erp_invoice_check::xml::{XmlLimits, well_formed};
use erp_invoice_check::{CheckLimits, Severity, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let report = check(bytes, &CheckLimits::DEFAULT);
    assert_eq!(report.valid, report.fatal == 0);
    let fatal = report.findings.iter().filter(|finding| finding.severity == Severity::Fatal);
    assert!(fatal.count() <= report.fatal);
    assert!(report.findings.iter().all(|finding| finding.line > 0));
    assert_eq!(report, check(bytes, &CheckLimits::DEFAULT), "the same bytes give the same report");
    let is_xml = well_formed(bytes, &XmlLimits::DEFAULT).is_ok();
    let is_refused = report.findings.iter().any(|finding| finding.rule == "ERP-XML");
    assert_eq!(is_xml, !is_refused);
});
