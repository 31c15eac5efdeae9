//! Any bytes as a PDF: a hybrid from which the invoice can be extracted, or an error.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| erp_fuzz::combine(bytes));
