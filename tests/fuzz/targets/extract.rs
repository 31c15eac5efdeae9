//! Any bytes as a PDF: an invoice or an error.
#![no_main]

use erp_core::zugferd::{ExtractOptions, extract};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|pdf: &[u8]| {
    if let Ok(extracted) = extract(pdf, &ExtractOptions::default()) {
        assert!(extracted.xml.len() <= ExtractOptions::default().limits.xml_bytes);
    }
});
