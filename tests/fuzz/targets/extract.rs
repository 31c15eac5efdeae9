//! Any bytes as a PDF: an invoice or an error.
#![no_main]

use erp_zugferd::{ExtractOptions, extract};
use libfuzzer_sys::fuzz_target;

/// Less than the default, so that an input that takes two seconds does not just decode much.
const DECODED_BYTES: usize = 32 << 20;

fuzz_target!(|pdf: &[u8]| {
    let mut options = ExtractOptions::default();
    options.limits.pdf.total_bytes = DECODED_BYTES;
    if let Ok(extracted) = extract(pdf, &options) {
        assert!(extracted.xml.len() <= options.limits.xml_bytes);
    }
});
