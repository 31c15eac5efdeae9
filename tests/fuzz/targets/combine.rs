//! Any bytes as a PDF: a hybrid from which the invoice can be extracted, or an error.
#![no_main]

use erp_zugferd::{CombineOptions, ExtractOptions, combine, extract};
use libfuzzer_sys::fuzz_target;

const XML: &[u8] = include_bytes!("../../fixtures/zugferd/xml/facturx-basic.xml");

/// Less than the default, so that an input that takes two seconds does not just decode much.
const DECODED_BYTES: usize = 32 << 20;

fuzz_target!(|pdf: &[u8]| {
    let mut options = CombineOptions::default();
    options.limits.pdf.total_bytes = DECODED_BYTES;
    let Ok(combined) = combine(pdf, XML, &options) else { return };
    if combined.kept_bytes > 0 {
        assert!(combined.pdf.starts_with(pdf), "the input is not kept");
    }
    let extracted = extract(&combined.pdf, &ExtractOptions::default());
    let extracted = extracted.expect("the invoice is found again");
    assert!(extracted.xml == XML, "the invoice is changed");
    assert!(extracted.others.is_empty(), "the old invoice is still there");
});
