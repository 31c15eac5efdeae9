//! Any bytes as a PDF: an invoice or an error.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| erp_fuzz::extract(bytes));
